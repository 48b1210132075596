import type { Db } from '../platform/postgres/pool.ts';
import { encodeEnvelope, type Envelope } from './envelope.ts';
import type { EventType } from './event-types.ts';

/** Fields that may contain text from the conversation, by event type. Erasure replaces their values. */
const WORDS: Partial<Record<EventType, readonly string[]>> = {
  'conversation.transcript.ready': ['summary'],
  'escalation.requested': ['reason', 'summary'],
  'knowledge.gap.detected': ['question'],
};
/**
 * Fields that erasure removes. `user_id` and `metadata` identify the user and may be in any event of a conversation.
 * `judgement` repeats what the user wrote or said.
 */
const LEFT_OUT: readonly string[] = ['user_id', 'metadata', 'judgement'];

/** Options for erasing the events of a conversation. */
export type Erasing = {
  conversationId: string;
  /**
   * With `deliver`, pending deliveries of the changed events are still sent, but without the user's text (replaced by
   * `erased`) and without fields that identify the user. With `cancel`, `data` becomes `{}` and the pending deliveries
   * are not sent, because the delivery queue skips events with `erased_at`.
   */
  events: 'cancel' | 'deliver';
  erased: string;
};

/**
 * Removes the user's text, identifying fields and the trace ID from a conversation's events. Events without such text
 * and fields stay unchanged. Call it in the transaction that erases the conversation. Returns the IDs of the changed
 * events, which can no longer be replayed.
 */
export async function eraseEventsOf(
  db: Db,
  { conversationId, events, erased }: Erasing,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string; body: Buffer }>(
    `select id, body from events
      where conversation_id = $1 and erased_at is null and redacted_at is null
      order by id for update`,
    [conversationId],
  );
  const changed = rows.flatMap(({ id, body }) => {
    // The cast is safe, because `encodeEnvelope` wrote the body.
    const envelope = JSON.parse(body.toString()) as Envelope;
    const data = withoutWords(envelope, erased);
    if (!data) return [];
    return [{ id, body: withData(envelope, events === 'deliver' ? data : {}) }];
  });
  if (changed.length === 0) return [];
  const ids = changed.map(({ id }) => id);
  const column = events === 'deliver' ? 'redacted_at' : 'erased_at';
  await db.query(
    `update events e set body = n.body, traceparent = null, ${column} = now()
       from unnest($1::uuid[], $2::bytea[]) as n (id, body) where e.id = n.id`,
    [ids, changed.map(({ body }) => body)],
  );
  return ids;
}

/** Returns the data without the user's text and identifying fields, or undefined if it needs no change. */
function withoutWords({ type, data }: Envelope, erased: string): object | undefined {
  const words = WORDS[type] ?? [];
  const fields = Object.entries(data);
  const isKept = ([name]: [string, unknown]): boolean => !LEFT_OUT.includes(name);
  if (fields.every((field) => isKept(field) && !words.includes(field[0]))) return undefined;
  return Object.fromEntries(
    fields.filter(isKept).map(([name, value]) => [name, words.includes(name) ? erased : value]),
  );
}

/**
 * Replaces the data of an envelope. This is not done in SQL, because PostgreSQL's JSON functions reject text that
 * contains U+0000.
 */
function withData({ id, type, created }: Envelope, data: object): Buffer {
  // The cast is necessary, because an erased event has empty data, which no event type allows.
  return encodeEnvelope({ id, type, created, data } as unknown as Envelope);
}
