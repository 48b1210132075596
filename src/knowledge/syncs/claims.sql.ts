import type { Db } from '../../platform/postgres/pool.ts';
import {
  SYNC_COLUMNS,
  type SyncCounts,
  type SyncProblem,
  type SyncRow,
} from '../sources/knowledge-syncs.sql.ts';
import type { LastSync } from '../sources/knowledge-sources.sql.ts';

/**
 * Lease of a sync. Only the process that holds it runs the sync. Each claim increments the lease number, and every
 * write requires the current number. Therefore late writes by a process that was presumed dead have no effect.
 */
export type Lease = { id: string; lease: number };
export type ClaimedSync = SyncRow & Lease;

/** SQL condition for a sync whose lease is held. `$1` is its id, and `$2` is the lease number. */
export const HELD = `id = $1 and lease = $2 and status = 'running'`;

/**
 * Claims the next sync. Prefers namespaces with the fewest running syncs, among these the namespace that has gone
 * longest without starting a sync, and within it the oldest sync. A sync whose process died counts as queued. Considers
 * only `namespaces`, or all namespaces if the list is empty, and never those in `except`.
 */
export async function claimSync(
  db: Db,
  {
    namespaces,
    except = [],
    leaseMs,
  }: { namespaces: readonly string[]; except?: readonly string[]; leaseMs: number },
): Promise<ClaimedSync | undefined> {
  const { rows } = await db.query<ClaimedSync>(
    `update knowledge_syncs
        set status = 'running', lease = lease + 1, started_at = coalesce(started_at, clock_timestamp()),
            lease_until = clock_timestamp() + $2 * interval '1 ms'
      where id = (
        select s.id from knowledge_syncs s
         where (s.status = 'queued' or s.status = 'running' and s.lease_until < clock_timestamp())
           and (cardinality($1::text[]) = 0 or s.namespace = any($1))
           and s.namespace <> all($3::text[])
         order by (select count(*) from knowledge_syncs r
                    where r.namespace = s.namespace and r.status = 'running'
                      and r.lease_until >= clock_timestamp()),
                  (select max(r.started_at) from knowledge_syncs r where r.namespace = s.namespace)
                    nulls first,
                  s.requested_at, s.id
         limit 1 for update of s skip locked)
     returning ${SYNC_COLUMNS}, lease`,
    [namespaces, leaseMs, except],
  );
  return rows[0];
}

/** Counts the queued syncs. Empty `namespaces` means all namespaces. */
export async function countQueued(db: Db, namespaces: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from knowledge_syncs
      where status = 'queued' and (cardinality($1::text[]) = 0 or namespace = any($1))`,
    [namespaces],
  );
  return rows[0]!.count; // `rows[0]` exists, because an aggregate returns one row.
}

/** Returns false if the lease was lost, because another process took the sync over or the sync was canceled. */
export async function isHeld(db: Db, { id, lease }: Lease): Promise<boolean> {
  const { rows } = await db.query(`select 1 from knowledge_syncs where ${HELD}`, [id, lease]);
  return rows.length > 0;
}

export type Progress = SyncCounts & { problems: readonly SyncProblem[] };

/** Renews the lease and stores the progress. Returns false if the lease was lost. */
export async function renewLease(
  db: Db,
  { id, lease, leaseMs, progress }: Lease & { leaseMs: number; progress: Progress },
): Promise<boolean> {
  const { found, unchanged, changed, failed, skipped, problems } = progress;
  const { rowCount } = await db.query(
    `update knowledge_syncs
        set lease_until = clock_timestamp() + $3 * interval '1 ms', found = $4, unchanged = $5,
            changed = $6, failed = $7, skipped = $8, problems = $9
      where ${HELD}`,
    [
      id,
      lease,
      leaseMs,
      found,
      unchanged,
      changed,
      failed,
      skipped,
      JSON.stringify(problems.length > 0 ? problems : []),
    ],
  );
  return rowCount === 1;
}

/** Returns a sync to the queue for another process. Called when this process is about to end. */
export async function releaseSync(db: Db, { id, lease }: Lease): Promise<void> {
  await db.query(`update knowledge_syncs set status = 'queued', lease_until = null where ${HELD}`, [
    id,
    lease,
  ]);
}

/**
 * Records the end of a sync. Returns false if the lease was lost. In that case the caller must not write any results of
 * the sync.
 */
export async function finishSync(
  db: Db,
  end: Lease & { progress: Progress } & (
      | { status: 'succeeded'; result: LastSync }
      | { status: 'failed'; reason: string; error: string }
    ),
): Promise<boolean> {
  const { id, lease, status } = end;
  const { found, unchanged, changed, failed, skipped, problems } = end.progress;
  const {
    reason = null,
    error = null,
    result = null,
  } = end as {
    reason?: string;
    error?: string;
    result?: LastSync;
  };
  const { rowCount } = await db.query(
    `update knowledge_syncs
        set status = $3, finished_at = clock_timestamp(), lease_until = null, found = $4, unchanged = $5,
            changed = $6, failed = $7, skipped = $8, problems = $9, reason = $10, error = $11,
            result = $12
      where ${HELD}`,
    [
      id,
      lease,
      status,
      found,
      unchanged,
      changed,
      failed,
      skipped,
      JSON.stringify(problems),
      reason,
      error,
      result,
    ],
  );
  return rowCount === 1;
}

const OLD = `select id from (
    select id, finished_at, row_number() over (partition by source_id order by id desc) as place
      from knowledge_syncs where finished_at is not null) s
   where place > 100 or place > 1 and finished_at < clock_timestamp() - interval '30 days'`;

export async function hasOldSync(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(`${OLD} limit 1`);
  return rowCount === 1;
}

/**
 * Deletes ended syncs that are older than 30 days, and those that are not among the newest hundred of their source.
 * Never deletes the last sync of a source. Returns the number of deleted syncs.
 */
export async function pruneSyncs(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `delete from knowledge_syncs where id in (${OLD} limit 1000)`,
  );
  return rowCount ?? 0;
}
