import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { readCpu, spentBetween } from './cpu.ts';
import { acceptedOf, firstArrivals, measure, untilArrived, type Run } from './measure.ts';
import type { Report } from './report.ts';
import { allPaths, CALLERS } from './throughput.ts';

/**
 * Four delivery processes on one PostgreSQL: nothing may come twice, and what limits them is the
 * database. Then processes that come and go (SIGTERM) under load, as pods do when one scales.
 */

const PROCESSES = 4;
const CORES = 2;
const CHURN_RATE = 200;
const CHURN_SEC = 12;

export async function benchScale(bench: Bench, report: Report): Promise<void> {
  report.heading(`Scale-out: ${PROCESSES} delivery processes, one PostgreSQL`);
  const runs = [await live(bench, report, 1)];
  await preloaded(bench, report, 1);
  await processes(bench, PROCESSES);
  runs.push(await live(bench, report, PROCESSES));
  const twice = await preloaded(bench, report, PROCESSES);
  const churned = await churn(bench, report);
  await processes(bench, 1);
  const duplicates = runs.reduce((sum, run) => sum + run.duplicates, twice + churned);
  report.goal({
    what: `${PROCESSES} delivery processes: sent twice`,
    peer: '–',
    ours: String(duplicates),
    ratio: '–',
    bound: '0',
    reached: duplicates === 0,
  });
}

async function processes({ parley }: Bench, count: number): Promise<void> {
  while (parley.deliveries.length < count) await parley.addDelivery();
  while (parley.deliveries.length > count) await parley.removeDelivery(parley.deliveries.at(-1)!);
}

async function live(bench: Bench, report: Report, count: number): Promise<Run> {
  const plan = { callers: CALLERS, count: bench.options.events };
  const run = await measure(bench, 'parley', { paths: allPaths, plan });
  report.run(`  ${count} process(es), as events are made`, run);
  report.figures('', databaseShare(run.spent), {});
  return run;
}

function databaseShare({ groups, seconds }: Run['spent']): string {
  const cores = (name: string): string => ((groups[name] ?? 0) / seconds).toFixed(2);
  const share = ((groups['postgres'] ?? 0) / seconds / CORES) * 100;
  return `cores: postgres ${cores('postgres')} (${Math.round(share)} % of the machine), delivery ${cores('delivery')}, api ${cores('api')}`;
}

/** Without the API in the way: the processes stand still (SIGSTOP) while events are made. */
async function preloaded(bench: Bench, report: Report, count: number): Promise<number> {
  const { receiver, parley, producer, systems, options } = bench;
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const { pid } of parley.deliveries) process.kill(pid, signal);
  };
  await receiver.take();
  const plan = { ...systems.parley.plan(allPaths), callers: CALLERS, count: options.events };
  signalAll('SIGSTOP');
  const produced = await producer.run(plan).finally(() => signalAll('SIGCONT'));
  const before = readCpu(bench.groups());
  const ids = acceptedOf(produced).map((i) => produced.ids[i]!);
  const arrivals = await untilArrived(receiver, ids);
  const spent = spentBetween(before, readCpu(bench.groups()));
  const firsts = firstArrivals(arrivals);
  const times = ids.flatMap((id) => firsts.get(id)?.atNs ?? []).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? NaN;
  const perSec = (0.8 * times.length) / ((at(0.9) - at(0.1)) / 1e9);
  const duplicates = arrivals.length - new Set(arrivals.map(({ id }) => id)).size;
  const what = `  ${count} process(es), ${ids.length} waiting: drain`;
  const text = `${Math.round(perSec)}/s, sent twice ${duplicates}; ${databaseShare(spent)}`;
  report.figures(what, text, { perSec, duplicates, spent });
  report.lost(what.trim(), ids.length - times.length);
  return duplicates;
}

async function churn(bench: Bench, report: Report): Promise<number> {
  const plan = { rate: CHURN_RATE, seconds: CHURN_SEC };
  const [run, changes] = await Promise.all([
    measure(bench, 'parley', { paths: allPaths, plan }),
    comeAndGo(bench),
  ]);
  report.run(`  ${CHURN_RATE}/s, ${changes} processes came or went`, run);
  return run.duplicates;
}

async function comeAndGo({ parley }: Bench): Promise<number> {
  let changes = 0;
  for (const untilMs = performance.now() + CHURN_SEC * 1_000; performance.now() < untilMs;) {
    await delay(500); // The rhythm of coming and going.
    if (changes % 2 === 0) await parley.removeDelivery(parley.deliveries[0]!);
    else await parley.addDelivery();
    changes += 1;
  }
  return changes;
}
