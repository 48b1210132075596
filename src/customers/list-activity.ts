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
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/** A conversation with its call and escalations, or a call without a conversation. */
export type Activity = {
  /** UUID of the conversation or of the call. */
  id: string;
  conversation: ConversationRow | null;
  call: CallRow | null;
  escalations: EscalationRow[];
  /** False for the first row that no longer fits on the page (`fittingRows`). */
  fits: boolean;
};

/** `before` is the UUID after which the page starts, or null for the first page. */
export type ActivityPage = CustomerKey & {
  before: string | null;
  withTests: boolean;
  limit: number;
};

/**
 * Lists a customer's conversations and calls, newest first, up to the size of a page. Merges the list of conversations
 * and the list of calls by id, because ids contain the creation time. The result ends with the first row that does not
 * fit on the page, because the query for that row's list stops there.
 */
export async function listActivity(pool: Pool, page: ActivityPage): Promise<Activity[]> {
  const [conversations, loneCalls] = await Promise.all([
    listConversationsOf(pool, page),
    listLoneCallsOf(pool, page),
  ]);
  const found = [
    ...conversations.map((one) => ({ ...one, conversation: one, call: null })),
    ...loneCalls.map((one) => ({ ...one, conversation: null, call: one })),
  ].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const rows = found.slice(0, itemsThatFit(found, page.limit - 1) + 1);
  const ids = rows.flatMap(({ conversation }) => conversation?.id ?? []);
  if (ids.length === 0) return rows.map((row) => ({ ...row, escalations: [] }));
  const [calls, escalations] = await Promise.all([
    listCallsOfConversations(pool, ids),
    listEscalationsOf(pool, ids),
  ]);
  const callOf = new Map(calls.map((call) => [call.conversationId, call]));
  const escalationsOf = Map.groupBy(escalations, ({ conversationId }) => conversationId);
  return rows.map(({ id, conversation, call, fits }) => ({
    id,
    fits,
    conversation,
    call: call ?? callOf.get(id) ?? null,
    escalations: escalationsOf.get(id) ?? [],
  }));
}
