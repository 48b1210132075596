import { ApiError, found } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { readDelivery, type DeliveryRow } from '../queue/deliveries.sql.ts';
import { lockQueued, makeDue } from '../queue/retry-now.sql.ts';

export type RetryDeliveryDeps = { pool: Pool; notifier: Pick<Notifier, 'notify'> };

/**
 * Makes a waiting delivery due now (contract/deliveries.md#retry). The delivery ignores the circuit breaker of its
 * endpoint and the receiver's `Retry-After`. Any delivery process may claim it. Its schedule and its 72 h deadline do
 * not change. If an attempt is running, the delivery is returned unchanged.
 * @throws ApiError not_found, delivery_finished (or past its 72 h), endpoint_disabled
 */
export async function retryDelivery(
  deps: RetryDeliveryDeps,
  key: { namespace: string; id: string },
  beforeCommit: CommitHook<DeliveryRow> = noCommitHook,
): Promise<DeliveryRow> {
  const delivery = await inTransaction(deps.pool, async (db) => {
    const queued = await lockQueued(db, key);
    if (!queued || (queued.isOver && !queued.isLeased)) throw await finished(db, key);
    if (!queued.isLeased) {
      if (!queued.isEnabled) {
        throw new ApiError('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
      }
      await makeDue(db, key.id);
    }
    const row = found(await readDelivery(db, key), 'delivery');
    await beforeCommit(db, row);
    return row;
  });
  deps.notifier.notify(CHANNELS.deliveries, [delivery.endpointId]);
  return delivery;
}

async function finished(db: Db, key: { namespace: string; id: string }): Promise<ApiError> {
  const { status, eventId } = found(await readDelivery(db, key), 'delivery');
  const isOver = status === 'pending' || status === 'retrying';
  const why = isOver
    ? 'The delivery has passed its 72-hour deadline'
    : `The delivery is already ${status}`;
  const again = `POST /v1/events/${fromUuid('evt', eventId)}/replay`;
  const detail = `${why}. To send the event again as a new delivery, use ${again}.`;
  return new ApiError('delivery_finished', detail);
}
