import { expect, test } from 'vitest';
import { createBatcher } from '../../../src/platform/controller/batcher.ts';
import { asWork } from '../../../src/platform/observability/work.ts';
import { holdTime } from '../../clock.ts';

/** Creates a batcher whose batches the test ends. */
function manual(
  options: {
    itemsMax?: number;
    gatherMs?: number;
    busy?: { from: number; gatherMs: number };
  } = {},
) {
  const batches: { items: readonly number[]; done: PromiseWithResolvers<readonly string[]> }[] = [];
  const batcher = createBatcher<number, string>({
    itemsMax: options.itemsMax ?? 10,
    gatherMs: options.gatherMs ?? 0,
    ...(options.busy && { busy: options.busy }),
    run: (items) => {
      const done = Promise.withResolvers<readonly string[]>();
      batches.push({ items, done });
      return done.promise;
    },
  });
  const begun = async (count: number): Promise<void> => {
    while (batches.length < count) await new Promise(setImmediate);
  };
  const answer = (at: number): void =>
    batches[at]!.done.resolve(batches[at]!.items.map((item) => `a${item}`));
  return { batcher, batches, begun, answer };
}

test('what comes in one turn of the loop goes together, and each gets its own answer', async () => {
  holdTime(); // The test waits for no timer.
  const { batcher, batches, begun, answer } = manual();
  const added = [1, 2, 3].map((item) => batcher.add(item));
  await begun(1);
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  answer(0);
  expect(await Promise.all(added)).toEqual(['a1', 'a2', 'a3']);
});

test('what comes meanwhile goes next, at most so many at once, in its order', async () => {
  const { batcher, batches, begun, answer } = manual({ itemsMax: 2 });
  const first = batcher.add(0);
  await begun(1);
  const others = [1, 2, 3].map((item) => batcher.add(item));
  await new Promise(setImmediate);
  expect(batches).toHaveLength(1);
  for (const at of [0, 1, 2]) {
    await begun(at + 1);
    answer(at);
  }
  expect(await Promise.all([first, ...others])).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(batches.map(({ items }) => items)).toEqual([[0], [1, 2], [3]]);
});

test('namespaces take turns if more items wait than fit into a batch', async () => {
  const { batcher, batches, begun, answer } = manual({ itemsMax: 3 });
  const add = (namespace: string, item: number) =>
    asWork({ name: 'test', namespace }, () => batcher.add(item));
  const added = [add('busy', 0)];
  await begun(1);
  added.push(...[1, 2, 3, 4].map((item) => add('busy', item)), add('quiet', 10));
  for (const at of [0, 1, 2]) {
    await begun(at + 1);
    answer(at);
  }
  await Promise.all(added);
  expect(batches.map(({ items }) => items)).toEqual([[0], [1, 10, 2], [3, 4]]);
});

test('a failure is that of its batch alone', async () => {
  const { batcher, batches, begun, answer } = manual();
  const failing = [1, 2].map((item) => batcher.add(item));
  await begun(1);
  const next = batcher.add(3);
  batches[0]!.done.reject(new Error('away'));
  expect(await Promise.allSettled(failing)).toMatchObject([
    { reason: { message: 'away' } },
    { reason: { message: 'away' } },
  ]);
  await begun(2);
  answer(1);
  expect(await next).toBe('a3');
});

test('a batch that is not full waits for more; idle waits for all', async () => {
  const { batcher, batches, begun, answer } = manual({ itemsMax: 3, gatherMs: 20 });
  const early = batcher.add(1);
  await new Promise(setImmediate);
  const late = batcher.add(2);
  expect(batches).toEqual([]);
  await begun(1);
  expect(batches[0]!.items).toEqual([1, 2]);
  let isIdle = false;
  const idle = batcher.idle().then(() => (isIdle = true));
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  answer(0);
  await Promise.all([early, late, idle]);
});

test('after a batch of several the next one waits for more, after one of few it does not', async () => {
  const time = holdTime();
  const { batcher, batches, begun, answer } = manual({ busy: { from: 2, gatherMs: 20 } });
  const several = [1, 2].map((item) => batcher.add(item));
  await begun(1);
  answer(0);
  await Promise.all(several);
  const next = [batcher.add(3)];
  await time.armed(20);
  next.push(batcher.add(4));
  await time.advance(20);
  await begun(2);
  expect(batches[1]!.items).toEqual([3, 4]);
  answer(1);
  await Promise.all(next);
  const one = batcher.add(5);
  await time.armed(20);
  await time.advance(20);
  await begun(3);
  answer(2);
  await one;
  const alone = [batcher.add(6)];
  await begun(4);
  alone.push(batcher.add(7));
  answer(3);
  await begun(5);
  answer(4);
  await Promise.all(alone);
  expect(batches.slice(2).map(({ items }) => items)).toEqual([[5], [6], [7]]);
});
