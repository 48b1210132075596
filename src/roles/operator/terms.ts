import { monotonicMs } from '../../clock.ts';
import type { ReconcileResult } from '../../platform/controller/controller.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { NotLeaderError, type TermOfOffice } from '../../platform/postgres/leadership.ts';
import type { KindRegistration } from '../../platform/reconcile/reconciler.ts';
import { startTerm, type Term } from '../../platform/reconcile/term.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';

/**
 * Creates an elector, which elects one of several operators as the leader, with a lock in PostgreSQL or a Lease in
 * Kubernetes.
 */
export type Elect = (callbacks: {
  /**
   * Called when this process becomes the leader. The callback calls `resign` if it finds that the term has already
   * ended, because another process has become the leader since.
   */
  onLead: (office: TermOfOffice, resign: (reason: string) => void) => Promise<void>;
  /** Called when this process is no longer the leader. Resolves when everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
}) => { start: () => void; stop: () => Promise<void> };

/**
 * Grace period in a new cluster with an existing database. Manifests are applied one by one, so a row without an object
 * does not mean that the object was deleted. Such rows stay during the grace period (docs/decisions/0009-adoption.md).
 */
const ADOPTION_MS = 3_600_000;
const ADOPTING =
  'another cluster used this database before: rows without a declared object are kept for an hour';

/**
 * Terms of this process as the leader. A term lasts from the election until the process is no longer the leader. During
 * that time, the process reconciles objects.
 */
export type Terms = Parameters<Elect>[0] & {
  /** Reconciles a changed object, if this process is the leader. */
  changed: Term['changed'];
  /**
   * If this process is the leader, checks soon for objects that must be reconciled although their declaration has not
   * changed.
   */
  look: Term['look'];
};

export function createTerms(deps: {
  store: Pick<ResourceStore, 'list'>;
  registrations: readonly KindRegistration[];
  isOurs: (key: ObjectKey) => boolean;
  /** Resolves when the cached declarations are at least as new as this call. */
  refresh: () => Promise<void>;
  metrics: Metrics;
  log: Logger;
}): Terms {
  const { store, registrations, isOurs, refresh, metrics, log } = deps;
  const leader = { name: 'parley-operator' };
  let term: Term | undefined;
  metrics.leader.set(leader, 0);
  return {
    changed: (kind, key) => term?.changed(kind, key),
    look: () => term?.look(),
    onLead: async ({ epoch, storeAgeMs }, resign) => {
      const adoptMs = Math.max(0, ADOPTION_MS - storeAgeMs);
      log.info({ epoch }, 'leading');
      if (adoptMs > 0) log.warn({ forSec: adoptMs / 1_000 }, ADOPTING);
      const adoptedAtMs = monotonicMs() + adoptMs;
      const kinds = registrations.map(({ kind, rows, listStale, listChanged, reconcilerOf }) => ({
        kind,
        listStale,
        listChanged,
        listKeys: async () => {
          const objects = await store.list(kind);
          // Objects whose latest generation was never reconciled come first, because they changed while no operator was
          // the leader.
          const unseen = objects.filter(isUnseen);
          const isAdopting = monotonicMs() < adoptedAtMs;
          const known = isAdopting ? [] : (await rows.listKeys()).filter(isOurs);
          return [...[...unseen, ...objects].map(({ metadata }) => metadata), ...known];
        },
        reconcile: resignWhenOver(reconcilerOf(epoch), resign),
      }));
      // A leader whose watch lags would undo the work of the previous leader, so the term begins only after a refresh.
      // The epoch is already incremented, so the previous leader can no longer write, and a refresh that begins now
      // sees all its work.
      const begins = refresh();
      term = startTerm({ kinds, metrics, log, begins, lookAgainMs: adoptMs });
      metrics.leader.set(leader, 1);
    },
    onLost: async () => {
      metrics.leader.set(leader, 0);
      await term?.stop();
      term = undefined;
    },
  };
}

function isUnseen({ metadata, status }: Resource): boolean {
  return status['observedGeneration'] !== metadata.generation;
}

/**
 * Wraps `reconcile` so that a leader whose epoch has ended resigns and is elected again. An epoch can end although its
 * leader was not replaced: a process that was paused right after its own election may resume later and increment the
 * epoch, although another process is the leader by then. Without the resignation, that leader could no longer write,
 * and neither process would reconcile.
 */
function resignWhenOver(
  reconcile: (key: ObjectKey) => Promise<ReconcileResult>,
  resign: (reason: string) => void,
): (key: ObjectKey) => Promise<ReconcileResult> {
  return async (key) => {
    try {
      return await reconcile(key);
    } catch (error) {
      if (error instanceof NotLeaderError) resign(error.message);
      throw error;
    }
  };
}
