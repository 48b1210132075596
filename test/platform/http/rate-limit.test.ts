import { expect, test } from 'vitest';
import { createRateLimits, createRefusalPace } from '../../../src/platform/http/rate-limit.ts';
import { holdTime } from '../../clock.ts';

/** Returns how many of these consecutive failures were allowed. */
async function countedTogether(...addresses: string[]): Promise<number> {
  const limits = createRateLimits(1);
  let allowed = 0;
  for (const address of addresses) {
    await limits.countFailure(address).then(
      () => (allowed += 1),
      () => undefined,
    );
  }
  return allowed;
}

test.each([
  ['2001:db8::1', '2001:db8::2'],
  ['2001:db8:0:0:1::', '2001:db8::ffff'],
  ['::1', '::2'],
])('%s and %s are one network', async (one, other) => {
  expect(await countedTogether(one, other)).toBe(1);
});

test.each([
  ['192.0.2.1', '192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['2001:db8:0:1::1', '2001:db8:0:2::1'],
])('%s and %s are two', async (one, other) => {
  expect(await countedTogether(one, other)).toBe(2);
});

test('failures are limited to 100 a minute, however much a key may do', async () => {
  const limits = createRateLimits(6_000);
  for (let i = 0; i < 100; i += 1) await limits.countFailure('192.0.2.1');
  await expect(limits.countFailure('192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' });
});

test('twenty refusals of an address are answered at once, and the next ones twenty a second', async () => {
  const time = holdTime();
  const pace = createRefusalPace();
  for (let at = 0; at < 20; at += 1) expect(pace('192.0.2.1')).toBe(0);
  expect([pace('192.0.2.1'), pace('192.0.2.1')]).toEqual([50, 100]);
  expect(pace('192.0.2.2')).toBe(0);
  await time.advance(150);
  expect([pace('192.0.2.1'), pace('192.0.2.1')]).toEqual([0, 50]);
});

test.each([
  [undefined, 1_000],
  [5_000, 5_000],
])('with a longest delay of %s no refusal waits longer than %i ms', async (mostMs, longest) => {
  const time = holdTime();
  const pace = createRefusalPace(mostMs);
  const waits = Array.from({ length: 20 + longest / 50 + 100 }, () => pace('192.0.2.1'));
  expect(waits.slice(18, 22)).toEqual([0, 0, 50, 100]);
  expect(waits.slice(-101)).toEqual(Array(101).fill(longest));
  // Refusals that wait the longest time do not add to the wait of later ones.
  await time.advance(longest);
  expect(pace('192.0.2.1')).toBe(0);
});

test('of 10,000 addresses the one that was refused longest ago is forgotten', () => {
  holdTime();
  const pace = createRefusalPace();
  for (let at = 0; at < 21; at += 1) pace('192.0.2.1');
  for (let at = 0; at < 9_999; at += 1) pace(`10.1.${at >> 8}.${at & 255}`);
  expect(pace('192.0.2.1')).toBe(100);
  for (let at = 0; at < 10_000; at += 1) pace(`10.2.${at >> 8}.${at & 255}`);
  expect(pace('192.0.2.1')).toBe(0);
});
