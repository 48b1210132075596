import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExtractor, type Extractor } from '../../../src/knowledge/formats/extractor.ts';
import { BOMBS } from './bombs.ts';
import { silent } from './extracting.ts';

const RESIDENT_MAX = 256_000_000;
/** Instead of 20 s, which several of them take: this is one of many tests. */
const TIMEOUT_MS = 6_000;
/** What is promised of each; a busy machine takes its time to begin and to end a process. */
const MS_MAX = 20_000;

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ waitingMax: 1, timeoutMs: TIMEOUT_MS, log: silent });
});
afterAll(() => extractor.stop());

test.each(BOMBS)('%s takes neither memory nor time', async (_, name, make) => {
  const bytes = make();
  const startedMs = performance.now();
  const read = await extractor.extract({ bytes, mediaType: null, name });
  const tookMs = performance.now() - startedMs;
  expect(tookMs).toBeLessThan(MS_MAX);
  expect(extractor.peakBytes()).toBeLessThan(RESIDENT_MAX);
  // Refused in words, or read: never an error of ours.
  if ('refused' in read) expect(read.refused.detail).toMatch(/^[\w"'].+/);
  else
    expect(JSON.stringify(read.documents.map(({ text }) => text.slice(0, 100)))).not.toContain(
      'root:',
    );
});

test('after all of them the next document is read', async () => {
  const bytes = Buffer.from('\ufeffNine.', 'utf16le');
  const read = await extractor.extract({ bytes, mediaType: null, name: 'a.txt' });
  expect(read).toMatchObject({ documents: [{ text: 'Nine.' }] });
});
