import { setTimeout as delay } from 'node:timers/promises';
import { stillQueued } from './backlog.ts';
import type { Bench } from './bench.ts';
import { acceptedOf, distributionOf } from './measure.ts';
import { replaceEndpoints } from './parley.ts';
import { spread, type Report } from './report.ts';
import { allPaths } from './throughput.ts';
import { ABORTED, MODES, nowNs, type Arrival, type Produced } from './wire.ts';

/**
 * Two delivery processes with attempts under way at endpoints that take their time; one is killed.
 * What was in its hands is what its connections broke off, as the receiver saw it: how long until
 * each of these is attempted again?
 */

const SLOW = 20;
const ANSWER_MS = 300;
const RATE = 60;
const RUN_UP_MS = 1_500;
/** Beyond the lease of 30 s nobody waits for a dead process. */
const LIMIT_SEC = 45;
const BREAK_MS = 500;
const BUDGET_SEC = { quick: 100, full: 240 };
const BOUND_MS = { p50: 2_000, p99: 5_000 };

type Kill = {
  /** From the kill to the next attempt, ms; of what was in the dead process's hands. */
  waits: number[];
  /** In its hands and not attempted again within the limit. */
  never: number;
  lost: number;
};

export async function benchRescue(bench: Bench, report: Report): Promise<void> {
  const { kills, quick } = bench.options;
  report.heading(`Take-over: SIGKILL of one of two delivery processes, ${kills} times`);
  const slow = allPaths.slice(0, SLOW);
  await bench.receiver.mode(slow, 'slow', ANSWER_MS);
  await bench.parley.addDelivery();
  const budgetSec = quick ? BUDGET_SEC.quick : BUDGET_SEC.full;
  const untilMs = performance.now() + budgetSec * 1_000;
  const done: Kill[] = [];
  while (done.length < kills && performance.now() < untilMs) {
    done.push(await killOne(bench, slow));
    await bench.parley.addDelivery();
  }
  await bench.receiver.mode(slow, 'ok');
  await bench.parley.removeDelivery(bench.parley.deliveries.at(-1)!);
  await replaceEndpoints(bench.parley, bench.receiver.port, slow);
  reportOn(report, done);
}

async function killOne(
  { parley, receiver, systems, ...bench }: Bench,
  slow: number[],
): Promise<Kill> {
  await receiver.take();
  const producing = bench.producer.run({ ...systems.parley.plan(slow), rate: RATE });
  await delay(RUN_UP_MS);
  const killNs = nowNs();
  await parley.removeDelivery(parley.deliveries[0]!, true);
  const arrivals: Arrival[] = [];
  const untilMs = performance.now() + LIMIT_SEC * 1_000;
  let waiting = -1;
  let stopped: Promise<unknown> | undefined;
  while (performance.now() < untilMs && waiting !== 0) {
    await delay(250); // Seldom on purpose, as in measure.ts.
    for (const one of await receiver.take()) arrivals.push(one);
    if (nowNs() - killNs < BREAK_MS * 1e6) continue;
    stopped ??= bench.producer.stopRun();
    waiting = nextAttempts(arrivals, killNs).filter((at) => at === undefined).length;
  }
  await stopped;
  const produced = await producing;
  await untilAllAnswered(receiver.take, { arrivals, produced });
  const next = nextAttempts(arrivals, killNs);
  const missing = unanswered(arrivals, produced);
  const { lost } = await stillQueued({ ...bench, parley, receiver, systems }, missing);
  return {
    waits: next.flatMap((at) => (at === undefined ? [] : [(at - killNs) / 1e6])),
    never: next.filter((at) => at === undefined).length,
    lost,
  };
}

/** Of each delivery that broke off at the kill: when it arrived next. */
function nextAttempts(arrivals: readonly Arrival[], killNs: number): (number | undefined)[] {
  const broken = arrivals.filter(
    ({ status, atNs }) => status === ABORTED && atNs >= killNs && atNs < killNs + BREAK_MS * 1e6,
  );
  return broken.map(
    (one) =>
      arrivals.find(
        ({ id, status, atNs }) => id === one.id && status === MODES.slow && atNs > one.atNs,
      )?.atNs,
  );
}

async function untilAllAnswered(
  take: () => Promise<Arrival[]>,
  { arrivals, produced }: { arrivals: Arrival[]; produced: Produced },
): Promise<void> {
  const untilMs = performance.now() + LIMIT_SEC * 1_000;
  do {
    await delay(ANSWER_MS);
    for (const one of await take()) arrivals.push(one);
  } while (unanswered(arrivals, produced).length > 0 && performance.now() < untilMs);
}

/** Accepted, and no attempt of theirs stayed until its answer. */
function unanswered(arrivals: readonly Arrival[], produced: Produced): string[] {
  const held = new Map<string, number>();
  for (const { id, status } of arrivals) {
    held.set(id, (held.get(id) ?? 0) + (status === ABORTED ? -1 : 1));
  }
  const ids = acceptedOf(produced).map((i) => produced.ids[i]!);
  return ids.filter((id) => (held.get(id) ?? 0) < 1);
}

function reportOn(report: Report, kills: readonly Kill[]): void {
  const waits = distributionOf(kills.flatMap((kill) => kill.waits));
  const sum = (of: (kill: Kill) => number): number => kills.reduce((all, one) => all + of(one), 0);
  const never = sum((kill) => kill.never);
  const text =
    `${kills.length} kills, ${waits.n} deliveries in dead hands: ${spread(waits)}` +
    (never > 0 ? `; ${never} not again within ${LIMIT_SEC} s` : '');
  report.figures('  kill → next attempt', text, { waits, never, kills: kills.length });
  report.lost(
    'the rescues',
    sum((kill) => kill.lost),
  );
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
  report.goal({
    what: `rescue after SIGKILL, ${kills.length} kills, p50 / p99`,
    peer: '4 h (its setting)',
    ours: `${seconds(waits.p50)} / ${seconds(waits.p99)}`,
    ratio: '–',
    bound: `≤ ${seconds(BOUND_MS.p50)} / ${seconds(BOUND_MS.p99)}`,
    reached: waits.n > 0 && never === 0 && waits.p50 <= BOUND_MS.p50 && waits.p99 <= BOUND_MS.p99,
  });
}
