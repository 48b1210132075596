import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';

/** Tools of the agent that is speaking (contract/tools.md). */
export type ToolBox = {
  /** Descriptions of the tools for the model. */
  tools: readonly ModelTool[];
  /** Runs a tool. Never rejects: a failure becomes an outcome that the model reads. */
  run: RunTool;
};

export type RunTool = (call: ModelToolCall, signal: AbortSignal) => Promise<ToolOutcome>;

/** Agent that is speaking. After a handoff, its version may differ from the conversation's. */
export type Speaker = { agentId: string; agentVersion: number; content: AgentContent };

export type MakeToolBox = (turn: {
  conversation: LiveConversation;
  speaker: Speaker;
  search: (query: string, limit: number) => Promise<KnowledgeHit[]>;
}) => ToolBox;

export type ToolOutcome = {
  ok: boolean;
  /** Result for the model and the transcript. It is data, never instructions, and its length is limited. */
  content: string;
  durationMs: number;
  /** Effect of the call on the conversation. */
  effect?: ToolEffect;
  /** Passages that `knowledge_search` found. The model reads those that score at least `min_score`. */
  hits?: readonly KnowledgeHit[];
};

export type ToolEffect =
  /** Ends the conversation after this turn (`ended_reason: agent_hangup`). */
  | { type: 'end_call' }
  /** Requests a human after this turn. */
  | { type: 'transfer_call'; reason: string }
  /** Lets another agent continue within this turn. */
  | { type: 'handoff'; speaker: Speaker };
