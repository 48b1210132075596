import { readdirSync, readFileSync } from 'node:fs';
import type { OwnPostgres } from '../platform/postgres/own-postgres.ts';

/** What is looked at every few seconds of a soak, and how a series of it is judged. */

/** One process at one moment; `fds` are open descriptors, sockets among them. */
export type ProcessSample = {
  rssMb: number;
  pssMb: number;
  fds: number;
  /** What JavaScript holds, and what waits for the next collection. Only of ours. */
  heapMb?: number;
};

export type DatabaseSample = {
  /** Bytes with indexes, by table; partitions are summed up. */
  tables: Record<string, number>;
  indexes: Record<string, number>;
  /** As PostgreSQL estimates them; a crash of PostgreSQL makes it forget. */
  live: Record<string, number>;
  dead: Record<string, number>;
  queued: number;
  /** Written since the beginning of time. */
  walBytes: number;
  connections: number;
};

const KB_PER_MB = 1_024;
const METRICS_TIMEOUT_MS = 2_000;
const WATCHED = ['delivery_queue', 'events', 'deliveries', 'delivery_attempts', 'jobs'];

/** Undefined: the process ended meanwhile. */
export function sampleProcess(pid: number): ProcessSample | undefined {
  try {
    const mb = (file: string, field: string): number =>
      Number(
        new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(
          readFileSync(`/proc/${pid}/${file}`, 'utf8'),
        )?.[1],
      ) / KB_PER_MB;
    return {
      rssMb: mb('status', 'VmRSS'),
      pssMb: mb('smaps_rollup', 'Pss'),
      fds: readdirSync(`/proc/${pid}/fd`).length,
    };
  } catch {
    return undefined;
  }
}

/** Undefined: it did not say so in time. `url`: where its metrics are. */
export async function sampleHeap(url: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(METRICS_TIMEOUT_MS);
    const text = await (await fetch(`${url}/metrics`, { signal })).text();
    const bytes = /^nodejs_heap_size_used_bytes (\d+)/m.exec(text)?.[1];
    return bytes === undefined ? undefined : Number(bytes) / KB_PER_MB ** 2;
  } catch {
    return undefined;
  }
}

/** @throws while PostgreSQL is away */
export async function sampleDatabase(postgres: OwnPostgres): Promise<DatabaseSample> {
  const rows = await postgres.query<{
    name: string;
    bytes: number;
    index_bytes: number;
    live: number;
    dead: number;
  }>(
    `select coalesce(parent.relname, c.relname) as name,
            sum(pg_total_relation_size(c.oid))::float8 as bytes,
            sum(pg_indexes_size(c.oid))::float8 as index_bytes,
            sum(pg_stat_get_live_tuples(c.oid))::float8 as live,
            sum(pg_stat_get_dead_tuples(c.oid))::float8 as dead
       from pg_class c
       left join pg_inherits i on i.inhrelid = c.oid
       left join pg_class parent on parent.oid = i.inhparent
      where c.relkind = 'r' and coalesce(parent.relname, c.relname) = any($1)
      group by 1`,
    [WATCHED],
  );
  const [server] = await postgres.query<{ queued: number; wal: number; connections: number }>(
    `select (select count(*) from delivery_queue)::int as queued,
            pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
            (select count(*) from pg_stat_activity where backend_type = 'client backend')::int
              as connections`,
  );
  const by = (value: (row: (typeof rows)[number]) => number): Record<string, number> =>
    Object.fromEntries(rows.map((row) => [row.name, value(row)]));
  return {
    tables: by(({ bytes }) => bytes),
    indexes: by(({ index_bytes }) => index_bytes),
    live: by(({ live }) => live),
    dead: by(({ dead }) => dead),
    queued: server!.queued,
    walBytes: server!.wal,
    connections: server!.connections,
  };
}

/** A value at a moment, in seconds. */
export type Point = { atSec: number; value: number };

/** Units of the value per hour, by least squares. */
export function slopePerHour(points: readonly Point[]): number {
  const n = points.length;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / n;
  const [midAt, midValue] = [mean(({ atSec }) => atSec), mean(({ value }) => value)];
  let covariance = 0;
  let variance = 0;
  for (const { atSec, value } of points) {
    covariance += (atSec - midAt) * (value - midValue);
    variance += (atSec - midAt) ** 2;
  }
  return (covariance / variance) * 3_600;
}

/**
 * The least of the first and of the last values, `windowSec` long: what comes and goes is not in
 * it, what leaks is.
 */
export function floors(
  points: readonly Point[],
  windowSec: number,
): { early: number; late: number } {
  const [first, last] = [points[0]!.atSec, points.at(-1)!.atSec];
  const least = (of: (point: Point) => boolean): number =>
    Math.min(...points.filter(of).map(({ value }) => value));
  return {
    early: least(({ atSec }) => atSec <= first + windowSec),
    late: least(({ atSec }) => atSec >= last - windowSec),
  };
}
