import { inTransaction } from '../../platform/postgres/transaction.ts';
import { nextTime } from '../sources/fetched-source.ts';
import { emitSynced, syncedCondition } from '../sources/index-source.ts';
import type { KnowledgeSourceRow } from '../sources/knowledge-sources.sql.ts';
import { durationSec, lockHeld, tellFinished, type ApplyDeps } from './apply-sync.ts';
import { finishSync, type ClaimedSync, type Progress } from './claims.sql.ts';
import { LeaseLost } from './hold-lease.ts';
import { writeSyncFailure } from './synced-documents.sql.ts';

/** Reason why a sync failed. `reason` becomes the reason of a condition. `message` is for people. */
export type Failure = { reason: string; message: string };

/** Pause after the first failure. It doubles with each further failure, up to an hour. */
const RETRY_MS = 60_000;
const RETRY_MS_MAX = 3_600_000;
/** Number of consecutive failures after which retries stop. Then only a request or the schedule starts another sync. */
export const FAILURES_MAX = 8;

/** Ends a failed sync with an event and schedules a retry. The indexed content stays. */
export async function failSync(
  deps: ApplyDeps,
  input: { sync: ClaimedSync; progress: Progress; failure: Failure },
): Promise<void> {
  const { sync, progress, failure } = input;
  const { source, emitted } = await inTransaction(deps.pool, async (db) => {
    const source = await lockHeld(db, sync);
    const { reason, message: error } = failure;
    if (!(await finishSync(db, { ...sync, status: 'failed', reason, error, progress }))) {
      throw new LeaseLost('the sync was canceled, or another process took it over');
    }
    const nextSyncAt = whenAgain(source, deps.nowMs());
    await writeSyncFailure(db, { id: source.id, nextSyncAt, ...stateAfter(source, failure) });
    const result = {
      documents: source.documents,
      added: 0,
      updated: 0,
      removed: 0,
      failed: progress.failed,
      duration_sec: durationSec(deps, sync),
    };
    return {
      source,
      emitted: await emitSynced(db, deps, { source, sync: result, status: 'error' }),
    };
  });
  await tellFinished(deps, { source, sync, emitted, result: 'error' });
}

/**
 * Returns the time of the next sync: the scheduled time, or the end of the pause before a retry if that is earlier. The
 * pause is randomized, so that sources that failed together do not retry together.
 */
export function whenAgain(
  { spec, syncFailures }: Pick<KnowledgeSourceRow, 'spec' | 'syncFailures'>,
  nowMs: number,
  random: () => number = Math.random,
): number | null {
  const scheduled = nextTime(spec.schedule, nowMs);
  if (syncFailures + 1 >= FAILURES_MAX) return scheduled;
  const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** syncFailures) * (0.75 + random() / 2);
  return Math.min(scheduled ?? Infinity, Math.round(nowMs + pauseMs));
}

/**
 * Returns the state of a source after a failed sync. If its declared content is indexed, it stays ready and reports the
 * failure.
 */
function stateAfter(
  source: KnowledgeSourceRow,
  failure: Failure,
): Pick<KnowledgeSourceRow, 'status' | 'ready' | 'reason' | 'message'> {
  const { blocked, ready, reason, message, chunks } = source;
  if (blocked) return { status: 'error', ready, reason, message };
  if (!ready) return { status: 'error', ready, ...failure };
  const synced = syncedCondition({ chunks });
  return {
    status: 'error',
    ...synced,
    message: `${synced.message}; the last sync failed: ${failure.message}`,
  };
}
