import { findApiKey, type ApiKey } from '../store/api-keys.ts';
import type { Pool } from '../store/pool.ts';

export type Authenticate = (key: string) => Promise<ApiKey | undefined>;

/** How long a revoked key may go on working in this process. */
const REMEMBER_MS = 1_000;
const REMEMBERED_MAX = 1_000;

/**
 * Who an API key belongs to. Remembered for a second, so that a busy caller costs a statement a
 * second and not one a request. Wrong keys are not remembered: a new key works at once.
 */
export function createAuthenticate(deps: { pool: Pool; nowMs: () => number }): Authenticate {
  const known = new Map<string, { key: ApiKey; untilMs: number }>();
  return async (text) => {
    const remembered = known.get(text);
    if (remembered && remembered.untilMs > deps.nowMs()) return remembered.key;
    known.delete(text);
    const key = await findApiKey(deps.pool, text);
    if (!key) return undefined;
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(text, { key, untilMs: deps.nowMs() + REMEMBER_MS });
    return key;
  };
}
