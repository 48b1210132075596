import type { ReconcileResult } from '../../platform/controller/controller.ts';
import { agentReconciler } from '../../agents/agent.reconciler.ts';
import { createAnnounce } from '../../events/emit-event.ts';
import { knowledgeSourceReconciler } from '../../knowledge/sources/knowledge-source.reconciler.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type {
  RecordEvent,
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { NotLeaderError, type TermOfOffice } from '../../platform/postgres/leadership.ts';
import { createNotifier, type Notifier } from '../../platform/postgres/notifications.ts';
import { webhookEndpointReconciler } from '../../webhooks/endpoints/webhook-endpoint.reconciler.ts';
import { maintainPartitions } from '../../webhooks/queue/partitions.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { register, type KindRegistration } from '../../platform/reconcile/reconciler.ts';
import { startTerm, type Term } from '../../platform/reconcile/term.ts';
import { startWatches } from '../../platform/reconcile/watches.ts';

/** Elects one of several operators: a lock in PostgreSQL, or a Lease in Kubernetes. */
export type Elect = (callbacks: {
  /** `resign` ends this term: somebody else has begun one since, if only by mistake. */
  onLead: (office: TermOfOffice, resign: (reason: string) => void) => Promise<void>;
  /** Does not return before everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
}) => { start: () => void; stop: () => Promise<void> };

export type OperatorRoleDeps = {
  pool: Pool;
  store: ResourceStore;
  /** Whose objects this operator answers for; empty: all. Rows of others are left alone. */
  namespaces?: readonly string[];
  elect: Elect;
  record: RecordEvent;
  sealer: Sealer;
  guard: AddressGuard;
  metrics: Metrics;
  log: Logger;
};

export type Operator = {
  /** Whether it knows all that is declared, so that it could take over now. */
  isReady: () => boolean;
  stop: () => Promise<void>;
};

/**
 * A new cluster with the old database: its manifests come one by one, and until they have, a row
 * without an object is not a deletion. For so long it stays as it was.
 */
const ADOPTION_MS = 3_600_000;
const ADOPTING =
  'the database was led from elsewhere: what is not declared here yet is kept for an hour';

/** The operator role. Returns at once; watches always, and reconciles whenever it leads. */
export async function runOperator(deps: OperatorRoleDeps): Promise<Operator> {
  const { pool, store, namespaces = [], metrics, log } = deps;
  const isOurs = ({ namespace }: ObjectKey): boolean =>
    namespaces.length === 0 || namespaces.includes(namespace);
  const leader = { name: 'parley-operator' };
  const notifier = createNotifier({ pool, log });
  await maintainPartitions(pool);
  const registrations = registerKinds({ ...deps, notifier });
  let term: Term | undefined;
  metrics.leader.set(leader, 0);
  const watches = startWatches({
    store,
    kinds: registrations,
    onChange: (kind, key) => term?.changed(kind, key),
    log,
  });
  const elector = deps.elect({
    onLead: async ({ epoch, storeAgeMs }, resign) => {
      const adoptMs = Math.max(0, ADOPTION_MS - storeAgeMs);
      log.info({ epoch }, 'leading');
      if (adoptMs > 0) log.warn({ forSec: adoptMs / 1_000 }, ADOPTING);
      const adoptedAtMs = performance.now() + adoptMs;
      const kinds = registrations.map(({ kind, rows, listStale, reconcilerOf }) => ({
        kind,
        listStale,
        listKeys: async () => {
          const objects = await store.list(kind);
          // What changed while nobody led goes first, not after all that is in force already.
          const unseen = objects.filter(isUnseen);
          const isAdopting = performance.now() < adoptedAtMs;
          const known = isAdopting ? [] : (await rows.listKeys()).filter(isOurs);
          return [...[...unseen, ...objects].map(({ metadata }) => metadata), ...known];
        },
        reconcile: resignWhenOver(reconcilerOf(epoch), resign),
      }));
      // A watch that lags would undo, from what it knew before, what the last leader has done. The
      // epoch is raised: that one does nothing any more that this does not find.
      const begins = watches.refresh();
      term = startTerm({ kinds, metrics, log, begins, lookAgainMs: adoptMs });
      metrics.leader.set(leader, 1);
    },
    onLost: async () => {
      metrics.leader.set(leader, 0);
      await term?.stop();
      term = undefined;
    },
  });
  let stopping = false;
  // Whoever leads must know everything: a deletion it has not heard of looks like a row to keep.
  void watches.synced.then(() => {
    if (!stopping) elector.start();
  });
  return {
    isReady: watches.isSynced,
    stop: async () => {
      stopping = true;
      await elector.stop();
      await watches.stop();
      await notifier.stop();
    },
  };
}

/** A new kind: its reconciler here, its definition in roles/kinds.ts. */
function registerKinds(deps: OperatorRoleDeps & { notifier: Notifier }): KindRegistration[] {
  const all = { ...deps, announce: createAnnounce(deps), nowMs: Date.now };
  return [
    register(all, agentReconciler(all)),
    register(all, webhookEndpointReconciler(all)),
    register(all, knowledgeSourceReconciler(all)),
  ];
}

function isUnseen({ metadata, status }: Resource): boolean {
  return status['observedGeneration'] !== metadata.generation;
}

/**
 * One that was elected, paused, and raises its epoch only after another was elected shuts that one
 * out, although it will do nothing itself: whoever finds that its epoch is over has to begin anew.
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
