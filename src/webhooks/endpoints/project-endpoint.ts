import { isDeepStrictEqual } from 'node:util';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { WriteConflictError } from '../../platform/resources/resource-store.ts';
import { cancelDeliveries } from '../queue/delivery-endings.sql.ts';
import { openSecrets, sealSecrets, type SigningSecrets } from './signing-secrets.ts';
import {
  markEndpointDeleted,
  readEndpoint,
  readSealedSecrets,
  updateEndpointCondition,
  upsertEndpoint,
  type EndpointProjection,
  type SealedSecrets,
  type WebhookEndpointRow,
} from './webhook-endpoints.sql.ts';

type Declared = Omit<EndpointProjection, 'secret' | 'next'>;

const LOCKED = { lock: true };

/**
 * Brings an endpoint's row in line with what is declared and wakes what waits for it. `secrets`
 * null (its Secret is missing) keeps the last ones; deliveries of an endpoint that never had one
 * wait. `stored`: what the row had before the Secret was read.
 * @throws WriteConflictError when the row has other secrets by now: the API has rotated them, and
 * what was read of the Secret may be from before that
 */
export async function projectEndpoint(
  deps: { pool: Pool; notifier: Notifier; sealer: Sealer },
  input: {
    epoch: number;
    endpoint: Declared;
    secrets: SigningSecrets | null;
    stored: SealedSecrets | null;
  },
): Promise<void> {
  const { endpoint, stored } = input;
  const sealed = sealIfNew(deps.sealer, input);
  const known = await readEndpoint(deps.pool, endpoint);
  if (known && sealed === null && isDeepStrictEqual({ ...known, ...endpoint }, known)) return;
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    // Another object had this name before and its deletion was not seen: that one goes first.
    const replaced = await markEndpointDeleted(db, endpoint, endpoint.id);
    if (replaced !== undefined) await cancelDeliveries(db, replaced);
    if (sealed && !isDeepStrictEqual(await readSealedSecrets(db, endpoint.id, LOCKED), stored)) {
      throw new WriteConflictError('its secrets were rotated meanwhile');
    }
    const { secret = null, next = null } = sealed ?? {};
    await upsertEndpoint(db, { ...endpoint, secret, ...(next && { next }) });
  });
  deps.notifier.notify(CHANNELS.projected, [endpoint.uid]);
  deps.notifier.notify(CHANNELS.deliveries, [endpoint.id]);
}

/** Notes why the latest declaration is not in force; the last good one stays in force. */
export async function refuseEndpoint(
  deps: { pool: Pool; notifier: Notifier },
  input: {
    epoch: number;
    endpoint: Pick<
      WebhookEndpointRow,
      'id' | 'uid' | 'generation' | 'ready' | 'reason' | 'message'
    >;
  },
): Promise<void> {
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await updateEndpointCondition(db, input.endpoint);
  });
  deps.notifier.notify(CHANNELS.projected, [input.endpoint.uid]);
}

/** The declaration is gone: hides the endpoint and cancels what is on its way to it. */
export async function removeEndpoint(
  deps: { pool: Pool; notifier: Notifier; metrics: Pick<Metrics, 'deliveries'> },
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const canceled = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const id = await markEndpointDeleted(db, input);
    return id === undefined ? 0 : cancelDeliveries(db, id);
  });
  if (canceled > 0) deps.metrics.deliveries.inc({ outcome: 'canceled' }, canceled);
  deps.notifier.notify(CHANNELS.projected, ['*']);
}

/** Null when the row has these secrets already: sealing them again would only change its bytes. */
function sealIfNew(
  sealer: Sealer,
  {
    endpoint,
    secrets,
    stored,
  }: { endpoint: Declared; secrets: SigningSecrets | null; stored: SealedSecrets | null },
): SealedSecrets | null {
  if (secrets === null) return null;
  const same = stored !== null && isDeepStrictEqual(openSecrets(sealer, endpoint, stored), secrets);
  return same ? null : sealSecrets(sealer, endpoint, secrets);
}
