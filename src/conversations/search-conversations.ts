import { monotonicMs } from '../clock.ts';
import { toUuid } from '../ids.ts';
import { itemsThatFit, PAGE_VARIABLES_BYTES } from '../platform/postgres/list-filters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { ConversationRow } from './record/conversations.sql.ts';
import { listConversations, type ConversationFilter } from './record/list-conversations.sql.ts';
import { lookThrough } from './record/search-conversations.sql.ts';

/** Target of a search: either one conversation by id, or words. */
export type Sought = Pick<ConversationFilter, 'named'> | { words: readonly string[] };

/**
 * Maximum number of conversations searched for one page. When this number is reached, the page contains only the
 * matches found so far.
 */
const LOOKED_MAX = 5_000;
/** Time in ms after which no further search step is started for a page. */
const PAGE_MS = 200;
/**
 * Size of a search step, which is one statement. The first step searches `first` conversations, and each further step
 * twice as many, up to `most`. A step reads about `turnsEach` turns per conversation. 500 conversations with turns of
 * the usual length take 20 ms. The first step is small, because turns may be much longer.
 */
const AT_ONCE = { first: 100, most: 800, turnsEach: 10 };

/**
 * One page of search results, in the same order as the list of conversations. The page may have fewer than `limit`
 * rows, because its size in bytes (`fittingRows`) and the number of conversations searched for it are limited. `next`
 * is the id after which the next page starts, or null at the end.
 */
export type FoundPage = { rows: ConversationRow[]; next: string | null };

/**
 * Parses a search. An id of a conversation, a call or an escalation selects the conversation that it belongs to. Any
 * other text is split into words.
 */
export function soughtBy(q: string): Sought {
  for (const prefix of ['conv', 'call', 'esc'] as const) {
    const id = toUuid(prefix, q);
    if (id !== null) return { named: { by: prefix, id } };
  }
  return { words: [...new Set(q.split(/\s+/).filter(Boolean))] };
}

/**
 * Returns the next conversations that contain all words. A full-text index would slow down every turn, so the search
 * instead reads conversations in the order of the list, up to the limits of a page (contract/conversations.md#lists).
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
  let room = PAGE_VARIABLES_BYTES;
  for (let left = LOOKED_MAX; left > 0; atOnce = Math.min(2 * atOnce, AT_ONCE.most)) {
    const conversations = Math.min(left, atOnce);
    const bounds = { words, conversations, turns: conversations * AT_ONCE.turnsEach, room };
    // Requests one more conversation than fits on the page, to find out whether another page exists.
    const more = { ...filter, before, limit: limit + 1 - rows.length };
    const { found, bytes, looked, last, isEnd } = await lookThrough(pool, more, bounds);
    const shown = found.filter(({ fits }) => fits);
    rows.push(...shown);
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]!.id };
    // The next match does not fit on the page.
    if (shown.length < found.length) return { rows, next: rows.at(-1)!.id };
    room -= bytes;
    if (isEnd) return { rows, next: null };
    before = last;
    left -= looked;
    if (monotonicMs() >= endMs) break;
  }
  return { rows, next: before ?? null };
}

async function listNamed(pool: Pool, filter: ConversationFilter): Promise<FoundPage> {
  const rows = await listConversations(pool, { ...filter, limit: filter.limit + 1 });
  const shown = rows.slice(0, itemsThatFit(rows, filter.limit));
  return { rows: shown, next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null };
}
