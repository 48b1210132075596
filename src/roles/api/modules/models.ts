import { createModels as createModelClients } from '../../../models/create-models.ts';
import type { Embedder } from '../../../models/embeddings/embedder.ts';
import { createEndpoints } from '../../../models/find-endpoint.ts';
import { testProviderRoutes } from '../../../models/test-provider.routes.ts';
import type { FindEndpoint, FindModel } from '../../../models/model.ts';
import { createEgressFetch } from '../../../platform/egress/fetch.ts';
import { createGenAi } from '../../../platform/observability/gen-ai.ts';
import { openEmbedder } from '../../open-embedder.ts';
import type { Infrastructure } from '../infrastructure.ts';
import { observeModels } from '../observed-turns.ts';
import type { Module } from './module.ts';

export type Models = Module & {
  findEndpoint: FindEndpoint;
  /**
   * Finds the model that an agent declares. The model is wrapped so that each request to it creates spans and metrics.
   */
  findModel: FindModel;
  /**
   * Returns a function that finds models at the endpoints given by `findEndpoint`. These models are wrapped as well.
   */
  modelsAt: (findEndpoint: FindEndpoint) => FindModel;
  embedder: Embedder;
  stop: () => Promise<void>;
};

/**
 * Creates the clients of the declared model providers, and the routes that test a provider. The other routes of
 * ModelProvider are generated from its kind.
 */
export function createModels(infrastructure: Infrastructure): Models {
  const { pool, sealer, guard, metrics, modelSettings, clockMs: nowMs } = infrastructure;
  const endpoints = createEndpoints({ pool, sealer, settings: modelSettings, nowMs });
  infrastructure.cacheDeclarations(endpoints.look);
  const findEndpoint = endpoints.find;
  const egress = createEgressFetch({ guard });
  const { embedder, stop: stopEmbedder } = openEmbedder({ guard, metrics, findEndpoint });
  const genAi = createGenAi(metrics);
  const modelsAt = (find: FindEndpoint): FindModel =>
    observeModels(createModelClients({ findEndpoint: find, fetch: egress.fetch, nowMs }), genAi);
  return {
    routes: testProviderRoutes({
      pool,
      sealer,
      guard,
      fetch: egress.fetch,
      modelAt: (endpoint) =>
        createModelClients({ findEndpoint: async () => endpoint, fetch: egress.fetch, nowMs }),
    }),
    findEndpoint,
    findModel: modelsAt(findEndpoint),
    modelsAt,
    embedder,
    stop: async () => {
      await Promise.all([egress.stop(), stopEmbedder()]);
    },
  };
}
