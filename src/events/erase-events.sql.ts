import type { Db } from '../platform/postgres/pool.ts';
import { encodeEnvelope, type Envelope } from './envelope.ts';
import type { EventType } from './event-types.ts';

/** Types whose data holds what people said or who they are. */
export const TYPES_WITH_WORDS: readonly EventType[] = [
  'conversation.started', // When it names the user.
  'conversation.transcript.ready',
  'escalation.requested',
  'knowledge.gap.detected',
];

/**
 * Takes the words out of a conversation's events: `data` becomes `{}`, and a delivery queued
 * meanwhile finds nothing to send (the claim looks at `erased_at`). Call it in the transaction that
 * erases the conversation. Returns the events it erased.
 */
export async function eraseEventsOf(
  db: Db,
  { conversationId }: { conversationId: string },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string; body: Buffer }>(
    `select id, body from events
      where conversation_id = $1 and type = any($2) and erased_at is null
      order by id for update`,
    [conversationId, TYPES_WITH_WORDS],
  );
  const erased = rows.flatMap(({ id, body }) => {
    // We encoded it (events/envelope.ts).
    const envelope = JSON.parse(body.toString()) as Envelope;
    if (envelope.type === 'conversation.started' && !('user_id' in envelope.data)) return [];
    return [{ id, body: withoutData(envelope) }];
  });
  if (erased.length === 0) return [];
  const ids = erased.map(({ id }) => id);
  await db.query(
    `update events e set body = n.body, erased_at = now()
       from unnest($1::uuid[], $2::bytea[]) as n (id, body) where e.id = n.id`,
    [ids, erased.map(({ body }) => body)],
  );
  return ids;
}

/** Not in SQL: PostgreSQL's JSON functions refuse words that hold U+0000. */
function withoutData({ id, type, created }: Envelope): Buffer {
  // No type has empty data; what is erased has none.
  return encodeEnvelope({ id, type, created, data: {} } as unknown as Envelope);
}
