import { epochMs, monotonicMs } from '../../clock.ts';
import { createAnnounce } from '../../events/emit-event.ts';
import { createTextCutter } from '../../knowledge/passages/text-cutter.ts';
import { createProber } from '../../models/prober.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import { readRecalledAgent } from '../../agents/recalls/recalled-version.ts';
import { CHANNELS, createListener, createNotifier } from '../../platform/postgres/notifications.ts';
import { readProjected } from '../../platform/postgres/projected.ts';
import { startWatches } from '../../platform/reconcile/watches.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import { createConfirmStep } from '../../rollouts/confirm-step.ts';
import { lookAtRollout } from '../../rollouts/look-at-rollout.ts';
import { KINDS, type Kinds } from '../kinds.ts';
import { startEmbedding, startSyncs, TEXTS_WAITING_MAX } from './knowledge-work.ts';
import type { KindDeps, OperatorRoleDeps } from './operator-deps.ts';
import { createTerms } from './terms.ts';

export type Operator = {
  /** Returns true if the operator has loaded all declarations. Only then may it become the leader. */
  isReady: () => boolean;
  stop: () => Promise<void>;
};

/**
 * Starts the operator role and returns immediately. The operator always watches declarations, and reconciles them
 * while it is the leader.
 */
export async function runOperator(deps: OperatorRoleDeps & Kinds): Promise<Operator> {
  const { pool, store, sealer, guard, version, modelSettings, metrics, log, limits } = deps;
  const { namespaces = [], kinds = KINDS, syncTimes, wordsMax } = deps;
  const isOurs = ({ namespace }: ObjectKey): boolean =>
    namespaces.length === 0 || namespaces.includes(namespace);
  const notifier = createNotifier({ pool, log });
  const announce = createAnnounce({ notifier, metrics });
  const infrastructure = { pool, store, sealer, guard, metrics, log, limits, notifier, announce };
  const cutter = createTextCutter({ waitingMax: TEXTS_WAITING_MAX, metrics, log });
  const egress = createEgressClient({ guard });
  const confirmStep = createConfirmStep({ store, egress, version });
  const kindDeps: KindDeps = {
    ...infrastructure,
    cutter,
    prober: createProber({ egress, nowMs: monotonicMs }, deps.probes),
    record: deps.record,
    nowMs: epochMs,
    lookAtRollout: (of) => lookAtRollout({ ...infrastructure, nowMs: epochMs, confirmStep }, of),
    quotaRetryMs: deps.quotaRetryMs,
    syncTimes,
    hasDefaultModel: modelSettings !== undefined,
    isSample: deps.isSample,
  };
  const registrations = await Promise.all(kinds.map(({ register }) => register(kindDeps)));
  const { fetchers, embedEveryMs: everyMs } = deps;
  const syncs = startSyncs(infrastructure, {
    version,
    namespaces,
    fetchers,
    times: syncTimes,
    wordsMax,
  });
  const embedding = startEmbedding(infrastructure, { modelSettings, isOurs, everyMs });
  const refresh = (): Promise<void> => watches.refresh();
  const terms = createTerms({ store, registrations, isOurs, refresh, metrics, log });
  const watches = startWatches({ store, kinds: registrations, onChange: terms.changed, log });
  const elector = deps.elect(terms);
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: {
      [CHANNELS.projected]: (items) => {
        terms.look();
        if (items.some(concernsSyncs)) syncs.look();
        for (const agent of items.flatMap((item) => readRecalledAgent(item) ?? [])) {
          watches.look('Agent', agent);
        }
      },
    },
    log,
  });
  // Not awaited, because an operator can start while the database is unavailable. Until the listener is connected, the
  // operator relies on polling.
  void listener.start().catch(() => undefined);
  let stopping = false;
  // Only an operator that has loaded all declarations may become the leader. If it became the leader earlier, an object
  // that its watch has not delivered yet would look like a deleted object.
  void watches.synced.then(() => {
    if (!stopping) elector.start();
  });
  return {
    isReady: watches.isSynced,
    stop: async () => {
      stopping = true;
      await listener.stop();
      await elector.stop();
      await watches.stop();
      await Promise.all([syncs.stop(), embedding.stop()]);
      await cutter.stop();
      await egress.stop();
      await notifier.stop();
    },
  };
}

const concernsSyncs = (item: string): boolean =>
  item === '*' || readProjected(item)?.resource === 'knowledge_sources';
