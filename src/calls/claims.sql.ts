import type { Db } from '../platform/postgres/pool.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow } from './calls.sql.ts';

/** Duration of a step's lease in ms. Most steps take less time. A step that takes longer renews its lease. */
export const CALL_LEASE_MS = 10_000;

/** A call that this process has leased in order to execute `step`, which is due. */
export type ClaimedCall = CallRow & {
  providerOptions: Record<string, unknown>;
  step: number;
  leaseToken: string;
};

/**
 * Leases up to `limit` calls whose next step is due. A namespace gets at most `share` steps, including those that are
 * already `running`. Namespaces take turns, starting with those that have the fewest running steps. Within a namespace,
 * the call that has been due longest comes first.
 */
export async function claimCalls(
  db: Db,
  claim: {
    leaseToken: string;
    limit: number;
    share: number;
    running: ReadonlyMap<string, number>;
  },
): Promise<ClaimedCall[]> {
  const { rows } = await db.query<ClaimedCall>({
    name: 'claim_calls',
    text: `with recursive hop as (
             (select namespace from calls where ${CALL_LIVE} and due_at is not null
               order by namespace limit 1)
             union all
             -- From namespace to namespace in the index, however many calls one of them has.
             select (select c.namespace from calls c
                      where ${CALL_LIVE} and due_at is not null and c.namespace > hop.namespace
                      order by c.namespace limit 1)
               from hop where hop.namespace is not null),
           due as (
             select own.id, own.due_at, coalesce(r.steps, 0) + own.place as place
               from hop left join unnest($5::text[], $6::int[]) as r (namespace, steps) using (namespace)
              cross join lateral (
                select id, due_at, row_number() over (order by due_at) as place
                  from (select id, due_at from calls
                         where calls.namespace = hop.namespace and ${CALL_LIVE}
                           and due_at <= clock_timestamp()
                           and (lease_until is null or lease_until <= clock_timestamp())
                         order by due_at limit greatest(0, least($2, $4 - coalesce(r.steps, 0)))
                           for update skip locked) free) own)
           update calls set lease_token = $1,
                  lease_until = clock_timestamp() + $3 * interval '1 ms'
            where id = any(array(select id from due order by place, due_at limit $2))
           returning ${CALL_COLUMNS}, provider_options as "providerOptions", step,
                     lease_token as "leaseToken"`,
    values: [
      claim.leaseToken,
      claim.limit,
      CALL_LEASE_MS,
      claim.share,
      [...claim.running.keys()],
      [...claim.running.values()],
    ],
  });
  return rows;
}

/**
 * Returns whether any call is live, and the time in ms until the next unleased step is due. The time is 0 if a step is
 * due now, and null if no step is scheduled.
 */
export async function lookAtCalls(db: Db): Promise<{ areLive: boolean; nextDueMs: number | null }> {
  const { rows } = await db.query<{ areLive: boolean; nextDueMs: number | null }>({
    name: 'look_at_calls',
    text: `select exists (select from calls where ${CALL_LIVE}) as "areLive",
                  (select greatest(0, extract(epoch from due_at - clock_timestamp()) * 1000)::float8
                     from calls where ${CALL_LIVE} and due_at is not null
                      and (lease_until is null or lease_until <= clock_timestamp())
                    order by due_at limit 1) as "nextDueMs"`,
  });
  return rows[0]!; // A select without `from` yields one row.
}

type Lease = Pick<ClaimedCall, 'id' | 'leaseToken'>;

/** Sets the lease to end in `ms` milliseconds. When it ends, the same step is due again. */
export async function leaseCall(db: Db, { id, leaseToken }: Lease, ms: number): Promise<void> {
  await db.query(
    `update calls set lease_until = clock_timestamp() + $3 * interval '1 ms'
      where id = $1 and lease_token = $2`,
    [id, leaseToken, ms],
  );
}

/**
 * Releases the leases that the previous run of this process left behind. Call this only if no other process uses the
 * database.
 */
export async function releaseCallLeases(db: Db): Promise<void> {
  await db.query(
    'update calls set lease_token = null, lease_until = null where lease_until is not null',
  );
}
