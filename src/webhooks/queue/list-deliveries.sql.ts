import { epochMs } from '../../clock.ts';
import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { lowestUuidAt, uuidTimeMs } from '../../ids.ts';
import {
  filteredBy,
  oneOf,
  type CreatedBetween,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  DELIVERY_STATUSES,
  finishedIn,
  queuedIn,
  withAttempts,
  type DeliveryRow,
  type DeliveryStatus,
} from './deliveries.sql.ts';

/**
 * Filter for lists of deliveries. The number of rows that a list reads does not depend on how many deliveries are
 * stored (docs/decisions/0078-lists-of-deliveries.md).
 */

export type DeliveryFilter = ListPage &
  CreatedBetween & {
    endpointId?: string | undefined;
    eventId?: string | undefined;
    types?: readonly EventType[] | undefined;
    status?: DeliveryStatus | undefined;
    /** Whether to include deliveries of test events. */
    withTests: boolean;
  };

const DAY_MS = 86_400_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Lists deliveries, newest first. The last day of the range usually fills the page, so that day is read first. Planning
 * and reading a month of partitions would take ten times as long.
 */
export async function listDeliveries(db: Db, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { createdAfter, createdBefore, before, eventId, limit } = filter;
  const from = idAt(createdAfter) ?? LOWEST_ID;
  const ends = [idAt(createdBefore), before, HIGHEST_ID];
  const [until = HIGHEST_ID] = ends.filter((id) => typeof id === 'string').toSorted();
  const dayMs = Math.min(uuidTimeMs(until), epochMs()) - DAY_MS;
  if (eventId !== undefined || dayMs <= uuidTimeMs(from)) {
    return readRange(db, { ...filter, from, until });
  }
  const day = lowestUuidAt(dayMs);
  const newest = await readRange(db, { ...filter, from: day, until });
  if (newest.length === limit) return newest;
  const rest = { ...filter, from, until: day, limit: limit - newest.length };
  return [...newest, ...(await readRange(db, rest))];
}

const idAt = (sec: number | undefined): string | undefined =>
  sec === undefined ? undefined : lowestUuidAt(sec * 1_000);

/** Filter for deliveries whose id is at least `from` and less than `until`. */
type RangeFilter = DeliveryFilter & { from: string; until: string };

async function readRange(db: Db, filter: RangeFilter): Promise<DeliveryRow[]> {
  const { status } = filter;
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['endpoint_id =', filter.endpointId],
    ['event_id =', filter.eventId],
    oneOf('event_type', filter.types),
    [`(test or trigger = 'test') =`, filter.withTests ? undefined : false],
    ['id >=', filter.from],
    ['id <', filter.until],
  ]);
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const list = {
    filter,
    where,
    bind,
    limit: bind(filter.limit, 'int'),
    from: bind(filter.from, 'uuid'),
    until: bind(filter.until, 'uuid'),
  };
  const ofRange = `and a.delivery_id >= ${list.from} and a.delivery_id < ${list.until}`;
  const isFinished = FINISHED.some((one) => one === status);
  const parts = [
    ...(isFinished ? [] : [queued(list)]),
    ...(isFinished || status === undefined ? [finished(list)] : []),
  ];
  const having = status === undefined ? '' : `where status = ${bind(status, 'text')}`;
  const { rows } = await db.query<DeliveryRow>(
    `${withAttempts(ofRange)} from (
       select * from (${parts.join(' union all ')}) u ${having} order by id desc limit ${list.limit}) d
      order by id desc`,
    values,
  );
  return rows;
}

const FINISHED = DELIVERY_STATUSES.filter((one) => one !== 'pending' && one !== 'retrying');

/** Adds a parameter to the statement and returns its SQL. */
type Bind = (value: unknown, type: string) => string;

/** Inputs for the SQL of a list. */
type List = {
  filter: RangeFilter;
  /** SQL condition for all filters except the status. */
  where: string;
  bind: Bind;
  /** SQL expression for the maximum number of rows. */
  limit: string;
  /** SQL expression for the lowest id, inclusive. `until` is the expression for the upper bound, exclusive. */
  from: string;
  until: string;
};

/** Number of newest unfinished deliveries, over all namespaces, that a list reads first. */
const NEWEST = 1_000;

/**
 * Returns SQL for the newest unfinished deliveries. The queue has no index for lists, because each of its rows is
 * written several times. So the newest rows of all namespaces are read first. Usually these rows fill the page, or the
 * queue has no others. If neither is the case, the older rows of the namespace are read, too. `offset 0` hides the
 * other conditions from the planner, which would otherwise read the whole queue in the order of the ids once for each
 * endpoint.
 */
function queued({ filter, where, bind, limit, from, until }: List): string {
  const { eventId, endpointId, status } = filter;
  if (eventId !== undefined) {
    const ofEvent = `select * from delivery_queue where event_id = ${bind(eventId, 'uuid')} offset 0`;
    return `${queuedIn(`(${ofEvent}) q`)} where ${where}`;
  }
  const page = (source: string, and: string): string =>
    `select * from (${queuedIn(source)} where ${where} ${and}) q
      where ${status === undefined ? 'true' : `status = ${bind(status, 'text')}`}
      order by id desc limit ${limit}`;
  const ofNamespace = `(
    select q.* from webhook_endpoints e
     cross join lateral (select * from delivery_queue where endpoint_id = e.id offset 0) q
     where e.namespace = ${bind(filter.namespace, 'text')}
       ${endpointId === undefined ? '' : `and e.id = ${bind(endpointId, 'uuid')}`}) q`;
  return `select * from (
    with newest as materialized (
      select * from delivery_queue
       where id >= ${from} and id < ${until}
       order by id desc limit ${NEWEST}
    ), found as materialized (${page('newest', '')})
    select * from found
    union all
    select * from (
      ${page(ofNamespace, 'and id < (select id from newest order by id limit 1)')}) older
     where (select count(*) from newest) = ${NEWEST} and (select count(*) from found) < ${limit}) queued`;
}

/** Length of the suffix that stands for an event type in the indexes. No two event types have the same suffix. */
const END = 5;
export const endOf = (type: EventType): string => type.slice(-END);

/**
 * SQL expressions that must be the same as in the indexes of migrations 37 and 38. Otherwise, PostgreSQL cannot use
 * these indexes. The kind of a delivery consists of the first letter of its status, `t` for tests or `r` for real
 * deliveries, and the suffix of its event type.
 */
const KIND = `(left(status, 1) || case when test or trigger = 'test' then 't' else 'r' end || right(event_type, ${END}))`;
export const TEST_OR_REAL = `(case when test or trigger = 'test' then 't'::"char" else 'r'::"char" end)`;

/**
 * Returns SQL for the newest finished deliveries. These deliveries are in several ranges of an index, and one page of
 * each range is read. In the index by namespace, each kind of delivery is a range. In the index by endpoint, the
 * deliveries of test events are one range, and the real deliveries are another. A third index, of failed and canceled
 * deliveries by endpoint, has one range for each kind.
 */
function finished(list: List): string {
  const { filter, where, bind } = list;
  const { namespace, endpointId, eventId, types, status } = filter;
  if (eventId !== undefined) {
    const ofEvent = `select * from deliveries where event_id = ${bind(eventId, 'uuid')} offset 0`;
    return `${finishedIn(`(${ofEvent}) d`)} where ${where}`;
  }
  const tests = filter.withTests ? ['r', 't'] : ['r'];
  const ends = (types ?? EVENT_TYPES).map(endOf);
  if (endpointId !== undefined && (status === undefined || status === 'delivered')) {
    const ofTypes =
      types === undefined ? '' : `cross join unnest(${bind(ends, 'text[]')}) e (type)`;
    return pagesOf(list, {
      ranges: `unnest(${bind(tests, 'text[]')}) t (test) ${ofTypes}`,
      first: 'endpoint_id',
      value: bind(endpointId, 'uuid'),
      and: [
        `${TEST_OR_REAL} = t.test::"char"`,
        ...(types === undefined ? [] : [`right(event_type, ${END}) = e.type`]),
        ...(status === undefined ? [] : [`status::"char" = 'd'`]),
      ],
    });
  }
  const kinds = (status === undefined ? FINISHED : [status]).flatMap(([letter]) =>
    tests.flatMap((test) => ends.map((end) => `${letter}${test}${end}`)),
  );
  const ranges = `unnest(${bind(kinds, 'text[]')}) k (kind)`;
  return endpointId === undefined
    ? pagesOf(list, {
        ranges,
        first: 'namespace',
        value: bind(namespace, 'text'),
        and: [`${KIND} = k.kind`],
      })
    : pagesOf(list, {
        ranges,
        first: `(endpoint_id::text || ${KIND})`,
        value: `(${bind(endpointId, 'text')} || k.kind)`,
        and: [`status <> 'delivered'`],
      });
}

/**
 * Returns SQL for one page of each range. The first column of the index is compared with an array and is part of the
 * sort order, so only this index provides the order. If the column were compared with `=`, the planner could leave it
 * out of the sort order. Expecting many matches, the planner could then read the primary key backward, although perhaps
 * no delivery belongs to this namespace or endpoint. The array has two values, because PostgreSQL may treat a
 * comparison with an array of one value as `=`.
 */
function pagesOf(
  { where, limit, from, until }: List,
  of: {
    /** Relation with one row for each range. */
    ranges: string;
    /** First column of the index. */
    first: string;
    value: string;
    /** SQL conditions for the other columns of the index. */
    and: string[];
  },
): string {
  const { ranges, first, value, and } = of;
  const pages = `select page.* from ${ranges} cross join lateral (
      select * from deliveries
       where ${first} = any(array[${value}, ${value}]) and ${and.join(' and ')}
         and id >= ${from} and id < ${until}
       order by ${first} desc, id desc limit ${limit}) page`;
  return `${finishedIn(`(${pages}) d`)} where ${where}`;
}
