import { openTools } from '../../conversations/tools/open-tools.ts';
import { createExtractiveResponder } from '../../conversations/turns/extractive-responder.ts';
import { createModelResponder } from '../../conversations/turns/model-responder.ts';
import type { SearchWays } from '../../knowledge/search-knowledge.ts';
import { createFindByMeaning } from '../../knowledge/vectors/find-by-meaning.ts';
import { createFairQueue } from '../../platform/controller/fair-queue.ts';
import { createModels } from '../../models/create-models.ts';
import type { AgentContent } from '../../agents/agent.ts';
import type { Responder } from '../../conversations/turns/responder.ts';
import type { FindEndpoint, FindModel, ModelEndpoint } from '../../models/model.ts';
import { createEgressFetch } from '../../platform/egress/fetch.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { createGenAi } from '../../platform/observability/gen-ai.ts';
import type { RoleContext } from '../context.ts';
import { openEmbedder } from '../open-embedder.ts';
import type { WhoReplies } from './maintenance.ts';
import { observeModels, observeTools } from './observed-turns.ts';

/** Model for agents without one, which `start` uses for its sample conversation. */
export type SampleModel = { endpoint: ModelEndpoint; isFor: (content: AgentContent) => boolean };

export type RepliesDeps = RoleContext & {
  findEndpoint: FindEndpoint;
  clockMs: () => number;
  /** Replacement for the default responder. */
  responder?: WhoReplies | undefined;
  /** Resolves host names for tools; default: the system's resolver. */
  lookup?: Lookup | undefined;
  sampleModel?: SampleModel | undefined;
};

/**
 * Limits on the concurrent searches of a process. A search with many misspelled words occupies PostgreSQL and this
 * process for 0.1 s, and other requests need both.
 */
const SEARCHES = { places: 4, share: 3, waitingMax: { namespace: 200, all: 1_000 } };

/**
 * Opens the responder of this process: a model with its tools for agents that have one, otherwise the search that
 * quotes passages. `stop` closes open connections.
 */
export function openReplies(deps: RepliesDeps): {
  responder: WhoReplies;
  /** Finds the models that agents declare, with observation. The sample model is not included. */
  findModel: FindModel;
  /** Search of the knowledge for replies. */
  ways: SearchWays;
  stop: () => Promise<void>;
} {
  const { clockMs: nowMs, sampleModel, metrics } = deps;
  const searches = createFairQueue({ kind: 'searches', ...SEARCHES, metrics });
  const egress = createEgressFetch({ guard: deps.guard });
  const { embedder, stop: stopEmbedder } = openEmbedder(deps);
  const tools = openTools(deps);
  const genAi = createGenAi(deps.metrics);
  const makeToolBox = observeTools(tools.makeToolBox, genAi);
  const extractive = createExtractiveResponder({ nowMs });
  const modelsOf = (findEndpoint: FindEndpoint): FindModel =>
    createModels({ findEndpoint, fetch: egress.fetch, nowMs });
  const respondWith = (findModel: FindModel): Responder => {
    const observed = observeModels(findModel, genAi);
    return createModelResponder({ findModel: observed, makeToolBox, nowMs, extractive });
  };

  const findModel = modelsOf(deps.findEndpoint);
  const respond = respondWith(findModel);
  const sample = sampleModel && respondWith(modelsOf(async () => sampleModel.endpoint));
  const isSample = (content: AgentContent): boolean => sampleModel?.isFor(content) ?? false;
  return {
    responder: deps.responder ?? {
      respond: (request) =>
        sample && isSample(request.content) ? sample(request) : respond(request),
      takesTime: async ({ namespace, content }) =>
        isSample(content) || (await findModel({ namespace, model: content.model })) !== undefined,
    },
    findModel: observeModels(findModel, genAi),
    ways: { meaning: createFindByMeaning({ pool: deps.pool, embedder, nowMs }), searches },
    stop: async () => {
      await Promise.all([tools.stop(), egress.stop(), stopEmbedder()]);
    },
  };
}
