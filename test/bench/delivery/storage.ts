import type { Bench } from './bench.ts';
import { measure } from './measure.ts';
import type { Report } from './report.ts';
import { allPaths, CALLERS } from './throughput.ts';

/** What a delivered event leaves in the database: tables, their indexes, all partitions. */

const TABLES = ['events', 'delivery_queue', 'deliveries', 'delivery_attempts'] as const;
const BYTES_MAX = 1_600;

type Sizes = Record<string, number>;

export async function benchStorage(bench: Bench, report: Report): Promise<void> {
  const { events } = bench.options;
  report.heading(`Storage per delivered event`);
  const before = await sizes(bench);
  const plan = { callers: CALLERS, count: events };
  const run = await measure(bench, 'parley', { paths: allPaths, plan });
  report.run(`  ${events} events`, run);
  const after = await sizes(bench);
  const per = Object.fromEntries(
    TABLES.map((table) => [table, ((after[table] ?? 0) - (before[table] ?? 0)) / run.accepted]),
  );
  const total = Object.values(per).reduce((sum, bytes) => sum + bytes, 0);
  const parts = Object.entries(per).map(([table, bytes]) => `${table} ${Math.round(bytes)}`);
  const queueMb = ((after['delivery_queue'] ?? 0) / 1_048_576).toFixed(1);
  const text = `${Math.round(total)} bytes (${parts.join(', ')}); the queue itself ${queueMb} MB`;
  report.figures(`  an event with a body of ${run.bodyBytes} bytes`, text, { per, total, after });
  report.goal({
    what: `storage per event of ${run.bodyBytes} bytes`,
    peer: '–',
    ours: `${Math.round(total)} bytes`,
    ratio: '–',
    bound: `≤ ${BYTES_MAX} bytes`,
    reached: total <= BYTES_MAX,
  });
}

async function sizes({ parley }: Bench): Promise<Sizes> {
  const { rows } = await parley.pool.query<{ name: string; bytes: string }>(
    `select t.relname as name,
            (pg_total_relation_size(t.oid) + coalesce(
              (select sum(pg_total_relation_size(i.inhrelid)) from pg_inherits i
                where i.inhparent = t.oid), 0))::bigint as bytes
       from pg_class t where t.relname = any($1) and t.relnamespace = 'public'::regnamespace`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}
