import { afterEach, expect, test } from 'vitest';
import { pino } from 'pino';
import {
  createPeriodic,
  type Periodic,
  type PeriodicRun,
} from '../../../src/platform/controller/periodic.ts';
import { holdTime, type HeldClock } from '../../clock.ts';

const EVERY_MS = 5_000;

let periodic: Periodic;
afterEach(() => periodic.stop());

/** Starts a periodic job whose runs end with these results, and with false after them. */
function start(...results: (Awaited<ReturnType<PeriodicRun>> | Error)[]): {
  time: HeldClock;
  runs: () => number;
} {
  let runs = 0;
  const run = (): Promise<boolean | number> => {
    runs += 1;
    const result = results.shift() ?? false;
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
  const time = holdTime();
  periodic = createPeriodic({
    what: 'a test',
    everyMs: EVERY_MS,
    run,
    log: pino({ level: 'silent' }),
  });
  periodic.start();
  return { time, runs: () => runs };
}

test('it runs at the interval, and immediately while more work is ready', async () => {
  const { time, runs } = start(true, true, false);
  await time.armed(EVERY_MS);
  expect(runs()).toBe(3);
  await time.advance(EVERY_MS - 1);
  expect(runs()).toBe(3);
  await time.advance(1);
  expect(runs()).toBe(4);
});

test('it runs when work becomes due, unless the interval is shorter', async () => {
  const { time, runs } = start(300, 99.2, 60_000, 0);
  for (const [ms, total] of [
    [300, 1],
    [100, 2],
    [EVERY_MS, 3],
  ] as const) {
    await time.armed(ms);
    expect(runs()).toBe(total);
    await time.advance(ms);
  }
  await time.advance(1);
  await time.armed(EVERY_MS);
  expect(runs()).toBe(5);
});

test('it runs after the interval again if a run fails, whatever the run before said', async () => {
  const { time, runs } = start(10, new Error('away'));
  await time.armed(10);
  await time.advance(10);
  await time.armed(EVERY_MS);
  expect(runs()).toBe(2);
});
