import { epochMs, monotonicMs } from '../../clock.ts';
import type { SampleModel } from '../api/replies.ts';
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
  /** `resign` ends this term, when somebody else has begun one since, if only by mistake. */
  onLead: (office: TermOfOffice, resign: (reason: string) => void) => Promise<void>;
  /** Resolves when everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
}) => { start: () => void; stop: () => Promise<void> };

export type OperatorRoleDeps = Kinds & {
  pool: Pool;
  store: ResourceStore;
  /** The namespaces this operator serves; empty: all. Rows of others are left alone. */
  namespaces?: readonly string[];
  elect: Elect;
  record: RecordEvent;
  sealer: Sealer;
  guard: AddressGuard;
  version: string;
  modelSettings: ModelSettings | undefined;
  /** Agents that a model of the samples answers. */
  isSample?: SampleModel['isFor'] | undefined;
  metrics: Metrics;
  log: Logger;
  limits: Limits;
  quotaRetryMs?: number;
  /** Other times than the usual ones. */
  probes?: ProberOptions;
  embedEveryMs?: number;
  /** What reads sources of each type, instead of the usual. */
  fetchers?: Fetchers;
  syncTimes?: LeaseTimes;
};

export type Operator = {
  /** Whether it knows all that is declared and could lead now. */
  isReady: () => boolean;
  stop: () => Promise<void>;
};

/**
 * In a new cluster with the old database manifests arrive one by one: until all have, a row without
 * an object is no deletion. For so long such rows stay (docs/decisions/0009-adoption.md).
 */
const ADOPTION_MS = 3_600_000;
const ADOPTING =
  'the database was led from elsewhere: what is not declared here yet is kept for an hour';

/** Room for all that are reconciled or synced; a declared text has a megabyte at most. */
const TEXTS_WAITING_MAX = { namespace: 16, all: 16 };

/** The operator role. Returns at once; watches always, reconciles while it leads. */
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
          // What changed while nobody led goes first, before all that is in force already.
          const unseen = objects.filter(isUnseen);
          const isAdopting = monotonicMs() < adoptedAtMs;
          const known = isAdopting ? [] : (await rows.listKeys()).filter(isOurs);
          return [...[...unseen, ...objects].map(({ metadata }) => metadata), ...known];
        },
        reconcile: resignWhenOver(reconcilerOf(epoch), resign),
      }));
      // A watch that lags would undo what the last leader has done. The epoch is raised already, so
      // that after a refresh nothing of the last leader's is missing.
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
  // A leader must know everything: a deletion it has not seen looks like a row to keep.
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

/** In every replica, whoever leads. Its texts are cut apart: a large page keeps no declared one waiting. */
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
 * A process that was elected, paused, and raised its epoch only after another was elected shuts the
 * other out and does nothing itself. So a leader that finds its epoch over resigns and begins anew.
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
