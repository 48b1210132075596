import { readVersionLanguage } from '../../agents/agent-versions.sql.ts';
import { abandonLostMark } from '../../platform/idempotency/idempotency-marks.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import { lockConversationById } from '../record/conversations.sql.ts';
import { inConversation, type ConversationDeps } from '../record/conversation-deps.ts';
import { listLostTurns, takeLostTurn, type LiveTurn } from '../record/live-turns.sql.ts';
import { addTurns } from '../record/turns.sql.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import { readUserTurn } from './read-user-turn.ts';
import { recordOf } from './turn-parts.ts';

const ERROR = {
  code: 'process_lost',
  detail:
    'The process that was generating the reply stopped unexpectedly. Send the message again with ' +
    'the same `Idempotency-Key`.',
};

/**
 * Stores the turn of a killed process as failed: the message, the known tool results, and an apology. Does nothing if
 * the turn is already settled, either by another process or by its own process, which may have only seemed dead.
 */
export async function settleLostTurn(deps: ConversationDeps, id: string): Promise<void> {
  const found = await inConversation(deps, async ({ db, countRedacted }) => {
    const conversation = await lockConversationById(db, id);
    const live = await takeLostTurn(db, id);
    if (!live) return undefined;
    const isTold = conversation?.endedAt === null;
    if (isTold) await storeFailed(db, conversation, live);
    if (live.apiKeyId !== null && live.markHash !== null) {
      const key = { apiKeyId: live.apiKeyId, hash: live.markHash };
      await abandonLostMark(db, key, live.requestId);
    }
    if (isTold && live.answersIndex === null) countRedacted(conversation, [live]);
    return { isTold, isCounted: isTold && !conversation.test };
  });
  if (!found) return;
  if (found.isCounted) deps.metrics.turnErrors.inc({ code: ERROR.code });
  deps.changed(id);
}

/** Returns the functions that the reaper uses to find and settle lost turns. */
export function lostTurns(deps: ConversationDeps): {
  list: (limit: number) => Promise<{ id: string }[]>;
  settle: (turn: { id: string }) => Promise<void>;
} {
  return {
    list: (limit) => listLostTurns(deps.pool, limit),
    settle: ({ id }) => settleLostTurn(deps, id),
  };
}

async function storeFailed(db: Db, conversation: LiveConversation, live: LiveTurn): Promise<void> {
  const { requestId, message, redacted, answersIndex, tools } = live;
  const words = sentencesIn(await readVersionLanguage(db, conversation));
  const record = recordOf(conversation, {
    content: undefined,
    text: message,
    redacted,
    user: readUserTurn(message),
    reply: { text: words.lost, error: ERROR, toolTurns: tools },
    elapsedMs: 0,
    stored: answersIndex === null ? undefined : { tools: [] },
    requestId,
  });
  const { turns, tally, silenceSec } = record;
  const status = conversation.status === 'escalated' ? 'escalated' : 'active';
  const added = await addTurns(db, { conversation, turns, tally, status, silenceSec });
  if (!added) throw new Error(`conversation ${conversation.id} changed under its lock`);
}
