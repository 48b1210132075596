import { noteKeyUse } from './api-keys.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/**
 * Records when API keys were last used, accurate to about a minute. A request only notes the use in memory, and `write`
 * stores it later. A crash loses unwritten uses, but nothing depends on them.
 */
export type KeyUse = {
  /** Notes in memory that a key was used. Never waits or throws. */
  note: (keyId: string) => void;
  /**
   * Stores all noted uses with one statement. A periodic job calls it. It always resolves to false, which means that
   * the job has no work left.
   */
  write: () => Promise<boolean>;
};

const EVERY_MS = 60_000;
const KNOWN_MAX = 10_000;

/** Creates the recorder. `onPending` is called when there is a use to write. */
export function createKeyUse(deps: {
  pool: Pool;
  nowMs: () => number;
  onPending: () => void;
}): KeyUse {
  const notedMs = new Map<string, number>();
  let pending = new Set<string>();
  return {
    note: (keyId) => {
      const nowMs = deps.nowMs();
      if (nowMs - (notedMs.get(keyId) ?? -Infinity) < EVERY_MS) return;
      if (notedMs.size >= KNOWN_MAX) notedMs.clear();
      notedMs.set(keyId, nowMs);
      pending.add(keyId);
      deps.onPending();
    },
    write: async () => {
      const ids = [...pending];
      pending = new Set();
      if (ids.length > 0) await noteKeyUse(deps.pool, ids);
      return false;
    },
  };
}
