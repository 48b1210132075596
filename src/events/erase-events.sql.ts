import type { Db } from '../platform/postgres/pool.ts';
import { encodeEnvelope, type Envelope } from './envelope.ts';
import type { EventType } from './event-types.ts';

/** Fields that hold what people said. */
const WORDS: Partial<Record<EventType, readonly string[]>> = {
  'conversation.transcript.ready': ['summary'],
  'escalation.requested': ['reason', 'summary'],
  'knowledge.gap.detected': ['question'],
};
/** Left out: what says who somebody is, which any event of a conversation may have, and what has words in it. */
const LEFT_OUT: readonly string[] = ['user_id', 'metadata', 'judgement'];

/** What becomes of the events of a conversation that is erased. */
export type Erasing = {
  conversationId: string;
  /**
   * `deliver`: what is not delivered yet goes on, with `erased` where words were and without what
   * says whose it was. `cancel`: `data` becomes `{}`, and nothing of it is sent (the claim looks at
   * `erased_at`).
   */
  events: 'cancel' | 'deliver';
  erased: string;
};

/**
 * Takes the words out of a conversation's events, and what says whose it was, the trace that leads to
 * it too; one that has none of either stays as it is. Call it in the transaction that erases the conversation. Returns the
 * events it changed, none of which can be replayed.
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
    // We encoded it (events/envelope.ts).
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

/** undefined: there is nothing to take out. */
function withoutWords({ type, data }: Envelope, erased: string): object | undefined {
  const words = WORDS[type] ?? [];
  const fields = Object.entries(data);
  const isKept = ([name]: [string, unknown]): boolean => !LEFT_OUT.includes(name);
  if (fields.every((field) => isKept(field) && !words.includes(field[0]))) return undefined;
  return Object.fromEntries(
    fields.filter(isKept).map(([name, value]) => [name, words.includes(name) ? erased : value]),
  );
}

/** Not in SQL: PostgreSQL's JSON functions refuse words that hold U+0000. */
function withData({ id, type, created }: Envelope, data: object): Buffer {
  // No type has empty data; what is erased has none.
  return encodeEnvelope({ id, type, created, data } as unknown as Envelope);
}
