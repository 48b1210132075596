import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { ToolTurn } from '../record/live-turns.sql.ts';
import type { Retrieval, TurnError, TurnModel, TurnRow } from '../record/turns.sql.ts';
import type { HandOver } from '../escalations/escalation-rules.ts';
import type { Speaker } from '../tools/tool.ts';
import type { UserTurn } from './read-user-turn.ts';

/**
 * Makes a reply with a language model and tools, or with quotes from a search if no model is configured
 * (extractive-responder.ts). It may be slow. Its tokens are shown immediately, but count only when it returns.
 */
export type Responder = (request: ResponderRequest) => Promise<Reply>;

export type ResponderRequest = {
  /** Content of the version that speaks: the conversation's version until a handoff. */
  content: AgentContent;
  speaker: Speaker;
  conversation: LiveConversation;
  /** The user's words, and their interpretation. */
  text: string;
  user: UserTurn;
  /** Reads the last turns before this one, oldest first. Reads them only when called. */
  readHistory: (limit: number) => Promise<TurnRow[]>;
  /** Searches the speaker's knowledge, best first. After a handoff, pass the new speaker. */
  search: (query: string, limit: number, speaker?: Speaker) => Promise<KnowledgeHit[]>;
  /** Emits parts of the reply as they arrive. `isApology` means that the reply failed and the text is our apology. */
  emitToken: (text: string, isApology?: boolean) => void;
  /** Keeps only this text of the tokens emitted so far. The rest was the model's reasoning. */
  keepTokens?: (text: string) => void;
  /**
   * Notes tool calls before they are made and their results afterwards, so that the actions of a killed process are
   * known. Each call passes all tool turns so far, in order. Rejects if another process has taken over the turn;
   * nothing may be called then.
   */
  noteTools: (turns: readonly ToolTurn[]) => Promise<void>;
  /**
   * Tool calls noted by a process that was killed during this turn. A call without a result may have been made.
   * `toolTurns` starts with them.
   */
  notedTools: readonly ToolTurn[];
  /** Aborts when the reply should stop: somebody spoke meanwhile, or the process stops. */
  signal: AbortSignal;
};

export type Reply = {
  text: string;
  retrieval?: Retrieval;
  /** Heading of the passage that answers, for the summary. */
  answeredFrom?: string;
  /** Set if the agent's knowledge has no answer. */
  unanswered?: { question: string; topScore: number; closest: readonly KnowledgeHit[] };
  /** Set if the reply offers to ask a human; a "yes" then requests one. */
  offersHuman?: true;
  /** Set if a human should take over. */
  handover?: HandOver;
  /** Tool calls and their results before the reply, in order. */
  toolTurns?: readonly ToolTurn[];
  /** Tool calls that failed in a row, for the rule tool_failure. */
  toolFailuresInRow?: number;
  /** Agent that replied; absent if it is the speaker of the request. Another agent then continues the conversation. */
  speaker?: Speaker;
  /** Work of a language model for the reply. */
  model?: TurnModel;
  /** Reason why the reply is missing or broke off. `text` is the partial reply or an apology. */
  error?: TurnError;
  /** Set if the reply says that nobody is available to take over. */
  isClosed?: true;
  /** Set if the reply was cut short. */
  interrupted?: true;
  /** Set if the conversation ends with this reply. */
  ends?: 'agent_hangup';
  /** Duration of its parts in milliseconds, by name; `turn_ms` is added. */
  latency?: Record<string, number>;
};

export type { ToolTurn };
