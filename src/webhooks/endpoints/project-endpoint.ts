import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { endpointGone, recordEndpoint } from './audit-endpoint.ts';
import { requireRoom, type QuotaDeps } from '../../platform/declare/quota.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { WriteConflictError } from '../../platform/resources/resource-store.ts';
import { cancelDeliveries } from '../queue/delivery-endings.sql.ts';
import { openHeaders, sealedIfNew, sealHeaders, type Headers } from './endpoint-headers.ts';
import {
  adoptRestHeaders,
  deleteUndeclared,
  readSealedEndpoint,
  type SealedEndpoint,
  type SealedSecrets,
} from './endpoint-secrets.sql.ts';
import { openSecrets, sealSecrets, type SigningSecrets } from './signing-secrets.ts';
import {
  markEndpointDeleted,
  readEndpoint,
  updateEndpointCondition,
  upsertEndpoint,
  type EndpointProjection,
  type WebhookEndpointRow,
} from './webhook-endpoints.sql.ts';

type Declared = Omit<EndpointProjection, 'secret' | 'next' | 'headers'>;

const LOCKED = { lock: true };

export type EndpointToProject = {
  epoch: number;
  endpoint: Declared;
  whoElse: WhoElse;
  /**
   * Signing secrets. If the Secret is missing, this is null, and the secrets stored in the row stay in use. While the
   * row has no secrets either, the endpoint's deliveries wait.
   */
  secrets: SigningSecrets | null;
  /**
   * Declared headers. If a Secret with headers is missing, this is null, and the headers stored in the row stay in use.
   */
  headers: Headers | null;
  /** Headers that were set through REST and are missing from the row. */
  found?: Headers | undefined;
  /** Secrets in the row, read before the Secret of the declaration was read; undefined if there is no row. */
  stored: SealedEndpoint | undefined;
};

/**
 * Updates an endpoint's row to match its declaration, and wakes its waiting deliveries.
 * @throws WriteConflictError if the row's secrets changed since `stored` was read, because the API rotated them
 */
export async function projectEndpoint(
  deps: QuotaDeps & { pool: Pool; notifier: Notifier; sealer: Sealer },
  input: EndpointToProject,
): Promise<void> {
  const { endpoint, stored } = input;
  const sealed = sealIfNew(deps.sealer, input);
  const declared = stored?.declaredHeaders ?? null;
  const wanted = input.headers ?? openHeaders(deps.sealer, endpoint, declared);
  const headers = sealedIfNew(deps.sealer, endpoint, { headers: wanted, stored: declared });
  const isSealed = sealed === null && headers.sealed === declared && !stored?.hasPlainHeaders;
  const known = await readEndpoint(deps.pool, endpoint);
  const isDeclared = known && isDeepStrictEqual({ ...known, ...endpoint }, known);
  if (isDeclared && isSealed && input.found === undefined) return;
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await requireRoom(db, deps, 'webhook_endpoints', endpoint);
    // If the operator missed the deletion of an earlier object with the same name, the row of that object is marked as
    // deleted first.
    const replaced = await markEndpointDeleted(db, endpoint, endpoint.id);
    if (replaced !== undefined) await cancelDeliveries(db, replaced.id);
    if (sealed) {
      const now = await readSealedEndpoint(db, endpoint.id, LOCKED);
      if (!isDeepStrictEqual(now?.secrets ?? null, stored?.secrets ?? null)) {
        throw new WriteConflictError('the secrets of the endpoint were rotated at the same time');
      }
    }
    const { secret = null, next = null } = sealed ?? {};
    await upsertEndpoint(db, { ...endpoint, secret, ...(next && { next }), headers });
    await recordEndpoint(db, {
      row: known,
      endpoint,
      headerNames: known?.headerNames ?? headers.names,
      whoElse: input.whoElse,
    });
    if (input.found) {
      const { id } = endpoint;
      await adoptRestHeaders(db, { id, ...sealHeaders(deps.sealer, endpoint, input.found) });
    }
  });
  const { namespace, id, uid } = endpoint;
  tellProjected(deps, { resource: 'webhooks', namespace, id }, [uid]);
  deps.notifier.notify(CHANNELS.deliveries, [endpoint.id]);
}

/** Records why the latest declaration was rejected. The last valid declaration stays active. */
export async function refuseEndpoint(
  deps: { pool: Pool; notifier: Notifier },
  input: {
    epoch: number;
    endpoint: Pick<
      WebhookEndpointRow,
      'id' | 'namespace' | 'uid' | 'generation' | 'ready' | 'reason' | 'message'
    >;
  },
): Promise<void> {
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await updateEndpointCondition(db, input.endpoint);
  });
  const { namespace, id, uid } = input.endpoint;
  tellProjected(deps, { resource: 'webhooks', namespace, id }, [uid]);
}

/** Marks an endpoint as deleted after its declaration was deleted, and cancels its unfinished deliveries. */
export async function removeEndpoint(
  deps: { pool: Pool; notifier: Notifier; metrics: Pick<Metrics, 'deliveries'> },
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const removed = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const gone = await markEndpointDeleted(db, input);
    await deleteUndeclared(db, input);
    if (gone === undefined) return undefined;
    await recordUndeclared(db, {
      noun: 'webhook',
      namespace: input.namespace,
      target: fromUuid('we', gone.id),
      managedBy: gone.managedBy,
      ...endpointGone(gone),
    });
    return { id: gone.id, canceled: await cancelDeliveries(db, gone.id) };
  });
  if (!removed) return;
  const { id, canceled } = removed;
  if (canceled > 0) deps.metrics.deliveries.inc({ outcome: 'canceled' }, canceled);
  tellProjected(deps, { resource: 'webhooks', namespace: input.namespace, id });
}

/**
 * Encrypts (seals) the secrets. Returns null if the row has the same secrets already, because encrypting them again
 * would only change the bytes.
 */
function sealIfNew(
  sealer: Sealer,
  { endpoint, secrets, stored }: Pick<EndpointToProject, 'endpoint' | 'secrets' | 'stored'>,
): SealedSecrets | null {
  if (secrets === null) return null;
  const known = stored?.secrets && openSecrets(sealer, endpoint, stored.secrets);
  return isDeepStrictEqual(known, secrets) ? null : sealSecrets(sealer, endpoint, secrets);
}
