import { ApiError, found } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { newUuid } from '../../ids.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { conversationEnded, type ConversationDeps } from '../record/conversation-deps.ts';
import { endConversation, reasonOfExpiry } from '../ending/end-conversation.ts';
import { recordHeldTurn, recordTurn } from './record-turn.ts';
import { agentScope, searchKnowledge, type SearchWays } from '../../knowledge/search-knowledge.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { redact, sumOf, type Redacted, type Redaction } from '../redaction/redact.ts';
import { readForTurn, type LiveConversation } from '../record/conversations.sql.ts';
import { dropLiveTurn, noteTools, releaseLiveTurn } from '../record/live-turns.sql.ts';
import { readLastTurns, type MessageResult, type TurnRow } from '../record/turns.sql.ts';
import { askResponder } from './ask-responder.ts';
import { claimTurn, type ClaimedTurn, type TurnRequest } from './claim-turn.ts';
import type { LiveTurns } from './live-turns.ts';
import { createTurnQueue } from './turn-queue.ts';
import { readUserTurn, type UserTurn } from './read-user-turn.ts';
import type { Responder, ResponderRequest, ToolTurn } from './responder.ts';
import { recordOf } from './turn-parts.ts';

/**
 * Maximum number of attempts if turns of other processes come first. Turns of this process do not compete, because they
 * are queued.
 */
const TRIES_MAX = 10;
/** Length from which interpreting a text takes several milliseconds. Other work may run before such a text. */
const LONG_CHARS = 8_000;

export type TurnInput = {
  namespace: string;
  /** UUID. */
  conversationId: string;
  /** The user's own words. They are empty if the agent speaks first; the turn then has no message. */
  text: string;
  /** Redactions that were already made in the text; absent if there were none. */
  redacted?: Redacted | null | undefined;
  /**
   * Receives each part of the reply, or an apology in its place. The text that is stored is in the result. `turnCount`
   * is the number of turns stored before this message.
   */
  onToken?: ((text: string, isApology: boolean, turnCount: number) => void) | undefined;
  /** Called before tools are called. From then on the reply counts as started. */
  onTool?: (() => void) | undefined;
  /** Aborts when the reply should stop. */
  signal?: AbortSignal | undefined;
  /** Identifies the request, so that a repetition is recognized; absent if the request is never repeated. */
  request?: TurnRequest | undefined;
};

export type TakeTurn = (
  input: TurnInput,
  beforeCommit?: CommitHook<MessageResult>,
) => Promise<MessageResult>;

export type TakeTurnDeps = ConversationDeps & {
  respond: Responder;
  /** Search methods for the knowledge. Without them, the knowledge is searched by words alone. */
  ways?: SearchWays | undefined;
  /** Monotonic clock in ms, for measuring durations. */
  clockMs: () => number;
  /** Support for slow replies. Without it, every reply counts as immediate. */
  live?: {
    turns: LiveTurns;
    /** Returns true if replies of this agent are slow. A turn is then claimed before the reply is requested. */
    takesTime: (agent: { namespace: string; content: AgentContent }) => Promise<boolean>;
  };
};

/** Message that needs a reply, and the conversation as it was read for it. */
type Begun = {
  /** The text is already redacted. */
  input: TurnInput & Redaction;
  conversation: LiveConversation;
  content: AgentContent;
  user: UserTurn;
  startedMs: number;
};

/**
 * Takes one message of the user and generates the agent's reply, without holding a lock in the meantime. An immediate
 * reply is stored if the conversation has not changed since it was read, and is generated again otherwise
 * (docs/decisions/0012-turns-without-locks.md). For a slow reply, the turn is claimed first. A newer message or the
 * loss of the process ends it, and the partial reply is stored (docs/decisions/0034-a-turn-is-claimed.md). After a
 * crash, either the whole turn is stored or enough to complete it.
 *
 * While a human is requested or speaks, messages are stored and the agent is silent.
 * @throws ApiError not_found, conversation_ended, write_conflict, idempotency_in_progress
 */
export function createTakeTurn(deps: TakeTurnDeps): TakeTurn {
  const { live } = deps;
  const inTurn = createTurnQueue();

  async function tryTurn(
    said: TurnInput,
    overtaken: AbortSignal,
    beforeCommit: CommitHook<MessageResult>,
  ): Promise<MessageResult | undefined> {
    const startedMs = deps.clockMs();
    const key = { namespace: said.namespace, id: said.conversationId };
    const { conversation, content } = found(await readForTurn(deps.pool, key), 'conversation');
    await requireLive(deps, conversation);
    if (content === null) throw await agentDeleted(deps, conversation);
    // The code below uses only the redacted text.
    const { text, redacted } = await redact(said.text, content);
    const input = { ...said, text, redacted: sumOf(said.redacted, redacted) };
    if (text.length > LONG_CHARS) await giveWay();
    const user = readUserTurn(input.text, content.language);
    const begun = { input, conversation, content, user, startedMs };
    const isSilent = conversation.status === 'escalated';
    if (!isSilent && live && (await live.takesTime({ namespace: input.namespace, content }))) {
      return takeHeldTurn({ ...deps, ...live }, begun, overtaken, beforeCommit);
    }
    const reply = isSilent ? undefined : await deps.respond(requestOf(deps, begun));
    const elapsedMs = deps.clockMs() - startedMs;
    const parts = { content, text, redacted: input.redacted, user, reply, elapsedMs };
    return recordTurn(deps, recordOf(conversation, parts), beforeCommit);
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
      throw new ApiError('write_conflict', 'others write to it at the same time; try again');
    });
}

type HeldTurnDeps = TakeTurnDeps & { turns: LiveTurns };

/**
 * Takes a turn that stays claimed while the reply is generated. Returns undefined if another turn came first and the
 * conversation must be read again. Runs three statements in sequence: the read, the claim with the history, and the
 * write. Each round of tools adds two. The knowledge search runs in parallel.
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
  let hasTools = claimed.notedTools.length > 0;
  try {
    await failpoint('turn.claimed');
    const note = async (turns: readonly ToolTurn[]): Promise<void> => {
      input.onTool?.();
      await failpoint('turn.noting');
      hasTools = true;
      if (!(await noteTools(deps.pool, own, turns))) throw turnLost();
      await failpoint('turn.noted');
    };
    const reply = await askResponder(deps.respond, {
      ...requestOf(deps, begun),
      ...heldParts(deps, begun, claimed),
      noteTools: note,
      signal,
    });
    await failpoint('turn.storing');
    return await storeHeldTurn(deps, begun, { claimed, reply }, beforeCommit);
  } catch (error) {
    // If this statement fails, the turn is settled when its lease expires.
    const leave = hasTools ? releaseLiveTurn : dropLiveTurn;
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

/** Returns a reader of the history before the turn, and the tool calls that a killed process recorded. */
function heldParts(
  { pool }: TakeTurnDeps,
  { conversation }: Begun,
  { notedTools, failed, history }: ClaimedTurn,
): Pick<ResponderRequest, 'notedTools' | 'readHistory'> {
  const { id: conversationId, turnCount } = conversation;
  const own = failed?.indexes ?? new Set<number>();
  // The reference to the history is dropped at the first read. A reply may take minutes, and a thousand replies would
  // keep their histories in memory.
  let came = history;
  const readHistory = async (limit: number): Promise<TurnRow[]> => {
    const claimedWith = came;
    came = undefined;
    if (claimedWith && Math.min(limit, turnCount) <= claimedWith.length) {
      return claimedWith.slice(Math.max(0, claimedWith.length - limit));
    }
    const turns = await readLastTurns(pool, { conversationId, limit: limit + own.size });
    return turns.filter(({ index }) => !own.has(index)).slice(-limit);
  };
  return { notedTools, readHistory };
}

function turnLost(): ApiError {
  const detail =
    'this process lost the turn while it could not reach the database; send the message again with ' +
    'the same Idempotency-Key';
  return new ApiError('unavailable', detail, { retryAfterSec: 1 });
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
  return new ApiError('conversation_ended', 'its agent was deleted, and it ended with it');
}

function requestOf({ pool, ways }: TakeTurnDeps, begun: Begun): ResponderRequest {
  const { input, content, conversation, user } = begun;
  const { namespace, id: conversationId } = conversation;
  const agentId = conversation.speakerAgentId ?? conversation.agentId;
  const agentVersion = conversation.speakerVersion ?? conversation.agentVersion;
  return {
    content,
    speaker: { agentId, agentVersion, content },
    noteTools: async () => undefined,
    notedTools: [],
    conversation,
    user,
    text: input.text,
    emitToken: (text, isApology = false) =>
      input.onToken?.(text, isApology, conversation.turnCount),
    signal: input.signal ?? new AbortController().signal,
    readHistory: (limit) => readLastTurns(pool, { conversationId, limit }),
    search: async (query, limit, speaker = { agentId, agentVersion, content }) => {
      const { knowledge } = speaker.content;
      const scope = await agentScope(pool, { namespace, agentId: speaker.agentId, knowledge });
      return searchKnowledge(pool, { scope, query, limit }, ways);
    },
  };
}
