import { assertLeader } from '../../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { updateEndpointCondition, type WebhookEndpointRow } from './webhook-endpoints.sql.ts';

/** Says why the latest declaration of an endpoint is not in force; the last good one goes on. */
export async function holdEndpoint(
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
