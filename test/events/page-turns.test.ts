import { expect, test } from 'vitest';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { createPageTurns } from '../../src/events/event-stream.ts';

const READERS = 100;

test('between the pages of many readers whatever else is to be done is done', async () => {
  const inTurn = createPageTurns(createMetrics({ processMetrics: false }));
  let others = 0;
  let isOver = false;
  const other = (): void => {
    others += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  let reading = 0;
  let most = 0;
  const order: number[] = [];
  const reader = async (id: number): Promise<void> => {
    for (let page = 0; page < 3; page += 1) {
      await inTurn('default', async () => {
        reading += 1;
        most = Math.max(most, reading);
        await Promise.resolve();
        reading -= 1;
        order.push(id);
      });
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, id) => reader(id)));
  isOver = true;
  expect(most).toBeLessThanOrEqual(2);
  // Two pages, then the others.
  expect(others).toBeGreaterThanOrEqual((READERS * 3) / 2 - 1);
  // Each once before any of them the second time.
  expect(new Set(order.slice(0, READERS)).size).toBe(READERS);
});

test('a page that cannot be read keeps nobody from theirs', async () => {
  const inTurn = createPageTurns(createMetrics({ processMetrics: false }));
  const failing = Array.from({ length: 5 }, () =>
    inTurn('default', () => Promise.reject(new Error('away'))),
  );
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(
    Array.from({ length: 5 }, () => 'rejected'),
  );
  expect(await inTurn('default', () => 'page')).toBe('page');
});

test('readers of one namespace keep no reader of another waiting', async () => {
  const inTurn = createPageTurns(createMetrics({ processMetrics: false }));
  const order: string[] = [];
  const read = (namespace: string) => inTurn(namespace, () => order.push(namespace));
  const noisy = Array.from({ length: READERS }, () => read('noisy'));
  await Promise.all([...noisy, read('quiet')]);
  // Two had a place before it came.
  expect(order.indexOf('quiet')).toBe(2);
});
