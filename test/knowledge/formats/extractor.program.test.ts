import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExtractor, type Extractor } from '../../../src/knowledge/formats/extractor.ts';
import { startGuardedChild } from '../../../src/knowledge/formats/guarded-child.ts';
import { silent, waiting } from './extracting.ts';

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ ...waiting, log: silent });
});
afterAll(() => extractor.stop());

test('a text is read in the child, with its title left to the passages', async () => {
  const bytes = Buffer.from('# Prices\n\nWe open at nine.');
  const read = await extractor.extractFor('default')({
    bytes,
    mediaType: 'text/markdown',
    name: 'prices.md',
  });
  const text = '# Prices\n\nWe open at nine.';
  const document = { name: 'prices.md', title: null, language: null, bytes: bytes.length, text };
  expect(read).toEqual({ documents: [document], failed: [] });
  expect(extractor.peakBytes()).toBeLessThan(256e6);
});

test('a process that hangs as it starts is given up, and no document waits for it', async () => {
  const began = startGuardedChild({ startMs: 1 });
  await expect(began).rejects.toThrow('the document reader process does not start');
});
