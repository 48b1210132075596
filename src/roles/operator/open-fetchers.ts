import { createExtractor } from '../../knowledge/formats/extractor.ts';
import { openIntegrations } from '../../knowledge/integration/open-integrations.ts';
import type { Fetchers } from '../../knowledge/syncs/run-sync.ts';
import { openWebsites } from '../../knowledge/website/website-fetcher.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';

/** Of all syncs of a process: each website has up to eight pages under way. */
const DOCUMENTS_WAITING_MAX = 32;

/** What reads sources of each type that is fetched, with the connections and the child that it uses. */
export function openFetchers(deps: {
  guard: AddressGuard;
  version: string;
  log: Logger;
  store: Pick<ResourceStore, 'get'>;
  /** A PEM certificate trusted besides the system's; for tests. */
  tlsCa?: string;
}): {
  fetchers: Fetchers;
  stop: () => Promise<void>;
} {
  const extractor = createExtractor({ waitingMax: DOCUMENTS_WAITING_MAX, log: deps.log });
  const websites = openWebsites({ ...deps, extract: extractor.extract });
  const integrations = openIntegrations({ ...deps, extract: extractor.extract });
  return {
    fetchers: { website: websites.fetch, integration: integrations.fetch },
    stop: async () => {
      await Promise.all([websites.stop(), integrations.stop()]);
      await extractor.stop();
    },
  };
}
