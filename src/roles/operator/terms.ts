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

/** Election of one of several operators, by a lock in PostgreSQL or a Lease in Kubernetes. */
export type Elect = (callbacks: {
  /** Called when this process leads. `resign` ends the term if another process has begun one since, even by mistake. */
  onLead: (office: TermOfOffice, resign: (reason: string) => void) => Promise<void>;
  /** Called when the leadership is lost. Resolves when everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
}) => { start: () => void; stop: () => Promise<void> };

/**
 * Grace period in a new cluster with an old database. Manifests arrive one by one, so a row without an object does not
 * mean a deletion until all have arrived. During this time such rows stay (docs/decisions/0009-adoption.md).
 */
const ADOPTION_MS = 3_600_000;
const ADOPTING =
  'the database was led from elsewhere: what is not declared here yet is kept for an hour';

/** Terms of this process as leader: a term reconciles from the election to the loss of the leadership. */
export type Terms = Parameters<Elect>[0] & {
  /** Reconciles a changed object, if this process leads. */
  changed: Term['changed'];
};

export function createTerms(deps: {
  store: Pick<ResourceStore, 'list'>;
  registrations: readonly KindRegistration[];
  isOurs: (key: ObjectKey) => boolean;
  /** Resolves when all declarations are as new as this call. */
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
          // Objects that changed without a leader come first, before all that are already projected.
          const unseen = objects.filter(isUnseen);
          const isAdopting = monotonicMs() < adoptedAtMs;
          const known = isAdopting ? [] : (await rows.listKeys()).filter(isOurs);
          return [...[...unseen, ...objects].map(({ metadata }) => metadata), ...known];
        },
        reconcile: resignWhenOver(reconcilerOf(epoch), resign),
      }));
      // A lagging watch would undo the last leader's work. The epoch is already raised, so a refresh now includes all
      // of that work.
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
 * Wraps reconcile so that a leader whose epoch is over resigns and starts over. Otherwise a process that was elected,
 * paused, and raised its epoch after another election would lock the other out and do nothing itself.
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
