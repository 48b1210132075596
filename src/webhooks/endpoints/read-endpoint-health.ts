import type { WebhookEndpointStatus } from './webhook-endpoint.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import type { ObjectKey, ResourceStore } from '../../platform/resources/resource-store.ts';
import { listEndpointHealth, readEndpoint, type HealthRow } from './webhook-endpoints.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';

export type EndpointHealth = 'healthy' | 'failing' | 'disabled';

/** How the latest deliveries to an endpoint went (contract §4). */
export function healthOf(
  endpoint: Pick<HealthRow, 'enabled' | 'lastFailureAt' | 'lastSuccessAt'>,
): EndpointHealth {
  if (!endpoint.enabled) return 'disabled';
  const { lastFailureAt, lastSuccessAt } = endpoint;
  return lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? -Infinity)
    ? 'failing'
    : 'healthy';
}

const IN_STATUS = { healthy: 'Healthy', failing: 'Failing', disabled: 'Disabled' } as const;

type ShownHealth = Pick<WebhookEndpointStatus, 'health' | 'lastSuccessTime'>;

/**
 * For so long a status keeps an older `lastSuccessTime` while deliveries succeed: traffic must not
 * become writes to the API server, which is no store for metrics.
 */
const LAST_SUCCESS_KEPT_MS = 300_000;

/** What an endpoint's status should show of its deliveries; it shows `shown` now. */
export async function readEndpointHealth(
  { pool }: { pool: Pool },
  key: { id: string; namespace: string },
  shown: ShownHealth,
): Promise<ShownHealth> {
  const endpoint = await readEndpoint(pool, key);
  return endpoint ? healthToShow(endpoint, shown) : {};
}

/** Endpoints whose status should show something else by now. */
export async function listStaleEndpoints(deps: {
  pool: Pool;
  store: Pick<ResourceStore, 'get'>;
}): Promise<ObjectKey[]> {
  const stale: ObjectKey[] = [];
  for (const row of await listEndpointHealth(deps.pool)) {
    const shown: ShownHealth | undefined = (await deps.store.get('WebhookEndpoint', row))?.status;
    if (!shown) continue;
    const { health, lastSuccessTime } = healthToShow(row, shown);
    if (health !== shown.health || lastSuccessTime !== shown.lastSuccessTime) stale.push(row);
  }
  return stale;
}

function healthToShow(endpoint: HealthRow, shown: ShownHealth): ShownHealth {
  const { lastSuccessAt } = endpoint;
  const health = IN_STATUS[healthOf(endpoint)];
  if (lastSuccessAt === null) return { health };
  const shownAt = Date.parse(shown.lastSuccessTime ?? '');
  const isRecent = lastSuccessAt - shownAt < LAST_SUCCESS_KEPT_MS;
  const kept = isRecent ? shown.lastSuccessTime : undefined;
  return { health, lastSuccessTime: kept ?? rfc3339(lastSuccessAt) };
}
