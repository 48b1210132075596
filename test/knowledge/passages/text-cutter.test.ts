import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { cutPassages, type CutContent } from '../../../src/knowledge/passages/cut-passages.ts';
import { readBatch } from '../../../src/knowledge/passages/packed-chunks.ts';
import { createTextCutter, type TextCutter } from '../../../src/knowledge/passages/text-cutter.ts';

function newCutter(): TextCutter {
  const cutter = createTextCutter({
    waitingMax: { namespace: 1, all: 1 },
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => cutter.stop());
  return cutter;
}

test('a large text is cut in another thread, while this one does other work', async () => {
  const cutter = newCutter();
  const order: string[] = [];
  const text = 'word and another. '.repeat(5_000);
  const cut = cutter
    .cut('default', { path: 'a.md', title: 'a', text })
    .then(() => order.push('cut'));
  for (let turns = 0; turns < 10; turns += 1) await turnOfLoop();
  order.push('other work');
  await cut;
  expect(order).toEqual(['other work', 'cut']);
});

test('what waits to be written of a large text takes less memory than the text, and is the same', async () => {
  const words = Array.from({ length: 40_000 }, (_, i) => `word${(i * 7_919) % 20_000}`);
  const content = { path: 'a.md', title: 'a', text: words.join(' ') };
  const cut = await newCutter().cut('default', content);
  expect(heldBytes(cut)).toBeLessThan(content.text.length);
  const here = cutPassages(content);
  if ('refused' in here) throw new Error(here.refused.detail);
  expect(cut.packed).toBe(heldBytes(here));
  expect(cut.packed).toBeGreaterThan(2 * content.text.length);
  expect(await wordsOf(cut)).toEqual(await wordsOf(here));
});

/** Returns the memory that the batches hold, also where they are a part of it. */
function heldBytes({ batches }: CutContent): number {
  return batches.reduce((sum, batch) => {
    const { buffer } = batch instanceof Uint8Array ? batch : batch.deflated;
    return sum + buffer.byteLength;
  }, 0);
}

/** Returns the words of all passages. Their ids are new each time. */
async function wordsOf({ batches }: CutContent): Promise<string[]> {
  const texts = await Promise.all(
    batches.map(async (batch) => String(Buffer.from(await readBatch(batch)))),
  );
  return texts.flatMap((text) =>
    JSON.parse(text).map((row: { text_words: string }) => row.text_words),
  );
}
