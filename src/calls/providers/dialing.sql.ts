import type { Db } from '../../platform/postgres/pool.ts';
import { CALL_LIVE, type CallRow } from '../calls.sql.ts';

/** SQL for the limits on a provider's calls. IDs are UUIDs. */

/** Counts the live calls of a provider in one direction. `except` is the carrier's ID for a call to leave out. */
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
  return rows[0]!.count; // `count(*)` yields one row.
}

/** Counts the outbound calls that were requested in the last `ms` milliseconds. */
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

/**
 * Locks a provider's outbound calls until the end of the transaction, so that the counts stay correct until the commit.
 */
export async function lockDialing(db: Db, telephonyProviderId: string): Promise<void> {
  await db.query(
    `select pg_advisory_xact_lock(hashtextextended('parley dialing ' || $1::text, 0))`,
    [telephonyProviderId],
  );
}
