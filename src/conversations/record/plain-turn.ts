import type { LiveConversation } from './conversations.sql.ts';
import type { TurnRow, TurnRole } from './turns.sql.ts';

/**
 * Returns a turn that has only text. The turn starts and ends now, or at the end of the previous turn if that is later.
 */
export function plainTurn(row: LiveConversation, role: TurnRole, text: string): TurnRow {
  const isAgents = role === 'agent' || role === 'tool';
  const atMs = Math.max(row.ageMs, row.tally.endedAtMs);
  return {
    index: row.turnCount,
    role,
    text,
    startedAtMs: atMs,
    endedAtMs: atMs,
    interrupted: false,
    toolCall: null,
    toolResult: null,
    retrieval: null,
    latency: null,
    agentId: isAgents ? (row.speakerAgentId ?? row.agentId) : null,
    agentVersion: isAgents ? (row.speakerVersion ?? row.agentVersion) : null,
    model: null,
    error: null,
    redacted: null,
  };
}
