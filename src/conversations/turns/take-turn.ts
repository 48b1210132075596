import { ApiError, found } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import { conversationEnded, type ConversationDeps } from '../record/conversation-deps.ts';
import { endConversation } from '../ending/end-conversation.ts';
import { reasonOfExpiry } from '../ending/settle-end.ts';
import { createAddTurns, recordHeldTurn, recordTurn, type AddTurns } from './record-turn.ts';
import type { SearchWays } from '../../knowledge/search-knowledge.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { redact, sumOf } from '../redaction/redact.ts';
import { readForTurn, type LiveConversation } from '../record/conversations.sql.ts';
import { dropLiveTurn, releaseLiveTurn } from '../record/live-turns.sql.ts';
import type { MessageResult } from '../record/turns.sql.ts';
import { askResponder } from './ask-responder.ts';
import { claimTurn, type ClaimedTurn } from './claim-turn.ts';
import type { LiveTurns } from './live-turns.ts';
import { readUserTurn } from './read-user-turn.ts';
import type { Responder, TakesTime } from './responder.ts';
import {
  heldRequest,
  requestOf,
  turnLost,
  type Begun,
  type TurnInput,
} from './responder-request.ts';
import { recordOf } from './turn-parts.ts';

/**
 * Maximum number of attempts to take a turn. An attempt fails if another process stores a turn first. Turns of the same
 * process do not compete, because they are queued.
 */
const TRIES_MAX = 10;
/**
 * Text length above which interpreting the text takes several milliseconds. Before interpreting a longer text, the
 * process lets other work run.
 */
const LONG_CHARS = 8_000;

export type TakeTurn = (
  input: TurnInput,
  beforeCommit?: CommitHook<MessageResult>,
) => Promise<MessageResult>;

export type TakeTurnDeps = ConversationDeps & {
  /** Connections for batches, with the settings `BATCH_SETTINGS`. */
  batchPool: Pool;
  respond: Responder;
  /** Methods for searching the knowledge. If absent, the knowledge is searched only by words. */
  ways?: SearchWays | undefined;
  /** Monotonic clock in ms, for measuring durations. */
  clockMs: () => number;
  /** Support for slow replies. Without it, every reply counts as immediate. */
  live?: { turns: LiveTurns; takesTime: TakesTime };
};

/**
 * Handles one message from the user and generates the agent's reply, without holding a lock in the meantime. An
 * immediate reply is stored if the conversation has not changed since it was read, and is generated again otherwise
 * (docs/decisions/0012-turns-without-locks.md). For a slow reply, the turn is claimed first. A newer message ends that
 * turn, and the partial reply is stored (docs/decisions/0034-a-turn-is-claimed.md). If the process dies, the database
 * has either the whole turn or enough data for another process to settle it.
 *
 * While a human is requested or has taken over, messages are stored but the agent does not reply.
 * @throws ApiError not_found, conversation_ended, write_conflict, idempotency_in_progress
 */
export function createTakeTurn(deps: TakeTurnDeps): TakeTurn {
  const { live } = deps;
  const add = createAddTurns(deps);
  const inTurn = createTurnQueue();

  async function tryTurn(
    said: TurnInput,
    overtaken: AbortSignal,
    beforeCommit: CommitHook<MessageResult>,
  ): Promise<MessageResult | undefined> {
    const startedMs = deps.clockMs();
    const key = { namespace: said.namespace, id: said.conversationId };
    const read = found(await readForTurn(deps.pool, key), 'conversation');
    const { conversation, content, hasAnswers } = read;
    await requireLive(deps, conversation);
    if (content === null) throw await agentDeleted(deps, conversation);
    // The code below uses only the redacted text.
    const { text, redacted } = await redact(said.text, content);
    const input = { ...said, text, redacted: sumOf(said.redacted, redacted) };
    if (text.length > LONG_CHARS) await giveWay();
    const user = readUserTurn(input.text, content.language);
    const begun = { input, conversation, content, hasAnswers, user, startedMs };
    const isSilent = conversation.status === 'escalated';
    if (!isSilent && live && (await live.takesTime({ namespace: input.namespace, content }))) {
      return takeHeldTurn({ ...deps, ...live, add }, begun, overtaken, beforeCommit);
    }
    const reply = isSilent ? undefined : await deps.respond(requestOf(deps, begun));
    const elapsedMs = deps.clockMs() - startedMs;
    const parts = { content, text, redacted: input.redacted, user, reply, elapsedMs };
    return recordTurn({ ...deps, add }, recordOf(conversation, parts), beforeCommit);
  }

  return (input, beforeCommit = noCommitHook) =>
    inTurn(input.conversationId, async (overtaken) => {
      const startedMs = deps.clockMs();
      // All attempts use the same request id, so that each recognizes the turn of the previous attempt.
      const request = input.request ?? { id: newUuid(deps.nowMs()), isRetry: false };
      for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        const result = await tryTurn({ ...input, request }, overtaken, beforeCommit);
        if (result) {
          const tookSec = (deps.clockMs() - startedMs) / 1_000;
          if (!result.conversation.test) deps.metrics.turnDuration.observe(tookSec);
          return result;
        }
      }
      throw new ApiError(
        'write_conflict',
        'Other requests are writing to the conversation at the same time. Retry the request.',
      );
    });
}

type HeldTurnDeps = TakeTurnDeps & { turns: LiveTurns; add: AddTurns };

/**
 * Claims the conversation's turn, so that no other process replies, and handles the message. Returns undefined if
 * another turn came first and the conversation must be read again. Runs three statements in sequence: the read, the
 * claim with the history, and the write. Each round of tool calls adds two statements. The knowledge search runs in
 * parallel.
 */
async function takeHeldTurn(
  deps: HeldTurnDeps,
  begun: Begun,
  overtaken: AbortSignal,
  beforeCommit: CommitHook<MessageResult>,
): Promise<MessageResult | undefined> {
  const { input, conversation } = begun;
  const request = input.request ?? { id: newUuid(deps.nowMs()), isRetry: false };
  const { text: message, redacted } = input;
  const claimed = await claimTurn(deps, { conversation, message, redacted, request });
  if (!claimed) return undefined;
  const { token } = claimed;
  const own = { conversationId: conversation.id, token };
  const { signal, release } = deps.turns.hold(own, [overtaken, input.signal]);
  const { request: asked, hasTools } = heldRequest(deps, begun, { claimed, own, signal });
  try {
    await failpoint('turn.claimed');
    const reply = await askResponder(deps.respond, asked);
    await failpoint('turn.storing');
    return await storeHeldTurn(deps, begun, { claimed, reply }, beforeCommit);
  } catch (error) {
    // If this statement fails, the turn is settled when its lease expires.
    const leave = hasTools() ? releaseLiveTurn : dropLiveTurn;
    await leave(deps.pool, own).catch(() => undefined);
    throw error;
  } finally {
    release();
  }
}

async function storeHeldTurn(
  deps: HeldTurnDeps,
  { input, conversation, content, user, startedMs }: Begun,
  { claimed, reply }: { claimed: ClaimedTurn; reply: Awaited<ReturnType<Responder>> },
  beforeCommit: CommitHook<MessageResult>,
): Promise<MessageResult> {
  const { token, failed } = claimed;
  const elapsedMs = deps.clockMs() - startedMs;
  const { text, redacted } = input;
  const parts = { content, text, redacted, user, reply, elapsedMs, stored: failed };
  const make = (row: LiveConversation) => recordOf(row, parts);
  const key = { namespace: conversation.namespace, id: conversation.id };
  const result =
    (await recordTurn(deps, make(conversation), beforeCommit, token)) ??
    (await recordHeldTurn(deps, { key, token, make }, beforeCommit));
  await failpoint('turn.stored');
  if (!result) throw turnLost();
  return result;
}

/**
 * Runs the turns that this process handles. Turns of the same conversation run one after the other, and turns of
 * different conversations concurrently. Queueing is cheaper than generating a reply and discarding it because another
 * turn was stored first.
 *
 * `overtaken` aborts as soon as a newer turn is queued. Slow replies then stop early; immediate replies can ignore it.
 */
type InTurn = <T>(key: string, work: (overtaken: AbortSignal) => Promise<T>) => Promise<T>;

export function createTurnQueue(): InTurn {
  const last = new Map<string, { done: Promise<unknown>; overtaken: AbortController }>();
  return async (key, work) => {
    const before = last.get(key);
    before?.overtaken.abort();
    const overtaken = new AbortController();
    const run = (): ReturnType<typeof work> => work(overtaken.signal);
    const done = (before?.done ?? Promise.resolve()).then(run, run);
    last.set(key, { done, overtaken });
    try {
      return await done;
    } finally {
      if (last.get(key)?.done === done) last.delete(key);
    }
  };
}

/** Requires a conversation that has not ended. If it has expired and the reaper has not ended it yet, ends it. */
async function requireLive(deps: ConversationDeps, row: LiveConversation): Promise<void> {
  if (row.endedAt === null && row.isExpired) {
    const reason = reasonOfExpiry(row);
    await endConversation(deps, { namespace: row.namespace, id: row.id, reason });
    throw conversationEnded();
  }
  if (row.endedAt !== null) throw conversationEnded();
}

/**
 * Ends a conversation whose agent was deleted, in case the reaper has not ended it yet. Returns the error for the turn.
 */
async function agentDeleted(deps: ConversationDeps, row: LiveConversation): Promise<ApiError> {
  await endConversation(deps, { namespace: row.namespace, id: row.id, reason: 'agent_deleted' });
  return new ApiError(
    'conversation_ended',
    'The conversation ended because its agent was deleted.',
  );
}
