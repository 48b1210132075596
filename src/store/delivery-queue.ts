import type { EventType } from '../events/event-types.ts';
import type { Db } from './pool.ts';

/**
 * The queue of deliveries that are not finished. Every time in it is the database's: pods whose
 * clocks differ agree on what is due. Per delivery that succeeds at once: one insert, one
 * update (claim) and one delete here, one insert each into `deliveries` and
 * `delivery_attempts`; claim and completion are one statement for a whole batch.
 */

export type Trigger = 'schedule' | 'manual' | 'replay' | 'test';

/** Longer than an attempt (10 s) + body grace + a completion that has to wait for the database. */
export const LEASE_MS = 30_000;
/** No attempt starts later than this after the event or the request to replay it (contract §5). */
export const DEADLINE_MS = 72 * 3_600_000;

/** A delivery leased to us, with all its attempt needs. Ids are uuids. */
export type ClaimedDelivery = {
  id: string;
  namespace: string;
  endpointId: string;
  eventId: string;
  eventType: EventType;
  trigger: Trigger;
  conversationId: string | null;
  /** Number of the attempt that this claim begins, from 1. */
  attempt: number;
  leaseToken: string;
  /** At the claim: ms since the schedule began. */
  ageMs: number;
  /** At the claim: ms since the attempt was due. */
  waitedMs: number;
  /** An earlier claimer vanished; its attempt is recorded as lost. */
  lost: boolean;
  url: string;
  headers: Record<string, string>;
  /** Made by a job, not by an event or a person who waits. */
  bulk: boolean;
  /** Sealed; what `parley-signature` is made with. */
  secret: Buffer;
  /** Sealed; the other one that is live while the secret is being rotated. */
  otherSecret: Buffer | null;
  /** null: the event is gone or was erased, and there is nothing to send. */
  body: Buffer | null;
};

/** What may be claimed for an endpoint: so many in all, and of these so many that jobs made. */
export type ClaimBudget = { endpointId: string; slots: number; bulkSlots: number };

/**
 * Leases up to `slots` due deliveries of each endpoint, in one statement. Endpoints come with
 * budgets instead of one global order by time, so a large backlog of one is in nobody's way;
 * one that is off, deleted or without a secret yet gives nothing.
 *
 * What jobs made comes after everything else, however long it has been due, and has slots of its own:
 * two ranges of one index, read one after the other until the slots are full.
 *
 * A first attempt waits for the earlier ones of its conversation that have not started, unless
 * they are in this very batch, which the caller starts in the order it gets. One that waits for
 * an attempt with a later `run_at` (leased, or its lease ran out) takes no slot meanwhile: it would
 * stand before the one it waits for, and with few slots neither would ever be claimed.
 */
export async function claimDeliveries(
  db: Db,
  budgets: readonly ClaimBudget[],
  leaseToken: string,
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: 'claim_deliveries',
    text: CLAIM,
    values: [
      budgets.map(({ endpointId }) => endpointId),
      budgets.map(({ slots }) => slots),
      leaseToken,
      LEASE_MS,
      DEADLINE_MS,
      budgets.map(({ bulkSlots }) => bulkSlots),
    ],
  });
  return rows;
}

const DUE = `select d.id, d.endpoint_id, d.conversation_id, d.sequence, d.started, d.attempt, d.trigger,
             d.lease_token, d.leased_at
        from delivery_queue d
       where d.endpoint_id = want.id and d.run_at <= now()
         and d.scheduled_from > now() - $5 * interval '1 ms'`;

const CLAIM = `with want as materialized (
    select e.id, w.slots, w.bulk_slots, e.url, e.headers,
           case when e.next_secret_at <= now() then e.next_secret else e.secret end as secret,
           case when e.old_secret_until <= now() then null
                when e.next_secret_at <= now() then e.secret
                else e.next_secret end as other_secret
      from unnest($1::uuid[], $2::int[], $6::int[]) as w (endpoint_id, slots, bulk_slots)
      join webhook_endpoints e on e.id = w.endpoint_id
     where e.enabled and e.deleted_at is null and e.secret is not null
  ), picked as materialized (
    select q.* from want cross join lateral (
      select * from (${DUE} and not d.bulk
         and (d.conversation_id is null or d.started
              or not exists (
                select 1 from delivery_queue e
                 where e.conversation_id = d.conversation_id and e.endpoint_id = d.endpoint_id
                   and not e.started and e.sequence < d.sequence and e.run_at > d.run_at))
        order by d.run_at, d.sequence limit want.slots
          for update skip locked) live
      union all
      select * from (${DUE} and d.bulk order by d.run_at limit want.bulk_slots
          for update skip locked) bulk
       limit want.slots) q
  ), free as materialized (
    select p.id, p.lease_token is not null as lost from picked p
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
           attempt = d.attempt + 1
     -- An array and not a join: the planner takes slots for thousands and would read the whole
     -- queue to join them.
     where d.id = any(array(select id from free))
    returning d.*
  )
  select c.id, c.namespace, c.endpoint_id as "endpointId", c.event_id as "eventId",
         c.event_type as "eventType", c.trigger, c.conversation_id as "conversationId", c.attempt,
         c.lease_token as "leaseToken", free.lost,
         extract(epoch from now() - c.scheduled_from)::float8 * 1000 as "ageMs",
         extract(epoch from now() - c.due_at)::float8 * 1000 as "waitedMs",
         c.bulk, want.url, want.headers, want.secret, want.other_secret as "otherSecret",
         (select v.body from events v where v.id = c.event_id and v.erased_at is null) as body
    from claimed c join free on free.id = c.id join want on want.id = c.endpoint_id
   order by c.due_at, c.sequence`;

/** Endpoints that have something due now, found by hopping through the index, not by reading the queue. */
export async function listDueEndpoints(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'list_due_endpoints',
    text: `with recursive hop as (
        (select endpoint_id from delivery_queue order by endpoint_id limit 1)
        union all
        select (select d.endpoint_id from delivery_queue d
                 where d.endpoint_id > hop.endpoint_id order by d.endpoint_id limit 1)
          from hop where hop.endpoint_id is not null)
      select e.id from hop join webhook_endpoints e on e.id = hop.endpoint_id
       where e.enabled and e.deleted_at is null and e.secret is not null
         -- Each half by the order of the index: given exists, a planner that thinks most of the
         -- queue is this endpoint's would read the queue.
         and least((select d.run_at from delivery_queue d
                     where d.endpoint_id = e.id and not d.bulk order by d.run_at limit 1),
                   (select d.run_at from delivery_queue d
                     where d.endpoint_id = e.id and d.bulk order by d.run_at limit 1)) <= now()`,
  });
  return rows.map(({ id }) => id);
}

/** First attempts of conversation events have started: the next one of each may be claimed. */
export async function markStarted(db: Db, ids: readonly string[]): Promise<void> {
  await db.query({
    name: 'mark_started',
    text: 'update delivery_queue set started = true where id = any($1)',
    values: [ids],
  });
}

/** What became of one attempt. */
export type AttemptResult = {
  deliveryId: string;
  leaseToken: string;
  outcome: 'delivered' | 'retry' | 'failed';
  /** Of a retry: when the next attempt is due, in ms after the schedule began. */
  nextOffsetMs: number | null;
  durationMs: number;
  statusCode: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  responseBody: string | null;
};

/**
 * Records a batch of attempts in one statement. Fenced: a result whose lease went to somebody
 * else meanwhile, or whose delivery was canceled, changes nothing. Returns what counted.
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
       for update of q
  ), attempts as (
    insert into delivery_attempts (delivery_id, number, trigger, started_at, duration_ms,
                                   status_code, error_class, error_message, response_body)
    select id, attempt, trigger, leased_at, duration_ms, status_code, error_class,
           error_message, response_body from held
  ), gone as (
    delete from delivery_queue q using held h where q.id = h.id and h.outcome <> 'retry'
  ), finished as (
    insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                            attempt_count, delivered_at)
    select id, namespace, endpoint_id, event_id, event_type, trigger, outcome, attempt,
           case when outcome = 'delivered' then leased_at + duration_ms * interval '1 ms' end
      from held where outcome <> 'retry'
  ), again as (
    update delivery_queue q
       set due_at = h.scheduled_from + h.next_offset_ms * interval '1 ms',
           run_at = h.scheduled_from + h.next_offset_ms * interval '1 ms',
           lease_token = null, leased_at = null, started = true
      from held h where q.id = h.id and h.outcome = 'retry'
  ), health as (
    insert into endpoint_health as e (endpoint_id, last_success_at, last_failure_at, last_failure)
    select endpoint_id,
           max(now()) filter (where outcome = 'delivered'),
           max(now()) filter (where outcome <> 'delivered'),
           (array_agg(jsonb_build_object('delivery_id', id, 'status_code', status_code,
              'error_class', error_class)) filter (where outcome <> 'delivered'))[1]
      from held group by endpoint_id order by endpoint_id
    on conflict (endpoint_id) do update set
      last_success_at = coalesce(excluded.last_success_at, e.last_success_at),
      last_failure_at = coalesce(excluded.last_failure_at, e.last_failure_at),
      last_failure = coalesce(excluded.last_failure, e.last_failure)
    -- A healthy endpoint's row is written once a second, not once a batch.
    where excluded.last_failure_at is not null or e.last_success_at is null
       or e.last_success_at < now() - interval '1 second' or e.last_failure_at >= e.last_success_at
  )
  select id from held`;

/** Gives back what was claimed and not started; the begun attempt is not counted. */
export async function releaseDeliveries(
  db: Db,
  ids: readonly string[],
  leaseToken: string,
): Promise<void> {
  await db.query(
    `update delivery_queue
        set run_at = due_at, lease_token = null, leased_at = null, attempt = attempt - 1
      where id = any($1) and lease_token = $2`,
    [ids, leaseToken],
  );
}

/**
 * Ends the leases of a process that is gone, so that they need not run out. Only for one that
 * knows nobody else delivers from this database (`start`).
 */
export async function releaseAllLeases(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    // The token stays: the next claim sees that an attempt was lost and records it.
    'update delivery_queue set run_at = now() where lease_token is not null and run_at > now()',
  );
  return rowCount ?? 0;
}

/** Finishes what has passed its 72 h without an acknowledgement; returns how many. */
export async function finishExpired(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (
       delete from delivery_queue
        where scheduled_from <= now() - $1 * interval '1 ms' and run_at <= now() returning *
     ), lost as (
       insert into delivery_attempts (delivery_id, number, trigger, started_at, error_class)
       select id, attempt, trigger, leased_at, 'lost_lease' from gone where lease_token is not null
           on conflict do nothing
     )
     insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                             attempt_count)
     select id, namespace, endpoint_id, event_id, event_type, trigger, 'failed', attempt from gone`,
    [DEADLINE_MS],
  );
  return rowCount ?? 0;
}

/** Cancels what is on its way to an endpoint that was removed; returns how many. */
export function cancelDeliveries(db: Db, endpointId: string): Promise<number> {
  return cancelWhere(db, 'endpoint_id = $1', [endpointId]);
}

/** Cancels what a job made and nobody attempts at this moment; returns how many. */
export function cancelJobDeliveries(
  db: Db,
  { endpointId, jobId }: { endpointId: string; jobId: string },
): Promise<number> {
  return cancelWhere(
    db,
    'endpoint_id = $1 and bulk and job_id = $2 and (lease_token is null or run_at <= now())',
    [endpointId, jobId],
  );
}

/** Cancels the deliveries of these events, also those being attempted: no result of theirs counts. */
export function cancelEventDeliveries(db: Db, eventIds: readonly string[]): Promise<number> {
  return cancelWhere(db, 'event_id = any($1)', [eventIds]);
}

/** Cancels what was claimed and has nothing to send; the begun attempt is not counted. */
export function cancelClaimed(db: Db, ids: readonly string[], leaseToken: string): Promise<number> {
  return cancelWhere(db, 'id = any($1) and lease_token = $2', [ids, leaseToken], 'attempt - 1');
}

async function cancelWhere(
  db: Db,
  condition: string,
  values: unknown[],
  attempts = 'attempt',
): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (delete from delivery_queue where ${condition} returning *)
     insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                             attempt_count)
     select id, namespace, endpoint_id, event_id, event_type, trigger, 'canceled', ${attempts}
       from gone`,
    values,
  );
  return rowCount ?? 0;
}

/** For the gauges: cheap because the queue is small, and asked for every 10 s, not per scrape. */
export async function measureBacklog(
  db: Db,
): Promise<{ pending: number; oldestDueAgeSec: number; endpoints: Record<string, number> }> {
  const queue = await db.query<{ pending: number; oldest: number }>(
    // Age: of what could be attempted now. What waits for a disabled endpoint is no backlog of ours.
    `select count(*) as pending,
            coalesce(extract(epoch from max(now() - d.due_at) filter (
              where d.run_at <= now() and e.enabled and e.secret is not null)), 0)::float8 as oldest
       from delivery_queue d join webhook_endpoints e on e.id = d.endpoint_id`,
  );
  const endpoints = await db.query<{ state: string; count: number }>(
    `select case when not e.enabled then 'disabled'
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
