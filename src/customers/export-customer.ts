import { ApiError } from '../errors.ts';
import type { CustomerKey } from '../conversations/customer-conversations.sql.ts';
import { noteView } from '../conversations/escalations/notes.routes.ts';
import { listAllNotes } from '../conversations/escalations/notes.sql.ts';
import { turnView } from '../conversations/record/conversation.view.ts';
import { listTurns } from '../conversations/record/turns.sql.ts';
import { unixSec } from '../platform/http/fields.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { activityView } from './customer.view.ts';
import { listActivity, type Activity } from './list-activity.ts';

/** Number of conversations and calls per query. */
const PAGE = 50;
/**
 * Maximum number of turns in memory. A turn has at most 32,000 characters of text and 64 KiB of tool call arguments.
 */
const TURNS = 50;

/**
 * Yields the parts of one JSON document with all data about a customer: conversations with their transcripts, calls,
 * escalations and private notes, newest first, including tests. `first` is the first page, which the caller has already
 * read. Holds no database connection between parts, so that a slow reader costs nothing.
 * @throws ApiError write_conflict if a conversation is erased in the middle of its transcript
 */
export async function* exportCustomer(
  { pool, nowMs }: { pool: Pool; nowMs: () => number },
  key: CustomerKey,
  first: readonly Activity[],
): AsyncGenerator<string> {
  const head = JSON.stringify({ user_id: key.userId, exported_at: unixSec(nowMs()) });
  yield `${head.slice(0, -1)},"activity":[`;
  let separator = '';
  for (let page = first; page.length > 0;) {
    for (const one of page) {
      yield* itemOf(pool, one, separator);
      separator = ',';
    }
    page = await readPage(pool, key, page.at(-1)!.id); // The page has items.
  }
  yield ']}';
}

/** Returns the page after `before`, or the first page if `before` is null. */
export function readPage(pool: Pool, key: CustomerKey, before: string | null): Promise<Activity[]> {
  return listActivity(pool, { ...key, before, withTests: true, limit: PAGE });
}

async function* itemOf(pool: Pool, one: Activity, separator: string): AsyncGenerator<string> {
  const head = separator + JSON.stringify(activityView(one)).slice(0, -1);
  if (one.conversation === null) {
    yield `${head},"notes":[],"transcript":null}`;
    return;
  }
  const { id, turnCount } = one.conversation;
  // Only a conversation with an escalation has notes.
  const notes = one.escalations.length === 0 ? [] : await listAllNotes(pool, id);
  yield `${head},"notes":${JSON.stringify(notes.map(noteView))},"transcript":{"turns":[`;
  for (let from = 0; from < turnCount; from += TURNS) {
    const limit = Math.min(TURNS, turnCount - from);
    const turns = await listTurns(pool, { conversationId: id, from, limit });
    if (turns.length < limit) {
      const detail = 'A conversation was erased during the export. Start the export again.';
      throw new ApiError('write_conflict', detail);
    }
    const json = turns.map((turn) => JSON.stringify(turnView(turn))).join(',');
    yield from === 0 ? json : `,${json}`;
  }
  yield ']}}';
}
