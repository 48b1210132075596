import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createExtractor, type Extractor } from '../../../src/knowledge/formats/extractor.ts';
import { silent } from './extracting.ts';

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ waitingMax: 8, log: silent });
});
afterAll(() => extractor.stop());

test('a text is read in the child, with its title left to the passages', async () => {
  const bytes = Buffer.from('# Prices\n\nWe open at nine.');
  const read = await extractor.extract({ bytes, mediaType: 'text/markdown', name: 'prices.md' });
  const text = '# Prices\n\nWe open at nine.';
  const document = { name: 'prices.md', title: null, language: null, bytes: bytes.length, text };
  expect(read).toEqual({ documents: [document], failed: [] });
  expect(extractor.peakBytes()).toBeLessThan(256e6);
});
