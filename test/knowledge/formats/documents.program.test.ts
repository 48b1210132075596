import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createExtractor,
  type Extracted,
  type Extractor,
} from '../../../src/knowledge/formats/extractor.ts';
import { hiddenStylesOf, shownWord } from '../../../src/knowledge/formats/shown-word.ts';
import { silent, waiting } from './extracting.ts';
import { docxOf, pdfOf, pdfWithCMap, pdfWithPages, zipOf } from './making.ts';

/** Made with LibreOffice: see originals/README.md. */
const original = (name: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, 'originals', name));

let extractor: Extractor;
beforeAll(() => {
  extractor = createExtractor({ ...waiting, log: silent });
});
afterAll(() => extractor.stop());

const read = (name: string, bytes: Buffer | string): Promise<Extracted> =>
  extractor.extractFor('default')({ bytes: Buffer.from(bytes), mediaType: null, name });

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

test.each([
  ['90ms-RKSJ-H', 'Japan1', '95D4956982CD333093FA88C893E0', '返品は30日以内'],
  ['90ms-RKSJ-V', 'Japan1', '8F638F9182AB82CC95B6', '縦書きの文'],
  ['UniJIS-UCS2-H', 'Japan1', '90016599306F304A5BA269D8306E30548CA062C5', '送料はお客様のご負担'],
  ['GBK-EUC-H', 'GB1', 'C8FDCAAECCECC4DABFC9D2D4CDCBBBF5', '三十天内可以退货'],
  ['ETen-B5-H', 'CNS1', 'A454A451A4D1A4BAA569A548B068B366', '三十天內可以退貨'],
  ['KSCms-UHC-H', 'Korea1', 'B9DDC7B0C0BA203330C0CF20C0CCB3BB', '반품은 30일 이내'],
  ['UniKS-UTF16-H', 'Korea1', 'AD50D6580020BC0F0020D658BD88', '교환 및 환불'],
])('a PDF in the predefined CMap %s has its text', async (encoding, ordering, bytes, text) => {
  expect(await textOf('form.pdf', pdfWithCMap({ encoding, ordering }, [bytes]))).toBe(text);
});

test('lines of a script without spaces are joined without one', async () => {
  const [first, second] = ['90016599306F304A5BA2', '69D8306E30548CA062C5'];
  const bytes = pdfWithCMap({ encoding: 'UniJIS-UCS2-H', ordering: 'Japan1' }, [first, second]);
  expect(await textOf('form.pdf', bytes)).toBe('送料はお客様のご負担');
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

/** The same lines on a page that is turned: text that runs upwards, downwards, and on its head. */
const PRICES = ['Price list of the boat hire', 'Canoe per hour 14 euros', 'Canoe per day 55 euros'];
const turned = (matrix: (at: number) => string): Buffer =>
  pdfWithPages([
    PRICES.map((text, at) => `BT /F 12 Tf ${matrix(at)} Tm (${text}) Tj ET\n`).join(''),
  ]);
test.each([
  ['upwards', turned((at) => `0 1 -1 0 ${80 + at * 24} 72`)],
  ['downwards', turned((at) => `0 -1 1 0 ${300 - at * 24} 700`)],
  ['on its head', turned((at) => `-1 0 0 -1 500 ${300 + at * 24}`)],
  ['level', turned((at) => `1 0 0 1 72 ${700 - at * 24}`)],
])('lines of a PDF do not run together: %s', async (_, bytes) => {
  expect((await textOf('prices.pdf', bytes)).split(/\n+/)).toEqual(PRICES);
});

test('a note at the edge of a page, written upwards, does not run into its text', async () => {
  const page = `${line('We open at nine.')}BT /F 9 Tf 0 1 -1 0 580 72 Tm (Form 12) Tj ET\n`;
  expect((await textOf('note.pdf', pdfWithPages([page]))).split(/\n+/)).toEqual([
    'We open at nine.',
    'Form 12',
  ]);
});

const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (runs: string): string => `<w:p>${runs}</w:p>`;

test.each([
  ['by itself', run('Do not tell.', '<w:vanish/>')],
  ['by itself, with a value', run('Do not tell.', '<w:b/><w:vanish w:val="true"/><w:i/>')],
  ['twice', run('Do not', '<w:vanish/>') + run(' tell.', '<w:vanish/>')],
])('hidden text of a Word document is nowhere: %s', async (_, hidden) => {
  expect(await textOf('note.docx', docxOf(paragraph(run('Seen. ') + hidden + run('Too.'))))).toBe(
    'Seen. Too.',
  );
});

test('text that is not hidden any more, or only its paragraph mark, is text', async () => {
  const body =
    paragraph(run('Shown.', '<w:vanish w:val="0"/>')) +
    paragraph(`<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('Also.')}`);
  expect(await textOf('note.docx', docxOf(body))).toBe('Shown.\n\nAlso.');
});

test('a hidden paragraph mark in a text box does not hide the run that the box belongs to', () => {
  const box = '<w:pict><w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:p></w:pict>';
  const shown = shownWord(`<w:p><w:r>${box}<w:t>Shown.</w:t></w:r></w:p>`, new Set());
  expect(shown.replaceAll(/<[^>]*>/g, '')).toBe('Shown.');
});

test('text hidden by a style, or by the one below that, is nowhere', () => {
  const styles = hiddenStylesOf(
    `<w:styles><w:style w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>
     <w:style w:styleId="Note"><w:basedOn w:val="Secret"/></w:style>
     <w:style w:styleId="Seen"><w:basedOn w:val="Secret"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style></w:styles>`,
  );
  expect(styles).toEqual(new Set(['Secret', 'Note']));
  const shown = shownWord(
    `<w:p><w:pPr><w:pStyle w:val="Note"/></w:pPr>${run('a')}</w:p><w:p>${run('b', '<w:rStyle w:val="Secret"/>')}${run('c', '<w:rStyle w:val="Seen"/>')}</w:p>`,
    styles,
  );
  expect(shown.replaceAll(/<[^>]*>/g, '')).toBe('c');
});

const math = (inner: string): string =>
  `<m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMath>${inner}</m:oMath></m:oMathPara>`;
const mr = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
test.each([
  [mr('interest = amount × 0.09 &lt; 5'), 'interest = amount × 0.09 < 5'],
  [
    `${mr('t = ')}<m:f><m:num>${mr('a + b')}</m:num><m:den>${mr('2')}</m:den></m:f>`,
    't = (a + b)/2',
  ],
  [`<m:sSup><m:e>${mr('x')}</m:e><m:sup>${mr('n+1')}</m:sup></m:sSup>`, 'x^(n+1)'],
  [`<m:sSub><m:e>${mr('x')}</m:e><m:sub>${mr('i')}</m:sub></m:sSub>`, 'x_i'],
  [`<m:rad><m:deg/><m:e>${mr('y')}</m:e></m:rad>`, '√y'],
  [
    `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${mr('a, b')}</m:e></m:d>`,
    '[a, b]',
  ],
  [
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${mr('i=1')}</m:sub><m:sup>${mr('n')}</m:sup><m:e>${mr('i')}</m:e></m:nary>`,
    '∑_(i=1)^n i',
  ],
])('a formula of a Word document is text: %#', async (formula, expected) => {
  expect(await textOf('formula.docx', docxOf(word('By this:') + paragraph(math(formula))))).toBe(
    `By this:\n\n${expected}`,
  );
});

test('what stands in the text box of a drawing is text, once', async () => {
  const box = `<w:txbxContent>${word('Emergency: 0800 555 0100')}</w:txbxContent>`;
  const names =
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="w"';
  const drawn = (fallback: string): string =>
    paragraph(
      `<w:r><mc:AlternateContent ${names}><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent></w:r>`,
    );
  for (const fallback of ['', `<w:pict>${box}</w:pict>`]) {
    const text = await textOf('box.docx', docxOf(word('Read:') + drawn(fallback)));
    expect(text.match(/Emergency: 0800 555 0100/g)).toHaveLength(1);
  }
});

test('merged cells of a Word document stand below the names of their columns', async () => {
  const cell = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text && run(text))}</w:tc>`;
  const rows = [
    [cell('Country'), cell('Size'), cell('Price')],
    [cell('France', '<w:vMerge w:val="restart"/>'), cell('small'), cell('8.00')],
    [cell('', '<w:vMerge/>'), cell('large'), cell('14.00')],
    [cell('Spain'), cell('on request 9', '<w:gridSpan w:val="2"/>')],
  ];
  const table = `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;
  expect((await textOf('table.docx', docxOf(table))).split('\n')).toEqual([
    '| Country | Size | Price |',
    '| --- | --- | --- |',
    '| France | small | 8.00 |',
    '| France | large | 14.00 |',
    '| Spain | on request 9 | on request 9 |',
  ]);
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
  ['no_text', 'text in images is not read', 'scan.docx', docxOf('<w:p/>')],
  ['encrypted', 'save it without a password', 'locked.pdf', original('locked.pdf')],
  [
    'encrypted',
    'save it without a password',
    'locked.docx',
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(512),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]),
  ],
  [
    'encrypted',
    'save it without a password',
    'locked.zip',
    zipOf([{ name: 'a.txt', data: 'Nine.', said: { flags: 1 } }]),
  ],
  ['invalid_format', 'damaged', 'half.pdf', original('handbook.pdf').subarray(0, 900)],
  ['invalid_format', 'damaged', 'half.docx', original('handbook.docx').subarray(0, 5_000)],
  ['invalid_format', 'its content is not PDF', 'text.pdf', 'We open at nine.'],
  ['invalid_format', 'its content is not DOCX', 'text.docx', 'We open at nine.'],
  ['invalid_format', 'is a legacy Office file', 'old.txt', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
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
    expect.objectContaining({ name: 'inner.zip', detail: expect.stringContaining('unpack them') }),
  ]);
});

test('a PDF cannot make what it is not: an empty one is damaged, and the next document is read', async () => {
  expect(await read('empty.pdf', pdfOf([]))).toMatchObject({ refused: { code: 'invalid_format' } });
  expect(await textOf('next.docx', docxOf(word('Nine.')))).toBe('Nine.');
});
