import { epochMs } from '../../clock.ts';
import { resolveRequestSecrets } from '../../agents/tools/request-secrets.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { createEgressFetch } from '../../platform/egress/fetch.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { Extractor } from '../formats/extractor.ts';
import { FetchRefused, type Fetcher } from '../sources/fetching.ts';
import { FEED_LIMITS } from './feed-limits.ts';
import { createIntegrationFetcher } from './integration-fetcher.ts';

/**
 * Maximum response size of the HTTP client. It is larger than the page limit, so that `PageScanner` rejects the page
 * first, with a specific error.
 */
const MAX_RESPONSE_BYTES = FEED_LIMITS.pageBytes + 1024 * 1024;

/**
 * Creates the fetcher for feeds and its HTTP client. The fetcher reads Secrets from the source's namespace when it
 * sends a request (decision 48).
 */
export function openIntegrations({
  guard,
  version,
  store,
  extractFor,
  tlsCa,
}: {
  guard: AddressGuard;
  version: string;
  store: Pick<ResourceStore, 'get'>;
  extractFor: Extractor['extractFor'];
  /** PEM certificate to trust in addition to the system's certificates. For tests. */
  tlsCa?: string | undefined;
}): { fetch: Fetcher; stop: () => Promise<void> } {
  const egress = createEgressFetch({
    guard,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    ...(tlsCa !== undefined && { tlsCa }),
  });
  const fetch = createIntegrationFetcher({
    send: egress.fetch,
    userAgent: `parley/${version}`,
    nowMs: epochMs,
    extractFor,
    secretsOf: async (namespace, integration) => {
      const secrets = await resolveRequestSecrets(store, namespace, integration);
      if ('reason' in secrets) throw new FetchRefused(secrets.reason, secrets.message);
      return secrets;
    },
  });
  return { fetch, stop: egress.stop };
}
