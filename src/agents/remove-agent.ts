import { deleteAgent, markAgentDeleted } from './agents.sql.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import { CHANNELS, type Notifier } from '../platform/postgres/notifications.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';

/**
 * The declaration is gone: the agent disappears. Its versions and activations stay, for what
 * points at them and for the day it comes back, unless it said `deletionPolicy: Delete`.
 * Repeatable.
 */
export async function removeAgent(
  deps: { pool: Pool; notifier: Notifier },
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const removed = await markAgentDeleted(db, input);
    if (removed?.spec.deletionPolicy === 'Delete') await deleteAgent(db, removed.id);
  });
  deps.notifier.notify(CHANNELS.projected, ['*']);
}
