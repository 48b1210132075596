import type { AgentContent } from '../../agents/agent.ts';
import type { MakeToolBox } from '../tools/tool.ts';
import { createExtractiveResponder } from './extractive-responder.ts';
import { createModelResponder } from './model-responder.ts';
import type { Responder, TakesTime } from './responder.ts';
import type { FindEndpoint, FindModel, ModelEndpoint } from '../../models/model.ts';

/** Functions that generate a reply and check whether an agent's replies are slow. */
export type WhoReplies = { respond: Responder; takesTime: TakesTime };

/** Model that `parley start` uses in its sample conversation, for agents without a model of their own. */
export type SampleModel = { endpoint: ModelEndpoint; isFor: (content: AgentContent) => boolean };

/**
 * Creates the functions that generate replies. Agents with a model use that model and their tools. Agents without a
 * model reply with quotes from passages that a search finds.
 */
export function createWhoReplies(deps: {
  models: {
    findModel: FindModel;
    /** Returns a function that finds models at the endpoints given by `findEndpoint`. */
    modelsAt: (findEndpoint: FindEndpoint) => FindModel;
  };
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
