import { createEmbedder, type Embedder } from '../models/embeddings/embedder.ts';
import type { FindEndpoint } from '../models/model.ts';
import { createEgressFetch } from '../platform/egress/fetch.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { createGenAi } from '../platform/observability/gen-ai.ts';
import type { Metrics } from '../platform/observability/metrics.ts';

/** Creates an embedder that adds a span and metrics to each request. `stop` closes open connections. */
export function openEmbedder(deps: {
  guard: AddressGuard;
  metrics: Metrics;
  findEndpoint: FindEndpoint;
}): { embedder: Embedder; stop: () => Promise<void> } {
  const { findEndpoint } = deps;
  const egress = createEgressFetch({ guard: deps.guard });
  const embedder = createEmbedder({ findEndpoint, fetch: egress.fetch });
  const genAi = createGenAi(deps.metrics);
  return {
    embedder: {
      ...embedder,
      embed: (namespace, asked) => {
        const { provider, model } = asked;
        return genAi.embeddings({ provider, model }, () => embedder.embed(namespace, asked));
      },
    },
    stop: egress.stop,
  };
}
