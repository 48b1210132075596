import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** The longest anybody in a database waited for a lock, and how it was seen. */
export type LockWait = { waitedMs: number; waiting: string; blockedBy: string };
export type LockWatch = {
  longest: () => LockWait | undefined;
  /** How often it looked, and the longest time between two looks in ms. */
  looks: () => { count: number; gapMs: number };
  stop: () => Promise<void>;
};

const LOOK_MS = 100;

/**
 * The server itself says since when each waits, so that a look that comes late shortens nothing.
 * Session-level advisory locks are left out: whoever waits for one waits for its turn to lead or to
 * migrate, by design, and holds nothing up.
 */
const LONGEST = `
  select extract(epoch from clock_timestamp() - l.waitstart)::float8 * 1000 as "waitedMs",
         left(a.query, 200) as waiting,
         coalesce((select string_agg(left(b.query, 200), ' | ')
                   from pg_stat_activity b where b.pid = any (pg_blocking_pids(l.pid))), '')
           as "blockedBy"
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and l.waitstart is not null and a.datname = current_database()
    and a.query not like 'select pg_advisory_lock(%'
  order by l.waitstart limit 1`;

/** Looks ten times a second, on a connection of its own. */
export async function watchLocks(databaseUrl: string): Promise<LockWatch> {
  const client = new Client(databaseUrl);
  await client.connect();
  let longest: LockWait | undefined;
  const stopping = new AbortController();
  const looks = { count: 0, gapMs: 0 };
  const loop = async (): Promise<void> => {
    for (let lastMs = performance.now(); !stopping.signal.aborted;) {
      const { rows } = await client.query<LockWait>(LONGEST);
      const [seen] = rows;
      if (seen && seen.waitedMs > (longest?.waitedMs ?? 0)) longest = seen;
      const nowMs = performance.now();
      looks.count += 1;
      looks.gapMs = Math.max(looks.gapMs, nowMs - lastMs);
      lastMs = nowMs;
      await delay(LOOK_MS);
    }
  };
  const looking = loop();
  void looking.catch(() => undefined); // `stop` throws it.
  return {
    longest: () => longest,
    looks: () => looks,
    stop: async () => {
      stopping.abort();
      await looking;
      await client.end();
    },
  };
}
