import { describe, expect, test } from 'vitest';
import {
  clearTimeout,
  delay,
  epochMs,
  monotonicMs,
  setInterval,
  setTimeout,
  timeoutSignal,
} from '../src/clock.ts';
import { holdTime } from './clock.ts';

describe('a held clock', () => {
  test('fires timers in order, each at its own moment, also those that a timer starts', async () => {
    const time = holdTime();
    const startMs = monotonicMs();
    const fired: string[] = [];
    const note = (name: string) => (): void =>
      void fired.push(`${name} ${monotonicMs() - startMs}`);
    setTimeout(note('late'), 300);
    setTimeout(() => setTimeout(note('follows'), 50), 100);
    const every = setInterval(note('every'), 120);
    await time.advance(299);
    expect(fired).toEqual(['every 120', 'follows 150', 'every 240']);
    clearTimeout(every);
    await time.advance(1);
    expect(fired.at(-1)).toBe('late 300');
    expect(time.waiting()).toEqual([]);
  });

  test('moves the time of day as far as the monotonic one', async () => {
    const time = holdTime();
    const before = { epoch: epochMs(), monotonic: monotonicMs() };
    await time.advance(86_400_000);
    expect(epochMs() - before.epoch).toBe(86_400_000);
    expect(monotonicMs() - before.monotonic).toBe(86_400_000);
  });

  test('ends a delay by time or by its signal, and a time-out by time alone', async () => {
    const time = holdTime();
    const stop = new AbortController();
    const ended = delay(1_000);
    const stopped = delay(1_000, { signal: stop.signal });
    const late = timeoutSignal(500);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    await expect(delay(1, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await time.advance(499);
    expect(late.aborted).toBe(false);
    await time.advance(501);
    expect(late).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } });
    await ended;
  });

  test('tells when a timer is armed', async () => {
    const time = holdTime();
    const armed = time.armed(700);
    globalThis.setImmediate(() => setTimeout(() => undefined, 700));
    await armed;
    expect(time.waiting()).toEqual([700]);
  });
});

test('what still waits when a test ends continues in real time and can be canceled', async () => {
  // The previous tests no longer hold the clock, so these are real timers.
  const fired = Promise.withResolvers<void>();
  const canceled = setTimeout(() => fired.reject(new Error('canceled, and fired')), 1);
  clearTimeout(canceled);
  setTimeout(fired.resolve, 2);
  await fired.promise;
});
