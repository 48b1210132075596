import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  attemptOffsetsMs,
  DELAY_MAX_MS,
  nextAttemptOffsetMs,
  SCHEDULED_ATTEMPTS,
} from '../../../src/webhooks/delivery/retry-schedule.ts';
import { newUuid } from '../../../src/ids.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const SEEDS = 10_000;
/** Time-out and the grace for a body. */
const ATTEMPT_MAX = 10_250;

type Attempt = { dueMs: number; startMs: number };
type Delays = {
  durationMs: (n: number) => number;
  waitMs?: (n: number) => number;
  retryAfterMs?: number;
};

/** A delivery that is never acknowledged, on a clock of our own. */
function live(
  deliveryId: string,
  { durationMs, waitMs = () => 0, retryAfterMs = 0 }: Delays,
): Attempt[] {
  const attempts: Attempt[] = [];
  for (let dueMs: number | null = 0; dueMs !== null;) {
    const startMs: number = dueMs + waitMs(attempts.length);
    attempts.push({ dueMs, startMs });
    const ageMs = startMs + durationMs(attempts.length);
    dueMs = nextAttemptOffsetMs({ deliveryId, startedMs: startMs, ageMs, retryAfterMs });
  }
  return attempts;
}

const ids = Array.from({ length: SEEDS }, () => newUuid());
const schedules = ids.map(attemptOffsetsMs);
const durations: Record<string, (n: number) => number> = {
  'at once': () => 3,
  'after a random time': (n) => (n * 7_919) % ATTEMPT_MAX,
  'by time-out': () => ATTEMPT_MAX,
};

test.each(Object.entries(durations))(
  'a receiver that fails %s gets 12 attempts or more, the first retry within 10 s, the last in hours 68 to 72',
  (_, durationMs) => {
    const broken = ids.slice(0, 300).filter((id) => {
      const starts = live(id, { durationMs }).map(({ dueMs }) => dueMs);
      const last = starts.at(-1)!;
      const rising = starts.every((at, i) => i === 0 || at > starts[i - 1]!);
      const afterFailure = starts[1]! - durationMs(1);
      const right =
        starts.length >= 12 &&
        rising &&
        Math.min(afterFailure, starts[1]!) <= 10 * SECOND &&
        last >= 68 * HOUR &&
        last <= 72 * HOUR;
      return !right;
    });
    expect(broken).toEqual([]);
  },
);

test('the schedule itself: 17 moments, the first at once, a retry within 10 s, steps that grow, the last in hours 68 to 72', () => {
  const broken = schedules.filter((offsets) => {
    const steps = offsets.slice(1).map((at, i) => at - offsets[i]!);
    // Growing up to the eight hours; the last steps are as even as the jitter leaves them.
    const grow = steps.slice(1, 8).every((step, i) => step > steps[i]!);
    const [first, second] = offsets;
    const begins = first === 0 && second! > 0 && second! <= 10 * SECOND;
    const ends = offsets.at(-1)! >= 68 * HOUR && offsets.at(-1)! <= 72 * HOUR;
    const rises = grow && Math.min(...steps) > 0;
    return !(begins && rises && ends && offsets.length === SCHEDULED_ATTEMPTS);
  });
  expect(broken).toEqual([]);
  expect(SCHEDULED_ATTEMPTS).toBeGreaterThanOrEqual(12);
});

test('the same delivery always has the same moments, so a restart changes none', () => {
  const [id] = ids;
  expect(attemptOffsetsMs(id!)).toEqual(attemptOffsetsMs(id!));
});

test('jitter spreads every retry over the whole of its range', () => {
  for (let n = 1; n < SCHEDULED_ATTEMPTS; n += 1) {
    const moments = schedules.map((offsets) => offsets[n]!);
    const low = Math.min(...moments);
    const width = Math.max(...moments) - low;
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const at of moments) tenths[Math.min(9, Math.floor(((at - low) / width) * 10))]! += 1;
    // Each tenth holds a tenth, give or take a quarter: eight standard deviations of 10,000 draws.
    expect(tenths.filter((count) => Math.abs(count - SEEDS / 10) >= SEEDS / 40)).toEqual([]);
    // And the range is worth the name: a third of the step before it (three hours at the end).
    const step = n === 1 ? moments[0]! : schedules[0]![n]! - schedules[0]![n - 1]!;
    expect(width).toBeGreaterThan(step / 5);
  }
});

test('the moments of one delivery say nothing about each other', () => {
  for (let n = 2; n < SCHEDULED_ATTEMPTS; n += 1) {
    const a = schedules.map((offsets) => offsets[n - 1]!);
    const b = schedules.map((offsets) => offsets[n]!);
    expect(Math.abs(correlation(a, b))).toBeLessThan(0.06);
  }
});

test('attempts that are overdue together become one, and the schedule goes on from there', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.integer({ min: 0, max: 72 * HOUR }), (id, downMs) => {
      const waitMs = (n: number): number => (n === 1 ? downMs : 0);
      const attempts = live(id, { durationMs: () => 5, waitMs });
      const up = attempts[1]!.startMs;
      const after = attempts.slice(2).map(({ dueMs }) => dueMs);
      expect(after).toEqual(attemptOffsetsMs(id).filter((at) => at > up));
    }),
    { numRuns: 500 },
  );
});

test('a moment that passes while an attempt hangs is made up for at once', () => {
  const due = ids.slice(0, 300).map((id) => {
    const [, second, third] = live(id, { durationMs: () => ATTEMPT_MAX });
    return [second!.dueMs, third!.dueMs];
  });
  const wanted = schedules
    .slice(0, 300)
    .map(([, , third]) => [ATTEMPT_MAX, Math.max(2 * ATTEMPT_MAX, third!)]);
  expect(due).toEqual(wanted);
});

test('Retry-After delays by at most ten minutes, never below 12 attempts and never past 72 hours', () => {
  fc.assert(
    fc.property(
      fc.uuid({ version: 7 }),
      fc.oneof(fc.integer({ min: 0, max: 3_600 }), fc.constantFrom(600, 599, 601, 999_999_999)),
      (id, seconds) => {
        const retryAfterMs = seconds * SECOND;
        const attempts = live(id, { durationMs: () => 5, retryAfterMs });
        const moments = attemptOffsetsMs(id);
        expect(attempts.length).toBeGreaterThanOrEqual(12);
        const due = attempts.slice(0, -1).map(({ startMs }) => {
          const wanted = moments.find((at) => at > startMs)!;
          const asked = startMs + 5 + retryAfterMs;
          return Math.max(wanted, Math.min(asked, wanted + DELAY_MAX_MS));
        });
        expect(attempts.slice(1).map(({ dueMs }) => dueMs)).toEqual(due);
        const last = attempts.at(-1)!.dueMs;
        expect(last).toBeGreaterThanOrEqual(68 * HOUR);
        expect(last).toBeLessThanOrEqual(72 * HOUR);
        expect(last - moments.at(-1)!).toBeLessThanOrEqual(DELAY_MAX_MS);
      },
    ),
    { numRuns: 500 },
  );
});

test('nothing is due after the last moment, however late the attempt before it was', () => {
  const broken = ids.slice(0, 500).filter((id) => {
    const last = attemptOffsetsMs(id).at(-1)!;
    const at = (startedMs: number): number | null =>
      nextAttemptOffsetMs({ deliveryId: id, startedMs, ageMs: startedMs + 5, retryAfterMs: 9e9 });
    const beforeLast = at(last - 1);
    const isInTime = beforeLast !== null && beforeLast <= 72 * HOUR;
    return at(last) !== null || at(72 * HOUR) !== null || !isInTime;
  });
  expect(broken).toEqual([]);
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (v: readonly number[]): number => v.reduce((sum, x) => sum + x, 0) / v.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    const [da, db] = [a[i]! - ma, b[i]! - mb];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}
