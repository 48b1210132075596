import { expect, test } from 'vitest';
import { createRateLimits } from '../../../src/platform/http/rate-limit.ts';

/** How many of these failures, one after the other, were still let through. */
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
