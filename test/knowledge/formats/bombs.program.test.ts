import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createExtractor, type Extractor } from '../../../src/knowledge/formats/extractor.ts';
import { holdTime } from '../../clock.ts';
import { BOMBS } from './bombs.ts';
import { silent, waiting } from './extracting.ts';

const RESIDENT_MAX = 256_000_000;
/** How often the process that reads is looked at. */
const WATCH_MS = 20;
const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;
/** In the nightly lane less than the 20 s of the product, which several bombs use up. */
const TIMEOUT_MS = isNightly ? 6_000 : 20_000;
const ENDLESS = 'a PDF that draws something 10 milliard times';
/** One of each format; the nightly lane takes all. */
const SHORT = [
  'a ZIP with a gigabyte that it says is a kilobyte',
  'a PDF whose page is a gigabyte of spaces',
  'a DOCX of a gigabyte',
  'a CSV of a million columns',
  'a page of a million elements in elements',
];
const CHOSEN = isNightly ? BOMBS : BOMBS.filter(([what]) => SHORT.includes(what));

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ ...waiting, timeoutMs: TIMEOUT_MS, log: silent });
});
afterAll(() => extractor.stop());

test.each(CHOSEN)('%s takes no more memory than is allowed, and ends', async (_, name, make) => {
  const bytes = make();
  const read = await extractor.extractFor('default')({ bytes, mediaType: null, name });
  expect(extractor.peakBytes()).toBeLessThan(RESIDENT_MAX);
  // Refused in words, or read: never an error of ours.
  if ('refused' in read) expect(read.refused.detail).toMatch(/^[\w"'].+/);
  else
    expect(JSON.stringify(read.documents.map(({ text }) => text.slice(0, 100)))).not.toContain(
      'root:',
    );
});

test(`${ENDLESS} is given up after its time`, async () => {
  const time = holdTime();
  const own = createExtractor({ ...waiting, log: silent });
  const [, name, make] = BOMBS.find(([what]) => what === ENDLESS)!;
  const reading = own.extractFor('default')({ bytes: make(), mediaType: null, name });
  await time.armed(WATCH_MS); // The process has started and has the document.
  await time.advance(20_000);
  expect(await reading).toMatchObject({ refused: { detail: expect.stringContaining('20 s') } });
  await own.stop();
});

test('a document of one namespace that takes long keeps no other waiting, and its own next one', async () => {
  const own = createExtractor({ ...waiting, log: silent });
  onTestFinished(own.stop);
  const [, name, make] = BOMBS.find(([what]) => what === ENDLESS)!;
  const leaving = new AbortController();
  const order: string[] = [];
  const long = own
    .extractFor('noisy')({ bytes: make(), mediaType: null, name }, leaving.signal)
    .catch(() => order.push('long'));
  const read = async (namespace: string): Promise<void> => {
    const bytes = Buffer.from('Room;Price\nSingle;45');
    await own.extractFor(namespace)({ bytes, mediaType: null, name: 'prices.csv' });
    order.push(namespace);
  };
  const next = read('noisy');
  await read('quiet');
  leaving.abort(new Error('gone'));
  await Promise.all([long, next]);
  expect(order).toEqual(['quiet', 'long', 'noisy']);
});

test('after all of them the next document is read', async () => {
  const bytes = Buffer.from('\ufeffNine.', 'utf16le');
  const read = await extractor.extractFor('default')({ bytes, mediaType: null, name: 'a.txt' });
  expect(read).toMatchObject({ documents: [{ text: 'Nine.' }] });
});
