import type { LookAtRollout } from '../../agents/rollouts/rollout-status.ts';
import type { Models } from '../../agents/references/missing-providers.ts';
import type { Announce } from '../../events/emit-event.ts';
import type { LeaseTimes } from '../../knowledge/syncs/hold-lease.ts';
import type { TextCutter } from '../../knowledge/passages/text-cutter.ts';
import type { Prober } from '../../models/prober.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { ReconcilerDeps } from '../../platform/reconcile/reconciler.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { RoleContext } from '../context.ts';

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
    /** Looks at the last rollout of an agent, and does what its checks decide. */
    lookAtRollout: LookAtRollout;
    cutter: TextCutter;
    prober: Prober;
    hasDefaultModel: boolean;
    /** Lease times of syncs instead of the defaults; for tests. */
    syncTimes?: LeaseTimes | undefined;
    /** Returns whether an agent gets its replies from a sample model. */
    isSample?: Models['isSample'] | undefined;
  };
