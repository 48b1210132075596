import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { Retrieval, TurnRow } from '../record/turns.sql.ts';
import type { UserTurn } from './read-user-turn.ts';

/**
 * Who thinks of the reply: built in, a search that quotes (extractive-responder.ts); later a
 * streaming model with tools. Nothing is stored while it thinks, so it may take its time, fail and
 * be asked again; what it says as tokens is shown at once and is worth nothing until it returns.
 */
export type Responder = (request: ResponderRequest) => Promise<Reply>;

export type ResponderRequest = {
  /** Of the version the conversation is pinned to. */
  content: AgentContent;
  conversation: LiveConversation;
  /** What the user said, and how it is understood. */
  text: string;
  user: UserTurn;
  /** The last turns, oldest first, this one not among them. Only read when called. */
  readHistory: (limit: number) => Promise<TurnRow[]>;
  /** Passages of what the agent knows, best first. */
  search: (query: string, limit: number) => Promise<KnowledgeHit[]>;
  /** Parts of the reply as they come. */
  emitToken: (text: string) => void;
  /** Aborted when the reply is not wanted any more: somebody spoke meanwhile, or we stop. */
  signal: AbortSignal;
};

export type Reply = {
  text: string;
  retrieval?: Retrieval;
  /** Knowledge had the answer; its name for the summary. */
  answeredFrom?: string;
  /** Knowledge had no answer to this. */
  unanswered?: { question: string; topScore: number };
  /** It offers to ask a human: a "yes" to it asks for one. */
  offersHuman?: true;
  /** A human is to take over, and why. */
  handover?: { reason: string };
  /** What tools were asked and said, in order, before the reply. */
  toolTurns?: readonly Pick<TurnRow, 'text' | 'toolCall' | 'toolResult'>[];
  /** ms of its parts, by name; `turn_ms` is added. */
  latency?: Record<string, number>;
};
