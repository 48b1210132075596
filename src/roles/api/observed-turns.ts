import type { MakeToolBox } from '../../conversations/tools/tool.ts';
import type { Responder } from '../../conversations/turns/responder.ts';
import { fromUuid } from '../../ids.ts';
import { ModelError, type FindModel, type Model } from '../../models/model.ts';
import type { GenAi } from '../../platform/observability/gen-ai.ts';
import type { Logger } from '../../platform/observability/logger.ts';

/** Wrappers of turns, models and tools that add spans and metrics. */

/**
 * Adds a span and metrics to each reply. The responder does not reject if a reply fails, but resolves to a reply with
 * `error`. This wrapper logs such a reply and counts it, because nothing else would show the failure to operators.
 */
export function observeResponder(
  respond: Responder,
  { genAi, log }: { genAi: GenAi; log: Pick<Logger, 'warn'> },
): Responder {
  return (request) => {
    const { speaker, conversation } = request;
    const about = {
      agentId: fromUuid('agt', speaker.agentId),
      agentVersion: speaker.agentVersion,
      conversationId: fromUuid('conv', conversation.id),
    };
    return genAi.invokeAgent(about, async (span) => {
      const reply = await respond(request);
      if (reply.error) {
        span.fail(reply.error.code);
        log.warn({ ...about, ...reply.error }, 'a reply failed');
      }
      return reply;
    });
  };
}

export function observeModels(find: FindModel, genAi: GenAi): FindModel {
  return async (agent) => {
    const model = await find(agent);
    if (model === undefined) return undefined;
    const { provider = 'default', name } = agent.model ?? {};
    return observeModel(model, { provider, model: name }, genAi);
  };
}

function observeModel(
  model: Model,
  asked: { provider: string; model: string | undefined },
  genAi: GenAi,
): Model {
  return (request) =>
    genAi.chat(asked, async (told) => {
      try {
        const reply = await model(request);
        told(reply);
        return reply;
      } catch (error) {
        if (error instanceof ModelError && error.partial) told(error.partial);
        throw error;
      }
    });
}

export function observeTools(make: MakeToolBox, genAi: GenAi): MakeToolBox {
  return (turn) => {
    const box = make(turn);
    const names = new Set(box.tools.map(({ name }) => name));
    return {
      ...box,
      // The model may invent a tool name. An invented name must not become a metric label.
      run: (call, signal) => {
        const name = names.has(call.name) ? call.name : undefined;
        return genAi.executeTool({ name, callId: call.id }, () => box.run(call, signal));
      },
    };
  };
}
