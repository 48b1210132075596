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

type Told = Pick<WebhookEndpointStatus, 'health' | 'lastSuccessTime'>;

/**
 * For so long a status keeps an older `lastSuccessTime` while deliveries go well: the traffic must
 * not become writes to the API server, which is no store for metrics.
 */
const LAST_SUCCESS_KEPT_MS = 300_000;

/** What an endpoint's status is to show of its deliveries, after it has shown `told`. */
export async function readEndpointHealth(
  { pool }: { pool: Pool },
  key: { id: string; namespace: string },
  told: Told,
): Promise<Told> {
  const endpoint = await readEndpoint(pool, key);
  return endpoint ? toldOf(endpoint, told) : {};
}

/** Endpoints whose status would show something else now; `toldOf` answers what it shows. */
export async function listStaleEndpoints({
  pool,
  store,
}: {
  pool: Pool;
  store: Pick<ResourceStore, 'get'>;
}): Promise<ObjectKey[]> {
  const stale: ObjectKey[] = [];
  for (const row of await listEndpointHealth(pool)) {
    const told: Told | undefined = (await store.get('WebhookEndpoint', row))?.status;
    if (!told) continue;
    const { health, lastSuccessTime } = toldOf(row, told);
    if (health !== told.health || lastSuccessTime !== told.lastSuccessTime) stale.push(row);
  }
  return stale;
}

function toldOf(endpoint: HealthRow, told: Told): Told {
  const { lastSuccessAt } = endpoint;
  const health = IN_STATUS[healthOf(endpoint)];
  if (lastSuccessAt === null) return { health };
  const toldAt = Date.parse(told.lastSuccessTime ?? '');
  const isRecent = lastSuccessAt - toldAt < LAST_SUCCESS_KEPT_MS;
  const kept = isRecent ? told.lastSuccessTime : undefined;
  return { health, lastSuccessTime: kept ?? rfc3339(lastSuccessAt) };
}
