import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../figures.ts';
import type { Bench, Producer, Receiver, SystemName } from './bench.ts';
import { readCpu, spentBetween, type Spent } from './cpu.ts';
import { MODES, type Arrival, type Plan, type Produced, type Request } from './wire.ts';

/** One run: a producer's plan against one system, until everything it accepted has arrived. */
export type Run = {
  accepted: number;
  /** Answered with no 2xx, or not at all: the producer's to send again. */
  rejected: number;
  /** Accepted, not arrived, and in nobody's queue. */
  lost: number;
  duplicates: number;
  /** Accepted events in a second, while they were being made. */
  createdPerSec: number;
  /** From the first send to the last arrival. */
  deliveredPerSec: number;
  /** Planned send → first arrival answered with 200, of healthy paths. */
  latency: Distribution;
  /** How late the producer itself was, part of the latency. */
  late: Distribution;
  apiLatency: Distribution;
  /** CPU-s per 1,000 deliveries of the system's processes, and their sum. */
  cpuPer1000: Record<string, number>;
  cpu: number;
  bodyBytes: number;
  spent: Spent;
};

/** In ms. */
export type Distribution = { n: number; p50: number; p90: number; p99: number; max: number };

/** Nothing more has arrived for this long: what is missing will not come. */
const PATIENCE_MS = 20_000;
/** What follows an arrival belongs to it: its completion is written in the next batch. */
const AFTER_MS = 300;
const MS = 1e6;

export type How = {
  /** Events go to these paths in turn. */
  paths: readonly number[];
  plan: { callers: number; count: number } | { rate: number; seconds: number };
  /** Paths that are meant to fail: nothing is expected of them. */
  sick?: ReadonlySet<number>;
  producer?: Producer;
  /** Instead of those that the system makes for the paths. */
  requests?: Request[];
  /** Fills in the ids of events that the answers do not name. */
  identify?: (produced: Produced) => Promise<void>;
};

export async function measure(bench: Bench, name: SystemName, how: How): Promise<Run> {
  const { receiver } = bench;
  const { sick } = how;
  const system = bench.systems[name];
  const requests = how.requests && { requests: how.requests };
  await receiver.take();
  const before = readCpu(bench.groups());
  const plan: Plan = { ...system.plan(how.paths), ...requests, ...how.plan };
  const produced = await (how.producer ?? bench.producer).run(plan);
  await how.identify?.(produced);
  const expected = acceptedOf(produced, sick).map((i) => produced.ids[i]!);
  const arrivals = await untilArrived(receiver, expected);
  await delay(AFTER_MS); // Duplicates may come behind the last.
  const spent = spentBetween(before, readCpu(bench.groups()));
  for (const one of await receiver.take()) arrivals.push(one);
  return judge({ produced, arrivals, spent, sick, system });
}

/**
 * Everything that came until these events were among it, or until no more come. Counts before it
 * looks: to take 100,000 arrivals apart every few ms would slow down what is measured.
 */
export async function untilArrived(
  receiver: Receiver,
  ids: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const missing = new Set(ids);
  let lastMs = performance.now();
  let lastCount = 0;
  while (missing.size > 0 && performance.now() - lastMs < patienceMs) {
    await delay(25); // Seldom on purpose; there is no end but patience.
    const count = await receiver.count();
    if (count === lastCount) continue;
    lastCount = count;
    lastMs = performance.now();
    if (count < missing.size) continue;
    const come = await receiver.take();
    lastCount = 0;
    for (const one of come) {
      arrivals.push(one);
      if (one.status === MODES.ok) missing.delete(one.id);
    }
  }
  for (const one of await receiver.take()) arrivals.push(one);
  return arrivals;
}

/** Of the healthy paths: the requests that were answered with a 2xx. */
export function acceptedOf(produced: Produced, sick: ReadonlySet<number> = new Set()): number[] {
  return produced.ids.flatMap((_, i) => {
    const status = produced.status[i]!;
    const taken = status >= 200 && status < 300 && !sick.has(produced.target[i]!);
    return taken ? [i] : [];
  });
}

export function judge(of: {
  produced: Produced;
  arrivals: Arrival[];
  spent: Spent;
  sick: ReadonlySet<number> | undefined;
  system: { counted: readonly string[] };
}): Run {
  const { produced, arrivals, spent, sick = new Set() } = of;
  const firsts = firstArrivals(arrivals);
  const accepted = acceptedOf(produced, sick);
  const came = accepted.filter((i) => firsts.has(produced.ids[i]!));
  const startNs = produced.sentNs[0] ?? 0;
  const endNs = Math.max(
    startNs,
    most(came, (i) => firsts.get(produced.ids[i]!)!.atNs),
  );
  const madeNs = Math.max(
    startNs,
    most(accepted, (i) => produced.answeredNs[i]!),
  );
  const deliveries = Math.max(1, came.length);
  const cpuPer1000 = Object.fromEntries(
    of.system.counted.map((name) => [name, ((spent.groups[name] ?? 0) / deliveries) * 1_000]),
  );
  const ok = arrivals.filter(({ status, path }) => status === MODES.ok && !sick.has(path));
  return {
    accepted: accepted.length,
    rejected: produced.ids.length - acceptedOf(produced).length,
    lost: accepted.length - came.length,
    duplicates: ok.length - new Set(ok.map(({ id }) => id)).size,
    createdPerSec: accepted.length / ((madeNs - startNs) / 1e9),
    deliveredPerSec: deliveries / ((endNs - startNs) / 1e9),
    latency: distributionOf(
      came.map((i) => (firsts.get(produced.ids[i]!)!.atNs - produced.dueNs[i]!) / MS),
    ),
    late: distributionOf(accepted.map((i) => (produced.sentNs[i]! - produced.dueNs[i]!) / MS)),
    apiLatency: distributionOf(
      accepted.map((i) => (produced.answeredNs[i]! - produced.dueNs[i]!) / MS),
    ),
    cpuPer1000,
    cpu: Object.values(cpuPer1000).reduce((sum, one) => sum + one, 0),
    bodyBytes: ok[0]?.bodyBytes ?? 0,
    spent,
  };
}

/** Of each event the first arrival that was answered with 200. */
export function firstArrivals(arrivals: readonly Arrival[]): Map<string, Arrival> {
  const firsts = new Map<string, Arrival>();
  for (const one of arrivals) {
    if (one.status === MODES.ok && !firsts.has(one.id)) firsts.set(one.id, one);
  }
  return firsts;
}

/** Not `Math.max(...)`: 100,000 arguments are too much for the stack. */
function most(indexes: readonly number[], of: (i: number) => number): number {
  return indexes.reduce((largest, i) => Math.max(largest, of(i)), 0);
}

export function distributionOf(values: number[]): Distribution {
  return {
    n: values.length,
    p50: quantile(values, 0.5),
    p90: quantile(values, 0.9),
    p99: quantile(values, 0.99),
    max: quantile(values, 1),
  };
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
