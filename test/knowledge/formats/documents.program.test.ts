import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createExtractor,
  type Extracted,
  type Extractor,
} from '../../../src/knowledge/formats/extractor.ts';
import { silent } from './extracting.ts';
import { docxOf, pdfOf, pdfWithPages, zipOf } from './making.ts';

/** Made with LibreOffice: see originals/README.md. */
const original = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, 'originals', name));

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ waitingMax: 8, log: silent });
});
afterAll(() => extractor.stop());

const read = (name: string, bytes: Buffer | string): Promise<Extracted> =>
  extractor.extract({ bytes: Buffer.from(bytes), mediaType: null, name });

async function textOf(name: string, bytes: Buffer | string): Promise<string> {
  const found = await read(name, bytes);
  if ('refused' in found) throw new Error(found.refused.detail);
  return found.documents.map(({ text }) => text).join('\n');
}

const word = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const line = (text: string, y = 500): string => `BT /F 9 Tf 40 ${y} Td (${text}) Tj ET\n`;

test.each(['pdf', 'docx'])('a %s of another program has its headings and words', async (ending) => {
  const name = `handbook.${ending}`;
  const found = await read(name, original(name));
  expect(found).toMatchObject({
    failed: [],
    documents: [{ name, bytes: original(name).length, language: 'en' }],
  });
  const text = await textOf(name, original(name));
  const headings = text.split('\n').filter((row) => row.startsWith('#'));
  expect(headings).toEqual([
    '# Guesthouse handbook',
    '## Arrival',
    '## Breakfast',
    '## Prices',
    '### Cancellation',
    '## Emergencies',
  ]);
  expect(text).toContain('finds the key in the box beside the door; the number of the box is in');
  expect(text).toMatch(/^- Gluten-free bread is baked on request\.$/m);
  expect(text).toMatch(/Double.+120 euros.+90 euros/);
});

test('what stands on most pages of a PDF, and differs by a number, is left out', async () => {
  const text = await textOf('handbook.pdf', original('handbook.pdf'));
  expect(text).not.toMatch(/Lakeside Guesthouse, internal|Page \d of \d/);
});

test('a word that was cut at the end of its line is whole', async () => {
  const page =
    line('Whoever arrives after ten in the evening finds the key in the box, beside the recep-') +
    line(
      'tion; the number of the box is in the message that was sent on the day before that one.',
      487,
    );
  expect(await textOf('arrival.pdf', pdfWithPages([page]))).toContain('beside the reception; the');
});

test('a page of a browser, text in UTF-16 and a table are read by their names', async () => {
  const page =
    '<!doctype html><title>Inn</title><main><h1>Prices</h1><p>Dogs pay <b>12</b>.</main>';
  expect(await textOf('prices.html', page)).toMatch(/# Prices\s+Dogs pay \**12\**\./);
  expect(await textOf('prices.txt', Buffer.from('\ufeffHunde: 12 €', 'utf16le'))).toBe(
    'Hunde: 12 €',
  );
  expect(await textOf('prices.csv', 'Guest;Price\nDog;12\n')).toBe('Guest: Dog\nPrice: 12');
});

test.each([
  ['no_text', 'run OCR first', 'scan.pdf', pdfWithPages(['q 400 0 0 600 0 0 cm Q'])],
  ['no_text', 'images are not read', 'scan.docx', docxOf('<w:p/>')],
  ['encrypted', 'save it without one', 'locked.pdf', original('locked.pdf')],
  [
    'encrypted',
    'save it without one',
    'locked.docx',
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(512),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]),
  ],
  [
    'encrypted',
    'save it without one',
    'locked.zip',
    zipOf([{ name: 'a.txt', data: 'Nine.', said: { flags: 1 } }]),
  ],
  ['invalid_format', 'damaged', 'half.pdf', original('handbook.pdf').subarray(0, 900)],
  ['invalid_format', 'damaged', 'half.docx', original('handbook.docx').subarray(0, 5_000)],
  ['invalid_format', 'begins as no PDF', 'text.pdf', 'We open at nine.'],
  ['invalid_format', 'begins as no DOCX', 'text.docx', 'We open at nine.'],
  ['invalid_format', 'is an old office file', 'old.txt', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['invalid_format', 'a spreadsheet', 'sheet.zip', zipOf([{ name: 'xl/workbook.xml', data: '' }])],
  ['too_many', '2000 pages', 'long.pdf', pdfWithPages(Array<string>(2_001).fill(''))],
])('is refused as %s: %s (%s)', async (code, words, name, bytes) => {
  const detail = expect.stringContaining(words);
  expect(await read(name, bytes)).toEqual({ refused: { code, detail } });
});

test('of a folder that was packed each file is a document, and what cannot be read is told', async () => {
  const found = await read(
    'all.zip',
    zipOf([
      { name: 'guide/arrival.md', data: '# Arrival\n\nFrom three.' },
      { name: 'handbook.docx', data: original('handbook.docx') },
      { name: 'logo.png', data: '\u0089PNG' },
      { name: '__MACOSX/._handbook.docx', data: 'x' },
      { name: 'half.pdf', data: '%PDF-1.7' },
      { name: 'inner.zip', data: zipOf([{ name: 'a.txt', data: 'a' }]) },
      { name: 'prices.pdf', data: original('handbook.pdf') },
    ]),
  );
  if ('refused' in found) throw new Error(found.refused.detail);
  expect(found.documents.map(({ name }) => name)).toEqual([
    'guide/arrival.md',
    'handbook.docx',
    'prices.pdf',
  ]);
  expect(found.failed).toEqual([
    expect.objectContaining({ name: 'logo.png', detail: expect.stringContaining('logo.png') }),
    expect.objectContaining({ name: 'half.pdf', detail: expect.stringContaining('damaged') }),
    expect.objectContaining({ name: 'inner.zip', detail: expect.stringContaining('unpack it') }),
  ]);
});

test('a PDF cannot make what it is not: an empty one is damaged, and the next document is read', async () => {
  expect(await read('empty.pdf', pdfOf([]))).toMatchObject({ refused: { code: 'invalid_format' } });
  expect(await textOf('next.docx', docxOf(word('Nine.')))).toBe('Nine.');
});
