import type { WebhookEndpointStatus } from '../resources/webhook-endpoint.ts';
import { readEndpoint, type WebhookEndpointRow } from '../store/webhook-endpoints.ts';
import type { Pool } from '../store/pool.ts';

export type EndpointHealth = 'healthy' | 'failing' | 'disabled';

/** How the latest deliveries to an endpoint went (contract §4). */
export function healthOf(endpoint: WebhookEndpointRow): EndpointHealth {
  if (!endpoint.enabled) return 'disabled';
  const { lastFailureAt, lastSuccessAt } = endpoint;
  return lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? -Infinity)
    ? 'failing'
    : 'healthy';
}

const IN_STATUS = { healthy: 'Healthy', failing: 'Failing', disabled: 'Disabled' } as const;

/**
 * The health an endpoint's status shows. As of this reconcile only: the traffic writes no
 * status, because the API server is no store for metrics.
 */
export async function readEndpointHealth(
  { pool }: { pool: Pool },
  key: { id: string; namespace: string },
): Promise<Pick<WebhookEndpointStatus, 'health'>> {
  const endpoint = await readEndpoint(pool, key);
  return endpoint ? { health: IN_STATUS[healthOf(endpoint)] } : {};
}
