import { tellProjected } from '../../platform/postgres/projected.ts';
import { createPeriodic } from '../../platform/controller/periodic.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { claimSync, pruneSyncs } from './claims.sql.ts';
import { LEASE_TIMES } from './hold-lease.ts';
import { countOverdue, queueDue } from './queue-due.ts';
import { runSync, type SyncDeps } from './run-sync.ts';
import { deleteStagedOf } from './staged-documents.sql.ts';

export type SyncRunner = {
  start: () => void;
  /** Gives back what it runs, and waits until that has ended. */
  stop: () => Promise<void>;
};

export type SyncRunnerDeps = Omit<SyncDeps, 'metrics'> & {
  metrics: SyncDeps['metrics'] & Pick<Metrics, 'knowledgeOverdue'>;
  /** Whose syncs it runs; empty: all. */
  namespaces: readonly string[];
};

/** At once in a process: each has a document, a connection and its fetcher's memory. */
const AT_ONCE = 2;
const LOOK_MS = 1_000;
const CLEAN_MS = 60_000;

/**
 * Runs syncs in every process of the operator, whoever leads: each is claimed in PostgreSQL, so that no
 * two run the same, and one whose process died is taken over.
 */
export function createSyncRunner(deps: SyncRunnerDeps): SyncRunner {
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const leaseMs = (deps.times ?? LEASE_TIMES).leaseMs;

  const look = createPeriodic({
    what: 'looking for syncs',
    everyMs: deps.times?.lookMs ?? LOOK_MS,
    log: deps.log,
    run: async (signal) => {
      for (const { namespace, id } of await queueDue(deps)) {
        tellProjected(deps, { resource: 'knowledge_sources', namespace, id });
      }
      while (running.size < AT_ONCE && !signal.aborted) {
        const sync = await claimSync(deps.pool, { namespaces: deps.namespaces, leaseMs });
        if (!sync) break;
        tellProjected(deps, { resource: 'knowledge_sources', ...sync, id: sync.sourceId });
        const run = runSync(deps, { sync, stopping: stopping.signal }).finally(() => {
          running.delete(run);
          look.wake();
        });
        running.add(run);
      }
      return false;
    },
  });

  const clean = createPeriodic({
    what: 'clearing away what syncs left',
    everyMs: CLEAN_MS,
    log: deps.log,
    run: async () => {
      await deleteStagedOf(deps.pool, null);
      deps.metrics.knowledgeOverdue.set(await countOverdue(deps));
      return (await pruneSyncs(deps.pool)) > 0;
    },
  });

  return {
    start: () => {
      look.start();
      clean.start();
    },
    stop: async () => {
      await Promise.all([look.stop(), clean.stop()]);
      stopping.abort(new Error('the process is about to end'));
      await Promise.all(running);
    },
  };
}
