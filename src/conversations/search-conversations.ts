import { monotonicMs } from '../clock.ts';
import { toUuid } from '../ids.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { ConversationRow } from './record/conversations.sql.ts';
import { listConversations, type ConversationFilter } from './record/list-conversations.sql.ts';
import { lookThrough } from './record/search-conversations.sql.ts';

/** What somebody looks for: the conversation of an id, or words. */
export type Sought = Pick<ConversationFilter, 'named'> | { words: readonly string[] };

/** Looked at for one page, at most; then it ends, with what was found. */
const LOOKED_MAX = 5_000;
/** Nor is begun to look further after that. */
const PAGE_MS = 200;
/** In one statement, of so many turns each: 20 ms for 500 where turns are messages. Few first, as turns may be long. */
const AT_ONCE = { first: 100, most: 800, turnsEach: 10 };

/** A page, newest first, that may hold fewer than `limit`. `next`: id after which to go on; null: the end. */
export type FoundPage = { rows: ConversationRow[]; next: string | null };

/** An id of a conversation, a call or an escalation finds what is about it; anything else is words. */
export function soughtBy(q: string): Sought {
  for (const prefix of ['conv', 'call', 'esc'] as const) {
    const id = toUuid(prefix, q);
    if (id !== null) return { named: { by: prefix, id } };
  }
  return { words: [...new Set(q.split(/\s+/).filter(Boolean))] };
}

/**
 * The next conversations in which all words occur. There is no index of words, which every turn would have
 * to pay for: they are read, newest first, as many as a page may take (contract/conversations.md#lists).
 */
export async function searchConversations(
  pool: Pool,
  filter: ConversationFilter,
  sought: Sought,
): Promise<FoundPage> {
  if (!('words' in sought)) return listNamed(pool, { ...filter, ...sought });
  const { words } = sought;
  const endMs = monotonicMs() + PAGE_MS;
  const { limit } = filter;
  const rows: ConversationRow[] = [];
  let { before } = filter;
  let atOnce = AT_ONCE.first;
  for (let left = LOOKED_MAX; left > 0; atOnce = Math.min(2 * atOnce, AT_ONCE.most)) {
    const conversations = Math.min(left, atOnce);
    const bounds = { words, conversations, turns: conversations * AT_ONCE.turnsEach };
    // One more than the page, to see whether there is another.
    const more = { ...filter, before, limit: limit + 1 - rows.length };
    const { found, looked, last, isEnd } = await lookThrough(pool, more, bounds);
    rows.push(...found);
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]!.id };
    if (isEnd) return { rows, next: null };
    before = last;
    left -= looked;
    if (monotonicMs() >= endMs) break;
  }
  return { rows, next: before ?? null };
}

async function listNamed(pool: Pool, filter: ConversationFilter): Promise<FoundPage> {
  const rows = await listConversations(pool, { ...filter, limit: filter.limit + 1 });
  const shown = rows.slice(0, filter.limit);
  return { rows: shown, next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null };
}
