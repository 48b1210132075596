import { epochMs, monotonicMs } from '../../clock.ts';
import { createDeferredEvents } from '../../events/deferred-events.ts';
import { createTextCutter } from '../../knowledge/passages/text-cutter.ts';
import { createRewording } from '../../knowledge/reword-passages.ts';
import type { LeaseTimes } from '../../knowledge/syncs/hold-lease.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import { createSyncRunner } from '../../knowledge/syncs/run-syncs.ts';
import type { KindDeps } from './operator-deps.ts';
import { createExtractor } from '../../knowledge/formats/extractor.ts';
import { openIntegrations } from '../../knowledge/integration/open-integrations.ts';
import { openWebsites } from '../../knowledge/website/website-fetcher.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ResourceStore, ObjectKey } from '../../platform/resources/resource-store.ts';
import { createEmbeddingWorker } from '../../knowledge/vectors/embedding-worker.ts';
import { createEndpoints } from '../../models/find-endpoint.ts';
import type { ModelSettings } from '../../models/model-endpoint.ts';
import { openEmbedder } from '../open-embedder.ts';

/**
 * Maximum number of texts that may wait to be split into passages. Texts from reconciles and texts from syncs count
 * separately. The limit bounds memory, because a declared text may have up to one megabyte.
 */
export const TEXTS_WAITING_MAX = { namespace: 16, all: 16 };

/**
 * Starts the worker that runs syncs, in every replica and not only in the leader. Syncs have their own worker to split
 * texts, so that a large page does not delay declared texts.
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
): { look: () => void; stop: () => Promise<void> } {
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
    look: runner.look,
    stop: async () => {
      await runner.stop();
      await rewording.stop();
      await deferred.stop();
      await cutter.stop();
      await usual.stop();
    },
  };
}

/**
 * Maximum number of documents that may wait for text extraction, in all syncs of a namespace and in all syncs of a
 * process. The sync of one website loads up to eight pages at a time.
 */
const DOCUMENTS_WAITING_MAX = { namespace: 32, all: 128 };

/** Creates the fetchers of each source type, with their connections and the child processes that extract text. */
export function openFetchers(deps: {
  guard: AddressGuard;
  version: string;
  log: Logger;
  metrics: FairQueueMetrics;
  store: Pick<ResourceStore, 'get'>;
  /** PEM certificate to trust in addition to the system's; for tests. */
  tlsCa?: string;
}): {
  fetchers: Fetchers;
  stop: () => Promise<void>;
} {
  const { guard, version, log, metrics, store, tlsCa } = deps;
  const extractor = createExtractor({ waitingMax: DOCUMENTS_WAITING_MAX, metrics, log });
  const { extractFor } = extractor;
  const websites = openWebsites({ guard, version, extractFor, tlsCa });
  const integrations = openIntegrations({ guard, version, store, extractFor, tlsCa });
  return {
    fetchers: { website: websites.fetch, integration: integrations.fetch },
    stop: async () => {
      await Promise.all([websites.stop(), integrations.stop()]);
      await extractor.stop();
    },
  };
}

/** Starts the worker that embeds passages, in every replica and not only in the leader. */
export function startEmbedding(
  deps: Pick<KindDeps, 'pool' | 'sealer' | 'guard' | 'metrics' | 'log' | 'notifier'>,
  options: {
    modelSettings: ModelSettings | undefined;
    isOurs: (key: ObjectKey) => boolean;
    everyMs: number | undefined;
  },
): { stop: () => Promise<void> } {
  const { pool, sealer, guard, metrics, log, notifier } = deps;
  const { modelSettings: settings, isOurs, everyMs } = options;
  const { find: findEndpoint } = createEndpoints({ pool, sealer, settings, nowMs: monotonicMs });
  const { embedder, stop } = openEmbedder({ guard, metrics, findEndpoint });
  const worker = createEmbeddingWorker({
    pool,
    notifier,
    embedder,
    hasDefault: settings?.embeddingModel !== undefined,
    isOurs: ({ namespace }) => isOurs({ namespace, name: '' }),
    metrics,
    log,
    everyMs,
  });
  worker.start();
  return {
    stop: async () => {
      await worker.stop();
      await stop();
    },
  };
}
