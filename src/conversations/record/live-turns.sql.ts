import type { Db } from '../../platform/postgres/pool.ts';
import type { MarkKey } from '../../platform/idempotency/plan.ts';
import type { Redacted } from '../redaction/redact.ts';
import type { ConversationRow } from './conversations.sql.ts';
import { TURN_COLUMNS, type TurnRow } from './turns.sql.ts';

/**
 * Turns that a language model is being asked for (docs/decisions/0034). A row is removed only under the
 * lock of its conversation, together with what is stored in its place. Every time is the database's.
 */

/**
 * `toolCall {id, name, arguments}`: an object, or the model's text where it is none. `toolResult {ok,
 * content, duration_ms}`; null: the call was noted, and nothing is known of it.
 */
export type ToolTurn = Pick<TurnRow, 'text' | 'toolCall' | 'toolResult'> &
  // Who called it, after a handoff in the same turn; absent: who speaks.
  Partial<Pick<TurnRow, 'agentId' | 'agentVersion' | 'providerMetadata'>>;

export type LiveTurn = {
  conversationId: string;
  token: string;
  requestId: string;
  apiKeyId: string | null;
  markHash: Buffer | null;
  message: string;
  /** What was taken out of it. */
  redacted: Redacted | null;
  /** Index of the message when it is stored already. */
  answersIndex: number | null;
  tools: ToolTurn[];
  /** Its process is gone, or was away for too long. */
  isOver: boolean;
};

/** What a process holds: nobody else may store it while the token is in the row. */
export type HeldTurn = Pick<LiveTurn, 'conversationId' | 'token'>;

const LEASE = `interval '30 seconds'`;
/** A canceled turn is settled within milliseconds, or seen at the next renewal, by whoever is alive. */
const CANCELED_LEASE = `interval '12 seconds'`;
/** A server that was away could not renew a lease; its processes are given time to come back first. */
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
  /** The turns from this index on are what the reply is made from. */
  historyFrom: number;
};

/**
 * The turns before it, oldest first; undefined when there is a live turn, or the conversation is not as
 * it was read any more. One statement: each costs a round trip in every turn. Not waited for on disk: a
 * claim that a crash of the server undoes has lost nothing yet.
 *
 * The lock makes the claim wait while another process settles a lost turn, and PostgreSQL then checks the conversation
 * again. Without it the claim would begin the same turn anew, and its tools would be called a second time.
 */
export async function claimLiveTurn(db: Db, turn: NewLiveTurn): Promise<TurnRow[] | undefined> {
  const { conversation, mark } = turn;
  // A claim has a row, if only one of nulls.
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
             left join turns on turns.conversation_id = $1 and turns.index >= $11
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

/** Takes a turn whose lease is over. False when somebody was quicker, or it is alive after all. */
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

/** Replaces what was noted. False when the turn is somebody else's by now, or gone. */
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

/** The turns that are still held; a token that is missing in the answer is lost. */
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

/** Asks whoever holds it to settle it. False when no turn is under way. */
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

/** Its process goes on without it: nothing was done, so nothing is kept of it. */
export async function dropLiveTurn(db: Db, { conversationId, token }: HeldTurn): Promise<void> {
  await db.query('delete from live_turns where conversation_id = $1 and token = $2', [
    conversationId,
    token,
  ]);
}

/** Its process goes on without it, after tools were called: whoever comes next settles it. */
export async function releaseLiveTurn(db: Db, { conversationId, token }: HeldTurn): Promise<void> {
  await db.query(
    `update live_turns set leased_until = '-infinity' where conversation_id = $1 and token = $2`,
    [conversationId, token],
  );
}

/** Conversations with a turn whose process is gone, the longest gone first. */
export async function listLostTurns(db: Db, limit: number): Promise<{ id: string }[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'list_lost_turns',
    text: `select l.conversation_id as id from live_turns l
            where l.leased_until <= clock_timestamp() and ${IS_OVER}
            order by l.leased_until limit $1`,
    values: [limit],
  });
  return rows;
}

/** Removes the turn of a killed process, under the lock of its conversation; undefined: it lives. */
export async function takeLostTurn(db: Db, conversationId: string): Promise<LiveTurn | undefined> {
  const { rows } = await db.query<LiveTurn>(
    `delete from live_turns l where l.conversation_id = $1 and ${IS_OVER} returning ${COLUMNS}`,
    [conversationId],
  );
  return rows[0];
}

/** Removes the turn under way, whoever has it, under the lock of its conversation. */
export async function endLiveTurn(db: Db, conversationId: string): Promise<LiveTurn | undefined> {
  const { rows } = await db.query<LiveTurn>({
    name: 'end_live_turn',
    text: `delete from live_turns l where l.conversation_id = $1 returning ${COLUMNS}`,
    values: [conversationId],
  });
  return rows[0];
}
