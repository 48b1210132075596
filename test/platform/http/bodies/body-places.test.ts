import { expect, test } from 'vitest';
import { createBodyPlaces } from '../../../../src/platform/http/bodies/body-places.ts';
import { createMetrics } from '../../../../src/platform/observability/metrics.ts';
import { asWork } from '../../../../src/platform/observability/work.ts';
import { holdTime } from '../../../clock.ts';

/** The number of large bodies that a process holds, by namespace and address. */

const KIB = 1024;

function places() {
  const { take } = createBodyPlaces(createMetrics({ processMetrics: false }));
  return {
    /** Takes places for a namespace, or without one for an address. Returns the places that were granted. */
    takeMany: async (
      times: number,
      whose: { namespace?: string; address?: string },
      bytes = 70 * KIB,
    ) => {
      const given: (() => void)[] = [];
      const refused: unknown[] = [];
      for (let i = 0; i < times; i += 1)
        void asWork({ name: 'request', namespace: whose.namespace }, () =>
          take(whose.address ?? '10.0.0.1', bytes).then(
            (release) => given.push(release),
            (error: unknown) => refused.push(error),
          ),
        );
      await new Promise(setImmediate);
      return { given, refused };
    },
  };
}

test('a namespace holds eight large bodies, a process sixteen', async () => {
  const { takeMany } = places();
  const greedy = await takeMany(20, { namespace: 'greedy' });
  expect(greedy.given).toHaveLength(8);
  const others = [await takeMany(6, { namespace: 'b' }), await takeMany(6, { namespace: 'c' })];
  expect(others.map(({ given }) => given.length)).toEqual([6, 2]);
  // The namespace with the fewest bodies is next, however long another one has waited.
  others[0]!.given[0]!();
  await new Promise(setImmediate);
  expect([greedy.given.length, others[1]!.given.length]).toEqual([8, 3]);
});

test('a place is given once, however often it is freed', async () => {
  const { takeMany } = places();
  const { given } = await takeMany(12, { namespace: 'a' });
  given[0]!();
  given[0]!();
  await new Promise(setImmediate);
  expect(given).toHaveLength(9);
});

test('bodies of 64 KiB need no place', async () => {
  const { takeMany } = places();
  expect((await takeMany(100, { namespace: 'a' }, 64 * KIB)).given).toHaveLength(100);
  expect((await takeMany(100, { namespace: 'a' }, 64 * KIB + 1)).given).toHaveLength(8);
});

test('without a key, an address holds sixteen of more than 8 KiB, and all addresses 32', async () => {
  const { takeMany } = places();
  expect((await takeMany(100, {}, 8 * KIB)).given).toHaveLength(100);
  expect((await takeMany(40, { address: '10.0.0.1' }, 8 * KIB + 1)).given).toHaveLength(16);
  expect((await takeMany(20, { address: '10.0.0.2' }, 8 * KIB + 1)).given).toHaveLength(16);
  expect((await takeMany(1, { address: '10.0.0.3' }, 8 * KIB + 1)).given).toHaveLength(0);
  // Requests with a key have their own places.
  expect((await takeMany(1, { namespace: 'a' })).given).toHaveLength(1);
});

test('who has no place after ten seconds is told to come back', async () => {
  const time = holdTime();
  const { takeMany } = places();
  const { given, refused } = await takeMany(9, { namespace: 'a' });
  await time.advance(9_999);
  expect(refused).toEqual([]);
  await time.advance(1);
  expect(refused).toMatchObject([{ code: 'unavailable', retryAfterSec: 5 }]);
  expect(given).toHaveLength(8);
});

test('the refusal names the size that needs no place, which is smaller without a key', async () => {
  const { takeMany } = places();
  const known = await takeMany(8 + 64 + 1, { namespace: 'a' });
  expect(String(known.refused[0])).toContain('at most 64 KiB');
  const keyless = await takeMany(16 + 32 + 1, { address: '10.0.0.1' });
  expect(String(keyless.refused[0])).toContain('at most 8 KiB');
});

test('64 bodies of a namespace wait for a place, and one more is refused at once', async () => {
  const { takeMany } = places();
  const { refused } = await takeMany(8 + 64 + 1, { namespace: 'a' });
  expect(refused).toMatchObject([{ code: 'unavailable' }]);
});
