import type { Verdict } from '../webhooks/ledger/ledger-verdict.ts';
import {
  floors,
  slopePerHour,
  type DatabaseSample,
  type Point,
  type ProcessSample,
} from './samples.ts';

/** Whether a soak was good: each line a figure with its limit. */
export type Line = { what: string; value: number; limit: number; unit: string; isGood: boolean };

/** One look: seconds since the start, each process by `name#generation`. */
export type Sample = {
  atSec: number;
  processes: Record<string, ProcessSample>;
  /** Undefined while PostgreSQL was away. */
  database?: DatabaseSample;
};

export type JudgeInput = {
  samples: readonly Sample[];
  /** Of processes that lived from the beginning to the end, as `name#1`. */
  elders: readonly string[];
  /** What comes before is warming up. */
  fromSec: number;
  ledger: Verdict;
  /** Deliveries that replays asked for. */
  replayed: number;
  unexpected: readonly string[];
  ratePlanned: number;
};

const RSS_SLOPE_MAX = 5;
/** Of the least it holds, so of what no collection takes back: what leaks is in it. */
const HEAP_GROWTH_MAX = 2;
/** Less than this says nothing of an hour: a slope is only shown, not judged. */
const JUDGED_SEC = 1_200;
/** Kept connections come and go with the load: some, and a part of what there was at first. */
const FDS_GROWTH_MAX = 10;
const FDS_GROWTH_PART = 0.25;
const WINDOW_SEC = 300;
/** Of the queue's table with its indexes. It holds what 10 % of the endpoints missed in 40 s. */
const QUEUE_MB_MAX = 64;
const DEAD_MAX = 50_000;
/** Faults cost some; below it the run says little. */
const RATE_PART_MIN = 0.6;
/** What was in flight at 180 faults, of 720,000. */
const AGAIN_PART_MAX = 0.01;
const MB = 1 << 20;

export function judgeSoak(input: JudgeInput): Line[] {
  const { ledger, samples, fromSec } = input;
  const warm = samples.filter(({ atSec }) => atSec >= fromSec);
  const seconds = (warm.at(-1)?.atSec ?? 0) - fromSec;
  const most = (what: string, value: number, limit: number, unit = ''): Line => ({
    what,
    value,
    limit,
    unit,
    isGood: value <= limit,
  });
  const none = [
    'lost',
    'failed',
    'wrongBody',
    'badSignature',
    'foreign',
    'neverAccepted',
    'doubled',
  ] as const;
  const lines = none.map((what) => most(what, ledger[what], 0));
  // Replays may still be under way when the ledger is closed: never more than they asked for.
  const again = Math.max(0, ledger.duplicates - input.replayed);
  lines.push(most('sent again unasked', again, Math.round(ledger.accepted * AGAIN_PART_MAX)));
  lines.push(most('odd answers', ledger.odd.length, 0));
  lines.push(most('processes that ended unasked', input.unexpected.length, 0));
  const least = Math.round(input.ratePlanned * RATE_PART_MIN);
  const { acceptedPerSecond } = ledger;
  lines.push({
    what: 'accepted (at least)',
    value: acceptedPerSecond,
    limit: least,
    unit: '/s',
    isGood: acceptedPerSecond >= least,
  });
  for (const name of input.elders) {
    const series = (of: 'rssMb' | 'heapMb' | 'fds'): Point[] =>
      warm.flatMap(({ atSec, processes }) => {
        const value = processes[name]?.[of];
        return value === undefined ? [] : [{ atSec, value }];
      });
    if (series('fds').length < 2) continue;
    const judged = (limit: number): number => (seconds >= JUDGED_SEC ? limit : Infinity);
    const slope = slopePerHour(series('rssMb'));
    lines.push(most(`${name}: RSS slope`, slope, judged(RSS_SLOPE_MAX), 'MB/h'));
    const heap = series('heapMb');
    if (heap.length >= 2) {
      const { early, late } = floors(heap, seconds / 3);
      const what = `${name}: heap after a collection, beyond ${early.toFixed(1)} MB`;
      lines.push(most(what, late - early, judged(HEAP_GROWTH_MAX), 'MB'));
    }
    const { early, late } = floors(series('fds'), Math.min(WINDOW_SEC, seconds / 3));
    const growth = Math.round(FDS_GROWTH_MAX + early * FDS_GROWTH_PART);
    lines.push(most(`${name}: descriptors, beyond ${early}`, late - early, judged(growth)));
  }
  const databases = warm.flatMap(({ database }) => (database ? [database] : []));
  const highest = (of: (sample: DatabaseSample) => number): number =>
    Math.max(0, ...databases.map(of));
  const queueMb = highest(({ tables }) => tables['delivery_queue'] ?? 0) / MB;
  lines.push(most('delivery_queue with indexes, at most', queueMb, QUEUE_MB_MAX, 'MB'));
  const dead = highest((sample) => sample.dead['delivery_queue'] ?? 0);
  lines.push(most('dead tuples of delivery_queue, at most', dead, DEAD_MAX));
  return lines;
}

export function printLine({ what, value, limit, unit, isGood }: Line): string {
  const figure = `${Math.round(value * 100) / 100} ${unit}`.trim();
  const bound = Number.isFinite(limit) ? `limit ${limit}` : 'too short a run to judge';
  return `${isGood ? 'ok  ' : 'BAD '} ${what.padEnd(48)} ${figure.padStart(14)}   (${bound})`;
}
