import { openTools } from '../../conversations/tools/open-tools.ts';
import { createExtractiveResponder } from '../../conversations/turns/extractive-responder.ts';
import { createModelResponder } from '../../conversations/turns/model-responder.ts';
import { createModels } from '../../models/create-models.ts';
import type { FindEndpoint } from '../../models/model.ts';
import { createEgressFetch } from '../../platform/egress/fetch.ts';
import { createGenAi } from '../../platform/observability/gen-ai.ts';
import type { RoleContext } from '../context.ts';
import type { WhoReplies } from './maintenance.ts';
import { observeModels, observeTools } from './observed-turns.ts';

/**
 * Who replies in this process: a model with its tools where an agent has one, the search that quotes
 * where it has none. `stop` ends what they have open.
 */
export function openReplies(
  deps: RoleContext & {
    findEndpoint: FindEndpoint;
    clockMs: () => number;
    /** Who replies instead. */
    responder?: WhoReplies | undefined;
  },
): { responder: WhoReplies; stop: () => Promise<void> } {
  const { guard, findEndpoint, clockMs } = deps;
  const egress = createEgressFetch({ guard });
  const tools = openTools(deps);
  const genAi = createGenAi(deps.metrics);
  const findModel = createModels({ findEndpoint, fetch: egress.fetch, nowMs: clockMs });
  const respond = createModelResponder({
    findModel: observeModels(findModel, genAi),
    makeToolBox: observeTools(tools.makeToolBox, genAi),
    nowMs: clockMs,
    extractive: createExtractiveResponder({ nowMs: clockMs }),
  });
  return {
    responder: deps.responder ?? {
      respond,
      takesTime: async ({ namespace, content: { model } }) =>
        (await findModel({ namespace, model })) !== undefined,
    },
    stop: async () => {
      await Promise.all([tools.stop(), egress.stop()]);
    },
  };
}
