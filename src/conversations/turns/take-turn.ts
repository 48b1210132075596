import { ApiError, found } from '../../errors.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { conversationEnded, type ConversationDeps } from '../record/conversation-deps.ts';
import { endConversation, reasonOfExpiry } from '../ending/end-conversation.ts';
import { recordTurn, type TurnToRecord } from './record-turn.ts';
import {
  countRequest,
  DEFAULT_TIMEOUT_SEC,
  silenceWhileEscalated,
} from '../escalations/request-escalation.ts';
import { agentScope, searchKnowledge } from '../../knowledge/search-knowledge.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { plainTurn } from '../record/plain-turn.ts';
import type { Tally } from '../record/tally.ts';
import { readForTurn, type LiveConversation } from '../record/conversations.sql.ts';
import { readLastTurns, type MessageResult, type TurnRow } from '../record/turns.sql.ts';
import { createTurnQueue } from './turn-queue.ts';
import { readUserTurn, type UserTurn } from './read-user-turn.ts';
import type { Reply, Responder, ResponderRequest } from './responder.ts';
import { countReply, countUser } from './tally-turn.ts';

/** So many tries against turns of other processes; those of this process are queued. */
const TRIES_MAX = 10;

export type TurnInput = {
  namespace: string;
  /** uuid */
  conversationId: string;
  text: string;
  /** Parts of the reply as they come; what is stored is in the result. */
  onToken?: ((text: string) => void) | undefined;
  /** Aborted: the reply is not wanted any more. */
  signal?: AbortSignal;
};

export type TakeTurn = (
  input: TurnInput,
  beforeCommit?: CommitHook<MessageResult>,
) => Promise<MessageResult>;

export type TakeTurnDeps = ConversationDeps & {
  respond: Responder;
  /** Monotonic, for what is measured. */
  clockMs: () => number;
};

/**
 * One message of the user and the agent's reply. No lock is held while the reply is made: the turn
 * is stored in one transaction if the conversation is still as it was read, and begun again if not.
 * So a crash leaves all of a turn or nothing (docs/decisions/0012-turns-without-locks.md).
 *
 * While a human is asked for or speaks, messages are stored and the agent is silent.
 * @throws ApiError not_found, conversation_ended, write_conflict
 */
export function createTakeTurn(deps: TakeTurnDeps): TakeTurn {
  const inTurn = createTurnQueue();

  async function tryTurn(
    input: TurnInput,
    beforeCommit: CommitHook<MessageResult>,
  ): Promise<MessageResult | undefined> {
    const startedMs = deps.clockMs();
    const key = { namespace: input.namespace, id: input.conversationId };
    const { conversation, content } = found(await readForTurn(deps.pool, key), 'conversation');
    await requireLive(deps, conversation);
    if (content === null) throw await agentDeleted(deps, conversation);
    const user = readUserTurn(input.text);
    const tally = countUser(conversation.tally, user);
    const reply =
      conversation.status === 'escalated'
        ? undefined
        : await deps.respond(requestOf(deps, { input, content, conversation, user }));
    const elapsedMs = deps.clockMs() - startedMs;
    const record = recordOf({ conversation, content, user, text: input.text, reply, elapsedMs });
    return recordTurn(
      deps,
      { ...record, tally: { ...finalTally(tally, user, reply), ...endOf(record) } },
      beforeCommit,
    );
  }

  return (input, beforeCommit = noCommitHook) =>
    inTurn(input.conversationId, async () => {
      const startedMs = deps.clockMs();
      for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        const result = await tryTurn(input, beforeCommit);
        if (result) {
          deps.metrics.turnDuration.observe((deps.clockMs() - startedMs) / 1_000);
          return result;
        }
      }
      throw new ApiError('write_conflict', 'others write to it at the same time; try again');
    });
}

/**
 * A conversation whose time is over ends before another turn, even if the reaper has not come yet.
 */
async function requireLive(deps: ConversationDeps, row: LiveConversation): Promise<void> {
  if (row.endedAt === null && row.isExpired) {
    const reason = reasonOfExpiry(row);
    await endConversation(deps, { namespace: row.namespace, id: row.id, reason });
    throw conversationEnded();
  }
  if (row.endedAt !== null) throw conversationEnded();
}

/** It ends with its agent, even if the reaper has not come yet. */
async function agentDeleted(deps: ConversationDeps, row: LiveConversation): Promise<ApiError> {
  await endConversation(deps, { namespace: row.namespace, id: row.id, reason: 'agent_deleted' });
  return new ApiError('conversation_ended', 'its agent was deleted, and it ended with it');
}

function requestOf(
  { pool }: TakeTurnDeps,
  turn: {
    input: TurnInput;
    content: AgentContent;
    conversation: LiveConversation;
    user: UserTurn;
  },
): ResponderRequest {
  const { input, content, conversation, user } = turn;
  const { namespace, agentId, agentVersion, id: conversationId } = conversation;
  return {
    content,
    speaker: { agentId, agentVersion, content },
    noteTools: async () => undefined,
    notedTools: [],
    conversation,
    user,
    text: input.text,
    emitToken: input.onToken ?? (() => undefined),
    signal: input.signal ?? new AbortController().signal,
    readHistory: (limit) => readLastTurns(pool, { conversationId, limit }),
    search: async (query, limit, speaker = { agentId, agentVersion, content }) => {
      const { knowledge } = speaker.content;
      const scope = await agentScope(pool, { namespace, agentId: speaker.agentId, knowledge });
      return searchKnowledge(pool, { scope, query, limit });
    },
  };
}

function finalTally(tally: Tally, user: UserTurn, reply: Reply | undefined): Tally {
  if (!reply) return tally;
  const counted = countReply(tally, user, reply);
  return reply.handover ? countRequest(counted) : counted;
}

type TurnParts = {
  conversation: LiveConversation;
  content: AgentContent;
  user: UserTurn;
  text: string;
  reply: Reply | undefined;
  elapsedMs: number;
};

function recordOf(parts: TurnParts): Omit<TurnToRecord, 'tally'> {
  const { conversation, content, reply } = parts;
  const timeoutSec = content.escalation?.timeoutSec ?? DEFAULT_TIMEOUT_SEC;
  const silenceSec = conversation.silenceTimeoutSec;
  return {
    conversation,
    turns: turnsOf(parts),
    gap: reply?.unanswered,
    escalation: reply?.handover && { ...reply.handover, timeoutSec },
    silenceSec:
      conversation.status === 'escalated'
        ? silenceWhileEscalated(silenceSec, timeoutSec)
        : silenceSec,
  };
}

/** The user's turn ends as it arrives; the agent's lasts from then until the reply is there. */
function turnsOf({ conversation, text, reply, elapsedMs }: TurnParts): TurnRow[] {
  const user = plainTurn(conversation, 'user', text);
  if (!reply) return [user];
  const endedAtMs = user.endedAtMs + Math.round(elapsedMs);
  const tools = (reply.toolTurns ?? []).map((turn, i) => ({
    ...plainTurn(conversation, 'tool', turn.text),
    index: user.index + 1 + i,
    toolCall: turn.toolCall,
    toolResult: turn.toolResult,
  }));
  const agent: TurnRow = {
    ...plainTurn(conversation, 'agent', reply.text),
    index: user.index + 1 + tools.length,
    endedAtMs,
    retrieval: reply.retrieval ?? null,
    model: reply.model ?? null,
    error: reply.error ?? null,
    interrupted: reply.interrupted ?? false,
    latency: { ...reply.latency, turn_ms: Math.round(elapsedMs * 10) / 10 },
  };
  return [user, ...tools, agent];
}

function endOf({ turns }: Pick<TurnToRecord, 'turns'>): { endedAtMs: number } {
  return { endedAtMs: Math.max(...turns.map(({ endedAtMs }) => endedAtMs)) };
}
