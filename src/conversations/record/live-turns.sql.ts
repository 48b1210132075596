import type { Db } from '../../platform/postgres/pool.ts';
import type { MarkKey } from '../../platform/idempotency/plan.ts';
import type { Redacted } from '../redaction/redact.ts';
import type { ConversationRow } from './conversations.sql.ts';
import { TURN_COLUMNS, type TurnRow } from './turns.sql.ts';

/**
 * This module stores turns in progress, which wait for a language model (docs/decisions/0034). A row is removed under
 * its conversation's lock, in the transaction that stores the turn. If a turn fails before any tool was called, its row
 * is removed without the lock. All times are from the database's clock.
 */

/**
 * Tool call of a turn. `toolCall` is `{id, name, arguments}`; `arguments` is an object, or the model's text if that is
 * not a JSON object. `toolResult` is `{ok, content, duration_ms}`; it is null if the call was recorded but its result
 * is unknown.
 */
export type ToolTurn = Pick<TurnRow, 'text' | 'toolCall' | 'toolResult'> &
  // Set if an agent other than the speaker called the tool, because of a handoff in the same turn.
  Partial<Pick<TurnRow, 'agentId' | 'agentVersion' | 'providerMetadata'>>;

export type LiveTurn = {
  conversationId: string;
  token: string;
  requestId: string;
  apiKeyId: string | null;
  markHash: Buffer | null;
  message: string;
  /** Redactions in the user's message. */
  redacted: Redacted | null;
  /** Index of the user's message in the transcript, if it is already stored. */
  answersIndex: number | null;
  tools: ToolTurn[];
  /** True once the turn's lease has expired or was released. Another process may then settle the turn. */
  isOver: boolean;
};

/** Identifies a turn that a process has claimed. While the row has this token, no other process may store the turn. */
export type HeldTurn = Pick<LiveTurn, 'conversationId' | 'token'>;

const LEASE = `interval '30 seconds'`;
/**
 * Remaining lease of a canceled turn. A process that is still running settles the turn within milliseconds, or at the
 * latest after the next renewal of its lease.
 */
const CANCELED_LEASE = `interval '12 seconds'`;
/**
 * SQL condition for a turn whose lease was released or has expired. An expired lease is ignored in the first 15 s after
 * the database server has started. No process could renew a lease while the server was down, and processes need time to
 * reconnect.
 */
const IS_OVER = `(l.leased_until = '-infinity' or l.leased_until <= clock_timestamp()
  and pg_postmaster_start_time() < clock_timestamp() - interval '15 seconds')`;

const COLUMNS = `l.conversation_id as "conversationId", l.token, l.request_id as "requestId",
  l.api_key_id as "apiKeyId", l.mark_hash as "markHash", l.message,
  l.redacted, l.answers_index as "answersIndex", l.tools, ${IS_OVER} as "isOver"`;

export type NewLiveTurn = Pick<
  LiveTurn,
  'token' | 'requestId' | 'message' | 'redacted' | 'answersIndex'
> & {
  conversation: Pick<ConversationRow, 'id' | 'turnCount' | 'status'>;
  mark: MarkKey | undefined;
  tools: readonly ToolTurn[];
  /** Index of the first turn that the reply is based on. */
  historyFrom: number;
};

/**
 * Claims the turn of a conversation by inserting a row into `live_turns`. Returns the turns before it, oldest first, or
 * undefined if there already is such a row or the conversation has changed since it was read. Uses a single statement,
 * because each statement adds a round trip to every turn. The commit is asynchronous, because a claim that is lost in a
 * server crash does no harm.
 *
 * The shared lock on the conversation makes the claim wait while another process settles a lost turn. PostgreSQL then
 * checks the conversation again. Without the lock, the claim would start the settled turn again and call its tools a
 * second time.
 *
 * A subquery hides `historyFrom` from the planner, because PostgreSQL would otherwise plan the statement again for each
 * turn. That took a third of its time.
 */
export async function claimLiveTurn(db: Db, turn: NewLiveTurn): Promise<TurnRow[] | undefined> {
  const { conversation, mark } = turn;
  // A successful claim returns at least one row. If there are no earlier turns, the row has only nulls.
  const { rows } = await db.query<TurnRow | { index: null }>({
    name: 'claim_live_turn',
    text: `with claimed as (
             insert into live_turns (conversation_id, token, request_id, api_key_id, mark_hash,
                                     message, redacted, answers_index, tools, leased_until)
             select c.id, $4, $5, $6, $7, $8, $12::jsonb, $9, $10::jsonb, clock_timestamp() + ${LEASE}
               from conversations c, (select set_config('synchronous_commit', 'off', true)) lazily
              where c.id = $1 and c.turn_count = $2 and c.status = $3 and c.ended_at is null
                and c.deleted_at is null
                for share of c
             on conflict (conversation_id) do nothing
             returning conversation_id
           )
           select ${TURN_COLUMNS} from claimed
             left join turns on turns.conversation_id = $1 and turns.index >= (select $11::integer)
            order by index`,
    values: [
      conversation.id,
      conversation.turnCount,
      conversation.status,
      turn.token,
      turn.requestId,
      mark?.apiKeyId,
      mark?.hash,
      turn.message,
      turn.answersIndex,
      JSON.stringify(turn.tools),
      turn.historyFrom,
      turn.redacted,
    ],
  });
  return rows.length === 0 ? undefined : rows.filter((row) => row.index !== null);
}

export async function readLiveTurn(db: Db, conversationId: string): Promise<LiveTurn | undefined> {
  const { rows } = await db.query<LiveTurn>({
    name: 'read_live_turn',
    text: `select ${COLUMNS} from live_turns l where l.conversation_id = $1`,
    values: [conversationId],
  });
  return rows[0];
}

/**
 * Takes over a turn whose lease has expired. Returns false if another process was faster or if the lease was renewed.
 */
export async function takeOverLiveTurn(
  db: Db,
  { conversationId, from, token }: { conversationId: string; from: string; token: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update live_turns l
        set token = $3, is_canceled = false, leased_until = clock_timestamp() + ${LEASE}
      where l.conversation_id = $1 and l.token = $2 and ${IS_OVER}`,
    [conversationId, from, token],
  );
  return rowCount === 1;
}

/** Replaces the recorded tool calls. Returns false if another process has taken over or ended the turn. */
export async function noteTools(
  db: Db,
  { conversationId, token }: HeldTurn,
  tools: readonly ToolTurn[],
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'note_tools',
    text: `update live_turns set tools = $3::jsonb where conversation_id = $1 and token = $2`,
    values: [conversationId, token, JSON.stringify(tools)],
  });
  return rowCount === 1;
}

/** Renews the leases of turns. Returns only the turns that no other process has taken over or ended. */
export async function renewLiveTurns(
  db: Db,
  held: readonly HeldTurn[],
): Promise<{ token: string; isCanceled: boolean }[]> {
  const { rows } = await db.query<{ token: string; isCanceled: boolean }>({
    name: 'renew_live_turns',
    text: `update live_turns l set leased_until = clock_timestamp() + ${LEASE}
             from unnest($1::uuid[], $2::uuid[]) as held (conversation_id, token)
            where l.conversation_id = held.conversation_id and l.token = held.token
           returning l.token, l.is_canceled as "isCanceled"`,
    values: [held.map(({ conversationId }) => conversationId), held.map(({ token }) => token)],
  });
  return rows;
}

/**
 * Cancels the turn in progress. The process that claimed the turn must then settle it. Returns false if no turn is in
 * progress.
 */
export async function cancelLiveTurn(db: Db, conversationId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'cancel_live_turn',
    text: `update live_turns
              set is_canceled = true,
                  leased_until = least(leased_until, clock_timestamp() + ${CANCELED_LEASE})
            where conversation_id = $1`,
    values: [conversationId],
  });
  return rowCount === 1;
}

/** Removes the claim of a turn that failed before any tool was called. */
export async function dropLiveTurn(db: Db, { conversationId, token }: HeldTurn): Promise<void> {
  await db.query('delete from live_turns where conversation_id = $1 and token = $2', [
    conversationId,
    token,
  ]);
}

/** Ends the lease of a turn that failed after tools were called. Another process then settles the turn. */
export async function releaseLiveTurn(db: Db, { conversationId, token }: HeldTurn): Promise<void> {
  await db.query(
    `update live_turns set leased_until = '-infinity' where conversation_id = $1 and token = $2`,
    [conversationId, token],
  );
}

const LOST = `l.leased_until <= now() and ${IS_OVER}`;

/** SQL condition that is true if the lease of any turn has expired. */
export const HAS_LOST_TURN = `exists (select from live_turns l where ${LOST})`;

/** Returns conversations with a turn whose lease has expired, longest expired first. */
export async function listLostTurns(db: Db, limit: number): Promise<{ id: string }[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'list_lost_turns',
    text: `select l.conversation_id as id from live_turns l
            where ${LOST}
            order by l.leased_until limit $1`,
    values: [limit],
  });
  return rows;
}

/**
 * Removes a turn whose lease has expired. Returns undefined if the lease is still valid. Call it under the lock of the
 * conversation.
 */
export async function takeLostTurn(db: Db, conversationId: string): Promise<LiveTurn | undefined> {
  const { rows } = await db.query<LiveTurn>(
    `delete from live_turns l where l.conversation_id = $1 and ${IS_OVER} returning ${COLUMNS}`,
    [conversationId],
  );
  return rows[0];
}

/** Removes the turn in progress, even if another process has claimed it. Call it under the lock of the conversation. */
export async function endLiveTurn(db: Db, conversationId: string): Promise<LiveTurn | undefined> {
  const { rows } = await db.query<LiveTurn>({
    name: 'end_live_turn',
    text: `delete from live_turns l where l.conversation_id = $1 returning ${COLUMNS}`,
    values: [conversationId],
  });
  return rows[0];
}
