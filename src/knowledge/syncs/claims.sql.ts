import type { Db } from '../../platform/postgres/pool.ts';
import {
  SYNC_COLUMNS,
  type SyncCounts,
  type SyncProblem,
  type SyncRow,
} from '../sources/knowledge-syncs.sql.ts';
import type { LastSync } from '../sources/knowledge-sources.sql.ts';

/**
 * Who runs a sync: whoever holds its lease. Each claim raises the number of the lease, and all that is
 * written of a sync names that number: a process that was taken for dead writes nothing more.
 */
export type Lease = { id: string; lease: number };
export type ClaimedSync = SyncRow & Lease;

/** Of the sync with a lease that still holds; $1 and $2 are its id and number. */
export const HELD = `id = $1 and lease = $2 and status = 'running'`;

/**
 * The next sync to run: of the namespace that has the fewest under way, among those of the one that has
 * waited longest. One whose process died counts as waiting. Empty `namespaces`: of all but `except`.
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

/** Syncs that wait for a process. Empty `namespaces`: of all. */
export async function countQueued(db: Db, namespaces: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from knowledge_syncs
      where status = 'queued' and (cardinality($1::text[]) = 0 or namespace = any($1))`,
    [namespaces],
  );
  return rows[0]!.count; // An aggregate has one row.
}

/** Whether the lease still holds: the sync was neither taken over nor canceled. */
export async function isHeld(db: Db, { id, lease }: Lease): Promise<boolean> {
  const { rows } = await db.query(`select 1 from knowledge_syncs where ${HELD}`, [id, lease]);
  return rows.length > 0;
}

export type Progress = SyncCounts & { problems: readonly SyncProblem[] };

/** False: it holds no more. */
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

/** Gives it back, for the next process that looks: this one is about to end. */
export async function releaseSync(db: Db, { id, lease }: Lease): Promise<void> {
  await db.query(`update knowledge_syncs set status = 'queued', lease_until = null where ${HELD}`, [
    id,
    lease,
  ]);
}

/** False: the lease holds no more, and nothing of the sync may be written. */
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

/**
 * Forgets syncs that ended, but for the last of each source: those older than 30 days, and all but the
 * newest hundred. Returns how many.
 */
export async function pruneSyncs(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `delete from knowledge_syncs where id in (
       select id from (
         select id, finished_at, row_number() over (partition by source_id order by id desc) as place
           from knowledge_syncs where finished_at is not null) s
        where place > 100 or place > 1 and finished_at < clock_timestamp() - interval '30 days'
        limit 1000)`,
  );
  return rowCount ?? 0;
}
