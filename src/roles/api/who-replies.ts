import type { AgentContent } from '../../agents/agent.ts';
import type { MakeToolBox } from '../../conversations/tools/tool.ts';
import { createExtractiveResponder } from '../../conversations/turns/extractive-responder.ts';
import { createModelResponder } from '../../conversations/turns/model-responder.ts';
import type { Responder } from '../../conversations/turns/responder.ts';
import type { TakeTurnDeps } from '../../conversations/turns/take-turn.ts';
import type { FindModel, ModelEndpoint } from '../../models/model.ts';
import type { Models } from './modules/models.ts';

/** Function that creates replies, and whether its replies take time. */
export type WhoReplies = Pick<TakeTurnDeps, 'respond'> &
  Pick<NonNullable<TakeTurnDeps['live']>, 'takesTime'>;

/** Model for agents without one, which `parley start` uses for its sample conversation. */
export type SampleModel = { endpoint: ModelEndpoint; isFor: (content: AgentContent) => boolean };

/**
 * Creates the function that creates replies. Agents with a model use the model and its tools. For the others, a search
 * quotes matching passages.
 */
export function createWhoReplies(deps: {
  models: Pick<Models, 'findModel' | 'modelsAt'>;
  makeToolBox: MakeToolBox;
  sampleModel: SampleModel | undefined;
  /** Monotonic clock. */
  nowMs: () => number;
}): WhoReplies {
  const { makeToolBox, models, sampleModel, nowMs } = deps;
  const { findModel } = models;
  const extractive = createExtractiveResponder({ nowMs });
  const respondWith = (find: FindModel): Responder =>
    createModelResponder({ findModel: find, makeToolBox, nowMs, extractive });
  const respond = respondWith(findModel);
  const sample = sampleModel && respondWith(models.modelsAt(async () => sampleModel.endpoint));
  const isSample = (content: AgentContent): boolean => sampleModel?.isFor(content) ?? false;
  return {
    respond: (request) =>
      sample && isSample(request.content) ? sample(request) : respond(request),
    takesTime: async ({ namespace, content }) =>
      isSample(content) || (await findModel({ namespace, model: content.model })) !== undefined,
  };
}
