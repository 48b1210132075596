import { ApiError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { AgentContent } from '../../agents/agent.ts';
import {
  agentScope,
  hasSources,
  searchKnowledge,
  type SearchWays,
} from '../../knowledge/search-knowledge.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Redacted, Redaction } from '../redaction/redact.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import { noteTools, type HeldTurn } from '../record/live-turns.sql.ts';
import { readLastTurns } from '../record/turns.sql.ts';
import type { ClaimedTurn, TurnRequest } from './claim-turn.ts';
import type { UserTurn } from './read-user-turn.ts';
import type { ResponderRequest } from './responder.ts';

export type TurnInput = {
  namespace: string;
  /** UUID. */
  conversationId: string;
  /**
   * The user's message. It is empty if the agent sends the next message without waiting for the user; no user turn is
   * stored then.
   */
  text: string;
  /** Redactions that were already made in the text; absent if there were none. */
  redacted?: Redacted | null | undefined;
  /**
   * Called with each part of the reply as it is generated or, if the reply fails, with an apology (`isApology`). The
   * stored reply may differ from these parts; the result contains the stored reply. `turnCount` is the number of turns
   * stored before this message.
   */
  onToken?: ((text: string, isApology: boolean, turnCount: number) => void) | undefined;
  /** Called before tools are called. From then on, a streamed response has begun, even if it has no text yet. */
  onTool?: (() => void) | undefined;
  /** Aborts when the reply should stop. */
  signal?: AbortSignal | undefined;
  /** Identifies the request, so that a repeated request is recognized. Absent if the request is never repeated. */
  request?: TurnRequest | undefined;
};

/** Message that needs a reply, and the conversation as it was read for this reply. */
export type Begun = {
  /** The text is already redacted. */
  input: TurnInput & Redaction;
  conversation: LiveConversation;
  content: AgentContent;
  /** Whether the speaking agent has answers to its knowledge gaps. */
  hasAnswers: boolean;
  user: UserTurn;
  startedMs: number;
};

type RequestDeps = {
  pool: Pool;
  /** Methods for searching the knowledge. If absent, the knowledge is searched only by words. */
  ways?: SearchWays | undefined;
};

/** Builds the request for a reply that is generated immediately, without first claiming the turn. */
export function requestOf({ pool, ways }: RequestDeps, begun: Begun): ResponderRequest {
  const { input, content, conversation, hasAnswers, user } = begun;
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
      const hasOwn = speaker.agentId !== agentId || hasAnswers;
      if (!hasOwn && !hasSources(knowledge)) return [];
      const scope = await agentScope(pool, { namespace, agentId: speaker.agentId, knowledge });
      return searchKnowledge(pool, { scope, query, limit }, ways);
    },
  };
}

/**
 * Builds the request for a reply to a turn that this process has claimed. `hasTools` returns true as soon as tool calls
 * of the turn may be stored.
 */
export function heldRequest(
  deps: RequestDeps,
  begun: Begun,
  { claimed, own, signal }: { claimed: ClaimedTurn; own: HeldTurn; signal: AbortSignal },
): { request: ResponderRequest; hasTools: () => boolean } {
  const { notedTools } = claimed;
  const { onTool } = begun.input;
  let hasTools = notedTools.length > 0;
  const request: ResponderRequest = {
    ...requestOf(deps, begun),
    notedTools,
    readHistory: historyBefore(deps, begun, claimed),
    noteTools: async (turns) => {
      onTool?.();
      await failpoint('turn.noting');
      hasTools = true;
      if (!(await noteTools(deps.pool, own, turns))) throw turnLost();
      await failpoint('turn.noted');
    },
    signal,
  };
  return { request, hasTools: () => hasTools };
}

/** Returns a function that reads the history before the turn. */
function historyBefore(
  { pool }: RequestDeps,
  { conversation }: Begun,
  { failed, history }: Pick<ClaimedTurn, 'failed' | 'history'>,
): ResponderRequest['readHistory'] {
  const { id: conversationId, turnCount } = conversation;
  const own = failed?.indexes ?? new Set<number>();
  // Drops the reference to the history at the first read. Otherwise, a thousand replies, each of which may take
  // minutes, would keep their histories in memory.
  let came = history;
  return async (limit) => {
    const claimedWith = came;
    came = undefined;
    if (claimedWith && Math.min(limit, turnCount) <= claimedWith.length) {
      return claimedWith.slice(Math.max(0, claimedWith.length - limit));
    }
    const turns = await readLastTurns(pool, { conversationId, limit: limit + own.size });
    return turns.filter(({ index }) => !own.has(index)).slice(-limit);
  };
}

/** Returns the error for a turn that another process has taken over. */
export function turnLost(): ApiError {
  const detail =
    'The server lost the turn while it could not reach the database. Send the message again with ' +
    'the same `Idempotency-Key`.';
  return new ApiError('unavailable', detail, { retryAfterSec: 1 });
}
