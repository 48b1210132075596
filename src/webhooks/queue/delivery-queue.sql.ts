import { epochMs } from '../../clock.ts';
import { lowestUuidAt } from '../../ids.ts';
import { cancelClaimed, finishExpired } from './delivery-endings.sql.ts';
import { measureBacklog } from './delivery-stats.sql.ts';
import {
  DEADLINE_MS,
  LATE_MS,
  LEASE_MS,
  type AttemptResult,
  type ClaimBudget,
  type ClaimedDelivery,
  type DispatchQueue,
  type Due,
  type DueEndpoint,
} from './dispatch-queue.ts';
import { PLANNED_ONCE, type Db } from '../../platform/postgres/pool.ts';

/** Settings of the database sessions that claim deliveries. */
export const CLAIM_SETTINGS = {
  ...PLANNED_ONCE,
  // If the database crashes, a claim may be lost. Its attempts are repeated, as after any lost lease
  // (docs/decisions/0015).
  synchronous_commit: 'off',
};

/**
 * Creates the queue of unfinished deliveries. All its times come from the database's clock, so that pods with
 * different clocks agree on which deliveries are due. A delivery that succeeds on the first attempt costs one insert,
 * one update (the claim) and one delete in the queue, and one insert each into `deliveries` and `delivery_attempts`.
 * Claim and completion take one statement each for a whole batch.
 */
export function createPostgresQueue(deps: {
  db: Db;
  /** Connections with the settings `CLAIM_SETTINGS`. */
  claims: Db;
  /** Connection with the settings `PLANNED_ONCE`. */
  completions: Db;
  /** Number of this process in `delivery_processes`. */
  processNumber: number;
}): DispatchQueue {
  const { db, claims, completions, processNumber } = deps;
  return {
    claim: (budgets, leaseToken) => claimDeliveries(claims, budgets, { leaseToken, processNumber }),
    listDue: () => listDueEndpoints(claims),
    namespacesOf: (endpointIds) => readNamespaces(claims, endpointIds),
    markStarted: (ids) => markStarted(claims, ids),
    complete: (results) => completeAttempts(completions, results),
    cancel: (ids, leaseToken) => cancelClaimed(db, ids, leaseToken),
    expire: () => finishExpired(db),
    measure: () => measureBacklog(db),
  };
}

const DAY_MS = 86_400_000;
/**
 * Maximum age in ms of events whose bodies the claim itself reads. Only replays concern older events. The limit is a
 * parameter of the statement, so that PostgreSQL skips older partitions: planning a claim over a month of partitions
 * would take three times as long. A second statement reads the bodies that the claim did not find, because the event is
 * older or has no body, or because the clock of this process is wrong.
 */
const RECENT_MS = DEADLINE_MS + DAY_MS;

/**
 * Leases up to `slots` due deliveries of each endpoint in one statement. Each endpoint has its own budget, so that a
 * large backlog of one endpoint does not block the others. An endpoint that is disabled, deleted or without a secret
 * gets no deliveries.
 *
 * Manual retries come first, then deliveries that were never attempted, then retries, then deliveries made by jobs,
 * however long they have been due. Retries and deliveries made by jobs are yielding: at most `yieldingSlots` of them
 * are leased. Manual retries are yielding, too, but one of them is leased even if `yieldingSlots` is 0. Four index
 * ranges are read one after the other until the slots are full; the first range is nearly always empty.
 *
 * The first attempt of a conversation's event waits until the conversation's earlier deliveries have started.
 * Deliveries in the same batch are an exception, because the caller starts them in order. A delivery gets no slot while
 * it waits for an earlier delivery that is a retry or is due later. Otherwise, the waiting deliveries could take all
 * slots, including the one that the earlier delivery needs. None of these deliveries would then ever be claimed.
 */
export async function claimDeliveries(
  db: Db,
  budgets: readonly ClaimBudget[],
  lease: { leaseToken: string; processNumber: number | null },
): Promise<ClaimedDelivery[]> {
  const nowMs = epochMs();
  const recent = lowestUuidAt(nowMs - RECENT_MS);
  const { rows } = await db.query<ClaimedDelivery>({
    name: 'claim_deliveries',
    text: CLAIM,
    values: [
      budgets.map(({ endpointId }) => endpointId),
      budgets.map(({ slots }) => slots),
      lease.leaseToken,
      LEASE_MS,
      DEADLINE_MS,
      budgets.map(({ yieldingSlots }) => yieldingSlots),
      lease.processNumber,
      recent,
      lowestUuidAt(nowMs + DAY_MS),
      LATE_MS,
    ],
  });
  const without = rows.filter(({ body }) => body === null);
  return without.length === 0 ? rows : withBodies(db, rows, without);
}

/**
 * Adds the bodies that the claim did not return. If a delivery still has no body after this, its event was deleted or
 * erased.
 */
async function withBodies(
  db: Db,
  claimed: readonly ClaimedDelivery[],
  without: readonly ClaimedDelivery[],
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<{ id: string; body: Buffer; traceparent: string | null }>(
    'select id, body, traceparent from events where id = any($1) and erased_at is null',
    [without.map(({ eventId }) => eventId)],
  );
  const read = new Map(rows.map(({ id, ...event }) => [id, event]));
  return claimed.map((one) => (one.body === null ? { ...one, ...read.get(one.eventId) } : one));
}

const DUE = `select d.id, d.endpoint_id, d.conversation_id, d.sequence, d.started, d.attempt, d.run_at,
             case when d.manual then 'manual' else d.trigger end as trigger,
             d.lease_token, d.leased_at, d.attempt > 0 or d.job_id is not null as yields
        from delivery_queue d
       where d.endpoint_id = want.id and d.run_at <= now()
         and d.scheduled_from > now() - $5 * interval '1 ms'`;

const IN_TURN = `and (d.conversation_id is null or d.started
              or not exists (
                select 1 from delivery_queue e
                 where e.conversation_id = d.conversation_id and e.endpoint_id = d.endpoint_id
                   and not e.started and e.sequence < d.sequence
                   and (e.run_at > d.run_at or e.attempt > d.attempt)))`;

const CLAIM = `with want as materialized (
    select e.id, w.slots, w.yielding_slots, e.url, e.headers, e.declared_headers, e.rest_headers,
           case when e.next_secret_at <= now() then e.next_secret else e.secret end as secret,
           case when e.old_secret_until <= now() then null
                when e.next_secret_at <= now() then e.secret
                else e.next_secret end as other_secret
      from unnest($1::uuid[], $2::int[], $6::int[]) as w (endpoint_id, slots, yielding_slots)
     -- One look-up each, however many endpoints there are: a join would read all of them.
     cross join lateral (
       select * from webhook_endpoints
        where id = w.endpoint_id and enabled and deleted_at is null and secret is not null
       offset 0) e
  ), picked as materialized (
    select q.* from want cross join lateral (
      select * from (${DUE} and d.manual and d.ahead ${IN_TURN}
        order by d.run_at limit greatest(want.yielding_slots, 1)
          for update skip locked) asked
      union all
      select * from (${DUE} and not d.ahead and d.attempt = 0 and d.job_id is null ${IN_TURN}
        order by d.run_at, d.sequence limit want.slots
          for update skip locked) fresh
      union all
      select * from (
        select * from (${DUE} and not d.ahead and not d.bulk and d.attempt > 0 ${IN_TURN}
          order by d.run_at, d.sequence limit want.yielding_slots
            for update skip locked) retries
        union all
        select * from (${DUE} and not d.ahead and d.bulk order by d.run_at limit want.yielding_slots
            for update skip locked) jobs
         limit want.yielding_slots) yielding
       limit want.slots) q
  ), free as materialized (
    select p.id, p.yields, p.run_at, p.lease_token is not null as lost from picked p
     where p.conversation_id is null or p.started
        or not exists (
          select 1 from delivery_queue e
           where e.conversation_id = p.conversation_id and e.endpoint_id = p.endpoint_id
             and not e.started and e.sequence < p.sequence
             and e.id not in (select id from picked))
  ), lost as (
    insert into delivery_attempts (delivery_id, number, trigger, started_at, error_class)
    select p.id, p.attempt, p.trigger, p.leased_at, 'lost_lease'
      from picked p join free using (id) where p.lease_token is not null
        on conflict do nothing
  ), claimed as (
    update delivery_queue d
       set run_at = now() + $4 * interval '1 ms', lease_token = $3, leased_at = now(),
           leased_by = $7, attempt = d.attempt + 1
     -- An array and not a join: the planner expects thousands of rows from the slots and would read
     -- the whole queue to join them.
     where d.id = any(array(select id from free))
    returning d.*
  )
  select c.id, c.namespace, c.endpoint_id as "endpointId", c.event_id as "eventId",
         c.event_type as "eventType", c.trigger, c.manual as "isManual",
         c.test or c.trigger = 'test' as "isTest", c.conversation_id as "conversationId", c.attempt,
         c.lease_token as "leaseToken", free.lost,
         extract(epoch from now() - c.scheduled_from)::float8 * 1000 as "ageMs",
         -- What was asked for may be ahead of its time; after a lost lease run_at is the lease's end.
         extract(epoch from now() - least(c.due_at, free.run_at))::float8 * 1000 as "waitedMs",
         extract(epoch from now() - c.due_at)::float8 * 1000 as "overdueMs",
         free.yields or c.due_at < now() - $10 * interval '1 ms' as yields, want.url, want.headers as "plainHeaders",
         want.declared_headers as "declaredHeaders", want.rest_headers as "restHeaders", want.secret, want.other_secret as "otherSecret",
         v.body, v.traceparent
    from claimed c join free on free.id = c.id join want on want.id = c.endpoint_id
    -- Not a sub-select: when two claims meet at a row, PostgreSQL 18 reads memory that is not its
    -- own for the partitions of a sub-select, and may crash.
    left join lateral (
      -- A range in order, for which only the primary key fits: while a day's partition is empty,
      -- all indexes with the id look alike to the planner, and the plan is kept when it has grown.
      select b.body, b.traceparent from events b
       where b.id >= c.event_id and b.id <= c.event_id and b.id >= $8 and b.id < $9
         and b.erased_at is null
       order by b.id limit 1) v on true
   order by c.due_at, c.sequence`;

/**
 * Lists endpoints that have deliveries due now. Also returns when the next delivery becomes due, among the endpoints
 * that have none due now. The statement jumps from endpoint to endpoint in the index instead of reading the whole
 * queue.
 */
export async function listDueEndpoints(db: Db): Promise<Due> {
  const { rows } = await db.query<DueEndpoint & { inMs: number }>({
    name: 'list_due_endpoints',
    text: `with recursive hop as (
        (select endpoint_id from delivery_queue order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from delivery_queue d
                 where d.endpoint_id > hop.endpoint_id order by d.endpoint_id limit 1)
          from hop where hop.endpoint_id is not null),
      first as materialized (
        select e.id, e.namespace,
               -- Each part in the order of its index: with an exists, a planner that thinks most of the
               -- queue belongs to this endpoint would read the queue.
               least((select d.run_at from delivery_queue d
                       where d.endpoint_id = e.id and d.attempt = 0 and d.job_id is null
                       order by d.run_at limit 1),
                     (select d.run_at from delivery_queue d
                       where d.endpoint_id = e.id and not d.bulk order by d.run_at limit 1),
                     (select d.run_at from delivery_queue d
                       where d.endpoint_id = e.id and d.bulk order by d.run_at limit 1)) as run_at
          from hop join webhook_endpoints e on e.id = hop.endpoint_id
         where e.enabled and e.deleted_at is null and e.secret is not null)
      select id as "endpointId", namespace, coalesce((
               select d.run_at from delivery_queue d
                where d.endpoint_id = first.id and d.manual and d.ahead
                order by d.run_at limit 1) <= now(), false) as "hasAhead",
             extract(epoch from run_at - now())::float8 * 1000 as "inMs"
        from first
       where run_at <= now()
          or run_at = (select min(later.run_at) from first later where later.run_at > now())`,
  });
  const later = rows.find(({ inMs }) => inMs > 0);
  return { endpoints: rows.filter(({ inMs }) => inMs <= 0), nextInMs: later?.inMs ?? null };
}

async function readNamespaces(
  db: Db,
  endpointIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; namespace: string }>({
    name: 'namespaces_of_endpoints',
    text: 'select id, namespace from webhook_endpoints where id = any($1)',
    values: [endpointIds],
  });
  return new Map(rows.map(({ id, namespace }) => [id, namespace]));
}

/**
 * Marks first attempts of conversation events as started, so that the next events of the same conversation can be
 * claimed. Returns the deliveries for which no later delivery waits: the queue has no later, unclaimed delivery of the
 * same conversation and endpoint.
 */
export async function markStarted(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'mark_started',
    // Locks the rows in the same order as the statement `complete_attempts`. Otherwise, the two statements could
    // deadlock.
    text: `with locked as materialized (
        select id from delivery_queue where id = any($1) order by id for update
      ), started as (
        update delivery_queue q set started = true from locked where q.id = locked.id
        returning q.id, q.conversation_id, q.endpoint_id, q.sequence
      )
      select id from started
       where not exists (
         select 1 from delivery_queue e
          where e.conversation_id = started.conversation_id and e.endpoint_id = started.endpoint_id
            and not e.started and e.sequence > started.sequence and e.lease_token is null)`,
    values: [ids],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Records a batch of attempts in one statement. Returns the deliveries whose results were accepted. A result is ignored
 * if its lease was lost or its delivery was canceled (fencing by `leaseToken`). When a replay is acknowledged, older
 * deliveries of the same event to the same endpoint that are still pending also count as delivered, except those with a
 * running attempt.
 */
export async function completeAttempts(
  db: Db,
  results: readonly AttemptResult[],
): Promise<Set<string>> {
  const column = <K extends keyof AttemptResult>(key: K): AttemptResult[K][] =>
    results.map((result) => result[key]);
  const { rows } = await db.query<{ id: string }>({
    name: 'complete_attempts',
    text: COMPLETE,
    values: [
      column('deliveryId'),
      column('leaseToken'),
      column('outcome'),
      column('nextOffsetMs'),
      column('durationMs'),
      column('statusCode'),
      column('errorClass'),
      column('errorMessage'),
      column('responseBody'),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

const COMPLETE = `with r as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[], $5::int[],
                         $6::smallint[], $7::text[], $8::text[], $9::text[])
      as r (id, token, outcome, next_offset_ms, duration_ms, status_code, error_class,
            error_message, response_body)
  ), held as materialized (
    select q.*, r.outcome, r.next_offset_ms, r.duration_ms, r.status_code, r.error_class,
           r.error_message, r.response_body
      from delivery_queue q join r on q.id = r.id and q.lease_token = r.token
     where q.id = any($1)
     order by q.id for update of q
  ), attempts as (
    insert into delivery_attempts (delivery_id, number, trigger, started_at, duration_ms,
                                   status_code, error_class, error_message, response_body)
    select id, attempt, case when manual then 'manual' else trigger end, leased_at, duration_ms,
           status_code, error_class, error_message, response_body from held
  ), waiting as materialized (
    -- Not what is attempted right now. An array: without a replay in it, nothing is looked up.
    select o.id, h.id as delivered_by, h.leased_at + h.duration_ms * interval '1 ms' as delivered_at
      from delivery_queue o join held h on h.event_id = o.event_id and h.endpoint_id = o.endpoint_id
     where o.event_id = any(array(
             select event_id from held where trigger = 'replay' and outcome = 'delivered'))
       and h.trigger = 'replay' and h.outcome = 'delivered' and o.id < h.id and o.lease_token is null
       for update of o skip locked
  ), older as (
    delete from delivery_queue q using waiting w where q.id = w.id
    returning q.*, w.delivered_by, w.delivered_at
  ), gone as (
    delete from delivery_queue q using held h where q.id = h.id and h.outcome <> 'retry'
  ), finished as (
    insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status,
                            attempt_count, delivered_at, delivered_by)
    select id, namespace, endpoint_id, event_id, event_type, trigger, test, outcome, attempt,
           case when outcome = 'delivered' then leased_at + duration_ms * interval '1 ms' end, null
      from held where outcome <> 'retry'
    union all
    select id, namespace, endpoint_id, event_id, event_type, trigger, test, 'delivered', attempt,
           delivered_at, delivered_by
      from older
  ), again as (
    update delivery_queue q
       set due_at = h.scheduled_from + h.next_offset_ms * interval '1 ms',
           run_at = h.scheduled_from + h.next_offset_ms * interval '1 ms',
           lease_token = null, leased_at = null, leased_by = null, started = true,
           manual = false, ahead = false, retry_job_id = null
      from held h where q.id = h.id and h.outcome = 'retry'
  ), health as (
    insert into endpoint_health as e (endpoint_id, last_success_at, last_failure_at, last_failure,
                                      failing_since, failed_attempts)
    select * from (
      select endpoint_id,
             max(now()) filter (where outcome = 'delivered') as last_success_at,
             max(now()) filter (where outcome <> 'delivered') as last_failure_at,
             (array_agg(jsonb_build_object('delivery_id', id, 'status_code', status_code,
                'error_class', error_class)) filter (where outcome <> 'delivered'))[1],
             case when not bool_or(outcome = 'delivered') then now() end as failing_since,
             case when bool_or(outcome = 'delivered') then 0 else count(*) end as failed_attempts
        from held group by endpoint_id order by endpoint_id) n
     -- A healthy endpoint's row is written once a second, not once a batch. Checked here and not in
     -- the conflict clause, which locks the row and so writes it all the same.
     where n.last_failure_at is not null or not exists (
       select 1 from endpoint_health k
        where k.endpoint_id = n.endpoint_id and k.last_success_at > now() - interval '1 second'
          and (k.last_failure_at is null or k.last_failure_at < k.last_success_at))
    on conflict (endpoint_id) do update set
      last_success_at = coalesce(excluded.last_success_at, e.last_success_at),
      last_failure_at = coalesce(excluded.last_failure_at, e.last_failure_at),
      last_failure = coalesce(excluded.last_failure, e.last_failure),
      -- A run goes on until a success that is no older than its last failure: batches of several
      -- processes cross. A process of a release before has not ended the runs that its successes did.
      failing_since = case
        when excluded.last_success_at >= coalesce(e.last_failure_at, '-infinity') then null
        when e.failing_since > coalesce(e.last_success_at, '-infinity') then e.failing_since
        else excluded.failing_since end,
      failed_attempts = excluded.failed_attempts + case
        when excluded.last_success_at >= coalesce(e.last_failure_at, '-infinity') then 0
        when e.failing_since > coalesce(e.last_success_at, '-infinity') then e.failed_attempts
        else 0 end
  )
  select id from held`;
