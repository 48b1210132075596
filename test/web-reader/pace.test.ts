import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { delay, monotonicMs } from '../../src/clock.ts';
import { createPace } from '../../packages/web-reader/src/site/pace.ts';
import { holdTime } from '../clock.ts';

/** How fast a site is asked. */

function pacing(delayMs: number, signal = new AbortController().signal) {
  const pace = createPace({ delayMs, nowMs: monotonicMs, delay, signal });
  const ends: (() => void)[] = [];
  const starts: number[] = [];
  const beganMs = monotonicMs();
  const ask = (): Promise<void> =>
    pace.inTurn(() => {
      starts.push(monotonicMs() - beganMs);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      return promise;
    });
  return { pace, ends, starts, ask };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await turnOfLoop();
}

test('without a delay eight requests run at once, and the next one when one ends', async () => {
  const { ends, starts, ask } = pacing(0);
  const asked = Array.from({ length: 9 }, ask);
  await settled();
  expect(starts).toHaveLength(8);
  ends[3]!();
  await settled();
  expect(starts).toHaveLength(9);
  for (const end of ends) end();
  await Promise.all(asked);
});

test('with a delay one runs at a time, and each starts that long after the one before', async () => {
  const time = holdTime();
  const { ends, starts, ask } = pacing(1_000);
  const asked = [ask(), ask(), ask()];
  await settled();
  await time.advance(5_000);
  expect(starts).toEqual([0]);
  ends[0]!();
  await settled();
  expect(starts).toEqual([0, 5_000]);
  ends[1]!();
  await time.armed(1_000);
  await time.advance(999);
  expect(starts).toHaveLength(2);
  await time.advance(1);
  await settled();
  expect(starts).toEqual([0, 5_000, 6_000]);
  ends[2]!();
  await Promise.all(asked);
});

test('a pause holds the next start, and a shorter one later does not shorten it', async () => {
  const time = holdTime();
  const { pace, ends, starts, ask } = pacing(0);
  pace.pauseMs(10_000);
  pace.pauseMs(2_000);
  const asked = ask();
  await time.armed(10_000);
  await time.advance(10_000);
  await settled();
  expect(starts).toEqual([10_000]);
  ends[0]!();
  await asked;
});

test('a site is never asked faster than before', async () => {
  const time = holdTime();
  const { pace, ends, starts, ask } = pacing(1_000);
  pace.slowTo(5_000);
  pace.slowTo(2_000);
  const asked = [ask(), ask()];
  await settled();
  ends[0]!();
  await time.armed(5_000);
  await time.advance(5_000);
  await settled();
  expect(starts).toEqual([0, 5_000]);
  ends[1]!();
  await Promise.all(asked);
});

test('nothing more starts once it is aborted', async () => {
  const abort = new AbortController();
  const { starts, ask } = pacing(0, abort.signal);
  abort.abort(new Error('stopped'));
  await expect(ask()).rejects.toThrow('stopped');
  expect(starts).toEqual([]);
});
