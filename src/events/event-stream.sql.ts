import type { EventType } from './event-types.ts';
import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { oldestSpeaking } from '../platform/postgres/silence.ts';

/**
 * Events in an order in which nothing appears late (docs/decisions/0013). Ids are made before the
 * commit, so an event may become visible after one with a higher id was read. Here the order is
 * (transaction, id), and only events of transactions older than every running one are read: below
 * that horizon nothing is added any more.
 *
 * The price: a long transaction that has written anything, anywhere in the server, holds back the
 * events after it for as long, unless it has said that it emits none (silence.ts). Ours do, or are cut off
 * after seconds.
 */

/** Where a reader is: it has read everything up to and including this. */
export type StreamPosition = { xid: bigint; id: string };

export type StreamedEvent = StreamPosition & {
  type: EventType;
  conversationId: string | null;
  agentId: string | null;
  /** Of a test event: its only endpoint. */
  endpointId: string | null;
  body: Buffer;
};

export type StreamFilter = {
  /** Test events too. */
  withTests: boolean;
  /** Unix seconds of the event; the first inclusive, the second exclusive. */
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
  types?: readonly EventType[] | undefined;
  conversationId?: string | undefined;
  agentId?: string | undefined;
};

const NOTHING = '00000000-0000-0000-0000-000000000000';
/** Before all events. */
export const START: StreamPosition = { xid: 0n, id: NOTHING };
/**
 * Bytes of bodies in a page, of which there is one event at least: a reader that stands still holds
 * a page, and 500 of them must not hold all memory.
 */
export const PAGE_BYTES = 131_072;
/** More than any transaction lasts or clocks differ; the days before are not read. */
const SLACK_MS = 86_400_000;

/** What is committed at a moment, and where a reader of what comes after it begins. */
export type StreamStart = { position: StreamPosition; isCommitted: (xid: bigint) => boolean };

export async function readStreamStart(db: Db): Promise<StreamStart> {
  const { rows } = await db.query<{ snapshot: string }>(
    'select pg_current_snapshot()::text as snapshot',
  );
  // `xmin:xmax:xip,xip`: xmin is the oldest one running, xmax the first not begun.
  const [xmin = '0', xmax = '0', running = ''] = (rows[0]?.snapshot ?? '').split(':');
  const underWay = new Set(running.split(',').filter(Boolean));
  return {
    position: before(BigInt(xmin)),
    isCommitted: (xid) => xid < BigInt(xmax) && !underWay.has(String(xid)),
  };
}

/** The position of an event of this namespace; undefined when it is unknown or dropped. */
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
 * The next events after `after`, in order: `limit` or PAGE_BYTES of them. `position`: where to go
 * on, past what the filter left out. `hasMore`: it was one of the two. `isHeldBack`: more events wait for an older transaction to end.
 */
export async function readStream(
  db: Db,
  input: {
    namespace: string;
    after: StreamPosition;
    filter: StreamFilter;
    limit: number;
    /** Unix ms of an event; nothing unread is older. */
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
    // A page that is not full: below the horizon there is nothing else.
    position: hasMore && last ? last : latest(after, before(horizon)),
    hasMore,
    isHeldBack: rows[0]?.isHeldBack ?? false,
  };
}

function pageSql(filters: string): string {
  return `with snapshot as materialized (select pg_current_snapshot() as of),
     -- Who is silent is asked only when something waits.
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
 * The last event of a namespace before a position below which nothing is added any more, whatever it
 * is; undefined: there is none.
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

/** Everything of older transactions, nothing of this one. */
function before(xid: bigint): StreamPosition {
  return { xid, id: NOTHING };
}

function latest(a: StreamPosition, b: StreamPosition): StreamPosition {
  return isAfter(a, b) ? a : b;
}

/** uuids compare as PostgreSQL does: byte by byte, which their lower-case text does too. */
export function isAfter(a: StreamPosition, b: StreamPosition): boolean {
  return a.xid > b.xid || (a.xid === b.xid && a.id > b.id);
}

/**
 * Another server, after a restore, counts transactions from the start again: restored events would
 * stay above the horizon, or come after new ones. They are put before everything else, in the order
 * of their ids. With nothing to do it only looks at the newest events. Returns how many it moved.
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
