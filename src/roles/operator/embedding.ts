import { monotonicMs } from '../../clock.ts';
import { createEmbeddingWorker } from '../../knowledge/vectors/embedding-worker.ts';
import { createEndpoints } from '../../models/find-endpoint.ts';
import type { ModelSettings } from '../../models/model-endpoint.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import { openEmbedder } from '../open-embedder.ts';
import type { KindDeps } from './kind-deps.ts';

/** Embeds passages in every replica, leader or not. */
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
