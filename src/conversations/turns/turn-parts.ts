import type { AgentContent } from '../../agents/agent.ts';
import {
  countRequest,
  DEFAULT_TIMEOUT_SEC,
  silenceWhileEscalated,
} from '../escalations/request-escalation.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { Redacted } from '../redaction/redact.ts';
import type { ToolTurn } from '../record/live-turns.sql.ts';
import { plainTurn } from '../record/plain-turn.ts';
import type { TurnRow } from '../record/turns.sql.ts';
import type { TurnToRecord } from './record-turn.ts';
import type { Reply } from './responder.ts';
import type { UserTurn } from './read-user-turn.ts';
import { countReply, countUser } from './tally-turn.ts';

/** A message and its reply. Everything that a turn stores is derived from these parts. */
export type TurnParts = {
  /**
   * Content of the speaking agent, or undefined if it is unknown. Without content, the reply neither requests a human
   * nor ends the conversation.
   */
  content: AgentContent | undefined;
  /** The user's message, after redaction. Empty if the agent speaks without a new message from the user. */
  text: string;
  redacted: Redacted | null;
  user: UserTurn;
  /** Reply of the agent; undefined if the agent does not reply. */
  reply: Reply | undefined;
  elapsedMs: number;
  /** Parts of a failed turn that are already in the transcript. */
  stored?: StoredParts | undefined;
  /** Request id of a turn that is stored as failed. */
  requestId?: string;
};

export type StoredParts = { tools: readonly ToolTurn[] };

/**
 * Returns the records that a turn adds to a conversation. If the conversation changes, the same parts can be applied to
 * its new state.
 */
export function recordOf(conversation: LiveConversation, parts: TurnParts): TurnToRecord {
  const { content, user, reply, stored } = parts;
  const timeoutSec = content?.escalation?.timeoutSec ?? DEFAULT_TIMEOUT_SEC;
  const silenceSec = conversation.silenceTimeoutSec;
  const isEscalated = conversation.status === 'escalated';
  const turns = turnsOf(conversation, parts);
  const isNew = parts.text !== '' && !stored;
  const counted = isNew ? countUser(conversation.tally, user) : conversation.tally;
  const wanted = reply ? countReply(counted, user, reply, parts.text) : counted;
  // A human may have been requested since the reply was generated.
  const handover = isEscalated ? undefined : reply?.handover;
  const tally = handover ? countRequest(wanted) : wanted;
  return {
    conversation,
    turns,
    tally: {
      ...tally,
      endedAtMs: Math.max(conversation.tally.endedAtMs, ...turns.map((turn) => turn.endedAtMs)),
    },
    gap: conversation.test ? undefined : gapOf(conversation, parts),
    escalation: handover && {
      reason: handover.reason,
      timeoutSec,
      team: handover.team ?? content?.escalation?.team ?? null,
      fallbackTeam: content?.escalation?.fallbackTeam ?? null,
      telephone: content?.escalation?.telephone?.to ?? null,
    },
    silenceSec: isEscalated ? silenceWhileEscalated(silenceSec, timeoutSec) : silenceSec,
    speaker: reply?.speaker,
    ends: reply?.ends,
    elapsedMs: parts.elapsedMs,
  };
}

/**
 * Returns the knowledge gap, or undefined if there is none. The gap belongs to the agent that could not answer. After a
 * handoff, that agent is the new speaker.
 */
function gapOf(conversation: LiveConversation, { content, reply }: TurnParts): TurnToRecord['gap'] {
  if (!reply?.unanswered) return undefined;
  const agentId = reply.speaker?.agentId ?? conversation.speakerAgentId ?? conversation.agentId;
  const { knowledge } = reply.speaker?.content ?? content ?? {};
  return { ...reply.unanswered, agentId, knowledge };
}

/**
 * Returns the turns to store. The user's turn ends when the message arrives. The agent's turn starts at that time and
 * ends when the reply is complete.
 */
function turnsOf(conversation: LiveConversation, parts: TurnParts): TurnRow[] {
  const { text, redacted, reply, elapsedMs, stored, requestId } = parts;
  const user = { ...plainTurn(conversation, 'user', text), redacted };
  const said = stored || text === '' ? [] : [user];
  const tools = newTools(reply?.toolTurns ?? [], stored?.tools ?? []).map((turn) => ({
    ...plainTurn(conversation, 'tool', turn.text),
    ...turn,
  }));
  const speaker = reply?.speaker && {
    agentId: reply.speaker.agentId,
    agentVersion: reply.speaker.agentVersion,
  };
  const agent: TurnRow[] = reply
    ? [
        {
          ...plainTurn(conversation, 'agent', reply.text),
          ...speaker,
          endedAtMs: user.endedAtMs + Math.round(elapsedMs),
          retrieval: reply.retrieval ?? null,
          model: reply.model ?? null,
          error: reply.error ?? null,
          interrupted: reply.interrupted ?? false,
          latency: { ...reply.latency, turn_ms: Math.round(elapsedMs * 10) / 10 },
        },
      ]
    : [];
  return [...said, ...tools, ...agent].map((turn, i) => ({
    ...turn,
    index: conversation.turnCount + i,
    ...(requestId !== undefined && { requestId }),
  }));
}

/**
 * Returns the tool turns that are not stored yet. When a request is repeated, `tools` includes the stored ones. A
 * stored call whose result has arrived since counts as new.
 */
function newTools(tools: readonly ToolTurn[], stored: readonly ToolTurn[]): ToolTurn[] {
  const known = new Set(stored.map(asText));
  return tools.filter((turn) => !known.has(asText(turn)));
}

function asText({ text, toolCall, toolResult }: ToolTurn): string {
  return JSON.stringify([text, sorted(toolCall), sorted(toolResult)]);
}

/**
 * Sorts the members of objects, so that stored values can be compared with new ones. The stored members are in a
 * different order, which jsonb determines.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}
