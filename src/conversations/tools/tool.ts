import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';

/** A tool of the agent whose turn it is (contract/tools.md). */
export type ToolBox = {
  /** As the model is told of them. */
  tools: readonly ModelTool[];
  /** Never rejects: what goes wrong is an outcome that the model reads. */
  run: RunTool;
};

export type RunTool = (call: ModelToolCall, signal: AbortSignal) => Promise<ToolOutcome>;

/** Who speaks: its version may be another than the conversation's after a handoff. */
export type Speaker = { agentId: string; agentVersion: number; content: AgentContent };

export type MakeToolBox = (turn: {
  conversation: LiveConversation;
  speaker: Speaker;
  search: (query: string, limit: number) => Promise<KnowledgeHit[]>;
}) => ToolBox;

export type ToolOutcome = {
  ok: boolean;
  /** What the model reads, and the transcript shows: data, never instructions. Capped. */
  content: string;
  durationMs: number;
  /** What follows from it for the conversation. */
  effect?: ToolEffect;
  /** Of knowledge_search; the model reads those of them that score `min_score` or more. */
  hits?: readonly KnowledgeHit[];
};

export type ToolEffect =
  /** The conversation ends after this turn (`ended_reason: agent_hangup`). */
  | { type: 'end_call' }
  /** A human is asked for, after this turn. */
  | { type: 'transfer_call'; reason: string }
  /** Another agent goes on, in this very turn. */
  | { type: 'handoff'; speaker: Speaker };
