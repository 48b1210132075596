import { ApiError } from '../errors.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readEvent, type EventRow } from './events.sql.ts';

/** @throws ApiError not_found, for another namespace's id too */
export async function requireEvent(
  { pool }: { pool: Pool },
  key: { namespace: string; id: string },
): Promise<EventRow> {
  const event = await readEvent(pool, key);
  if (!event) throw new ApiError('not_found', 'there is no such event');
  return event;
}
