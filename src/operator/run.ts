import type { AddressGuard } from '../egress/address-guard.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { RecordEvent } from '../resources/resource-events.ts';
import type { ObjectKey, ResourceStore } from '../resources/resource-store.ts';
import { createNotifier } from '../store/notifications.ts';
import { maintainPartitions } from '../store/partitions.ts';
import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { createRoads } from './roads.ts';
import { startTerm, type Term } from './term.ts';
import { startWatches } from './watches.ts';

/** Elects one of several operators: a lock in PostgreSQL, or a Lease in Kubernetes. */
export type Elect = (callbacks: {
  /** `epoch`: the fence of this term, higher than every one before. */
  onLead: (epoch: number) => Promise<void>;
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

/** The operator role. Returns at once; watches always, and reconciles whenever it leads. */
export async function runOperator(deps: OperatorRoleDeps): Promise<Operator> {
  const { pool, store, namespaces = [], metrics, log } = deps;
  const isOurs = ({ namespace }: ObjectKey): boolean =>
    namespaces.length === 0 || namespaces.includes(namespace);
  const leader = { name: 'parley-operator' };
  const notifier = createNotifier({ pool, log });
  await maintainPartitions(pool, Date.now());
  const roads = createRoads({ ...deps, notifier });
  let term: Term | undefined;
  metrics.leader.set(leader, 0);
  const watches = startWatches({
    store,
    kinds: roads,
    onChange: (kind, key) => term?.changed(kind, key),
    log,
  });
  const elector = deps.elect({
    onLead: async (epoch) => {
      log.info({ epoch }, 'leading');
      const kinds = roads.map(({ kind, listRowKeys, reconcilerOf }) => ({
        kind,
        listKeys: async () => {
          const objects = await store.list(kind);
          const rows = (await listRowKeys()).filter(isOurs);
          return [...objects.map(({ metadata }) => metadata), ...rows];
        },
        reconcile: reconcilerOf(epoch),
      }));
      term = startTerm({ kinds, metrics, log });
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
