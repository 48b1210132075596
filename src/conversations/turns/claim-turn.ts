import { monotonicMs } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { newUuid } from '../../ids.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import {
  cancelLiveTurn,
  claimLiveTurn,
  readLiveTurn,
  takeOverLiveTurn,
  type LiveTurn,
  type ToolTurn,
} from '../record/live-turns.sql.ts';
import { readFailedTurn, type FailedTurn, type TurnRow } from '../record/turns.sql.ts';
import type { Redacted } from '../redaction/redact.ts';
import type { Plan } from '../../platform/idempotency/plan.ts';
import type { LiveTurns } from './live-turns.ts';
import { settleLostTurn } from './settle-lost-turn.ts';
import { turnsToRead } from './thinking/history.ts';

/** Turn that this process has claimed. The process may store the turn as long as the turn's row has this token. */
export type ClaimedTurn = {
  token: string;
  /** Tool calls that an earlier process recorded before it was killed during this turn. */
  notedTools: readonly ToolTurn[];
  /** Set if the turn was already stored as failed. The reply is then added to it. */
  failed: FailedTurn | undefined;
  /** Turns before this one, up to the model's limit; undefined if they have not been read yet. */
  history?: readonly TurnRow[];
};

export type TurnRequest = Pick<Plan, 'id' | 'isRetry' | 'mark'>;

/** Maximum time in ms to wait until a canceled turn of another process has settled. */
const MAKE_WAY_MS = 2_000;
/** Poll interval in ms, in case a wake-up is lost. */
const LOOK_MS = 100;

/**
 * Claims the turn of a conversation. Takes over the turn of an earlier attempt of the same request. Cancels any other
 * turn in progress or, if its process was killed, settles it. Returns undefined after canceling or settling a turn, and
 * if the conversation has changed. The caller must then read the conversation again.
 * @throws ApiError idempotency_in_progress, write_conflict
 */
export async function claimTurn(
  deps: ConversationDeps & { turns: Pick<LiveTurns, 'untilWoken'> },
  turn: {
    conversation: LiveConversation;
    message: string;
    redacted: Redacted | null;
    request: TurnRequest;
  },
): Promise<ClaimedTurn | undefined> {
  const { pool } = deps;
  const { conversation, message, redacted, request } = turn;
  const { id: conversationId } = conversation;
  const token = newUuid(deps.nowMs());
  const failed = request.isRetry
    ? await readFailedTurn(pool, { conversationId, requestId: request.id })
    : undefined;
  const fresh = {
    conversation,
    token,
    requestId: request.id,
    mark: request.mark,
    message,
    redacted,
    answersIndex: failed?.messageIndex ?? null,
    tools: failed?.tools ?? [],
    historyFrom: conversation.turnCount - turnsToRead(conversation.turnCount),
  };
  const history = await claimLiveTurn(pool, fresh);
  if (history) return { token, notedTools: fresh.tools, failed, ...(!failed && { history }) };
  const there = await readLiveTurn(pool, conversationId);
  if (!there) return undefined;
  if (there.requestId === request.id) return takeOver(deps, there, { token, failed });
  await (there.isOver ? settleLostTurn(deps, conversationId) : makeWay(deps, there));
  return undefined;
}

/** Takes over the turn of an earlier attempt of the same request, after the process of that attempt was killed. */
async function takeOver(
  { pool }: ConversationDeps,
  there: LiveTurn,
  { token, failed }: Pick<ClaimedTurn, 'token' | 'failed'>,
): Promise<ClaimedTurn | undefined> {
  const { conversationId, token: from } = there;
  if (!there.isOver) {
    const detail = 'The reply to this message is still in progress. Retry in a second.';
    throw new ApiError('idempotency_in_progress', detail, { retryAfterSec: 1 });
  }
  const isOurs = await takeOverLiveTurn(pool, { conversationId, from, token });
  return isOurs ? { token, notedTools: there.tools, failed } : undefined;
}

/**
 * Cancels the turn of another process and waits until it is stored or its lease expires.
 * @throws ApiError write_conflict
 */
async function makeWay(
  deps: ConversationDeps & { turns: Pick<LiveTurns, 'untilWoken'> },
  { conversationId, token }: LiveTurn,
): Promise<void> {
  const endMs = monotonicMs() + MAKE_WAY_MS;
  if (!(await cancelLiveTurn(deps.pool, conversationId))) return;
  deps.changed(conversationId);
  while (monotonicMs() < endMs) {
    await deps.turns.untilWoken(conversationId, LOOK_MS);
    const there = await readLiveTurn(deps.pool, conversationId);
    if (there?.token !== token || there.isOver) return;
  }
  const detail =
    'The reply to the previous message is not stored yet. Send this message again in a few seconds, with ' +
    'a new `Idempotency-Key`.';
  throw new ApiError('write_conflict', detail, { retryAfterSec: 5 });
}
