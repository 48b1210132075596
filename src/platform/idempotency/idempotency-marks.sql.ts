import type { SealedColumn } from '../postgres/sealed-values.ts';
import type { Db } from '../postgres/pool.ts';
import type { MarkKey } from './plan.ts';

/**
 * Row of an idempotency record, which this code calls a mark. The row's encrypted ("sealed") columns are not decrypted
 * here.
 */
export type MarkRow = {
  token: string;
  request: Buffer;
  decision: Buffer | null;
  /** Stored response: empty if it was erased, or null if none exists yet. */
  answer: Buffer | null;
  plannedId: string;
  /** State according to the database's clock, which all processes share. */
  state: 'running' | 'finished' | 'abandoned' | 'expired';
};

export type NewMark = MarkKey & Pick<MarkRow, 'token' | 'request' | 'plannedId'>;

/** Inserts a record. Returns false if another request has already inserted a record for the same key. */
export async function insertMark(db: Db, mark: NewMark): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'insert_idempotency_mark',
    text: `insert into idempotency_marks (api_key_id, place_hash, token, request, planned_id)
           values ($1, $2, $3, $4, $5) on conflict do nothing`,
    values: [mark.apiKeyId, mark.hash, mark.token, mark.request, mark.plannedId],
  });
  return rowCount === 1;
}

export async function readMark(db: Db, key: MarkKey): Promise<MarkRow | undefined> {
  const { rows } = await db.query<MarkRow>({
    name: 'read_idempotency_mark',
    text: `select token, request, decision, answer, planned_id as "plannedId",
                  case when started_at < clock_timestamp() - interval '24 hours' then 'expired'
                       when answer is not null then 'finished'
                       when claimed_at < clock_timestamp() - interval '60 seconds' then 'abandoned'
                       else 'running' end as state
             from idempotency_marks where api_key_id = $1 and place_hash = $2`,
    values: [key.apiKeyId, key.hash],
  });
  return rows[0];
}

/**
 * Takes over the record of an unfinished request. The plan in the record (plan.ts) stays the same. Returns false if
 * another request took it over first.
 */
export async function takeMark(
  db: Db,
  key: MarkKey,
  token: { from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update idempotency_marks set token = $4, claimed_at = clock_timestamp()
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [key.apiKeyId, key.hash, token.from, token.to],
  );
  return rowCount === 1;
}

/**
 * Reuses the row of an expired record that has not been deleted yet. Returns false if another request reused it first.
 */
export async function replaceMark(db: Db, mark: NewMark, from: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update idempotency_marks
        set token = $4, request = $5, planned_id = $6, decision = null, answer = null,
            started_at = clock_timestamp(), claimed_at = clock_timestamp()
      where api_key_id = $1 and place_hash = $2 and token = $3`,
    [mark.apiKeyId, mark.hash, from, mark.token, mark.request, mark.plannedId],
  );
  return rowCount === 1;
}

/** A record that this process has claimed. The claim holds as long as the row of the record contains `token`. */
export type ClaimedMark = MarkKey & { token: string };

/**
 * Stores the response. Returns false if another request has taken over the record. `conversationIds` contains the
 * conversations whose messages may be in the response, and the calls whose phone numbers may be in it.
 */
export async function finishMark(
  db: Db,
  mark: ClaimedMark,
  { answer, conversationIds }: { answer: Buffer; conversationIds: readonly string[] },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'finish_idempotency_mark',
    text: `update idempotency_marks set answer = $4, conversation_ids = $5
            where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    values: [mark.apiKeyId, mark.hash, mark.token, answer, conversationIds],
  });
  return rowCount === 1;
}

/** Stores the plan's decision. Returns false if another request has taken over the record. */
export async function writeDecision(db: Db, mark: ClaimedMark, decision: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `update idempotency_marks set decision = $4
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token, decision],
  );
  return rowCount === 1;
}

/**
 * Lets the next request with the same `Idempotency-Key` take over the record immediately. The row stays, because that
 * request needs the plan in the row.
 */
export async function abandonMark(db: Db, mark: ClaimedMark): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = '-infinity'
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token],
  );
}

/** Records that the request is still in progress, so that no other request takes over its record. */
export async function renewMark(db: Db, mark: ClaimedMark): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = clock_timestamp()
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token],
  );
}

/**
 * Lets the next request with the same `Idempotency-Key` take over immediately. Called when the process that handled the
 * first request is known to have ended.
 */
export async function abandonLostMark(db: Db, key: MarkKey, plannedId: string): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = '-infinity'
      where api_key_id = $1 and place_hash = $2 and planned_id = $3 and answer is null`,
    [key.apiKeyId, key.hash, plannedId],
  );
}

/**
 * Empties stored responses that may contain messages of a conversation or phone numbers of a call. The rows stay, and
 * still show that the requests got a response.
 */
export async function eraseAnswersAbout(db: Db, id: string): Promise<void> {
  await db.query(
    `update idempotency_marks set answer = '', conversation_ids = '{}'
      where conversation_ids @> array[$1::uuid] and conversation_ids <> '{}'`,
    [id],
  );
}

const OLD = `started_at < now() - interval '24 hours'`;

export async function hasOldMark(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(`select from idempotency_marks where ${OLD} limit 1`);
  return rowCount === 1;
}

/** Deletes up to `limit` expired records and returns their number. Several processes may do this at the same time. */
export async function deleteOldMarks(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from idempotency_marks where ctid = any(array(
       select ctid from idempotency_marks
        where ${OLD}
        order by started_at limit $1 for update skip locked))`,
    [limit],
  );
  return rowCount ?? 0;
}

/**
 * Returns a string that identifies the location of a record's encrypted columns. Each value is authenticated together
 * with this string, so that a value copied into a different row cannot be decrypted (sealing.ts).
 */
export function markPlace({ apiKeyId, hash }: MarkKey): string {
  return `idempotency:${apiKeyId}/${hash.toString('hex')}`;
}

/** Encrypted columns of a record: the request, the plan's decision and the response. */
export const SEALED_MARK_COLUMNS: readonly SealedColumn[] = ['request', 'decision', 'answer'].map(
  (value) => ({
    table: 'idempotency_marks',
    value,
    assign: (bytes) => `${value} = ${bytes}`,
    key: [
      ['api_key_id', 'uuid'],
      ['place_hash', 'bytea'],
    ],
    with: [],
    place: ({ api_key_id: apiKeyId = '', place_hash: hash = '' }) =>
      // PostgreSQL writes bytes as `\x` followed by hex digits.
      markPlace({ apiKeyId, hash: Buffer.from(hash.slice(2), 'hex') }),
    where: 'true',
  }),
);
