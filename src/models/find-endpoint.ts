import { createRemembering } from '../platform/controller/remembering.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { endpointOf, endpointOfSettings, type ModelSettings } from './model-endpoint.ts';
import { DEFAULT_PROVIDER } from './model-provider.ts';
import { secretPlace } from '../kinds/kind-rows.sql.ts';
import { MODEL_PROVIDER_KIND } from './model-provider.kind.ts';
import type { FindEndpoint, ModelEndpoint } from './model.ts';

/**
 * Cache of the model providers that conversation turns use. A change by the operator takes effect when its notification
 * arrives (`look`), or within a second if the notification is lost.
 */
export type Endpoints = {
  /**
   * Finds a provider. Runs a query only if the provider is not cached, and returns the same object as long as the
   * endpoint is unchanged.
   * @throws Error if the key was encrypted (sealed) with another PARLEY_ENCRYPTION_KEY
   */
  find: FindEndpoint;
  /** Removes changed providers from the cache. The ids are UUIDs, and `*` stands for all. */
  look: (ids: readonly string[]) => void;
};

const REMEMBERED_MAX = 1_000;

/** Cached result. `id` is the UUID of the provider's row; it is missing if the provider does not exist. */
type Found = { id?: string; endpoint?: ModelEndpoint };
type Deps = {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  /** Settings of the default provider; `undefined` if none exists. */
  settings: ModelSettings | undefined;
  /** Monotonic clock. */
  nowMs: () => number;
};

export function createEndpoints(deps: Deps): Endpoints {
  const { nowMs, settings } = deps;
  const byDefault = settings && endpointOfSettings(settings);
  const known = createRemembering<Found>({ max: REMEMBERED_MAX, nowMs });
  return {
    find: async (namespace, name) => {
      if (name === undefined || name === DEFAULT_PROVIDER) return byDefault;
      const found = await known.find(`${namespace}/${name}`, () => read(deps, namespace, name));
      return found.endpoint;
    },
    // Cached misses have no id and are always dropped, because the provider may have been created since.
    look: (ids) =>
      known.forget(({ id }) => ids.includes('*') || id === undefined || ids.includes(id)),
  };
}

async function read(
  { pool, sealer }: Pick<Deps, 'pool' | 'sealer'>,
  namespace: string,
  name: string,
): Promise<Found> {
  const row = await MODEL_PROVIDER_KIND.rows.findActive(pool, { namespace, name });
  if (row === undefined) return {};
  const { id, spec, secret } = row;
  const key = secret && sealer.open(secret, secretPlace(MODEL_PROVIDER_KIND, { namespace, id }));
  return { id, endpoint: endpointOf(name, spec, key ?? undefined) };
}
