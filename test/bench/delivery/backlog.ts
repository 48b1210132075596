import { setTimeout as delay } from 'node:timers/promises';
import { fromUuid } from '../../../src/ids.ts';
import type { Bench, Producer } from './bench.ts';
import { goal } from './isolation.ts';
import {
  acceptedOf,
  distributionOf,
  firstArrivals,
  measure,
  type Distribution,
} from './measure.ts';
import { replaceEndpoints } from './parley.ts';
import { spread, type Report } from './report.ts';
import { allPaths, CALLERS } from './throughput.ts';
import { LIVE_PATH, type Arrival, type Produced } from './wire.ts';

/**
 * Events made while the receivers' port is closed, then the port opens. Their deliveries come when
 * the breakers' pauses end (30 s at most), but for the few that spent attempts before the breakers
 * opened: these wait for their moment in the schedule. Meanwhile an endpoint that was never away
 * gets live events.
 */

const LIVE_RATE = 50;
const MS = 1e6;
/** How long after the opening the run waits for those whose moment is far. */
const LIMIT_SEC = { quick: 60, full: 240 };

type Backlog = {
  produced: Produced;
  live: Produced;
  arrivals: Arrival[];
  openNs: number;
};

export async function benchBacklog(bench: Bench, report: Report): Promise<void> {
  const { backlog, quick } = bench.options;
  report.heading(`Backlog of ${backlog} events to 100 endpoints whose port was closed`);
  const plan = { callers: CALLERS, count: Math.min(backlog, bench.options.events) };
  const steady = await measure(bench, 'parley', { paths: allPaths, plan });
  report.run('  the steady rate before', steady);
  const producer = bench.startProducer();
  const alone = await liveAlone(bench, producer);
  report.figures(`  live events, ${LIVE_RATE}/s, alone`, spread(alone), alone);
  const limitSec = quick ? LIMIT_SEC.quick : LIMIT_SEC.full;
  const run = await outage(bench, { producer, limitSec });
  await producer.stop();
  await reportOn({ bench, report, run, alone, steady: steady.deliveredPerSec });
  await replaceEndpoints(bench.parley, bench.receiver.port, allPaths);
}

async function liveAlone(bench: Bench, producer: Producer): Promise<Distribution> {
  const plan = { rate: LIVE_RATE, seconds: 3 };
  await measure(bench, 'parley', { paths: [LIVE_PATH], plan, producer });
  const seconds = bench.options.latencySec;
  const how = { paths: [LIVE_PATH], plan: { ...plan, seconds }, producer };
  return (await measure(bench, 'parley', how)).latency;
}

async function outage(
  { receiver, systems, options, ...bench }: Bench,
  { producer, limitSec }: { producer: Producer; limitSec: number },
): Promise<Backlog> {
  await receiver.take();
  await receiver.close();
  const produced = await bench.producer.run({
    ...systems.parley.plan(allPaths),
    callers: CALLERS,
    count: options.backlog,
  });
  const living = producer.run({ ...systems.parley.plan([LIVE_PATH]), rate: LIVE_RATE });
  await delay(2_000); // The live events alone.
  const openNs = await receiver.open();
  const untilMs = performance.now() + limitSec * 1_000;
  const arrivals: Arrival[] = [];
  const missing = new Set(acceptedOf(produced).map((i) => produced.ids[i]!));
  const few = missing.size / 100;
  let liveEnded: Promise<unknown> | undefined;
  while (missing.size > 0 && performance.now() < untilMs) {
    await delay(missing.size > few ? 500 : 1_000); // Seldom on purpose, as in measure.ts.
    for (const one of await receiver.take()) {
      arrivals.push(one);
      missing.delete(one.id);
    }
    // The last ones wait for hours of the schedule; nothing drains any more.
    if (missing.size <= few) liveEnded ??= producer.stopRun();
  }
  await (liveEnded ?? producer.stopRun());
  const live = await living;
  await delay(1_000); // The last live ones are on their way.
  for (const one of await receiver.take()) arrivals.push(one);
  return { produced, live, arrivals, openNs };
}

async function reportOn(of: {
  bench: Bench;
  report: Report;
  run: Backlog;
  alone: Distribution;
  steady: number;
}): Promise<void> {
  const { bench, report, run, alone, steady } = of;
  const { produced, openNs } = run;
  const firsts = firstArrivals(run.arrivals);
  const accepted = acceptedOf(produced).map((i) => produced.ids[i]!);
  const came = accepted.flatMap((id) => firsts.get(id)?.atNs ?? []).toSorted((a, b) => a - b);
  const sinceOpenSec = (share: number): number =>
    ((came[Math.min(came.length - 1, Math.floor(share * came.length))] ?? NaN) - openNs) / 1e9;
  const moments = [0, 0.05, 0.5, 0.95, 0.99, 1].map((share) => ({
    share,
    sec: sinceOpenSec(share),
  }));
  const drain = (0.9 * came.length) / (sinceOpenSec(0.95) - sinceOpenSec(0.05));
  const waiting = await stillQueued(
    bench,
    accepted.filter((id) => !firsts.has(id)),
  );
  const madeSec = (produced.answeredNs.at(-1)! - produced.sentNs[0]!) / 1e9;
  const text =
    `made at ${Math.round(accepted.length / madeSec)}/s, drained at ${Math.round(drain)}/s; ` +
    `after the opening: ${moments.map(({ share, sec }) => `${share * 100} % ${sec.toFixed(1)} s`).join(', ')}; ` +
    `${waiting.queued} wait for their moment`;
  report.figures('  backlog', text, { drain, madeSec, moments, waiting: waiting.queued });
  report.lost('the backlog', waiting.lost);
  const drainedNs = openNs + sinceOpenSec(0.95) * 1e9;
  const live = liveDuring(run, drainedNs);
  const liveText = `${spread(live.whole)}; answer of the API: ${spread(live.atApi)}`;
  report.figures('  live events while it drained', liveText, live);
  report.lost('the live events beside it', await lostLive(bench, run));
  report.goal({
    what: `backlog of ${accepted.length} after an outage, drain`,
    peer: '–',
    ours: `${Math.round(drain)}/s (steady ${Math.round(steady)}/s)`,
    ratio: (drain / steady).toFixed(2),
    bound: '> the steady rate',
    reached: drain > steady,
  });
  goal(report, 'while it drains', { alone, ours: live.whole, peer: undefined });
}

/** `atApi`: planned send → answer of the API; the rest of `whole` is delivery's. */
function liveDuring(
  { live, openNs, arrivals }: Backlog,
  drainedNs: number,
): { whole: Distribution; atApi: Distribution } {
  const firsts = firstArrivals(arrivals);
  const during = acceptedOf(live).filter(
    (i) => firsts.has(live.ids[i]!) && live.dueNs[i]! >= openNs && live.dueNs[i]! <= drainedNs,
  );
  const waits = (until: (i: number) => number): Distribution =>
    distributionOf(during.map((i) => (until(i) - live.dueNs[i]!) / MS));
  return {
    whole: waits((i) => firsts.get(live.ids[i]!)!.atNs),
    atApi: waits((i) => live.answeredNs[i]!),
  };
}

async function lostLive(bench: Bench, { live, arrivals }: Backlog): Promise<number> {
  const firsts = firstArrivals(arrivals);
  const missing = acceptedOf(live)
    .map((i) => live.ids[i]!)
    .filter((id) => !firsts.has(id));
  return (await stillQueued(bench, missing)).lost;
}

/** What has not come is not lost while its delivery stands in the queue. */
export async function stillQueued(
  { parley }: Bench,
  missing: readonly string[],
): Promise<{ queued: number; lost: number }> {
  if (missing.length === 0) return { queued: 0, lost: 0 };
  const { rows } = await parley.pool.query<{ id: string }>(
    'select event_id as id from delivery_queue',
  );
  const queue = new Set<string>(rows.map(({ id }) => fromUuid('evt', id)));
  const queued = missing.filter((id) => queue.has(id)).length;
  return { queued, lost: missing.length - queued };
}
