import { eraseEventsOf } from '../../events/erase-events.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { eraseDeliveriesOf } from '../queue/delivery-endings.sql.ts';

/**
 * Takes the words of a conversation out of its events and their deliveries: what is still on its way is
 * canceled, and what receivers answered is forgotten. In the transaction that erases the conversation.
 */
export async function eraseEvents(
  db: Db,
  about: { conversationId: string },
): Promise<{ erased: number; canceled: number }> {
  const ids = await eraseEventsOf(db, about);
  return { erased: ids.length, canceled: await eraseDeliveriesOf(db, ids) };
}
