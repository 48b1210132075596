import { ApiError } from '../errors.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { conversationView, turnView } from './record/conversation.view.ts';
import {
  readWithTurns,
  type ConversationFilter,
  type ConversationWithTurns,
} from './record/list-conversations.sql.ts';
import { listTurns } from './record/turns.sql.ts';
import { searchConversations, type Sought } from './search-conversations.ts';

/** Number of conversations per query. */
const PAGE = 100;
/**
 * Maximum number of turns in memory. A turn has at most 32,000 characters of text and 64 KiB of tool call arguments.
 */
const TURNS = 50;

/**
 * Yields all conversations that match a filter, newest first, each as one line of JSON. A line contains the
 * conversation and its transcript so far. Pages are read on demand, and no database connection is held between them, so
 * a slow reader costs nothing. Omits conversations that start after the export has begun, and those that are erased
 * before the export reaches them.
 * @throws ApiError write_conflict if a long conversation is erased in the middle of its line
 */
export async function* exportConversations(
  pool: Pool,
  filter: Omit<ConversationFilter, 'limit'>,
  sought: Sought = {},
): AsyncGenerator<string> {
  let { before } = filter;
  do {
    const next = { ...filter, before, limit: PAGE };
    const { rows: page, next: after } = await searchConversations(pool, next, sought);
    for (const group of inGroups(page)) {
      const found = { ids: group.map(({ id }) => id), turnsMax: TURNS };
      for (const one of await readWithTurns(pool, { ...filter, limit: PAGE }, found)) {
        yield* lineOf(pool, one);
      }
    }
    before = after;
  } while (before !== null);
}

/**
 * Groups consecutive conversations so that each group has at most `TURNS` turns, or consists of a single conversation.
 */
function inGroups<T extends { turnCount: number }>(rows: readonly T[]): T[][] {
  const groups: T[][] = [];
  let turns = Infinity;
  for (const row of rows) {
    turns += row.turnCount;
    if (turns > TURNS) {
      groups.push([]);
      turns = row.turnCount;
    }
    groups.at(-1)!.push(row);
  }
  return groups;
}

async function* lineOf(pool: Pool, one: ConversationWithTurns): AsyncGenerator<string> {
  const json = (turns: ConversationWithTurns['turns']): string =>
    turns.map((turn) => JSON.stringify(turnView(turn))).join(',');
  const head = JSON.stringify(conversationView(one)).slice(0, -1);
  yield `${head},"transcript":{"turns":[${json(one.turns)}`;
  for (let from = TURNS; from < one.turnCount; from += TURNS) {
    const limit = Math.min(TURNS, one.turnCount - from);
    const turns = await listTurns(pool, { conversationId: one.id, from, limit });
    if (turns.length < limit) {
      const detail = 'A conversation was erased during the export. Start the export again.';
      throw new ApiError('write_conflict', detail);
    }
    yield `,${json(turns)}`;
  }
  yield ']}}\n';
}
