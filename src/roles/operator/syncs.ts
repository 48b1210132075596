import { epochMs } from '../../clock.ts';
import { createDeferredEvents } from '../../events/deferred-events.ts';
import { createTextCutter } from '../../knowledge/passages/text-cutter.ts';
import { createRewording } from '../../knowledge/reword-passages.ts';
import type { LeaseTimes } from '../../knowledge/syncs/hold-lease.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import { createSyncRunner } from '../../knowledge/syncs/run-syncs.ts';
import type { KindDeps } from './kind-deps.ts';
import { openFetchers } from './open-fetchers.ts';

/** Limits on the queue for texts from reconciles and syncs. A declared text has at most a megabyte. */
export const TEXTS_WAITING_MAX = { namespace: 16, all: 16 };

/**
 * Starts syncs in every replica, leader or not. They have their own worker to split texts, so that a large page does
 * not delay declared texts.
 */
export function startSyncs(
  deps: Pick<
    KindDeps,
    'pool' | 'store' | 'guard' | 'metrics' | 'log' | 'limits' | 'notifier' | 'announce'
  >,
  options: {
    version: string;
    namespaces: readonly string[];
    /** Replacement for the default fetchers of each source type. */
    fetchers: Fetchers | undefined;
    times: LeaseTimes | undefined;
    /** Maximum number of distinct words in a source. */
    wordsMax: number | undefined;
  },
): { stop: () => Promise<void> } {
  const { pool, store, guard, metrics, log, limits, notifier, announce } = deps;
  const { version, namespaces, times, wordsMax } = options;
  const nowMs = epochMs;
  const cutter = createTextCutter({ waitingMax: TEXTS_WAITING_MAX, metrics, log });
  const usual = openFetchers({ guard, version, log, metrics, store });
  const fetchers = options.fetchers ?? usual.fetchers;
  const deferred = createDeferredEvents({ pool, announce, nowMs, log });
  const runner = createSyncRunner({
    pool,
    notifier,
    announce,
    limits,
    metrics,
    log,
    nowMs,
    cutter,
    namespaces,
    fetchers,
    times,
    wordsMax,
  });
  const rewording = createRewording({ pool, log });
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
