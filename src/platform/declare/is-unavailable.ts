import { isUnavailable } from '../postgres/pool.ts';

/** Whether an error means that the database is away or restarting: a repeat may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isUnavailable(error);
}
