import { createRemembering } from '../platform/controller/remembering.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { endpointOf, endpointOfSettings, type ModelSettings } from './model-endpoint.ts';
import { DEFAULT_PROVIDER } from './model-provider.ts';
import { secretPlace } from '../kinds/kind-rows.sql.ts';
import { MODEL_PROVIDER_KIND } from './model-provider.kind.ts';
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

const REMEMBERED_MAX = 1_000;

/** `id`: uuid of the row; without: there is none. */
type Found = { id?: string; endpoint?: ModelEndpoint };
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
  const known = createRemembering<Found>({ max: REMEMBERED_MAX, nowMs });
  return {
    find: async (namespace, name) => {
      if (name === undefined || name === DEFAULT_PROVIDER) return byDefault;
      const found = await known.find(`${namespace}/${name}`, () => read(deps, namespace, name));
      return found.endpoint;
    },
    // One that was missing may have come, under an id that nobody knew.
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
