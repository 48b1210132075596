import type { SealedColumn } from '../postgres/sealed-values.ts';
import type { Db } from '../postgres/pool.ts';
import type { MarkKey } from './plan.ts';

/** Row of a mark. Sealed columns stay sealed here. */
export type MarkRow = {
  token: string;
  request: Buffer;
  decision: Buffer | null;
  /** Empty if the answer was erased. */
  answer: Buffer | null;
  plannedId: string;
  /** State by the database's clock, the only one that all processes share. */
  state: 'running' | 'finished' | 'abandoned' | 'expired';
};

export type NewMark = MarkKey & Pick<MarkRow, 'token' | 'request' | 'plannedId'>;

/** Returns false if there is a mark already, because another request was first. */
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

/** Takes over an unfinished mark and keeps its plan. Returns false if another request was faster. */
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

/** Replaces an expired mark that has not been removed yet. */
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

/** A mark that belongs to this process while its token is `token`. */
export type ClaimedMark = MarkKey & { token: string };

/**
 * Stores the answer. Returns false if the mark now belongs to another request. `conversationIds` are the conversations
 * whose words the answer may hold.
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

/** Stores the decision. Returns false if the mark now belongs to another request. */
export async function writeDecision(db: Db, mark: ClaimedMark, decision: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `update idempotency_marks set decision = $4
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token, decision],
  );
  return rowCount === 1;
}

/** Lets the next request take over immediately. The row stays because of its plan. */
export async function abandonMark(db: Db, mark: ClaimedMark): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = '-infinity'
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token],
  );
}

/** Records that the request is still in progress. */
export async function renewMark(db: Db, mark: ClaimedMark): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = clock_timestamp()
      where api_key_id = $1 and place_hash = $2 and token = $3 and answer is null`,
    [mark.apiKeyId, mark.hash, mark.token],
  );
}

/** Lets the next request take over without a wait, because the process of the first one is known to be gone. */
export async function abandonLostMark(db: Db, key: MarkKey, plannedId: string): Promise<void> {
  await db.query(
    `update idempotency_marks set claimed_at = '-infinity'
      where api_key_id = $1 and place_hash = $2 and planned_id = $3 and answer is null`,
    [key.apiKeyId, key.hash, plannedId],
  );
}

/** Empties answers that may hold words of a conversation. The fact that there was an answer stays. */
export async function eraseAnswersAbout(db: Db, conversationId: string): Promise<void> {
  await db.query(
    `update idempotency_marks set answer = '', conversation_ids = '{}'
      where conversation_ids @> array[$1::uuid] and conversation_ids <> '{}'`,
    [conversationId],
  );
}

/** Removes up to `limit` expired marks and returns their number. Any number of processes may run it concurrently. */
export async function deleteOldMarks(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from idempotency_marks where ctid = any(array(
       select ctid from idempotency_marks
        where started_at < clock_timestamp() - interval '24 hours'
        order by started_at limit $1 for update skip locked))`,
    [limit],
  );
  return rowCount ?? 0;
}

/** Returns the place of a mark's sealed columns, which is authenticated with them (sealing.ts). */
export function markPlace({ apiKeyId, hash }: MarkKey): string {
  return `idempotency:${apiKeyId}/${hash.toString('hex')}`;
}

/** Sealed columns of a mark: the request, the decision for it and its answer. */
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
      // Parses PostgreSQL's text form of bytes: two characters, then hex.
      markPlace({ apiKeyId, hash: Buffer.from(hash.slice(2), 'hex') }),
    where: 'true',
  }),
);
