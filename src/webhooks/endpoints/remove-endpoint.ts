import type { Metrics } from '../../platform/observability/metrics.ts';
import { cancelDeliveries } from '../queue/delivery-endings.sql.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { markEndpointDeleted } from './webhook-endpoints.sql.ts';

/** The declaration is gone: the endpoint disappears and what was on its way to it is canceled. */
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
