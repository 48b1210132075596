import { openAiRoutes } from '../../../conversations/completions/completions.routes.ts';
import { conversationRoutes } from '../../../conversations/conversations.routes.ts';
import { createJudge } from '../../../conversations/ending/judge.ts';
import { createReaper } from '../../../conversations/ending/reaper.ts';
import { createWaitingMeasure } from '../../../conversations/escalations/measure-waiting.ts';
import { escalationRoutes } from '../../../conversations/escalations/escalations.routes.ts';
import { feedbackPage } from '../../../conversations/feedback/feedback-page.ts';
import { createFollowers, type Followers } from '../../../conversations/follow-conversation.ts';
import type { ConversationDeps } from '../../../conversations/record/conversation-deps.ts';
import { callToolRoute } from '../../../conversations/tools/call-tool.routes.ts';
import { openTools } from '../../../conversations/tools/open-tools.ts';
import { createLiveTurns } from '../../../conversations/turns/live-turns.ts';
import { lostTurns } from '../../../conversations/turns/settle-lost-turn.ts';
import { createTakeTurn, type TakeTurn } from '../../../conversations/turns/take-turn.ts';
import { eraseConversationRoute } from '../../../erasure/erasure.routes.ts';
import type { Lookup } from '../../../platform/egress/name-lookup.ts';
import { createGenAi } from '../../../platform/observability/gen-ai.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import { eraseEvents } from '../../../webhooks/queue/delivery-endings.sql.ts';
import type { Infrastructure } from '../infrastructure.ts';
import { observeResponder, observeTools } from '../observed-turns.ts';
import {
  createWhoReplies,
  type SampleModel,
  type WhoReplies,
} from '../../../conversations/turns/who-replies.ts';
import type { Access } from './access.ts';
import type { Knowledge } from './knowledge.ts';
import type { Models } from './models.ts';
import type { Module } from './module.ts';
import type { Telephony } from './telephony.ts';

/** Services that all conversations in this process share. */
export type Conversing = ConversationDeps &
  Pick<Infrastructure, 'batchPool' | 'metrics' | 'sealer' | 'log'> & {
    takeTurn: TakeTurn;
    followers: Followers;
  };

export type Conversations = Module & {
  conversing: Conversing;
  /**
   * Waits for the turns in progress to finish. Cancels turns that take too long, and waits until these turns are
   * stored.
   */
  stopTurns: () => Promise<void>;
  /** Stops judging ended conversations. Gives judgements in progress a few seconds to finish. */
  stopJudge: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ConversationPorts = {
  access: Pick<Access, 'rateLimits' | 'linkLimits'>;
  knowledge: Pick<Knowledge, 'search'>;
  models: Pick<Models, 'findModel' | 'modelsAt'>;
  telephony: Pick<Telephony, 'ring'>;
  /**
   * Replacement for the default responder. The default uses the agent's model or, without a model, quotes passages
   * found by search.
   */
  responder?: WhoReplies | undefined;
  /** Model for agents that do not have one. */
  sampleModel?: SampleModel | undefined;
  /** Resolves host names for tools; default: the system's resolver. */
  lookup?: Lookup | undefined;
};

/**
 * Creates the module for conversations, from their start to their erasure: turns, escalations, the routes for OpenAI
 * clients, and judgements.
 */
export function createConversations(
  infrastructure: Infrastructure,
  ports: ConversationPorts,
): Conversations {
  const { pool, sealer, guard, metrics, log, version, notifier, announce } = infrastructure;
  const { batchPool, nowMs, clockMs, baseUrl } = infrastructure;
  const { knowledge, models, lookup, sampleModel } = ports;
  const { rateLimits, linkLimits } = ports.access;
  const { findModel } = models;
  const { ring } = ports.telephony;
  const changed = (id: string): void => notifier.notify(CHANNELS.conversations, [id]);
  const judge = createJudge({ pool, announce, changed, metrics, nowMs, baseUrl, findModel, log });
  const conversation = {
    pool,
    batchPool,
    announce,
    changed,
    metrics,
    nowMs,
    baseUrl,
    ring,
    judge: judge.take,
  };

  const genAi = createGenAi(metrics);
  const tools = openTools({ pool, sealer, guard, lookup, version, log });
  const makeToolBox = observeTools(tools.makeToolBox, genAi);
  const whoReplies =
    ports.responder ?? createWhoReplies({ models, makeToolBox, sampleModel, nowMs: clockMs });
  const turns = createLiveTurns({ pool, log });
  const followers = createFollowers({ pool });
  const takeTurn = createTakeTurn({
    ...conversation,
    clockMs,
    respond: observeResponder(whoReplies.respond, { genAi, log }),
    live: { turns, takesTime: whoReplies.takesTime },
    ways: knowledge.search,
  });
  const conversing = {
    ...conversation,
    takeTurn,
    followers,
    sealer,
    log,
    lostTurns: lostTurns(conversation),
    eraseEvents,
  };
  return {
    routes: [
      ...conversationRoutes(conversing),
      ...openAiRoutes(conversing),
      eraseConversationRoute(conversing),
      ...escalationRoutes(conversing),
      callToolRoute({ ...tools.calling, pool, guard, clockMs }),
    ],
    pages: [feedbackPage({ pool, changed, nowMs, sealer, rateLimits, linkLimits })],
    jobs: [createReaper(conversing), turns.renewal, createWaitingMeasure({ pool, metrics, log })],
    listeners: {
      [CHANNELS.conversations]: (ids) => {
        turns.look(ids);
        followers.wake(ids);
      },
    },
    closeStreams: followers.stop,
    conversing,
    stopTurns: () => turns.stop(),
    stopJudge: judge.stop,
    stop: tools.stop,
  };
}
