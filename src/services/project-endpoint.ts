import { isDeepStrictEqual } from 'node:util';
import { cancelDeliveries } from '../store/delivery-queue.ts';
import { assertLeader } from '../store/leadership.ts';
import { CHANNELS, type Notifier } from '../store/notifications.ts';
import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { inTransaction } from '../store/transaction.ts';
import {
  endpointSecretPlace,
  markEndpointDeleted,
  readEndpoint,
  readSealedSecret,
  upsertEndpoint,
  type EndpointProjection,
} from '../store/webhook-endpoints.ts';

/**
 * Brings an endpoint's row in line with what is declared and wakes what waited for it. A
 * `secret` of null (its Secret is missing) keeps the last one; deliveries of an endpoint that
 * never had one wait for it.
 */
export async function projectEndpoint(
  deps: { pool: Pool; notifier: Notifier; sealer: Sealer },
  input: { epoch: number; endpoint: Omit<EndpointProjection, 'secret'>; secret: string | null },
): Promise<void> {
  const { endpoint } = input;
  const sealed = await sealIfNew(deps, input);
  const known = await readEndpoint(deps.pool, endpoint);
  if (known && sealed === null && isDeepStrictEqual({ ...known, ...endpoint }, known)) return;
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    // Deleted and made anew under its name before we looked: the old one goes first.
    const replaced = await markEndpointDeleted(db, endpoint, endpoint.id);
    if (replaced !== undefined) await cancelDeliveries(db, replaced);
    await upsertEndpoint(db, { ...endpoint, secret: sealed });
  });
  deps.notifier.notify(CHANNELS.projected, [endpoint.uid]);
  deps.notifier.notify(CHANNELS.deliveries, [endpoint.id]);
}

/** Null when the row already holds this secret: sealing again would only change its bytes. */
async function sealIfNew(
  deps: { pool: Pool; sealer: Sealer },
  { endpoint, secret }: { endpoint: Omit<EndpointProjection, 'secret'>; secret: string | null },
): Promise<Buffer | null> {
  if (secret === null) return null;
  const place = endpointSecretPlace(endpoint.namespace, endpoint.id);
  const stored = await readSealedSecret(deps.pool, endpoint.id);
  const same = stored !== null && deps.sealer.open(stored, place) === secret;
  return same ? null : deps.sealer.seal(secret, place);
}
