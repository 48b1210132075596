import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { endpointOf, endpointOfSettings, type ModelSettings } from './model-endpoint.ts';
import { DEFAULT_PROVIDER } from './model-provider.ts';
import { findInForce, providerKeyPlace } from './model-providers.sql.ts';
import type { FindEndpoint, ModelEndpoint } from './model.ts';

/**
 * The providers that turns ask for, remembered by one process: an operator's change is used as soon as
 * it is told of (`look`), and within a second when that notification is lost.
 */
export type Endpoints = {
  /**
   * No query while it is remembered. An endpoint that did not change is the same object as before.
   * @throws Error when the key was sealed with another PARLEY_ENCRYPTION_KEY
   */
  find: FindEndpoint;
  /** These providers (uuids; `*`: all) were projected, or something else was. */
  look: (ids: readonly string[]) => void;
};

/** From then on it is read again beside the turn that asks, which does not wait. */
const FRESH_MS = 500;
/** From then on a turn waits for the query. */
const REMEMBER_MS = 1_000;
const REMEMBERED_MAX = 1_000;

/** `id`: uuid of the row; undefined: there is none. `isOver`: kept only to be compared with. */
type Remembered = {
  id: string | undefined;
  found: ModelEndpoint | undefined;
  askedMs: number;
  isOver: boolean;
};
type Deps = {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  /** Undefined: there is no default provider. */
  settings: ModelSettings | undefined;
  /** Monotonic. */
  nowMs: () => number;
};

export function createEndpoints(deps: Deps): Endpoints {
  const { nowMs, settings } = deps;
  const byDefault = settings && endpointOfSettings(settings);
  const known = new LRUCache<string, Remembered>({ max: REMEMBERED_MAX });
  const asking = new Map<string, { times: number; answer: Promise<ModelEndpoint | undefined> }>();
  let timesChanged = 0;

  const ask = (namespace: string, name: string): Promise<ModelEndpoint | undefined> => {
    const place = `${namespace}/${name}`;
    const times = timesChanged;
    const underWay = asking.get(place);
    // One that began before a change may have read what was before it.
    if (underWay?.times === times) return underWay.answer;
    const askedMs = nowMs(); // From before the query: what changes meanwhile is not kept longer.
    const answer = read(deps, namespace, name)
      .then(({ id, endpoint }) => {
        const before = known.get(place)?.found;
        const found = isDeepStrictEqual(before, endpoint) ? before : endpoint;
        if (times === timesChanged) known.set(place, { id, found, askedMs, isOver: false });
        return found;
      })
      .finally(() => {
        if (asking.get(place)?.answer === answer) asking.delete(place);
      });
    asking.set(place, { times, answer });
    return answer;
  };

  return {
    find: async (namespace, name) => {
      if (name === undefined || name === DEFAULT_PROVIDER) return byDefault;
      const remembered = known.get(`${namespace}/${name}`);
      const ageMs = remembered && !remembered.isOver ? nowMs() - remembered.askedMs : Infinity;
      if (!remembered || ageMs >= REMEMBER_MS) return ask(namespace, name);
      // A failure shows when somebody has to wait for it.
      if (ageMs >= FRESH_MS) ask(namespace, name).catch(() => undefined);
      return remembered.found;
    },
    look: (ids) => {
      timesChanged += 1;
      for (const entry of known.values()) {
        // One that was missing may have come, under an id that nobody knew.
        const isMeant = ids.includes('*') || entry.id === undefined || ids.includes(entry.id);
        if (isMeant) entry.isOver = true;
      }
    },
  };
}

async function read(
  { pool, sealer }: Pick<Deps, 'pool' | 'sealer'>,
  namespace: string,
  name: string,
): Promise<{ id?: string; endpoint?: ModelEndpoint }> {
  const row = await findInForce(pool, { namespace, name });
  if (row === undefined) return {};
  const { id, spec, apiKey } = row;
  const key = apiKey && sealer.open(apiKey, providerKeyPlace(namespace, id));
  return { id, endpoint: endpointOf(name, spec, key ?? undefined) };
}
