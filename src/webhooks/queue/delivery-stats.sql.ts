import { lowestUuidAt } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { TEST_OR_REAL } from './list-deliveries.sql.ts';
import type { Backlog } from './dispatch-queue.ts';

/** Counts of delivery outcomes (contract/deliveries.md#figures). */
export type DeliveryStats = {
  acknowledged: number;
  failed: number;
  canceled: number;
  attempts: number;
  /** Attempts that were not acknowledged. */
  failedAttempts: number;
  latencyCount: number;
  withinTarget: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
};

export type StatsSpan = {
  namespace: string;
  endpointId: string | undefined;
  /** Start of the period in which the events happened, in Unix seconds, inclusive. `to` is its end, exclusive. */
  from: number;
  to: number;
  bucketSec: number;
};

/** Target in ms for the time from the commit of an event to its acknowledgement. */
export const TARGET_MS = 500;
/**
 * Maximum number of finished deliveries that one request reads. It is divided among the endpoints, and each endpoint
 * gets at least `READ_MIN`.
 */
export const READ_MAX = 100_000;
const READ_MIN = 1_000;
export const UNFINISHED_MAX = 10_000;

/**
 * Counts of one bucket, which is an equal part of the period. Buckets are numbered from 0. A row with the totals always
 * exists; its `bucket` is undefined.
 */
export type StatsRow = DeliveryStats & { bucket: number | undefined; countedFrom: number };

/**
 * Reads the counts with one statement. For each endpoint, the statement reads a range of the index on endpoint and id,
 * newest first. The number of rows is limited, so that a longer period costs no more. If the limit is reached, only
 * deliveries from `countedFrom` (Unix seconds) on are counted. The id of a delivery contains its creation time
 * according to the database's clock.
 */
export async function readDeliveryStats(
  db: Db,
  span: StatsSpan,
  readMax = READ_MAX,
): Promise<StatsRow[]> {
  const { namespace, endpointId, from, to, bucketSec } = span;
  const { rows } = await db.query<StatsRow & { bucket: number | null }>(STATS, [
    namespace,
    endpointId ?? null,
    lowestUuidAt(from * 1_000),
    lowestUuidAt(to * 1_000),
    from,
    bucketSec,
    readMax,
  ]);
  return rows.map((row) => ({ ...row, bucket: row.bucket ?? undefined }));
}

const ENDPOINTS = `webhook_endpoints e
   where e.namespace = $1 and ($2::uuid is null or e.id = $2)`;
const MS_OF_ID = `('x' || substr(d.id::text, 1, 8) || substr(d.id::text, 10, 4))::bit(48)::bigint`;
/**
 * SQL condition for deliveries whose latency is included in the statistics. It selects the same first attempts as the
 * metric `parley_webhook_delivery_duration_seconds`.
 */
const IS_FIRST = `d.status = 'delivered' and d.attempt_count = 1 and d.trigger = 'schedule'
         and d.delivered_by is null`;

/** SQL condition for deliveries that were acknowledged by their own last attempt and not through a replay. */
const IS_ACKNOWLEDGED = `d.status = 'delivered' and d.delivered_by is null`;

const STATS = `with share as materialized (
    select greatest(${READ_MIN}, $7::int / greatest(1, count(*))) as rows from ${ENDPOINTS}
  ), found as materialized (
    select e.id as endpoint_id, d.ms, d.status, d.attempt_count, d.failed_attempts, d.latency
      from (select e.id from ${ENDPOINTS}) e
     cross join lateral (
       select ${MS_OF_ID} as ms, d.status, d.attempt_count,
              d.attempt_count - (${IS_ACKNOWLEDGED})::int as failed_attempts,
              case when ${IS_FIRST}
                   then extract(epoch from d.delivered_at)::float8 * 1000 - ${MS_OF_ID} end as latency
         from deliveries d
        where d.endpoint_id = e.id and d.id >= $3 and d.id < $4
          and ${TEST_OR_REAL} = 'r'
        order by d.id desc limit (select rows from share)) d
  ), complete as materialized (
    select greatest($5::bigint * 1000, coalesce(max(since), 0)) as since
      from (select min(ms) as since from found group by endpoint_id
            having count(*) >= (select rows from share)) cut
  )
  select floor((ms - $5::bigint * 1000) / ($6::bigint * 1000))::int as bucket,
         (select ceil(since / 1000.0)::bigint from complete) as "countedFrom",
         count(*) filter (where status = 'delivered') as acknowledged,
         count(*) filter (where status = 'failed') as failed,
         count(*) filter (where status = 'canceled') as canceled,
         coalesce(sum(attempt_count), 0) as attempts,
         coalesce(sum(failed_attempts), 0) as "failedAttempts",
         count(latency) as "latencyCount",
         count(*) filter (where latency <= ${TARGET_MS}) as "withinTarget",
         percentile_cont(0.5) within group (order by latency) as "latencyP50Ms",
         percentile_cont(0.95) within group (order by latency) as "latencyP95Ms"
    from found where ms >= (select ceil(since / 1000.0) * 1000 from complete)
   group by grouping sets ((), (1)) order by 1 nulls first`;

/** Counts of unfinished deliveries in one bucket. A row with the totals always exists; its `bucket` is undefined. */
export type UnfinishedRow = { bucket: number | undefined; unfinished: number; attempts: number };

/**
 * Counts unfinished deliveries of events from `countedFrom` on, up to `UNFINISHED_MAX`. `attempts` counts only recorded
 * attempts. All of them failed, because a successful attempt finishes its delivery.
 */
export async function countUnfinishedIn(
  db: Db,
  { namespace, endpointId, from, to, bucketSec }: StatsSpan,
  countedFrom = from,
): Promise<UnfinishedRow[]> {
  const { rows } = await db.query<UnfinishedRow & { bucket: number | null }>(
    `select floor((ms - $5::bigint * 1000) / ($6::bigint * 1000))::int as bucket,
            count(*) as unfinished, coalesce(sum(attempts), 0) as attempts
       from (select ${MS_OF_ID} as ms, d.attempt - (d.lease_token is not null)::int as attempts
               from (select e.id from ${ENDPOINTS}) e
               join delivery_queue d on d.endpoint_id = e.id
              where d.id >= $3 and d.id < $4 and not d.test and d.trigger <> 'test'
              limit ${UNFINISHED_MAX}) waiting
      group by grouping sets ((), (1)) order by 1 nulls first`,
    [
      namespace,
      endpointId ?? null,
      lowestUuidAt(countedFrom * 1_000),
      lowestUuidAt(to * 1_000),
      from,
      bucketSec,
    ],
  );
  return rows.map((row) => ({ ...row, bucket: row.bucket ?? undefined }));
}

/** Measures the backlog. Reads the whole queue, which is small. Runs every 10 s and not at each scrape. */
export async function measureBacklog(db: Db): Promise<Backlog> {
  const queue = await db.query<{ pending: number; oldest: number }>(
    // The age covers only deliveries that could be attempted now. It excludes deliveries to disabled endpoints, and
    // manual retries that are ahead of their scheduled time.
    `select count(*) as pending,
            coalesce(extract(epoch from greatest(max(now() - d.due_at) filter (
              where d.run_at <= now() and e.enabled and e.secret is not null), interval '0'))
            , 0)::float8 as oldest
       from delivery_queue d join webhook_endpoints e on e.id = d.endpoint_id
      where not d.test and d.trigger <> 'test'`,
  );
  const endpoints = await db.query<{ state: string; count: number }>(
    `select case when not e.enabled then 'disabled'
                 when not e.ready then 'not_ready'
                 when h.last_failure_at > coalesce(h.last_success_at, '-infinity') then 'failing'
                 else 'healthy' end as state, count(*) as count
       from webhook_endpoints e left join endpoint_health h on h.endpoint_id = e.id
      where e.deleted_at is null group by 1`,
  );
  return {
    pending: queue.rows[0]?.pending ?? 0,
    oldestDueAgeSec: queue.rows[0]?.oldest ?? 0,
    endpoints: Object.fromEntries(endpoints.rows.map(({ state, count }) => [state, count])),
  };
}
