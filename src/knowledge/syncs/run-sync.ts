import { codeOf, reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { QUOTA_EXCEEDED, QuotaExceededError } from '../../platform/declare/quota.ts';
import type { FairQueue } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { TextCutter } from '../passages/text-cutter.ts';
import { fetchKeyOf, isFetched, type FetchedType } from '../sources/fetched-source.ts';
import { FetchRefused, type Fetcher } from '../sources/fetching.ts';
import { readSource } from '../sources/knowledge-sources.sql.ts';
import { storeSyncFailure, tellSettled, type Failure } from '../sources/settle-sync.ts';
import { readCursor } from '../sources/synced-source.sql.ts';
import { applySync, durationSec, lockHeld, type ApplyDeps } from './apply-sync.ts';
import { finishSync, releaseSync, type ClaimedSync, type Progress } from './claims.sql.ts';
import { holdLease, LEASE_TIMES, LeaseLost, type LeaseTimes } from './hold-lease.ts';
import { FetchFailed, readWhole } from './read-source.ts';
import { beginReading, type Reading } from './reading.ts';
import { deleteStagedOf } from './staged-documents.sql.ts';
import { SyncRefused } from './sync-refused.ts';

/** Fetchers, by type of source. */
export type Fetchers = Partial<Record<FetchedType, Fetcher>>;

export type SyncDeps = ApplyDeps & {
  fetchers: Fetchers;
  cutter: Pick<TextCutter, 'cut'>;
  /** Queue that limits concurrent writes of syncs. */
  writes: FairQueue;
  log: Logger;
  times?: LeaseTimes | undefined;
};

/**
 * Number of takeovers after which a sync fails. A sync that is taken over this often probably crashes the processes
 * that run it.
 */
const TAKEN_OVER_MAX = 5;

/**
 * Runs a claimed sync to its end. If this process is `stopping`, returns the sync to the queue. If the database is
 * unavailable, stops without a result, and another process claims the sync after its lease has expired.
 */
export async function runSync(
  deps: SyncDeps,
  { sync, stopping }: { sync: ClaimedSync; stopping: AbortSignal },
): Promise<void> {
  const { id, lease } = sync;
  const progress: Reading['progress'] = {
    found: 0,
    unchanged: 0,
    changed: 0,
    failed: 0,
    skipped: 0,
    problems: [],
  };
  const held = holdLease(deps, {
    id,
    lease,
    progress,
    stopping,
    times: deps.times ?? LEASE_TIMES,
  });
  try {
    await failpoint('sync.claimed');
    await readAndApply(deps, { sync, progress, signal: held.signal });
    await deleteStagedOf(deps.pool, id);
  } catch (error) {
    await end(deps, { sync, progress, error, stopping });
  } finally {
    await held.stop();
  }
}

type Running = { sync: ClaimedSync; progress: Reading['progress'] };

async function readAndApply(
  deps: SyncDeps,
  { sync, progress, signal }: Running & { signal: AbortSignal },
): Promise<void> {
  if (sync.lease > TAKEN_OVER_MAX) {
    const message = `${TAKEN_OVER_MAX} processes ended while they were running this sync`;
    throw new SyncRefused('Abandoned', message);
  }
  const source = await readSource(deps.pool, { namespace: sync.namespace, id: sync.sourceId });
  if (!source) throw new LeaseLost('the source was deleted');
  const fetcher = isFetched(source.type) ? deps.fetchers[source.type] : undefined;
  const key = fetchKeyOf(source.spec);
  if (!fetcher || key === null) {
    throw new SyncRefused('NotSupported', `sources of type \`${source.type}\` cannot be fetched`);
  }
  const cursor = await readCursor(deps.pool, source.id);
  const reading = await beginReading(deps.pool, { ...sync, progress });
  await readWhole(deps, { source, cursor, fetcher, lease: sync, reading, signal });
  const apply = (): Promise<void> => applySync(deps, { sync, reading, key, signal });
  await deps.writes.run(sync.namespace, apply, signal);
}

async function end(
  deps: SyncDeps,
  { sync, progress, error, stopping }: Running & { error: unknown; stopping: AbortSignal },
): Promise<void> {
  const failure = failureOf(error);
  try {
    if (stopping.aborted && !failure) await releaseSync(deps.pool, sync);
    else if (failure) await failSync(deps, { sync, progress, failure });
    else if (!(error instanceof LeaseLost)) {
      deps.log.warn({ reason: reasonOf(error) }, 'sync interrupted; it will continue later');
    }
    const isBug = error instanceof FetchFailed && !(error.cause instanceof FetchRefused);
    if (isBug) deps.log.error({ err: error }, 'fetching a source failed');
    await deleteStagedOf(deps.pool, sync.id);
  } catch (later) {
    if (later instanceof LeaseLost) return;
    deps.log.warn(
      { reason: reasonOf(later) },
      'recording the end of a sync failed; another process will take over the sync after the lease expires',
    );
  }
}

/** Ends a failed sync with an event. The indexed content stays. */
async function failSync(
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
    const result = {
      documents: source.documents,
      added: 0,
      updated: 0,
      removed: 0,
      failed: progress.failed,
      duration_sec: durationSec(deps, sync),
    };
    return { source, emitted: await storeSyncFailure(db, deps, { source, failure, result }) };
  });
  const settled = {
    source,
    emitted,
    result: 'error',
    durationSec: durationSec(deps, sync),
  } as const;
  await tellSettled(deps, settled);
}

/** Returns the failure to record for an error, or `undefined` if the sync itself did not fail. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof FetchFailed) return failureOfFetch(error.cause);
  if (error instanceof SyncRefused) return { reason: error.reason, message: error.message };
  if (error instanceof QuotaExceededError) {
    return { reason: QUOTA_EXCEEDED, message: error.message };
  }
  return undefined;
}

function failureOfFetch(cause: unknown): Failure {
  if (cause instanceof FetchRefused) return { reason: cause.reason, message: cause.message };
  const code = codeOf(cause);
  const what = code === '' ? 'reading the source failed' : `reading the source failed (${code})`;
  return { reason: 'SyncFailed', message: `${what}: see the operator log for details` };
}
