import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { ToolTurn } from '../record/live-turns.sql.ts';
import type { Retrieval, TurnError, TurnModel, TurnRow } from '../record/turns.sql.ts';
import type { HandOver } from '../escalations/escalation-rules.ts';
import type { Speaker } from '../tools/tool.ts';
import type { UserTurn } from './read-user-turn.ts';

/**
 * Makes the reply: a language model with tools or, where none is configured, a
 * search that quotes (extractive-responder.ts). It may take its time. Its tokens are shown at once,
 * but count only when it returns.
 */
export type Responder = (request: ResponderRequest) => Promise<Reply>;

export type ResponderRequest = {
  /** Of the version that speaks: the one the conversation is pinned to, until a handoff. */
  content: AgentContent;
  speaker: Speaker;
  conversation: LiveConversation;
  /** What the user said, and how it is understood. */
  text: string;
  user: UserTurn;
  /** The last turns, oldest first, without this one. Read only when called. */
  readHistory: (limit: number) => Promise<TurnRow[]>;
  /** Passages of what the speaker knows, best first; after a handoff, of whom it went to. */
  search: (query: string, limit: number, speaker?: Speaker) => Promise<KnowledgeHit[]>;
  /** Parts of the reply as they come. `isApology`: all there is of one that failed, in our words. */
  emitToken: (text: string, isApology?: boolean) => void;
  /** Keeps only this text of the tokens emitted so far. The rest was the model's reasoning. */
  keepTokens?: (text: string) => void;
  /**
   * Calls of tools are noted before they are made, and their results after: what a killed process
   * has done is known then. Each time it gets all of the turn so far, in order. Rejects when the turn is somebody else's by now: nothing may be called.
   */
  noteTools: (turns: readonly ToolTurn[]) => Promise<void>;
  /** What a process that was killed in this turn has noted; a call without a result may have been made. `toolTurns` begins with it. */
  notedTools: readonly ToolTurn[];
  /**
   * Aborted when the reply is not wanted any more: somebody spoke meanwhile, or the program stops.
   */
  signal: AbortSignal;
};

export type Reply = {
  text: string;
  retrieval?: Retrieval;
  /** The heading of the passage that answers, for the summary. */
  answeredFrom?: string;
  /** Set when the agent's knowledge has no answer. */
  unanswered?: { question: string; topScore: number; closest: readonly KnowledgeHit[] };
  /** Set when it offers to ask a human: a "yes" then asks for one. */
  offersHuman?: true;
  /** Set when a human should take over. */
  handover?: HandOver;
  /** The calls of tools and their results, in order, before the reply. */
  toolTurns?: readonly ToolTurn[];
  /** Calls of tools that failed, without one since that did not; for the rule tool_failure. */
  toolFailuresInRow?: number;
  /** Who said it; absent: the speaker of the request. Another goes on with the conversation then. */
  speaker?: Speaker;
  /** What a language model did for it. */
  model?: TurnModel;
  /** Why it is missing or broke off; `text` is what there is of it, or an apology. */
  error?: TurnError;
  /** It says that nobody is there to take over. */
  isClosed?: true;
  /** Nobody wanted the rest. */
  interrupted?: true;
  /** The conversation ends with it. */
  ends?: 'agent_hangup';
  /** Milliseconds of its parts, by name; `turn_ms` is added. */
  latency?: Record<string, number>;
};

export type { ToolTurn };
