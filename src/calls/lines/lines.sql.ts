import { CALL_COLUMNS, CALL_FINISHED, CALL_LIVE, type CallRow } from '../calls.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * SQL for lines. A call's line is its connection to the caller. At most one process owns a line, for as long as the
 * process renews its lease. All times come from the database's clock. IDs are UUIDs.
 */

/** An inbound call that a carrier has announced. */
export type IncomingCall = Pick<CallRow, 'id' | 'namespace' | 'agentId' | 'from' | 'to'> & {
  provider: string;
  telephonyProviderId: string;
  providerCallId: string;
  agentVersion: number | null;
};

/**
 * Inserts the call and returns its row. If the carrier announces the call again, even at the same time, the existing
 * row is returned.
 */
export async function insertIncoming(db: Db, call: IncomingCall): Promise<CallRow> {
  const { rows } = await db.query<CallRow>({
    name: 'insert_incoming_call',
    // The update changes no value. It waits for a concurrent insert and returns the inserted row, which a select would
    // not see yet.
    text: `insert into calls (id, namespace, agent_id, agent_version, direction, from_number, to_number, status,
                              provider, telephony_provider_id, provider_call_id, due_at, line_until)
           values ($1, $2, $3, $4, 'inbound', $5, $6, 'ringing', $7, $8, $9, null,
                   clock_timestamp() + $10 * interval '1 ms')
           on conflict (telephony_provider_id, provider_call_id)
             where telephony_provider_id is not null and provider_call_id is not null
             do update set provider_call_id = excluded.provider_call_id
           returning ${CALL_COLUMNS}`,
    values: [
      call.id,
      call.namespace,
      call.agentId,
      call.agentVersion,
      call.from,
      call.to,
      call.provider,
      call.telephonyProviderId,
      call.providerCallId,
      UNCONNECTED_MS,
    ],
  });
  return rows[0]!; // The statement returns a row whether it inserted the call or found it.
}

/** Maximum time in ms for a carrier to open the socket. Carriers open it as soon as they have received its address. */
const UNCONNECTED_MS = 60_000;
/**
 * Duration of a line's lease in ms. The lease survives up to three failed renewals. If the process is killed, another
 * process notices within a second after the lease expires, so the call ends within 15 s (contract/calls.md).
 */
export const LINE_LEASE_MS = 10_000;

/** Stores a token that can open the line once. Returns false if a process owns the line or the call has ended. */
export async function offerLine(
  db: Db,
  { id, tokenHash }: { id: string; tokenHash: Buffer },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'offer_line',
    text: `update calls set line_token = $2, line_until = greatest(line_until, clock_timestamp() + $3 * interval '1 ms')
            where id = $1 and ${CALL_LIVE} and line_holder is null`,
    values: [id, tokenHash, UNCONNECTED_MS],
  });
  return rowCount === 1;
}

/**
 * A call whose line this process owns. `holder` is a random ID for this period of ownership. `sayFrom` is the index of
 * the turn to speak first, or null if that turn is not stored yet.
 */
export type HeldCall = CallRow & { holder: string; sayFrom: number | null };

/**
 * Makes this process the owner of the line that a token belongs to. A token works only once. Returns undefined if the
 * token is unknown or already used, or if the call has ended.
 */
export async function takeLine(
  db: Db,
  line: { tokenHash: Buffer; providerCallId: string; holder: string },
): Promise<HeldCall | undefined> {
  const { rows } = await db.query<HeldCall>({
    name: 'take_line',
    text: `update calls set line_token = null, line_holder = $3, say_from = null,
                  line_until = clock_timestamp() + $4 * interval '1 ms'
             from (select id as call_id, say_from as "sayFrom" from calls where line_token = $1 for update) old
            where id = old.call_id
              and line_token = $1 and provider_call_id = $2 and ${CALL_LIVE} and line_holder is null
              and line_until > clock_timestamp()
           returning ${CALL_COLUMNS}, line_holder as holder, old."sayFrom"`,
    values: [line.tokenHash, line.providerCallId, line.holder, LINE_LEASE_MS],
  });
  return rows[0];
}

/**
 * Marks the call as answered and links it to its conversation. Call this in the transaction that begins the
 * conversation. Returns false if this process no longer owns the line.
 */
export async function answerHeld(
  db: Db,
  { id, holder, conversationId }: { id: string; holder: string; conversationId: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'answer_held_call',
    text: `update calls set status = 'in_progress', conversation_id = $3, answered_at = clock_timestamp()
            where id = $1 and line_holder = $2 and status in ('queued', 'ringing')`,
    values: [id, holder, conversationId],
  });
  return rowCount === 1;
}

/**
 * Completes a call that an answering machine has answered. `conversationId` is the conversation that consists of the
 * voicemail message. Returns false if the call was answered or ended in the meantime.
 */
export async function answerByMachine(
  db: Db,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'answer_call_by_machine',
    text: `update calls set status = 'completed', ended_reason = 'voicemail', conversation_id = $2,
                  answered_at = clock_timestamp(), ended_at = clock_timestamp(), ${CALL_FINISHED}
            where id = $1 and status in ('queued', 'ringing')`,
    values: [id, conversationId],
  });
  return rowCount === 1;
}

/**
 * Extends the leases of all lines of a process in one statement. Returns the lines that the process still owns, and
 * whether each has pending requests.
 */
export async function renewLines(
  db: Db,
  holders: readonly string[],
): Promise<{ holder: string; isAsked: boolean }[]> {
  const { rows } = await db.query<{ holder: string; isAsked: boolean }>({
    name: 'renew_lines',
    text: `update calls set line_until = clock_timestamp() + $2 * interval '1 ms'
            where line_holder = any($1) and ${CALL_LIVE} and line_until is not null
           returning line_holder as holder,
                     keys_to_press is not null or status = 'transferring' as "isAsked"`,
    values: [holders, LINE_LEASE_MS],
  });
  return rows;
}

/** Releases a line whose socket is closed. The line can then be opened with a new token until the lease ends. */
export async function releaseLine(
  db: Db,
  { id, holder }: { id: string; holder: string },
): Promise<void> {
  await db.query({
    name: 'release_line',
    text: `update calls set line_holder = null, line_until = clock_timestamp() + $3 * interval '1 ms'
            where id = $1 and line_holder = $2 and ${CALL_LIVE}`,
    values: [id, holder, LINE_LEASE_MS],
  });
}

/** A call whose line no process owns. `holder` is null if the line was released or never had an owner. */
export type LostCall = CallRow & { holder: string | null };

/** Returns the calls whose line has an expired lease, or was not opened in time. */
export async function listLost(db: Db, limit: number): Promise<LostCall[]> {
  const { rows } = await db.query<LostCall>({
    name: 'list_lost_calls',
    text: `select ${CALL_COLUMNS}, line_holder as holder from calls
            where line_until <= clock_timestamp() and ${CALL_LIVE} order by line_until limit $1`,
    values: [limit],
  });
  return rows;
}

/** Ends a call whose line is lost. Returns undefined if a process owns the line again, or if the call has ended. */
export async function finishLost(
  db: Db,
  end: { id: string; status: CallRow['status']; reason: string },
): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'finish_lost_call',
    text: `update calls set status = $2, ended_reason = $3, ended_at = clock_timestamp(), ${CALL_FINISHED}
            where id = $1 and ${CALL_LIVE} and line_until <= clock_timestamp() returning ${CALL_COLUMNS}`,
    values: [end.id, end.status, end.reason],
  });
  return rows[0];
}

/** Reads a call by the carrier's ID for it. */
export async function readByCarrier(
  db: Db,
  { telephonyProviderId, providerCallId }: { telephonyProviderId: string; providerCallId: string },
): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'read_call_by_carrier',
    text: `select ${CALL_COLUMNS} from calls where telephony_provider_id = $1 and provider_call_id = $2`,
    values: [telephonyProviderId, providerCallId],
  });
  return rows[0];
}

/**
 * Stores the time of the first dial request to the carrier, and sets the lease to end in `ms`. Call this before the
 * request. Returns null the first time, and after that the stored time in Unix ms.
 */
export async function markDialed(
  db: Db,
  { id, ms }: { id: string; ms: number },
): Promise<number | null> {
  const { rows } = await db.query<{ before: number | null }>({
    name: 'mark_dialed',
    text: `update calls set dialed_at = coalesce(calls.dialed_at, clock_timestamp()),
                  line_until = clock_timestamp() + $2 * interval '1 ms'
             from (select id, extract(epoch from dialed_at)::float8 * 1000 as before
                     from calls where id = $1 for update) old
            where calls.id = old.id returning old.before`,
    values: [id, ms],
  });
  return rows[0]?.before ?? null;
}

/** Records that an outbound call is ringing, and stores the carrier's ID for the call. */
export async function noteRinging(
  db: Db,
  { id, providerCallId }: { id: string; providerCallId: string },
): Promise<void> {
  await db.query({
    name: 'note_ringing',
    text: `update calls set provider_call_id = coalesce(provider_call_id, $2),
                  status = case status when 'queued' then 'ringing' else status end
            where id = $1 and ${CALL_LIVE}`,
    values: [id, providerCallId],
  });
}

/** Releases a call's line after the carrier has reported that the line's socket was closed. */
export async function dropLine(db: Db, id: string): Promise<void> {
  await db.query({
    name: 'drop_line',
    text: `update calls set line_holder = null, line_until = clock_timestamp() + $2 * interval '1 ms'
            where id = $1 and ${CALL_LIVE}`,
    values: [id, LINE_LEASE_MS],
  });
}
