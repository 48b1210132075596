import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../clock.ts';
import {
  readToolSecrets,
  toolSecretPlace,
  type SecretRef,
} from '../../agents/tools/tool-secrets.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';

/**
 * Returns the values of the Secrets that a tool names, without surrounding white space, or undefined for Secrets that
 * do not exist.
 */
export type FindToolSecrets = (
  agent: { namespace: string; agentId: string },
  refs: readonly SecretRef[],
) => Promise<(string | undefined)[]>;

/** Time in ms for which a decrypted value is cached. A changed Secret takes effect with at most this delay. */
const KEPT_MS = 1_000;

/**
 * Creates the lookup of secrets. It costs at most one query per second and tool, and none for calls without secrets.
 */
export function createFindToolSecrets(deps: {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
}): FindToolSecrets {
  const kept = new LRUCache<string, string>({
    max: 1_000,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: monotonicMs },
  });

  return async (agent, refs) => {
    const places = refs.map((ref) => toolSecretPlace({ ...agent, ...ref }));
    const known = places.map((place) => kept.get(place));
    if (known.every((value) => value !== undefined)) return known;
    const rows = await readToolSecrets(deps.pool, { ...agent, refs });
    return refs.map((ref, at) => {
      const place = places[at]!;
      const sealed = rows.find(({ name, key }) => name === ref.name && key === ref.key)?.value;
      if (!sealed) return undefined;
      const value = deps.sealer.open(sealed, place).trim();
      kept.set(place, value);
      return value;
    });
  };
}
