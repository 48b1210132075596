import { CALL_COLUMNS, CALL_FINISHED, CALL_LIVE, type CallRow } from '../calls.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Lines: which process holds the socket of a call, and until when. Every time is the database's; ids are
 * uuids.
 */

/** A call that came in over a carrier. */
export type IncomingCall = Pick<CallRow, 'id' | 'namespace' | 'agentId' | 'from' | 'to'> & {
  provider: string;
  telephonyProviderId: string;
  providerCallId: string;
  agentVersion: number | null;
};

/** The call, as it was first told of: who tells of it twice, also at once, gets the same. */
export async function insertIncoming(db: Db, call: IncomingCall): Promise<CallRow> {
  const { rows } = await db.query<CallRow>({
    name: 'insert_incoming_call',
    // An update that changes nothing waits for the first and returns its row; no look of ours would see it yet.
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
  return rows[0]!; // Inserted or there.
}

/** A carrier opens the socket as soon as it has read where; so long it may take. */
const UNCONNECTED_MS = 60_000;
/** Three renewals may fail. With the sweep of a second, a call ends within 15 s of its process. */
export const LINE_LEASE_MS = 10_000;

/** Lets the line be opened by whoever has the token, once; false: somebody holds it, or it is over. */
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

/** A call whose line this process holds. */
export type HeldCall = CallRow & { holder: string };

/**
 * Takes the line of the call that the token opens: it opens no second one. undefined: nobody's, used, or of a
 * call that is over.
 */
export async function takeLine(
  db: Db,
  line: { tokenHash: Buffer; providerCallId: string; holder: string },
): Promise<HeldCall | undefined> {
  const { rows } = await db.query<HeldCall>({
    name: 'take_line',
    text: `update calls set line_token = null, line_holder = $3,
                  line_until = clock_timestamp() + $4 * interval '1 ms'
            where line_token = $1 and provider_call_id = $2 and ${CALL_LIVE} and line_holder is null
              and line_until > clock_timestamp()
           returning ${CALL_COLUMNS}, line_holder as holder`,
    values: [line.tokenHash, line.providerCallId, line.holder, LINE_LEASE_MS],
  });
  return rows[0];
}

/** The call is answered with this conversation; false: its line is lost. In the transaction that begins that. */
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

/** A machine has answered, and the call is over with the message that this conversation is. */
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

/** Extends the leases of lines; returns whose are still held. One statement for all of a process. */
export async function renewLines(db: Db, holders: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ holder: string }>({
    name: 'renew_lines',
    text: `update calls set line_until = clock_timestamp() + $2 * interval '1 ms'
            where line_holder = any($1) and ${CALL_LIVE} and line_until is not null
           returning line_holder as holder`,
    values: [holders, LINE_LEASE_MS],
  });
  return rows.map(({ holder }) => holder);
}

/** Its socket is closed: whoever comes with a new token has so long. */
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

/** `holder` null: whoever had its line gave it back, or nobody ever had it. */
export type LostCall = CallRow & { holder: string | null };

/** Calls that nobody holds any more, or ever did, and that nobody else ends at this moment. */
export async function listLost(db: Db, limit: number): Promise<LostCall[]> {
  const { rows } = await db.query<LostCall>({
    name: 'list_lost_calls',
    text: `select ${CALL_COLUMNS}, line_holder as holder from calls
            where line_until <= clock_timestamp() and ${CALL_LIVE} order by line_until limit $1`,
    values: [limit],
  });
  return rows;
}

/** Ends a call whose line is lost, once: undefined when it is held again, or over. */
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

/** By the carrier's id of it. */
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

/** How many calls of a provider are under way in a direction, but for one by the carrier's id of it. */
export async function countLive(
  db: Db,
  provider: { telephonyProviderId: string; direction: CallRow['direction']; except?: string },
): Promise<number> {
  const { telephonyProviderId, direction, except = null } = provider;
  const { rows } = await db.query<{ count: number }>({
    name: 'count_live_calls',
    text: `select count(*)::int as count from calls
            where telephony_provider_id = $1 and direction = $2 and ${CALL_LIVE}
              and ($3::text is null or provider_call_id is distinct from $3)`,
    values: [telephonyProviderId, direction, except],
  });
  return rows[0]!.count; // One row whatever there is.
}

/** Of outbound calls, asked for within the last `ms`. */
export async function countAsked(
  db: Db,
  { telephonyProviderId, ms }: { telephonyProviderId: string; ms: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count_asked_calls',
    text: `select count(*)::int as count from calls
            where telephony_provider_id = $1 and direction = 'outbound'
              and created_at > clock_timestamp() - $2 * interval '1 ms'`,
    values: [telephonyProviderId, ms],
  });
  return rows[0]!.count;
}

/** Who asks for calls of one provider does so one after the other: the counts hold until the commit. */
export async function lockDialing(db: Db, telephonyProviderId: string): Promise<void> {
  await db.query(
    `select pg_advisory_xact_lock(hashtextextended('parley dialing ' || $1::text, 0))`,
    [telephonyProviderId],
  );
}

/**
 * Notes that the carrier is asked to dial, and when it is given up; null: for the first time, else when it was.
 * Unix ms.
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

/** The carrier tells of a call that we asked for: its id there, and that it rings. */
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

/** The carrier says that the socket of a call is over: nobody holds its line. */
export async function dropLine(db: Db, id: string): Promise<void> {
  await db.query({
    name: 'drop_line',
    text: `update calls set line_holder = null, line_until = clock_timestamp() + $2 * interval '1 ms'
            where id = $1 and ${CALL_LIVE}`,
    values: [id, LINE_LEASE_MS],
  });
}
