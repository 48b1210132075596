import { monotonicMs } from '../../clock.ts';
import { createEmbeddingWorker } from '../../knowledge/vectors/embedding-worker.ts';
import { createEndpoints } from '../../models/find-endpoint.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import { openEmbedder } from '../open-embedder.ts';
import type { RoleContext } from '../context.ts';

type Deps = Pick<RoleContext, 'pool' | 'sealer' | 'guard' | 'modelSettings' | 'metrics' | 'log'> & {
  embedEveryMs?: number;
  notifier: Notifier;
  isOurs: (key: ObjectKey) => boolean;
};

/** Embeds passages in every replica, leader or not. */
export function startEmbedding(deps: Deps): { stop: () => Promise<void> } {
  const { modelSettings: settings, isOurs } = deps;
  const { find: findEndpoint } = createEndpoints({ ...deps, settings, nowMs: monotonicMs });
  const { embedder, stop } = openEmbedder({ ...deps, findEndpoint });
  const worker = createEmbeddingWorker({
    ...deps,
    embedder,
    hasDefault: settings?.embeddingModel !== undefined,
    isOurs: ({ namespace }) => isOurs({ namespace, name: '' }),
    everyMs: deps.embedEveryMs,
  });
  worker.start();
  return {
    stop: async () => {
      await worker.stop();
      await stop();
    },
  };
}
