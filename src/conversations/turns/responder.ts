import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { ToolTurn } from '../record/live-turns.sql.ts';
import type { Retrieval, TurnError, TurnModel, TurnRow } from '../record/turns.sql.ts';
import type { HandOver } from '../escalations/escalation-rules.ts';
import type { Speaker } from '../tools/tool.ts';
import type { UserTurn } from './read-user-turn.ts';

/**
 * Generates a reply with a language model and tools, or with quotes from a search if no model is configured
 * (extractive-responder.ts). A reply may take a long time. Its tokens are shown immediately, but only the returned
 * reply is stored.
 */
export type Responder = (request: ResponderRequest) => Promise<Reply>;

/** Returns true if replies of this agent are slow. A turn is then claimed before the reply is requested. */
export type TakesTime = (agent: { namespace: string; content: AgentContent }) => Promise<boolean>;

export type ResponderRequest = {
  /** Content of the speaking agent's version. Until a handoff, this is the version of the conversation. */
  content: AgentContent;
  speaker: Speaker;
  conversation: LiveConversation;
  /** The user's message. `user` is its interpretation. */
  text: string;
  user: UserTurn;
  /** Reads the last turns before this one, oldest first. The turns are read only when this function is called. */
  readHistory: (limit: number) => Promise<TurnRow[]>;
  /**
   * Searches the speaker's knowledge. Returns the passages, best first. After a handoff, the caller passes the new
   * speaker.
   */
  search: (query: string, limit: number, speaker?: Speaker) => Promise<KnowledgeHit[]>;
  /**
   * Emits parts of the reply as they arrive. `isApology` is true if the reply failed and the text is Parley's apology.
   */
  emitToken: (text: string, isApology?: boolean) => void;
  /** Withdraws the tokens emitted so far except this text, because all other tokens were the model's reasoning. */
  keepTokens?: (text: string) => void;
  /**
   * Records tool calls before they are made, and their results afterwards, so that the calls of a killed process are
   * known. Each call of this function passes all tool turns so far, in order. Rejects if another process has taken over
   * the turn; the caller then must not call any tool.
   */
  noteTools: (turns: readonly ToolTurn[]) => Promise<void>;
  /**
   * Tool calls that an earlier process recorded before it was killed during this turn. A call without a result may have
   * been made. The reply's `toolTurns` must start with these calls.
   */
  notedTools: readonly ToolTurn[];
  /** Aborts when the reply should stop, because somebody has written in the meantime or because the process stops. */
  signal: AbortSignal;
};

export type Reply = {
  text: string;
  retrieval?: Retrieval;
  /** Heading of the passage that answers the question, for the summary. */
  answeredFrom?: string;
  /** Question that the agent's knowledge does not answer; absent if none exists. */
  unanswered?: { question: string; topScore: number; closest: readonly KnowledgeHit[] };
  /** Set if the reply offers to request a human. A "yes" from the user then requests one. */
  offersHuman?: true;
  /** Request for a human; absent if no human should take over. */
  handover?: HandOver;
  /** Tool calls that were made before the reply, with their results, in order. */
  toolTurns?: readonly ToolTurn[];
  /** Number of consecutive tool calls that failed, for the rule `tool_failure`. */
  toolFailuresInRow?: number;
  /**
   * Agent that replied, if it is not the speaker of the request. From then on, this agent speaks in the conversation.
   */
  speaker?: Speaker;
  /** Model, usage and cost of a generated reply. */
  model?: TurnModel;
  /** Reason why the reply is missing or incomplete. `text` is then the partial reply or an apology. */
  error?: TurnError;
  /** Set if the reply says that nobody is available to take over. */
  isClosed?: true;
  /** Set if the reply was interrupted. */
  interrupted?: true;
  /** Set if the conversation ends with this reply. */
  ends?: 'agent_hangup';
  /** Duration of each part of the turn in ms, by the part's name. `turn_ms` is added later. */
  latency?: Record<string, number>;
};

export type { ToolTurn };
