import { ApiError } from '../errors.ts';
import {
  CALL_STATUSES,
  DIRECTIONS,
  listCalls,
  readCall,
  type CallFilter,
  type CallRow,
} from './calls.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

export { CALL_STATUSES, DIRECTIONS, type CallRow };

/** @throws ApiError not_found, for another namespace's id too */
export async function requireCall(
  { pool }: { pool: Pool },
  key: { namespace: string; id: string },
): Promise<CallRow> {
  const call = await readCall(pool, key);
  if (!call) throw new ApiError('not_found', 'there is no such call');
  return call;
}

/** Newest first. */
export function listCallPage({ pool }: { pool: Pool }, filter: CallFilter): Promise<CallRow[]> {
  return listCalls(pool, filter);
}
