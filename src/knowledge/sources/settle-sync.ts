import type { Deferred } from '../../events/deferred-events.ts';
import type { Announce, Emitted } from '../../events/emit-event.ts';
import type { QuotaDeps } from '../../platform/declare/quota.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { fetchKeyOf, nextTime } from './fetched-source.ts';
import { announceSynced, emitSynced, syncedCondition } from './index-source.ts';
import { requireBytes } from './knowledge-quota.ts';
import type { KnowledgeSourceRow, LastSync } from './knowledge-sources.sql.ts';
import { writeSynced, writeSyncFailure, type Totals } from './synced-source.sql.ts';

/** This module stores the result of an ended sync in the state of its source. */

export type SettleDeps = QuotaDeps & {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  announce: Announce;
  metrics: Pick<Metrics, 'knowledgeSyncs' | 'knowledgeSyncDuration' | 'quotaRefused'>;
  nowMs: () => number;
};

/** Reason why a sync failed. `reason` becomes the reason of a condition. `message` is for users. */
export type Failure = { reason: string; message: string };

/** Pause in ms after the first failure. It doubles with each further failure, up to an hour. */
const RETRY_MS = 60_000;
const RETRY_MS_MAX = 3_600_000;
/**
 * Number of consecutive failures after which retries stop. After that, only a request or the schedule starts another
 * sync.
 */
export const FAILURES_MAX = 8;

/**
 * Stores the result of a successful sync and emits the sync's event, in the caller's transaction. The caller must have
 * locked the row.
 * @throws QuotaExceededError
 */
export async function storeSynced(
  db: Db,
  deps: SettleDeps,
  synced: {
    source: KnowledgeSourceRow;
    key: string;
    cursor: string | null;
    totals: Totals;
    result: LastSync;
  },
): Promise<Emitted | Deferred> {
  const { source, key, cursor, totals, result } = synced;
  const { documents, chunks, bytes } = totals;
  await writeSynced(db, {
    id: source.id,
    documents,
    chunks,
    bytes,
    key,
    cursor,
    lastSync: result,
    nextSyncAt: nextTime(source.spec.schedule, deps.nowMs()),
    ...stateAfterSync({ source, key, chunks }),
  });
  await requireBytes(db, deps, { namespace: source.namespace, before: source.bytes, bytes });
  return emitSynced(db, deps, { source, sync: result });
}

/**
 * Returns the state of a source after a sync. If its declaration has a problem or has changed in the meantime, the
 * source does not become ready.
 */
function stateAfterSync({
  source,
  key,
  chunks,
}: {
  source: KnowledgeSourceRow;
  key: string;
  chunks: number;
}): Pick<KnowledgeSourceRow, 'status' | 'ready' | 'reason' | 'message'> {
  const { ready, reason, message, blocked, spec } = source;
  if (blocked || fetchKeyOf(spec) !== key) return { status: 'ready', ready, reason, message };
  return { status: 'ready', ...syncedCondition({ chunks }) };
}

/**
 * Stores the failure of a sync, schedules the next sync and emits the failed sync's event, in the caller's transaction.
 * The indexed content stays. The caller must have locked the row.
 */
export async function storeSyncFailure(
  db: Db,
  deps: SettleDeps,
  failed: { source: KnowledgeSourceRow; failure: Failure; result: LastSync },
): Promise<Emitted | Deferred> {
  const { source, failure, result } = failed;
  const nextSyncAt = whenAgain(source, deps.nowMs());
  await writeSyncFailure(db, { id: source.id, nextSyncAt, ...stateAfterFailure(source, failure) });
  return emitSynced(db, deps, { source, sync: result, status: 'error' });
}

/**
 * Returns the time of the next sync: the next scheduled time or, if it is earlier, the end of the pause before a retry.
 * The pause is randomized, so that sources that failed together do not retry together.
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
 * Returns the state of a source after a failed sync. If its declared content is indexed, the source stays ready, and
 * its condition reports the failure.
 */
function stateAfterFailure(
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

/**
 * Announces the event of an ended sync, updates the metrics and notifies the listeners. Must be called after the
 * commit.
 */
export async function tellSettled(
  deps: Pick<SettleDeps, 'pool' | 'notifier' | 'announce' | 'metrics' | 'nowMs'>,
  end: {
    source: Pick<KnowledgeSourceRow, 'id' | 'uid' | 'namespace' | 'type'>;
    emitted: Emitted | Deferred;
    result: 'ready' | 'error';
    durationSec: number;
  },
): Promise<void> {
  const { source, emitted, result, durationSec } = end;
  const { namespace, id, uid, type } = source;
  await announceSynced(deps, emitted);
  deps.metrics.knowledgeSyncs.inc({ type, result });
  deps.metrics.knowledgeSyncDuration.observe({ type }, durationSec);
  tellProjected(deps, { resource: 'knowledge_sources', namespace, id }, [uid]);
}
