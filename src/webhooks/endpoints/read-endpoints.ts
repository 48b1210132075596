import type { Pool } from '../../platform/postgres/pool.ts';
import {
  listEndpoints,
  type EndpointFilter,
  type WebhookEndpointRow,
} from './webhook-endpoints.sql.ts';

/** Newest first; `before` is the id after which the page starts. */
export function listEndpointPage(
  { pool }: { pool: Pool },
  page: EndpointFilter,
): Promise<WebhookEndpointRow[]> {
  return listEndpoints(pool, page);
}
