import { expect, test } from 'vitest';
import { createProviderSlots } from '../../src/models/provider-slots.ts';

/** Limits of concurrent and waiting requests to a provider. */

const { signal } = new AbortController();

test.each([
  [1, 8],
  [8, 8],
  [9, 9],
])('with %i at once %i wait, in order, and the next one is refused', async (max, waits) => {
  const slots = createProviderSlots();
  const leave: (() => void)[] = [];
  for (let i = 0; i < max; i += 1) leave.push((await slots.take('a', max, signal))!);
  const entered: number[] = [];
  const waiting = Array.from({ length: waits }, async (_, i) => {
    const done = await slots.take('a', max, signal);
    entered.push(i);
    return done!;
  });
  expect(await slots.take('a', max, signal)).toBeUndefined();
  expect(await slots.take('b', max, signal)).toBeDefined();
  expect(entered).toEqual([]);
  leave[0]!();
  leave[0]!();
  await waiting[0];
  expect(entered).toEqual([0]);
  (await waiting[0])!();
  await waiting[1];
  expect(entered).toEqual([0, 1]);
});

test('who gives up leaves the line', async () => {
  const slots = createProviderSlots();
  const done = (await slots.take('a', 1, signal))!;
  const abort = new AbortController();
  const first = slots.take('a', 1, abort.signal);
  const second = slots.take('a', 1, signal);
  abort.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  done();
  expect(await second).toBeDefined();
});
