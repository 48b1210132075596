import type { AgentContent } from '../../agents/agent.ts';
import type { KnowledgeHit } from '../../knowledge/passages/search-passages.ts';
import type { LiveConversation } from '../record/conversations.sql.ts';
import type { Retrieval, TurnRow } from '../record/turns.sql.ts';
import type { UserTurn } from './read-user-turn.ts';

/**
 * Makes the reply. Built in is a search that quotes (extractive-responder.ts); a streaming model
 * with tools is planned. Nothing is stored meanwhile, so it may take its time, fail and be called
 * again. Its tokens are shown at once, but count only when it returns.
 */
export type Responder = (request: ResponderRequest) => Promise<Reply>;

export type ResponderRequest = {
  /** Of the version the conversation is pinned to. */
  content: AgentContent;
  conversation: LiveConversation;
  /** What the user said, and how it is understood. */
  text: string;
  user: UserTurn;
  /** The last turns, oldest first, without this one. Read only when called. */
  readHistory: (limit: number) => Promise<TurnRow[]>;
  /** Passages of what the agent knows, best first. */
  search: (query: string, limit: number) => Promise<KnowledgeHit[]>;
  /** Parts of the reply as they come. */
  emitToken: (text: string) => void;
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
  unanswered?: { question: string; topScore: number };
  /** Set when it offers to ask a human: a "yes" then asks for one. */
  offersHuman?: true;
  /** Set when a human should take over, with the reason. */
  handover?: { reason: string };
  /** The calls of tools and their results, in order, before the reply. */
  toolTurns?: readonly Pick<TurnRow, 'text' | 'toolCall' | 'toolResult'>[];
  /** Milliseconds of its parts, by name; `turn_ms` is added. */
  latency?: Record<string, number>;
};
