import { findApiKey, type ApiKey } from './api-keys.sql.ts';
import type { Authenticate } from '../platform/http/authorize.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/** How long a revoked or expired key may go on working in this process. */
const REMEMBER_MS = 1_000;
const REMEMBERED_MAX = 1_000;

/**
 * Whom an API key belongs to. Remembered for a second, so that a busy caller costs a statement a
 * second and not one per request. Wrong keys are not remembered: a new key works at once.
 */
export function createAuthenticate(deps: {
  pool: Pool;
  nowMs: () => number;
  onUsed: (keyId: string) => void;
}): Authenticate {
  const known = new Map<string, { key: ApiKey; untilMs: number }>();
  return async (text) => {
    const nowMs = deps.nowMs();
    const remembered = known.get(text);
    if (remembered && remembered.untilMs > nowMs) {
      deps.onUsed(remembered.key.id);
      return remembered.key;
    }
    known.delete(text);
    const key = await findApiKey(deps.pool, text);
    if (!key) return undefined;
    if (known.size >= REMEMBERED_MAX) known.clear();
    // Counted from before the query: a key revoked meanwhile is not remembered longer.
    known.set(text, { key, untilMs: nowMs + REMEMBER_MS });
    deps.onUsed(key.id);
    return key;
  };
}
