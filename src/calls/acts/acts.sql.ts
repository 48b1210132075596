import type { Db } from '../../platform/postgres/pool.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow, type TransferStatus } from '../calls.sql.ts';

/**
 * SQL for transfers and DTMF keys that are requested for a call in progress. Each statement takes effect once, even if
 * several processes run it. IDs are UUIDs. All times come from the database's clock.
 */

/**
 * Stores a transfer request. Returns undefined if the call is not in progress, or if somebody has answered an earlier
 * transfer.
 */
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

/** Identifies one transfer of a call. `transfers` is the number of that transfer, starting at 1. */
export type Transfer = Pick<CallRow, 'id' | 'transfers'>;

/**
 * Records that the carrier is ringing the number, for at most `ms`, and that no process owns the line. Returns false if
 * the transfer already has a result.
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
 * Records that somebody answered the transfer. From then on, the caller talks with that person. Returns false if an
 * answer was already recorded, or if the call has ended.
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
 * Records that the transfer failed. The agent then continues with the turn at index `sayFrom`. Returns false if the
 * failure was already recorded, or if the call has ended.
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

/** Interval in ms at which the carrier is queried for the state of a transferred call. */
const ASK_EVERY_MS = 60_000;
/** Maximum time in ms that the carrier has to reconnect the caller to the agent after a failed transfer. */
const BACK_MS = 60_000;
/**
 * Maximum duration of a transferred call in seconds: five hours. Carriers end such a call after four hours. The fifth
 * hour is a margin in case the status callback is lost.
 */
const TALK_MAX_SEC = 18_000;

/**
 * Schedules the next status request to the carrier for a transferred call whose end has not been reported. Returns
 * false if the call has ended or exceeds the maximum duration.
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

/** Maximum number of DTMF keys that wait to be sent in one call. A request that would exceed it is rejected. */
export const KEYS_WAITING_MAX = 128;

/**
 * Adds DTMF keys to send. Returns undefined if the agent is not connected to the call, or if too many keys would be
 * waiting.
 */
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

/** Pending requests to the process that owns a line: DTMF keys to send and a transfer. */
export type Asked = { keys: string | null; isTransferred: boolean; escalationId: string | null };

/**
 * Reads the pending requests for a line and clears the DTMF keys. Returns undefined if this process no longer owns the
 * line, or if the call has ended.
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
