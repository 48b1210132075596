import type { Pool } from '../store/pool.ts';
import { listEndpoints, type WebhookEndpointRow } from '../store/webhook-endpoints.ts';

/** Newest first; `before` is the id after which the page starts. */
export function listEndpointPage(
  { pool }: { pool: Pool },
  page: { namespace: string; before: string | null; limit: number },
): Promise<WebhookEndpointRow[]> {
  return listEndpoints(pool, page);
}
