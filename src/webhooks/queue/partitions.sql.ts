import { DEFAULT_RETENTION } from '../../config.ts';
import { lowestUuidAt, uuidTimeMs } from '../../ids.ts';
import { failpoint } from '../../failpoints.ts';
import { retryingLock, LOCK_TIMEOUT_MS } from '../../platform/postgres/lock-retry.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { Pool } from '../../platform/postgres/pool.ts';

/**
 * Daily partitions. Each contains the rows whose ID has a time on its day (UTC). Partitions are created in advance:
 * before a process becomes ready, and then every hour. A partition is dropped when all its rows are older than 31 days,
 * one day more than an event can be replayed (contract/deliveries.md#replay; PARLEY_RETENTION_EVENTS). A replay
 * requested on the last day is retried for 72 h, so partitions with events that the queue still needs stay until the
 * deliveries of these events have ended.
 */
const TABLES = ['events', 'deliveries', 'delivery_attempts'] as const;
const DAY_MS = 86_400_000;
const DAYS_BEHIND = 2;
const DAYS_AHEAD = 7;
const LOCK = [0x7061, 0x7274];

/**
 * Creates missing partitions and drops expired ones. Returns their names. It can run in any process at any time.
 *
 * @param nowMs for tests. By default the database's clock decides which days are old, because a host whose clock is a
 * month ahead would drop all partitions
 * @param eventsDays number of days for which events can be replayed. Null if the caller does not know the number; in
 * that case, no partition is dropped
 */
export async function maintainPartitions(
  pool: Pool,
  nowMs?: number,
  eventsDays: number | null = DEFAULT_RETENTION.events,
): Promise<{ created: string[]; dropped: string[] }> {
  const today = Math.floor((nowMs ?? (await readClock(pool))) / DAY_MS);
  const existing = await listPartitions(pool);
  const wanted = TABLES.flatMap((table) => daysAround(today).map((day) => ({ table, day })));
  const missing = wanted.filter(({ table, day }) => !existing.has(partitionName(table, day)));
  const needed = await oldestDayNeeded(pool);
  const expired = [...existing].filter((name) => {
    const inUse = name.startsWith('events_') && dayOf(name) >= needed;
    return eventsDays !== null && dayOf(name) + 1 <= today - eventsDays - 1 && !inUse;
  });
  if (missing.length === 0 && expired.length === 0) return { created: [], dropped: [] };
  const change = (): Promise<void> =>
    inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query('select pg_advisory_xact_lock($1, $2)', LOCK);
      if (missing.length > 0) await failpoint('partitions.creating');
      for (const { table, day } of missing) await client.query(createStatement(table, day));
      if (expired.length > 0) await failpoint('partitions.dropping');
      for (const name of expired) await client.query(`drop table if exists ${name}`);
    });
  await retryingLock(change);
  return { created: missing.map(({ table, day }) => partitionName(table, day)), dropped: expired };
}

async function readClock(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ now: number }>('select now() as now');
  return rows[0]!.now;
}

/** Returns the day of the oldest event that is still being delivered, or Infinity if the queue is empty. */
async function oldestDayNeeded(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    'select event_id as id from delivery_queue order by event_id limit 1',
  );
  return rows[0] ? Math.floor(uuidTimeMs(rows[0].id) / DAY_MS) : Infinity;
}

async function listPartitions(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name
       from pg_inherits i
       join pg_class c on c.oid = i.inhrelid
       join pg_class p on p.oid = i.inhparent
      where p.relname = any($1) and p.relnamespace = 'public'::regnamespace`,
    [TABLES],
  );
  return new Set(rows.map(({ name }) => name));
}

function daysAround(today: number): number[] {
  return Array.from({ length: DAYS_BEHIND + DAYS_AHEAD + 1 }, (_, i) => today - DAYS_BEHIND + i);
}

function createStatement(table: string, day: number): string {
  const from = lowestUuidAt(day * DAY_MS);
  const to = lowestUuidAt((day + 1) * DAY_MS);
  return `create table if not exists ${partitionName(table, day)} partition of ${table}
    for values from ('${from}') to ('${to}')`;
}

/** Returns the name of a partition, such as `events_20261121`. */
function partitionName(table: string, day: number): string {
  return `${table}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function dayOf(partition: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(partition) ?? [];
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`) / DAY_MS;
}
