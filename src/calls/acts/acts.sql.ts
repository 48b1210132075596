import type { Db } from '../../platform/postgres/pool.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow, type TransferStatus } from '../calls.sql.ts';

/**
 * What a call is told to do while it lasts: it is given to another number, and keys are pressed. Each statement
 * is a step that is done once, whoever comes first. Ids are uuids; every time is the database's.
 */

/** Asks for a transfer; undefined: the call is not in progress, or goes on without us already. */
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

/** Which transfer of which call. */
export type Transfer = Pick<CallRow, 'id' | 'transfers'>;

/** The carrier rings the number, for `ms` at most; false: it is not to any more. Nobody holds its line. */
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

/** Somebody picked up: the call is in progress with them; false: it was told before, or is over. */
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

/** Nobody did: the agent goes on, with the turn `sayFrom`; false: it was told before, or is over. */
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

/** The carrier is asked so often whether the two still talk. */
const ASK_EVERY_MS = 60_000;
/** In which the carrier opens the line again. */
const BACK_MS = 60_000;
/** A carrier ends a connection of two after four hours; this is beyond what it may have missed to tell. */
const TALK_MAX_SEC = 18_000;

/** The two still talk, as far as anybody knows; false: for too long, or not any more. */
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

/** Of keys that were not pressed yet. */
export const KEYS_WAITING_MAX = 128;

/** Adds keys to press; undefined: the call is not in progress with us, or too many wait already. */
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

/** What the holder of a line is to do: keys, which nobody else presses then, and a transfer that waits. */
export type Asked = { keys: string | null; isTransferred: boolean; escalationId: string | null };

/** undefined: the line is somebody else's, or the call is over. */
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
