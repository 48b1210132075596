import { ApiError } from '../../errors.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { readDelivery, type DeliveryRow } from '../queue/deliveries.sql.ts';

/** @throws ApiError not_found, for another namespace's id too */
export async function requireDelivery(
  { pool }: { pool: Pool },
  key: { namespace: string; id: string },
): Promise<DeliveryRow> {
  const delivery = await readDelivery(pool, key);
  if (!delivery) throw new ApiError('not_found', 'there is no such delivery');
  return delivery;
}
