import type { Db } from '../../platform/postgres/pool.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow, type TransferStatus } from '../calls.sql.ts';

/**
 * Transfers and keys to press, requested for a call in progress. Each statement takes effect once, even if several
 * processes run it. Ids are uuids; every time is the database's.
 */

/** Requests a transfer. Returns undefined if the call is not in progress, or if an earlier transfer was answered. */
export async function askTransfer(
  db: Db,
  { id, to, escalationId }: { id: string; to: string; escalationId: string | null },
): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'ask_transfer',
    text: `update calls set status = 'transferring', transfer_to = $2, transfers = transfers + 1,
                  transfer_status = 'requested', transfer_at = clock_timestamp(),
                  transfer_escalation_id = $3, keys_to_press = null
            where id = $1 and status = 'in_progress' and transfer_status is distinct from 'answered'
              and telephony_provider_id is not null and conversation_id is not null
           returning ${CALL_COLUMNS}`,
    values: [id, to, escalationId],
  });
  return rows[0];
}

/** Identifies one transfer of a call. */
export type Transfer = Pick<CallRow, 'id' | 'transfers'>;

/**
 * Notes that the carrier rings the number, for `ms` at most, and releases the line. Returns false if the transfer was
 * settled meanwhile.
 */
export async function ringTransfer(
  db: Db,
  { id, transfers, ms }: Transfer & { ms: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'ring_transfer',
    text: `update calls set transfer_status = 'ringing', line_token = null, line_holder = null,
                  line_until = clock_timestamp() + $3 * interval '1 ms'
            where id = $1 and transfers = $2 and status = 'transferring'`,
    values: [id, transfers, ms],
  });
  return rowCount === 1;
}

/**
 * Notes that the transfer was answered, so the call is in progress with another person. Returns false if that was noted
 * before, or the call has ended.
 */
export async function answerTransfer(db: Db, { id, transfers }: Transfer): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'answer_transfer',
    text: `update calls set status = 'in_progress', transfer_status = 'answered',
                  line_until = clock_timestamp() + $3 * interval '1 ms'
            where id = $1 and transfers = $2 and status = 'transferring' and transfer_status = 'ringing'`,
    values: [id, transfers, ASK_EVERY_MS],
  });
  return rowCount === 1;
}

/**
 * Notes that the transfer failed; the agent continues with the turn `sayFrom`. Returns false if that was noted before,
 * or the call has ended.
 */
export async function failTransfer(
  db: Db,
  failed: Transfer & { why: TransferStatus; sayFrom: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'fail_transfer',
    text: `update calls set status = 'in_progress', transfer_status = $3, say_from = $4,
                  line_token = null, line_holder = null,
                  line_until = clock_timestamp() + $5 * interval '1 ms'
            where id = $1 and transfers = $2 and status = 'transferring'`,
    values: [failed.id, failed.transfers, failed.why, failed.sayFrom, BACK_MS],
  });
  return rowCount === 1;
}

/** Interval at which the carrier is asked whether the two people still talk. */
const ASK_EVERY_MS = 60_000;
/** Time for the carrier to open the line again. */
const BACK_MS = 60_000;
/**
 * Longest transferred call. Carriers end such a connection after four hours; the fifth hour allows for a lost status
 * callback.
 */
const TALK_MAX_SEC = 18_000;

/**
 * Extends a transferred call that, to our knowledge, still lasts. Returns false if it has ended or exceeds the longest
 * duration.
 */
export async function keepTransferred(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'keep_transferred',
    text: `update calls set line_until = clock_timestamp() + $2 * interval '1 ms'
            where id = $1 and ${CALL_LIVE} and transfer_status = 'answered'
              and transfer_at > clock_timestamp() - make_interval(secs => $3)`,
    values: [id, ASK_EVERY_MS, TALK_MAX_SEC],
  });
  return rowCount === 1;
}

/** Maximum number of keys that wait to be pressed. */
export const KEYS_WAITING_MAX = 128;

/** Adds keys to press. Returns undefined if the agent is not connected to the call, or too many keys wait already. */
export async function addKeys(
  db: Db,
  { id, keys }: { id: string; keys: string },
): Promise<CallRow | undefined> {
  const { rows } = await db.query<CallRow>({
    name: 'add_keys',
    text: `update calls set keys_to_press = coalesce(keys_to_press, '') || $2
            where id = $1 and status = 'in_progress' and transfer_status is distinct from 'answered'
              and telephony_provider_id is not null and conversation_id is not null
              and length(coalesce(keys_to_press, '')) + length($2) <= ${KEYS_WAITING_MAX}
           returning ${CALL_COLUMNS}`,
    values: [id, keys],
  });
  return rows[0];
}

/** Pending requests for the holder of a line: keys, which only the holder presses, and a transfer. */
export type Asked = { keys: string | null; isTransferred: boolean; escalationId: string | null };

/**
 * Takes the pending requests for a line. Returns undefined if another process holds the line, or the call has ended.
 */
export async function takeAsked(
  db: Db,
  { id, holder }: { id: string; holder: string },
): Promise<Asked | undefined> {
  const { rows } = await db.query<Asked>({
    name: 'take_asked',
    text: `update calls set keys_to_press = null
             from (select id as call_id, keys_to_press as keys from calls
                    where id = $1 and line_holder = $2 and ${CALL_LIVE} for update) old
            where id = old.call_id
           returning old.keys, coalesce(transfer_status = 'requested', false) as "isTransferred",
                     transfer_escalation_id as "escalationId"`,
    values: [id, holder],
  });
  return rows[0];
}
