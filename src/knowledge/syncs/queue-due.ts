import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { nextTime } from '../sources/fetched-source.ts';
import { queueSync } from '../sources/knowledge-syncs.sql.ts';
import { listDue, listScheduled, takeDue } from './synced-documents.sql.ts';

const AT_ONCE = 100;

/**
 * Queues a sync for each source that is due for a scheduled sync (UTC) or a retry. If several scheduled times were
 * missed, queues only one sync. Returns the namespaces and ids of these sources.
 */
export async function queueDue(deps: {
  pool: Pool;
  nowMs: () => number;
}): Promise<{ namespace: string; id: string }[]> {
  const queued: { namespace: string; id: string }[] = [];
  for (const { id, namespace, spec, syncFailures } of await listDue(deps.pool, AT_ONCE)) {
    const isQueued = await inTransaction(deps.pool, async (db) => {
      const nextSyncAt = nextTime(spec.schedule, deps.nowMs());
      if (!(await takeDue(db, { id, nextSyncAt }))) return false;
      const trigger = syncFailures > 0 ? 'retry' : 'schedule';
      return (await queueSync(db, { sourceId: id, trigger }))?.isNew ?? false;
    });
    if (isQueued) queued.push({ namespace, id });
  }
  return queued;
}

/** Counts the sources that have missed three consecutive scheduled times. */
export async function countOverdue({
  pool,
  nowMs,
}: {
  pool: Pool;
  nowMs: () => number;
}): Promise<number> {
  const atMs = nowMs();
  return (await listScheduled(pool)).filter(({ schedule, lastMs }) => {
    // Counts missed times instead of measuring a duration, because a schedule may have long gaps, such as weekends.
    let dueMs: number | null = lastMs;
    for (let times = 0; times < 3 && dueMs !== null; times += 1) dueMs = nextTime(schedule, dueMs);
    return dueMs !== null && dueMs < atMs;
  }).length;
}
