import type { Db } from '../../platform/postgres/pool.ts';

/** Properties of a conversation that the feedback page shows. */
export type RatedConversation = { namespace: string; csat: number | null; agentName: string };

/** Returns a conversation for the feedback page; undefined if it was erased or never existed. */
export async function readRatedConversation(
  db: Db,
  id: string,
): Promise<RatedConversation | undefined> {
  const { rows } = await db.query<RatedConversation>({
    name: 'read_rated_conversation',
    text: `select c.namespace, c.csat, coalesce(a.spec ->> 'displayName', a.name) as "agentName"
             from conversations c join agents a on a.id = c.agent_id
            where c.id = $1 and c.deleted_at is null`,
    values: [id],
  });
  return rows[0];
}
