import { beforeEach, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { createSlots, SLOTS_MAX, type Slots } from '../../../src/webhooks/delivery/slots.ts';

let nowMs: number;
let slots: Slots;

beforeEach(() => {
  nowMs = 1_000;
  slots = createSlots({ nowMs: () => nowMs });
});

/** One attempt from start to end, as soon as the endpoint has a slot; returns how long that took. */
function attempt(result: 'success' | 'failure' | 'unknown', waitedMs = 0): number {
  const waitMs = Math.max(0, slots.pausedUntilMs('a') - nowMs);
  nowMs += waitMs;
  expect(slots.free('a')).toBeGreaterThan(0);
  slots.take('a', 'shop');
  slots.release('a', result, { waitedMs });
  slots.recorded();
  return waitMs;
}

test('an endpoint in good health has 32 slots and loses one for each attempt in flight', () => {
  expect(slots.free('a')).toBe(SLOTS_MAX);
  for (let i = 0; i < SLOTS_MAX; i += 1) slots.take('a', 'shop');
  expect(slots.free('a')).toBe(0);
  expect(slots.total()).toBe(SLOTS_MAX);
  slots.release('a', 'success');
  expect(slots.free('a')).toBe(1);
});

test('what is over counts in all until it is recorded', () => {
  slots.take('a', 'shop', true);
  slots.release('a', 'success', { yields: true });
  expect([slots.inFlight('a'), slots.total()]).toEqual([0, 1]);
  slots.recorded();
  expect(slots.total()).toBe(0);
});

test('a namespace holds the slots of all its endpoints, until their attempts end', () => {
  slots.take('a', 'shop');
  slots.take('b', 'shop', true);
  slots.take('c', 'bank');
  expect(['shop', 'bank', 'none'].map(slots.heldBy)).toEqual([2, 1, 0]);
  slots.release('b', 'failure', { yields: true });
  expect(['shop', 'bank'].map(slots.heldBy)).toEqual([1, 1]);
  slots.release('a', 'success');
  expect(['shop', 'bank'].map(slots.heldBy)).toEqual([0, 1]);
});

test('four failures in a row change nothing, the fifth leaves one attempt at a time', () => {
  for (let i = 0; i < 4; i += 1) attempt('failure');
  expect(slots.free('a')).toBe(SLOTS_MAX);
  attempt('failure');
  expect(slots.free('a')).toBe(0);
  nowMs = slots.pausedUntilMs('a');
  expect(slots.free('a')).toBe(1);
  slots.take('a', 'shop');
  expect(slots.free('a')).toBe(0);
});

test('a success in between starts the count anew', () => {
  for (const result of ['failure', 'failure', 'failure', 'failure', 'success'] as const)
    attempt(result);
  for (let i = 0; i < 4; i += 1) attempt('failure');
  expect(slots.free('a')).toBe(SLOTS_MAX);
});

test('the pause doubles with each further failure, from half a second to half a minute', () => {
  for (let i = 0; i < 5; i += 1) attempt('failure');
  const pauses = Array.from({ length: 10 }, () => attempt('failure'));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
});

test('failures of attempts begun before the pause do not lengthen it', () => {
  for (let i = 0; i < SLOTS_MAX; i += 1) slots.take('a', 'shop');
  for (let i = 0; i < SLOTS_MAX; i += 1) slots.release('a', 'failure');
  expect(slots.pausedUntilMs('a') - nowMs).toBe(500);
});

test('the first success reopens and the slots double with each further one', () => {
  for (let i = 0; i < 8; i += 1) attempt('failure');
  nowMs = slots.pausedUntilMs('a');
  const free: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    attempt('success');
    free.push(slots.free('a'));
  }
  expect(free).toEqual([2, 4, 8, 16, 32, 32]);
});

test('an attempt whose end is unknown gives its slot back and judges nobody', () => {
  for (let i = 0; i < 20; i += 1) attempt('unknown');
  expect(slots.free('a')).toBe(SLOTS_MAX);
  expect(slots.total()).toBe(0);
});

test('another endpoint notices nothing', () => {
  for (let i = 0; i < 12; i += 1) attempt('failure');
  expect(slots.free('a')).toBe(0);
  expect(slots.free('b')).toBe(SLOTS_MAX);
});

test('a breaker does not hold back what is overdue by minutes already', () => {
  for (let i = 0; i < 12; i += 1) attempt('failure');
  nowMs = slots.pausedUntilMs('a');
  attempt('failure', 300_000);
  expect(slots.free('a')).toBeGreaterThanOrEqual(2);
  for (let i = 0; i < 6; i += 1) attempt('failure', 300_000);
  expect(slots.free('a')).toBe(SLOTS_MAX);
});

test('whatever happens, slots stay between 0 and 32, the count is right and no pause is long', () => {
  const step = fc.record({
    kind: fc.constantFrom('take', 'success', 'failure', 'unknown', 'wait'),
    endpoint: fc.constantFrom('a', 'b'),
    ms: fc.integer({ min: 0, max: 40_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let now = 0;
      const under = createSlots({ nowMs: () => now });
      const inFlight = { a: 0, b: 0 };
      for (const { kind, endpoint: raw, ms } of steps) {
        const endpoint = raw;
        if (kind === 'wait') now += ms;
        else if (kind === 'take' && under.free(endpoint) > 0) {
          under.take(endpoint, 'shop');
          inFlight[endpoint] += 1;
        } else if (kind !== 'take' && inFlight[endpoint] > 0) {
          under.release(endpoint, kind);
          under.recorded();
          inFlight[endpoint] -= 1;
        }
        expect(under.total()).toBe(inFlight.a + inFlight.b);
        expect(inFlight[endpoint]).toBeLessThanOrEqual(SLOTS_MAX);
        expect(under.free(endpoint)).toBeGreaterThanOrEqual(0);
        expect(under.pausedUntilMs(endpoint)).toBeLessThanOrEqual(now + 30_000);
      }
    }),
  );
});

test('what is asked for now ends a pause and gets a slot of its own; the next failure pauses again', () => {
  for (let i = 0; i < 8; i += 1) attempt('failure');
  expect(slots.free('a')).toBe(0);
  slots.reopen('a');
  expect(slots.free('a')).toBe(1);
  slots.take('a', 'shop');
  expect(slots.free('a')).toBe(0);
  slots.reopen('a'); // The one before hangs.
  expect(slots.free('a')).toBe(1);
  slots.take('a', 'shop');
  slots.release('a', 'failure');
  expect(slots.free('a')).toBe(0);
  expect(slots.pausedUntilMs('a')).toBeGreaterThan(nowMs);
  slots.reopen('b');
  expect(slots.free('b')).toBe(SLOTS_MAX);
});
