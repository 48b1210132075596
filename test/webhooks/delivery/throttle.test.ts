import { expect, test } from 'vitest';
import { createThrottle } from '../../../src/webhooks/delivery/throttle.ts';

/** A process that is busy for this share of its time, looked at every 100 ms: a window each. */
function pacing() {
  let nowMs = 0;
  let busy = 0;
  const throttle = createThrottle({ busyShare: () => busy, nowMs: () => nowMs });
  const after = (windows: number, share: number): number => {
    busy = share;
    for (let i = 0; i < windows; i += 1) {
      nowMs += 100;
      throttle.free();
    }
    return throttle.free();
  };
  return { throttle, after };
}

test('a process that has time lets more and more begin, up to a bound', () => {
  const { after } = pacing();
  const some = after(2, 0.2);
  expect(after(2, 0.2)).toBeGreaterThan(some);
  expect(after(200, 0.2)).toBe(1_000);
});

test('one that has none lets fewer begin at once, and never so few that nothing moves', () => {
  const { after } = pacing();
  after(200, 0.2);
  expect(after(1, 0.9)).toBeLessThan(750);
  expect(after(5, 0.9)).toBeLessThan(150);
  expect(after(100, 1)).toBe(16);
  expect(after(1, 0.2)).toBeGreaterThan(16);
});

test('what has begun counts for a window, however long it runs, and no longer', () => {
  const { throttle, after } = pacing();
  const free = after(1, 0.8);
  throttle.begun(free - 10);
  expect(throttle.free()).toBe(10);
  throttle.begun(30);
  expect(throttle.free()).toBe(0);
  expect(after(1, 0.2)).toBeGreaterThan(free);
});

test('a process that is busy for just 70 % of its time has time', () => {
  const before = pacing().after(1, 0);
  expect(pacing().after(1, 0.7)).toBe(before);
  expect(pacing().after(1, 0.71)).toBeLessThan(before);
});
