import { ApiError } from '../errors.ts';
import { fromUuid, toUuid, uuidTimeMs } from '../ids.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { encodeCursor } from '../platform/http/cursor.ts';
import {
  findStreamPosition,
  isAfter,
  lastEventBefore,
  readStream,
  readStreamStart,
  START,
  type StreamFilter,
  type StreamPosition,
  type StreamedEvent,
} from './event-stream.sql.ts';
import { replayWindowMs, type ReplayWindow } from './replay-window.ts';

/**
 * Reads the events of a namespace as a log, page by page, in the order of the stream (docs/decisions/0013). No event is
 * ever added before a position that a follower has reached, however late the event is committed. Each page costs two or
 * three statements.
 */

/**
 * Position of a follower in the log: the last event that was read or that the filter excluded. Each use of the cursor
 * looks up the event's current position, because restoring a backup changes positions.
 */
export type LogCursor = StreamPosition & {
  /** Time at which the log was read up to this position, in Unix seconds. */
  readAtSec: number;
};

/**
 * Returns a page of the log after a cursor.
 * @throws ApiError event_expired
 */
export async function readEventLog(
  deps: ReplayWindow & { pool: Pool; nowMs: () => number },
  input: {
    namespace: string;
    filter: StreamFilter;
    after: LogCursor | undefined;
    limit: number;
  },
): Promise<{ events: StreamedEvent[]; hasMore: boolean; next: LogCursor }> {
  const { pool, nowMs } = deps;
  const { namespace, filter, limit } = input;
  const after = await positionOf(deps, namespace, input.after);
  const sinceMs = uuidTimeMs(after.id);
  // Reads one event more than fits on the page, to find out whether another page exists.
  const page = await readStream(pool, { namespace, after, filter, limit: limit + 1, sinceMs });
  const events = page.events.slice(0, limit);
  const readAtSec = Math.floor(nowMs() / 1_000);
  const last = events.at(-1);
  if (page.hasMore && last) return { events, hasMore: true, next: { ...last, readAtSec } };
  const seen = await lastEventBefore(pool, { namespace, position: page.position, sinceMs });
  const position = seen && isAfter(seen, after) ? seen : after;
  return { events, hasMore: false, next: { ...position, readAtSec } };
}

async function positionOf(
  deps: ReplayWindow & { pool: Pool; nowMs: () => number },
  namespace: string,
  cursor: LogCursor | undefined,
): Promise<StreamPosition> {
  const { pool, nowMs } = deps;
  if (cursor === undefined || cursor.id === START.id) return START;
  const known = await findStreamPosition(pool, { namespace, id: cursor.id });
  if (known) return known;
  // The cursor's event no longer exists. If it was dropped because of its age, and the follower read the log within the
  // replay window, the follower missed nothing. Otherwise events may be missing: the follower was away for too long, or
  // the event is not in this database, for example because a backup was restored.
  const isOld = nowMs() - uuidTimeMs(cursor.id) > replayWindowMs(deps);
  const isFresh = nowMs() - cursor.readAtSec * 1_000 < replayWindowMs(deps);
  const { position } = await readStreamStart(pool);
  if (isOld && isFresh && isAfter(position, cursor)) return cursor;
  const detail =
    'The cursor is too old: events after it may have been deleted. Start again without a cursor.';
  throw new ApiError('event_expired', detail);
}

export function encodeLogCursor({ xid, id, readAtSec }: LogCursor): string {
  return encodeCursor(`log:${fromUuid('evt', id)}:${xid}:${readAtSec}`);
}

/** Parses a log cursor. Returns undefined if the text is not a log cursor. */
export function readLogCursor(text: string): LogCursor | undefined {
  const [, event = '', xid = '', sec = ''] =
    /^log:(evt_[0-9a-z]+):([0-9]{1,19}):([0-9]{1,12})$/.exec(text) ?? [];
  const id = toUuid('evt', event);
  return id === null ? undefined : { id, xid: BigInt(xid), readAtSec: Number(sec) };
}
