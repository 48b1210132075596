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
