import { epochMs, monotonicMs } from '../../clock.ts';
import type { Models } from '../../agents/references/missing-providers.ts';
import type { Limits } from '../../config.ts';
import type { ReconcileResult } from '../../platform/controller/controller.ts';
import { createAnnounce } from '../../events/emit-event.ts';
import { createTextCutter } from '../../knowledge/passages/text-cutter.ts';
import { createDeferredEvents } from '../../events/deferred-events.ts';
import { createRewording } from '../../knowledge/reword-passages.ts';
import { createSyncRunner, type SyncRunner } from '../../knowledge/syncs/run-syncs.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import type { LeaseTimes } from '../../knowledge/syncs/hold-lease.ts';
import type { ModelSettings } from '../../models/model-endpoint.ts';
import { createProber, type ProberOptions } from '../../models/prober.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
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
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import type { KindRegistration } from '../../platform/reconcile/reconciler.ts';
import { startTerm, type Term } from '../../platform/reconcile/term.ts';
import { startWatches } from '../../platform/reconcile/watches.ts';
import { KINDS, type Kinds } from '../kinds.ts';
import { startEmbedding } from './embedding.ts';
import type { KindDeps } from './kind-deps.ts';
import { openFetchers } from './open-fetchers.ts';

/** Elects one of several operators, by a lock in PostgreSQL or a Lease in Kubernetes. */
export type Elect = (callbacks: {
  /** Called when this process leads. `resign` ends the term if another process has begun one since, even by mistake. */
  onLead: (office: TermOfOffice, resign: (reason: string) => void) => Promise<void>;
  /** Called when the leadership is lost. Resolves when everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
}) => { start: () => void; stop: () => Promise<void> };

export type OperatorRoleDeps = Kinds & {
  pool: Pool;
  store: ResourceStore;
  /** Namespaces this operator serves; empty means all. It leaves the rows of others unchanged. */
  namespaces?: readonly string[];
  elect: Elect;
  record: RecordEvent;
  sealer: Sealer;
  guard: AddressGuard;
  version: string;
  modelSettings: ModelSettings | undefined;
  /** Returns whether a sample model answers for an agent. */
  isSample?: Models['isSample'] | undefined;
  metrics: Metrics;
  log: Logger;
  limits: Limits;
  quotaRetryMs?: number;
  /** Other probe times than the defaults; for tests. */
  probes?: ProberOptions;
  embedEveryMs?: number;
  /** Replacement for the default fetchers of each source type. */
  fetchers?: Fetchers;
  syncTimes?: LeaseTimes;
};

export type Operator = {
  /** Whether it knows all declarations and could lead now. */
  isReady: () => boolean;
  stop: () => Promise<void>;
};

/**
 * Grace period in a new cluster with an old database. Manifests arrive one by one, so a row without an object does not
 * mean a deletion until all have arrived. During this time such rows stay (docs/decisions/0009-adoption.md).
 */
const ADOPTION_MS = 3_600_000;
const ADOPTING =
  'the database was led from elsewhere: what is not declared here yet is kept for an hour';

/** Queue for all texts that are reconciled or synced. A declared text has at most a megabyte. */
const TEXTS_WAITING_MAX = { namespace: 16, all: 16 };

/** Runs the operator role. It returns immediately, always watches, and reconciles while it leads. */
export async function runOperator(deps: OperatorRoleDeps): Promise<Operator> {
  const { pool, store, namespaces = [], metrics, log } = deps;
  const isOurs = ({ namespace }: ObjectKey): boolean =>
    namespaces.length === 0 || namespaces.includes(namespace);
  const leader = { name: 'parley-operator' };
  const notifier = createNotifier({ pool, log });
  const cutter = createTextCutter({ waitingMax: TEXTS_WAITING_MAX, metrics, log });
  const egress = createEgressClient({ guard: deps.guard });
  const prober = createProber({ egress, nowMs: monotonicMs }, deps.probes);
  const registrations = await registerKinds({ ...deps, notifier, cutter, prober });
  const syncs = startSyncs({ ...deps, notifier });
  const embedding = startEmbedding({ ...deps, notifier, isOurs });
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
  // A leader must know all declarations: an object missing because of a lagging watch looks like a deletion.
  void watches.synced.then(() => {
    if (!stopping) elector.start();
  });
  return {
    isReady: watches.isSynced,
    stop: async () => {
      stopping = true;
      await elector.stop();
      await watches.stop();
      await Promise.all([syncs.stop(), embedding.stop()]);
      await cutter.stop();
      await egress.stop();
      await notifier.stop();
    },
  };
}

/**
 * Starts syncs in every replica, leader or not. They have their own cutter, so that a large page does not delay
 * declared texts.
 */
function startSyncs(deps: OperatorRoleDeps & { notifier: Notifier }): Pick<SyncRunner, 'stop'> {
  const cutter = createTextCutter({ ...deps, waitingMax: TEXTS_WAITING_MAX });
  const usual = openFetchers(deps);
  const all = { ...deps, announce: createAnnounce(deps), nowMs: epochMs };
  const deferred = createDeferredEvents(all);
  const runner = createSyncRunner({
    ...all,
    cutter,
    namespaces: deps.namespaces ?? [],
    fetchers: deps.fetchers ?? usual.fetchers,
    times: deps.syncTimes,
  });
  const rewording = createRewording(deps);
  deferred.start();
  runner.start();
  rewording.start();
  return {
    stop: async () => {
      await runner.stop();
      await rewording.stop();
      await deferred.stop();
      await cutter.stop();
      await usual.stop();
    },
  };
}

function registerKinds(
  deps: OperatorRoleDeps & Pick<KindDeps, 'notifier' | 'cutter' | 'prober'>,
): Promise<KindRegistration[]> {
  const hasDefaultModel = deps.modelSettings !== undefined;
  const all: KindDeps = {
    ...deps,
    hasDefaultModel,
    announce: createAnnounce(deps),
    nowMs: epochMs,
  };
  return Promise.all((deps.kinds ?? KINDS).map(({ register }) => register(all)));
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
