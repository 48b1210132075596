import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAwaitProjection } from '../../../src/platform/declare/await-projection.ts';
import type { Projected } from '../../../src/platform/postgres/projected.ts';

const WRITTEN: Projected = { resource: 'telephony_providers', namespace: 'default', id: 'one' };

test.each([
  ['shown', [WRITTEN]],
  ['not shown', []],
])('of a write that is %s, caches learn %j before the wait ends', async (how, learned) => {
  const dropped: Projected[] = [];
  const awaitProjection = createAwaitProjection({
    onProjected: () => () => undefined, // No notification arrives.
    onShown: (written) => void dropped.push(written),
    nowMs: () => 0,
    waitMs: 0,
  });
  const { shown } = await awaitProjection(
    WRITTEN,
    async () => how,
    (row) => row === 'shown',
  );
  expect({ shown, dropped }).toEqual({ shown: how === 'shown', dropped: learned });
});

test('only a notification of the written row, or one of all rows, reads the row again', async () => {
  let wake: (items: readonly string[]) => void = () => undefined;
  let reads = 0;
  const awaitProjection = createAwaitProjection({
    onProjected: (added) => {
      wake = added;
      return () => undefined;
    },
    nowMs: () => 0,
  });
  const written = awaitProjection(
    WRITTEN,
    async () => (reads += 1),
    (row) => row === 3,
  );
  const readsAfter = async (...items: string[]): Promise<number> => {
    wake(items);
    await setImmediate();
    return reads;
  };
  await setImmediate();
  expect(await readsAfter('telephony_providers/default/other', 'agents/default/one')).toBe(1);
  expect(await readsAfter('another', 'telephony_providers/default/one')).toBe(2);
  expect(await readsAfter('*')).toBe(3);
  expect(await written).toEqual({ value: 3, shown: true });
});
