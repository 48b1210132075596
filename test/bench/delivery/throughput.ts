import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Bench, SystemName } from './bench.ts';
import { measure, medianOf, type Run } from './measure.ts';
import type { Report } from './report.ts';
import { PATHS } from './wire.ts';

/** Events a second from the first request to the last arrival, 32 callers, one event a request. */

export const CALLERS = 32;
const PAUSE_MS = 500;
const WARM_EVENTS = 1_000;
const SYSTEMS = ['parley', 'graphile', 'bare'] as const;
/** The bare loop is that much faster: as many events would be over before it is warm. */
const BARE_FACTOR = 4;

export const allPaths = Array.from({ length: PATHS }, (_, path) => path);

export async function benchThroughput(bench: Bench, report: Report): Promise<void> {
  const { rounds, events } = bench.options;
  report.heading(`Throughput: ${CALLERS} callers, ${events} events, ${rounds} round(s)`);
  await warmUp(bench);
  const runs = new Map<string, Run[]>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of [1, PATHS]) {
      for (const name of SYSTEMS) {
        const run = await closedLoop(bench, name, count);
        const what = `${name}, ${count} endpoint(s)`;
        report.run(`  ${what}, round ${round}`, run);
        runs.set(what, [...(runs.get(what) ?? []), run]);
        await delay(PAUSE_MS);
      }
    }
  }
  reportOn(report, runs);
  await databaseLimit(bench, report);
}

async function warmUp(bench: Bench): Promise<void> {
  for (const name of SYSTEMS) {
    await measure(bench, name, { paths: allPaths, plan: { callers: CALLERS, count: WARM_EVENTS } });
  }
}

export function closedLoop(bench: Bench, name: SystemName, endpoints: number): Promise<Run> {
  const count = bench.options.events * (name === 'bare' ? BARE_FACTOR : 1);
  return measure(bench, name, {
    paths: allPaths.slice(0, endpoints),
    plan: { callers: CALLERS, count },
  });
}

function reportOn(report: Report, runs: ReadonlyMap<string, Run[]>): void {
  const median = (what: string, of: (run: Run) => number): number =>
    medianOf((runs.get(what) ?? []).map(of));
  for (const what of runs.keys()) {
    const figures = {
      perSec: median(what, (run) => run.deliveredPerSec),
      cpu: median(what, (run) => run.cpu),
    };
    const text = `${Math.round(figures.perSec)}/s, CPU-s/1,000 ${figures.cpu.toFixed(3)}`;
    report.figures(`  median, ${what}`, text, figures);
  }
  const ours = `parley, ${PATHS} endpoint(s)`;
  const peer = `graphile, ${PATHS} endpoint(s)`;
  const perSec = [peer, ours].map((what) => median(what, (run) => run.deliveredPerSec));
  const cpu = [peer, ours].map((what) => median(what, (run) => run.cpu));
  report.goal({
    what: `events/s, ${CALLERS} callers, ${PATHS} endpoints`,
    peer: `${Math.round(perSec[0]!)}/s`,
    ours: `${Math.round(perSec[1]!)}/s`,
    ratio: (perSec[1]! / perSec[0]!).toFixed(2),
    bound: '≥ 1.6 × (aim 2.3)',
    reached: perSec[1]! >= 1.6 * perSec[0]!,
  });
  report.goal({
    what: 'CPU-s per 1,000 deliveries, database included',
    peer: cpu[0]!.toFixed(2),
    ours: cpu[1]!.toFixed(2),
    ratio: (cpu[1]! / cpu[0]!).toFixed(2),
    bound: '≤ 0.65 × (aim 0.45)',
    reached: cpu[1]! <= 0.65 * cpu[0]!,
  });
}

/** What the database alone can do of the least that any queue needs: an insert and an update, each committed. */
async function databaseLimit(bench: Bench, report: Report): Promise<void> {
  const pool = new pg.Pool({ connectionString: bench.databaseUrl, max: CALLERS });
  await pool.query(
    `create table if not exists pairs (id bigserial primary key, payload jsonb, done boolean not null default false)`,
  );
  await pool.query('create index if not exists pairs_open on pairs (id) where not done');
  const payload = JSON.stringify({ filler: 'x'.repeat(540) });
  const endMs = performance.now() + (bench.options.quick ? 3_000 : 6_000);
  const startedMs = performance.now();
  let pairs = 0;
  const pair = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const { rows } = await pool.query<{ id: string }>({
        name: 'in',
        text: 'insert into pairs (payload) values ($1) returning id',
        values: [payload],
      });
      const values = [rows[0]?.id];
      await pool.query({ name: 'up', text: 'update pairs set done = true where id = $1', values });
      pairs += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, pair));
  const perSec = pairs / ((performance.now() - startedMs) / 1_000);
  await pool.query('drop table pairs');
  await pool.end();
  const what = '  limit of the database: insert, commit, update, commit';
  report.figures(what, `${Math.round(perSec)} pairs/s (${CALLERS} clients in one process)`, {
    perSec,
  });
}
