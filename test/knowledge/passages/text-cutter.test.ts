import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { createTextCutter } from '../../../src/knowledge/passages/text-cutter.ts';

test('a large text is cut in another thread, while this one does other work', async () => {
  const cutter = createTextCutter({
    waitingMax: { namespace: 1, all: 1 },
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  const order: string[] = [];
  const text = 'word and another. '.repeat(5_000);
  const cut = cutter
    .cut('default', { path: 'a.md', title: 'a', text })
    .then(() => order.push('cut'));
  for (let turns = 0; turns < 10; turns += 1) await turnOfLoop();
  order.push('other work');
  await cut;
  expect(order).toEqual(['other work', 'cut']);
  await cutter.stop();
});
