import { subscriptionsTo, type EventType } from '../../events/event-types.ts';
import type { EventRow } from '../../events/events.sql.ts';
import { lowestUuidAt, uuidTimeMs } from '../../ids.ts';
import { filteredBy, type ListPage } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Queries for replays of many events, which run as background jobs, and for replays of single events
 * (contract/webhooks.md#replay).
 */

export const REPLAY_MODES = ['failed', 'missing', 'all', 'retrying'] as const;
export type ReplayMode = (typeof REPLAY_MODES)[number];
export const JOB_STATUSES = ['running', 'done', 'stopped', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Replay job. Ids are UUIDs; times are Unix milliseconds. */
export type JobRow = {
  id: string;
  namespace: string;
  status: JobStatus;
  endpointId: string;
  mode: ReplayMode;
  /** Types to replay; empty means every type. */
  types: EventType[];
  since: number;
  until: number;
  cursor: string | null;
  total: number;
  done: number;
  error: string | null;
  createdAt: number;
  finishedAt: number | null;
};

const COLUMNS = `id, namespace, status, endpoint_id as "endpointId", mode, types, since, until, cursor,
  total, done, error, created_at as "createdAt", finished_at as "finishedAt"`;

/** Selects the events of a replay by event type and by a range of ids. */
export type ReplayScope = {
  namespace: string;
  endpointId: string;
  mode: ReplayMode;
  /** Event types to select among all events except test events. */
  types: readonly EventType[];
  /** Event types to select among the endpoint's test events. */
  testTypes: readonly EventType[];
  /** Lower bound of the ids (UUID), inclusive. */
  from: string;
  /** Upper bound of the ids (UUID), exclusive. */
  to: string;
};

/**
 * Returns SQL that selects the matching events from `seen` (a CTE with id, type, endpoint_id, erased_at).
 *
 * - `failed`: events whose deliveries to this endpoint all failed or were canceled
 * - `missing`: events without a delivery to this endpoint, because the endpoint was disabled, did not exist or was not
 *   subscribed when the event was created
 * - `all`: every event
 * - `retrying`: no event, because this mode selects queued deliveries (src/webhooks/queue/retry-now.sql.ts)
 *
 * The condition uses an array of event ids instead of a join. So there is one index look-up per event, even if the
 * planner misjudges the number of rows in the partitions. 20,000 events take half a second.
 */
function matching(mode: ReplayMode): string {
  const deliveries = `known as materialized (
      select event_id, status from deliveries
       where endpoint_id = $2 and event_id = any(array(select id from seen)) and id >= $7
      union all
      select event_id, 'pending' from delivery_queue
       where endpoint_id = $2 and event_id = any(array(select id from seen))
    ), `;
  // Without `is true`, the planner would expect only a few rows, choose a join, and compare every pair of rows. With
  // `is true`, the planner uses a hash table.
  const isIn = (status: string): string =>
    `(seen.id in (select event_id from known where ${status})) is true`;
  const condition = {
    failed: `${isIn('true')} and not (${isIn(`status in ('pending', 'delivered')`)})`,
    missing: `not (${isIn('true')})`,
    all: 'true',
    retrying: 'false',
  }[mode];
  return `${mode === 'all' ? '' : deliveries}matching as materialized (
      select id, type, endpoint_id is not null as test from seen
       where erased_at is null
         and (endpoint_id is null and type = any($3) or endpoint_id = $2 and type = any($4))
         and ${condition} order by id`;
}

const SEEN = `seen as materialized (
      select id, type, endpoint_id, coalesce(erased_at, redacted_at) as erased_at from events
       where namespace = $1 and id >= $5 and id < $6 and $7::uuid is not null`;

const DAY_MS = 86_400_000;

function valuesOf(scope: ReplayScope): unknown[] {
  const { namespace, endpointId, types, testTypes, from, to } = scope;
  // A delivery is created after its event, apart from clock differences, so PostgreSQL can prune older partitions.
  const oldest = lowestUuidAt(uuidTimeMs(from) - DAY_MS);
  return [namespace, endpointId, types, testTypes, from, to, oldest];
}

/**
 * Reads a page of `events` events and counts those that match. `next` is the last event of the page, or null if the
 * page is not full.
 */
export async function countPage(
  db: Db,
  scope: ReplayScope,
  events: number,
): Promise<{ count: number; next: string | null }> {
  const { rows } = await db.query<{ count: number; next: string | null }>(
    `with ${SEEN} order by id limit $8), ${matching(scope.mode)})
     select (select count(*) from matching) as count,
            (select id from seen order by id offset $8 - 1) as next`,
    [...valuesOf(scope), events],
  );
  return rows[0]!; // `rows[0]` exists: a select without `from` returns one row.
}

/**
 * Queues deliveries of the next matching events, oldest first. It reads at most `events` events and creates at most
 * `room` deliveries. `cursor` is the last event processed, or null if all events have been processed.
 */
export async function insertReplays(
  db: Db,
  input: { scope: ReplayScope; jobId: string; events: number; room: number },
): Promise<{ made: number; cursor: string | null }> {
  const { scope, jobId, events, room } = input;
  const { rows } = await db.query<{ made: number; cursor: string | null }>(
    `with ${SEEN} order by id limit $8), ${matching(scope.mode)} limit $9
     ), made as (
       insert into delivery_queue
         (id, namespace, endpoint_id, event_id, event_type, trigger, test, job_id)
       select parley_uuid_v7(), $1, $2, id, type, 'replay', test, $10 from matching order by id
       returning 1
     )
     select (select count(*) from made) as made,
            case when (select count(*) from matching) = $9
                 then (select id from matching order by id desc limit 1)
                 else (select id from seen order by id desc limit 1) end as cursor`,
    [...valuesOf(scope), events, room, jobId],
  );
  return rows[0]!; // `rows[0]` exists: a select without `from` returns one row.
}

/** Counts the unfinished deliveries that jobs created for an endpoint, up to `max`. */
export async function countBulk(
  db: Db,
  { endpointId, max }: { endpointId: string; max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
       from (select 1 from delivery_queue where endpoint_id = $1 and bulk limit $2) q`,
    [endpointId, max],
  );
  return rows[0]?.count ?? 0;
}

/** Returns true if at least one delivery that the job created has not been attempted yet. */
export async function hasUnsent(
  db: Db,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from delivery_queue
      where endpoint_id = $1 and bulk and job_id = $2 and attempt = 0 limit 1`,
    [endpointId, id],
  );
  return rows.length > 0;
}

/**
 * Queues new deliveries of an old event, to one endpoint or to every enabled endpoint now subscribed to its type. A
 * test event is sent only to its own endpoint. The retry schedule starts at the time of this request.
 */
export async function insertReplay(
  db: Db,
  replay: { event: EventRow; endpointId: string | null },
): Promise<{ id: string; endpointId: string }[]> {
  const { event } = replay;
  const { rows } = await db.query<{ id: string; endpointId: string }>(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, test)
     select parley_uuid_v7(), $1, e.id, $2, $3, 'replay', $5::uuid is not null
       from webhook_endpoints e
      where e.namespace = $1 and e.enabled and e.deleted_at is null
        and ($4::uuid is null or e.id = $4)
        and ($5::uuid is null or e.id = $5)
        and ($4::uuid is not null or $5::uuid is not null
             or e.event_types = '{}' or e.event_types && $6::text[])
      order by e.id
     returning id, endpoint_id as "endpointId"`,
    [
      event.namespace,
      event.id,
      event.type,
      replay.endpointId,
      event.endpointId,
      subscriptionsTo(event.type),
    ],
  );
  return rows;
}

/**
 * Lists the ids of unfinished deliveries of an event to the given endpoints, oldest first, except those in `except`.
 */
export async function listPending(
  db: Db,
  of: { eventId: string; endpointIds: readonly string[]; except: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from delivery_queue
      where event_id = $1 and endpoint_id = any($2) and id <> all($3) order by id`,
    [of.eventId, of.endpointIds, of.except],
  );
  return rows.map(({ id }) => id);
}

export async function insertJob(
  db: Db,
  job: Pick<
    JobRow,
    'id' | 'namespace' | 'endpointId' | 'mode' | 'types' | 'since' | 'until' | 'total'
  > & { actor: string },
): Promise<JobRow> {
  const { rows } = await db.query<JobRow>(
    `insert into jobs (id, namespace, type, status, actor, endpoint_id, mode, types, since, until, total)
     values ($1, $2, 'replay', 'running', $3, $4, $5, $6, to_timestamp($7 / 1000.0),
             to_timestamp($8 / 1000.0), $9)
     returning ${COLUMNS}`,
    [
      job.id,
      job.namespace,
      job.actor,
      job.endpointId,
      job.mode,
      job.types,
      job.since,
      job.until,
      job.total,
    ],
  );
  return rows[0]!; // `rows[0]` exists: an insert without a condition returns its row.
}

export async function readJob(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `select ${COLUMNS} from jobs where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

type JobFilter = ListPage & {
  status?: JobStatus | undefined;
  endpointId?: string | undefined;
};

/** Lists jobs, newest first. */
export async function listJobs(db: Db, filter: JobFilter): Promise<JobRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['endpoint_id =', filter.endpointId],
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<JobRow>(
    `select ${COLUMNS} from jobs
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Counts the running jobs of a namespace, and how many of them this actor started. */
export async function countRunningJobs(
  db: Db,
  { namespace, actor }: { namespace: string; actor: string },
): Promise<{ namespace: number; key: number }> {
  const { rows } = await db.query<{ namespace: number; key: number }>(
    `select count(*) as namespace, count(*) filter (where actor = $2) as key
       from jobs where status = 'running' and namespace = $1`,
    [namespace, actor],
  );
  return rows[0]!; // `rows[0]` exists: an aggregate query always returns one row.
}

/**
 * Lists a page of running jobs, oldest first. `after` is the last job of the previous page; null returns the first
 * page.
 */
export async function listRunningJobs(
  db: Db,
  after: string | null,
): Promise<Pick<JobRow, 'id' | 'namespace'>[]> {
  const { rows } = await db.query<Pick<JobRow, 'id' | 'namespace'>>({
    name: 'list_running_jobs',
    text: `select id, namespace from jobs
            where status = 'running' and ($1::uuid is null or id > $1) order by id limit ${JOBS_PAGE}`,
    values: [after],
  });
  return rows;
}

export const JOBS_PAGE = 100;

/**
 * Locks a running job until the transaction ends. Returns undefined if the job is over or another process works on it.
 * The lock serves as the lease: it ends with the transaction, even if the process is killed.
 */
export async function lockRunningJob(db: Db, id: string): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>({
    name: 'hold_running_job',
    text: `select ${COLUMNS} from jobs where id = $1 and status = 'running' for update skip locked`,
    values: [id],
  });
  return rows[0];
}

/** Stores the job's progress. Called in the transaction that queues the deliveries. */
export async function advanceJob(
  db: Db,
  { id, cursor, made }: { id: string; cursor: string; made: number },
): Promise<void> {
  await db.query({
    name: 'advance_job',
    text: `update jobs set cursor = $2, done = done + $3, total = greatest(total, done + $3)
            where id = $1`,
    values: [id, cursor, made],
  });
}

/**
 * Ends a running job. Returns undefined if the job was already over. The total of a completed job becomes the number of
 * deliveries that it created. This can be less than the count at the start, because some of the counted events may have
 * been delivered in the meantime.
 */
export async function finishJob(
  db: Db,
  job: { namespace: string; id: string; status: Exclude<JobStatus, 'running'>; error?: string },
): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(
    `update jobs
        set status = $3, error = $4, finished_at = clock_timestamp(),
            total = case when $3 = 'done' then done else total end
      where id = $1 and namespace = $2 and status = 'running' returning ${COLUMNS}`,
    [job.id, job.namespace, job.status, job.error ?? null],
  );
  return rows[0];
}
