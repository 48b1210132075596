import { createExtractor } from '../../knowledge/formats/extractor.ts';
import { openIntegrations } from '../../knowledge/integration/open-integrations.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import { openWebsites } from '../../knowledge/website/website-fetcher.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';

/**
 * Limits on documents that wait to be processed, over all syncs of a namespace and of a process. Each website loads up
 * to eight pages concurrently.
 */
const DOCUMENTS_WAITING_MAX = { namespace: 32, all: 128 };

/** Creates the fetchers of each source type, with their connections and the child process. */
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
