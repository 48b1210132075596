import { markAgentDeleted } from '../store/agents.ts';
import { assertLeader } from '../store/leadership.ts';
import { CHANNELS, type Notifier } from '../store/notifications.ts';
import type { Pool } from '../store/pool.ts';
import { inTransaction } from '../store/transaction.ts';

/** The declaration is gone: the agent disappears, its versions and activations stay. Repeatable. */
export async function removeAgent(
  deps: { pool: Pool; notifier: Notifier },
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await markAgentDeleted(db, input);
  });
  deps.notifier.notify(CHANNELS.projected, ['*']);
}
