import { tellProjected } from '../../platform/postgres/projected.ts';
import { createPeriodic } from '../../platform/controller/periodic.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { claimSync, countQueued, hasOldSync, pruneSyncs } from './claims.sql.ts';
import { LEASE_TIMES } from './hold-lease.ts';
import { countOverdue, queueDue } from './queue-due.ts';
import { runSync, type SyncDeps } from './run-sync.ts';
import { deleteStagedOf, hasStagedLeft } from './staged-documents.sql.ts';
import { nextSyncInMs } from './synced-documents.sql.ts';

export type SyncRunner = {
  start: () => void;
  /** Checks for due syncs now. Call this function after a sync was requested. */
  look: () => void;
  /** Returns running syncs to the queue and waits until they have stopped. */
  stop: () => Promise<void>;
};

export type SyncRunnerDeps = Omit<SyncDeps, 'metrics' | 'writes'> & {
  metrics: SyncDeps['metrics'] & Pick<Metrics, 'knowledgeOverdue'> & FairQueueMetrics;
  /** Namespaces whose syncs this process runs; empty for all namespaces. */
  namespaces: readonly string[];
};

/**
 * Limits for the syncs that a process runs at the same time. A sync mostly waits for the site that it reads, and
 * occupies the memory of a few pages. No sync waits in this queue, because a waiting sync is a row in the database that
 * any process can claim.
 */
const READING = { places: 16, share: 4, waitingMax: { namespace: 0, all: 0 } };
/** Limits for the syncs that stage or apply documents at the same time. Each of them keeps PostgreSQL busy. */
const WRITING = {
  places: 3,
  share: 2,
  waitingMax: { namespace: READING.share, all: READING.places },
};
/** Interval in ms between checks for due syncs, in case a notification is lost. */
const LOOK_MS = 5_000;
/** Interval in ms between checks while a due sync cannot start in this process. */
const BUSY_LOOK_MS = 1_000;
const CLEAN_MS = 60_000;

/**
 * Runs syncs in every operator process, including those that are not the leader. Claims in PostgreSQL ensure that only
 * one process runs a sync at a time, and that another process takes the sync over if that process dies.
 */
export function createSyncRunner(deps: SyncRunnerDeps): SyncRunner {
  const { metrics } = deps;
  const reading = createFairQueue({ kind: 'syncs', ...READING, metrics });
  const writes = createFairQueue({ kind: 'sync_writes', ...WRITING, metrics });
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const leaseMs = (deps.times ?? LEASE_TIMES).leaseMs;

  const look = createPeriodic({
    what: 'starting queued syncs',
    everyMs: deps.times?.lookMs ?? LOOK_MS,
    log: deps.log,
    run: async (signal) => {
      const dueInMs = await nextSyncInMs(deps.pool, deps.namespaces);
      if (dueInMs === null) return false;
      if (dueInMs > 0) return dueInMs;
      for (const { namespace, id } of await queueDue(deps)) {
        tellProjected(deps, { resource: 'knowledge_sources', namespace, id });
      }
      while (!signal.aborted) {
        const { places, full } = reading.room();
        if (places === 0) break;
        const { namespaces } = deps;
        const sync = await claimSync(deps.pool, { namespaces, except: full, leaseMs });
        if (!sync) break;
        tellProjected(deps, { resource: 'knowledge_sources', ...sync, id: sync.sourceId });
        const input = { sync, stopping: stopping.signal };
        const run = reading
          .run(sync.namespace, () => runSync({ ...deps, writes }, input))
          .finally(() => {
            running.delete(run);
            look.wake();
          });
        running.add(run);
      }
      return BUSY_LOOK_MS;
    },
  });

  const clean = createPeriodic({
    what: 'cleaning up after syncs',
    everyMs: CLEAN_MS,
    log: deps.log,
    run: async () => {
      if (await hasStagedLeft(deps.pool)) await deleteStagedOf(deps.pool, null);
      metrics.knowledgeOverdue.set(await countOverdue(deps));
      metrics.workWaiting.set({ kind: 'syncs' }, await countQueued(deps.pool, deps.namespaces));
      return (await hasOldSync(deps.pool)) && (await pruneSyncs(deps.pool)) > 0;
    },
  });

  return {
    start: () => {
      look.start();
      clean.start();
    },
    look: look.wake,
    stop: async () => {
      await Promise.all([look.stop(), clean.stop()]);
      stopping.abort(new Error('the process is shutting down'));
      await Promise.all(running);
    },
  };
}
