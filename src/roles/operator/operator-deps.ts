import type { Models } from '../../agents/references/missing-providers.ts';
import type { LookAtRollout } from '../../agents/rollouts/rollout-status.ts';
import type { Announce } from '../../events/emit-event.ts';
import type { TextCutter } from '../../knowledge/passages/text-cutter.ts';
import type { LeaseTimes } from '../../knowledge/syncs/hold-lease.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import type { Prober, ProberOptions } from '../../models/prober.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { ReconcilerDeps } from '../../platform/reconcile/reconciler.ts';
import type { RecordEvent, ResourceStore } from '../../platform/resources/resource-store.ts';
import type { RoleContext } from '../context.ts';
import type { Elect } from './terms.ts';

export type OperatorRoleDeps = Pick<
  RoleContext,
  | 'databaseUrl'
  | 'pool'
  | 'sealer'
  | 'guard'
  | 'version'
  | 'modelSettings'
  | 'metrics'
  | 'log'
  | 'limits'
> & {
  store: ResourceStore;
  /** Namespaces that this operator serves; empty means all. Rows of other namespaces stay unchanged. */
  namespaces?: readonly string[];
  elect: Elect;
  record: RecordEvent;
  /** Returns true for agents that get their replies from the sample model. */
  isSample?: KindDeps['isSample'];
  quotaRetryMs?: number;
  /** Options of the prober, such as its intervals. Tests set them to replace the defaults. */
  probes?: ProberOptions;
  embedEveryMs?: number;
  /** Replacement for the default fetchers of each source type. */
  fetchers?: Fetchers;
  syncTimes?: LeaseTimes;
  /** Maximum number of distinct words in a source. Defaults to the limit of the contract. */
  wordsMax?: number;
};

/** Dependencies of each kind's reconciler. */
export type KindDeps = Pick<
  RoleContext,
  'pool' | 'sealer' | 'guard' | 'metrics' | 'log' | 'limits'
> &
  ReconcilerDeps & {
    store: ResourceStore;
    notifier: Notifier;
    /** Reports an event after the commit of its change: counts it and wakes deliveries and streams. */
    announce: Announce;
    /**
     * Evaluates the checks of an agent's last rollout, and advances, holds, completes or aborts the rollout
     * accordingly.
     */
    lookAtRollout: LookAtRollout;
    cutter: TextCutter;
    prober: Prober;
    hasDefaultModel: boolean;
    /** Lease times of syncs. Tests set them to replace the defaults. */
    syncTimes?: LeaseTimes | undefined;
    /** Returns true for agents that get their replies from the sample model. */
    isSample?: Models['isSample'] | undefined;
  };
