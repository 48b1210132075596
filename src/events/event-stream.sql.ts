import type { EventType } from './event-types.ts';
import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { oldestSpeaking } from '../platform/postgres/silence.ts';

/**
 * Reads events in an order in which no event appears late (docs/decisions/0013). Ids are created before the commit, so
 * an event may become visible after another event with a higher id was read. Therefore events are ordered by
 * (transaction, id), and a reader stops at a horizon: the oldest transaction that is still running. No event is ever
 * added below the horizon.
 *
 * The drawback is that a long transaction that has written anything, anywhere on the database server, delays all later
 * events. The exception is a transaction that has declared that it emits no events (silence.ts). Parley's own
 * transactions declare this or are aborted after a few seconds.
 */

/** Position of a reader, which has read everything up to and including this event. */
export type StreamPosition = { xid: bigint; id: string };

export type StreamedEvent = StreamPosition & {
  type: EventType;
  conversationId: string | null;
  agentId: string | null;
  /** Endpoint to which a test event is sent; null for other events. */
  endpointId: string | null;
  body: Buffer;
};

export type StreamFilter = {
  /** Whether to include test events. */
  withTests: boolean;
  /** Bounds on the time of the event, in Unix seconds. `createdAfter` is inclusive, `createdBefore` exclusive. */
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
  types?: readonly EventType[] | undefined;
  conversationId?: string | undefined;
  agentId?: string | undefined;
};

const NOTHING = '00000000-0000-0000-0000-000000000000';
/** Position before all events. */
export const START: StreamPosition = { xid: 0n, id: NOTHING };
/**
 * Maximum total size of the event bodies in a page, in bytes. A larger event gets a page of its own. Each stalled
 * reader keeps a page in memory, and 500 such pages must not exhaust it.
 */
export const PAGE_BYTES = 131_072;
/**
 * Margin in ms. Events are not strictly ordered by the creation time in their ids. A read from `sinceMs` therefore
 * skips only events whose ids are older than that time by more than this margin. The margin is longer than any
 * transaction or clock difference.
 */
const SLACK_MS = 86_400_000;

/**
 * Start position for a reader that wants only new events. `position` is before the oldest transaction that was still
 * running. Some transactions after it had already committed: `isCommitted` returns true for them, and the reader skips
 * their events.
 */
export type StreamStart = { position: StreamPosition; isCommitted: (xid: bigint) => boolean };

export async function readStreamStart(db: Db): Promise<StreamStart> {
  const { rows } = await db.query<{ snapshot: string }>(
    'select pg_current_snapshot()::text as snapshot',
  );
  // The snapshot has the form `xmin:xmax:xip,xip`. `xmin` is the oldest running transaction, `xmax` the first one that
  // has not started, and each `xip` one that is running.
  const [xmin = '0', xmax = '0', running = ''] = (rows[0]?.snapshot ?? '').split(':');
  const underWay = new Set(running.split(',').filter(Boolean));
  return {
    position: before(BigInt(xmin)),
    isCommitted: (xid) => xid < BigInt(xmax) && !underWay.has(String(xid)),
  };
}

/** Returns the position of an event in this namespace, or undefined if the event is unknown or was dropped. */
export async function findStreamPosition(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<StreamPosition | undefined> {
  const { rows } = await db.query<{ xid: string }>(
    'select xid::text from events where id = $1 and namespace = $2',
    [id, namespace],
  );
  return rows[0] && { xid: BigInt(rows[0].xid), id };
}

/**
 * Returns the next events after `after`, in order, up to `limit` or PAGE_BYTES. `position` is where the next read
 * continues; it may lie after events that the filter excludes. `hasMore` is true if a limit was reached. `isHeldBack`
 * is true if further events cannot be read before an older transaction ends.
 */
export async function readStream(
  db: Db,
  input: {
    namespace: string;
    after: StreamPosition;
    filter: StreamFilter;
    limit: number;
    /** Time in Unix ms. Events whose ids are more than SLACK_MS older are not read. */
    sinceMs: number;
  },
): Promise<{
  events: StreamedEvent[];
  position: StreamPosition;
  hasMore: boolean;
  isHeldBack: boolean;
}> {
  const { namespace, after, filter, limit, sinceMs } = input;
  const values: unknown[] = [
    namespace,
    String(after.xid),
    after.id,
    limit,
    lowestUuidAt(sinceMs - SLACK_MS),
    PAGE_BYTES,
  ];
  const conditions: [string, unknown][] = [
    ['type = any(?)', filter.types],
    ['conversation_id = ?', filter.conversationId],
    ['agent_id = ?', filter.agentId],
    ['(endpoint_id is null) = ?', filter.withTests ? undefined : true],
    ['id >= ?', lowestAt(filter.createdAfter)],
    ['id < ?', lowestAt(filter.createdBefore)],
  ];
  const filters = conditions
    .filter(([, value]) => value !== undefined)
    .map(([condition, value]) => ` and ${condition.replace('?', `$${values.push(value)}`)}`)
    .join('');
  const { rows } = await db.query<Row>(pageSql(filters), values);
  const events = rows.flatMap(toEvent);
  const horizon = BigInt(rows[0]?.horizon ?? 0);
  const last = events.at(-1);
  const found = rows[0]?.found ?? 0;
  const hasMore = found === limit || events.length < found;
  return {
    events,
    // A page that is not full includes all events below the horizon, so the next read continues at the horizon.
    position: hasMore && last ? last : latest(after, before(horizon)),
    hasMore,
    isHeldBack: rows[0]?.isHeldBack ?? false,
  };
}

function pageSql(filters: string): string {
  return `with snapshot as materialized (select pg_current_snapshot() as of),
     -- Reads the silent transactions only if an event waits.
     now as materialized (
       select case when exists (select 1 from events where namespace = $1 and id >= $5
                                 and xid >= pg_snapshot_xmin(snapshot.of))
                   then ${oldestSpeaking('snapshot.of')}
                   else pg_snapshot_xmin(snapshot.of) end as horizon
         from snapshot),
     page as materialized (
       select *, sum(length(body)) over (order by xid, id) as bytes,
              row_number() over (order by xid, id) as number
         from (select xid, id, type, conversation_id, agent_id, endpoint_id, body from events
                where namespace = $1 and (xid, id) > ($2::xid8, $3::uuid) and id >= $5
                  and xid < (select horizon from now)${filters}
                order by xid, id limit $4) q)
     select now.horizon::text as horizon, page.xid::text as xid, page.id, page.type,
            page.conversation_id as "conversationId", page.agent_id as "agentId",
            page.endpoint_id as "endpointId", page.body,
            (select count(*) from page) as found,
            exists (select 1 from events where namespace = $1 and id >= $5
                     and xid >= (select horizon from now)) as "isHeldBack"
       from now left join page on page.bytes <= $6 or page.number = 1 order by page.xid, page.id`;
}

/**
 * Returns the last event of a namespace before a position, regardless of filters, or undefined if none exists. No event
 * is later added before that position.
 */
export async function lastEventBefore(
  db: Db,
  at: { namespace: string; position: StreamPosition; sinceMs: number },
): Promise<StreamPosition | undefined> {
  const { rows } = await db.query<{ xid: string; id: string }>(
    `select xid::text as xid, id from events
      where namespace = $1 and (xid, id) < ($2::xid8, $3::uuid) and id >= $4
      order by events.xid desc, events.id desc limit 1`,
    [at.namespace, String(at.position.xid), at.position.id, lowestUuidAt(at.sinceMs - SLACK_MS)],
  );
  return rows[0] && { xid: BigInt(rows[0].xid), id: rows[0].id };
}

const lowestAt = (sec: number | undefined): string | undefined =>
  sec === undefined ? undefined : lowestUuidAt(sec * 1_000);

type Row = {
  horizon: string;
  found: number;
  xid: string | null;
  id: string;
  type: EventType;
  conversationId: string | null;
  agentId: string | null;
  endpointId: string | null;
  body: Buffer;
  isHeldBack: boolean;
};

function toEvent(row: Row): StreamedEvent[] {
  if (row.xid === null) return [];
  const { id, type, conversationId, agentId, endpointId, body } = row;
  return [{ xid: BigInt(row.xid), id, type, conversationId, agentId, endpointId, body }];
}

/** Returns the position before the first event of this transaction. */
function before(xid: bigint): StreamPosition {
  return { xid, id: NOTHING };
}

function latest(a: StreamPosition, b: StreamPosition): StreamPosition {
  return isAfter(a, b) ? a : b;
}

/**
 * Returns true if `a` is after `b`. PostgreSQL compares UUIDs byte by byte, and comparing their lower-case text gives
 * the same order.
 */
export function isAfter(a: StreamPosition, b: StreamPosition): boolean {
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id);
}

/**
 * Repairs the order of events after a restore. The new database server counts transactions from the start again, so
 * restored events would follow all new events or stay above the horizon. Moves the restored events before all other
 * events, in the order of their ids. If nothing needs repair, only reads the newest events. Returns the number of moved
 * events.
 */
export async function healStreamOrder(db: Db): Promise<number> {
  const { rows } = await db.query<{ ahead: boolean }>(
    `select coalesce(bool_or(xid >= pg_snapshot_xmax(pg_current_snapshot())), false) as ahead
       from (select xid from events order by id desc limit 1000) newest`,
  );
  if (rows[0]?.ahead !== true) return 0;
  const { rowCount } = await db.query(
    `update events set xid = '0' where xid >= pg_snapshot_xmax(pg_current_snapshot())`,
  );
  return rowCount ?? 0;
}
