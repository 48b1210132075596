import type { CallRow } from '../calls/calls.sql.ts';
import { listCallsOfConversations, listLoneCallsOf } from '../calls/customer-calls.sql.ts';
import {
  listConversationsOf,
  type CustomerKey,
} from '../conversations/customer-conversations.sql.ts';
import {
  listEscalationsOf,
  type EscalationRow,
} from '../conversations/escalations/escalations.sql.ts';
import type { ConversationRow } from '../conversations/record/conversations.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/** A conversation with its call and escalations, or a call without a conversation. */
export type Activity = {
  /** UUID of the conversation or of the call. */
  id: string;
  conversation: ConversationRow | null;
  call: CallRow | null;
  escalations: EscalationRow[];
};

/** `before` is the UUID after which the page starts; null for the first page. */
export type ActivityPage = CustomerKey & {
  before: string | null;
  withTests: boolean;
  limit: number;
};

/**
 * Lists all data about a customer, newest first. Ids of conversations and of calls contain their time, so
 * both lists merge by id.
 */
export async function listActivity(pool: Pool, page: ActivityPage): Promise<Activity[]> {
  const [conversations, loneCalls] = await Promise.all([
    listConversationsOf(pool, page),
    listLoneCallsOf(pool, page),
  ]);
  const rows = [
    ...conversations.map((conversation) => ({ id: conversation.id, conversation, call: null })),
    ...loneCalls.map((call) => ({ id: call.id, conversation: null, call })),
  ]
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, page.limit);
  const ids = rows.flatMap(({ conversation }) => conversation?.id ?? []);
  if (ids.length === 0) return rows.map((row) => ({ ...row, escalations: [] }));
  const [calls, escalations] = await Promise.all([
    listCallsOfConversations(pool, ids),
    listEscalationsOf(pool, ids),
  ]);
  const callOf = new Map(calls.map((call) => [call.conversationId, call]));
  const escalationsOf = Map.groupBy(escalations, ({ conversationId }) => conversationId);
  return rows.map(({ id, conversation, call }) => ({
    id,
    conversation,
    call: call ?? callOf.get(id) ?? null,
    escalations: escalationsOf.get(id) ?? [],
  }));
}
