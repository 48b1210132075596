import { constants, deflateRawSync } from 'node:zlib';
import { docxOf, pdfOf, pdfWithPages, zipOf, type ZipPart } from './making.ts';

/** Files that are small to send and large to read, or never end. */

const MIB = 1024 * 1024;

/** Deflated: `chunk` so many times, made in no time. */
function inflating(chunk: Buffer | string, times: number): Buffer {
  const block = deflateRawSync(chunk, { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array<Buffer>(times).fill(block), NOTHING]);
}

/** As a stream of a PDF has it; what checks it is wrong, which nobody minds. */
function flateStream(packed: Buffer, dictionary = ''): Buffer {
  const head = `<< /Length ${packed.length + 6} /Filter /FlateDecode ${dictionary} >>\nstream\n`;
  const [zlib, sum] = [Buffer.from([0x78, 0x9c]), Buffer.alloc(4)];
  return Buffer.concat([Buffer.from(head), zlib, packed, sum, Buffer.from('\nendstream')]);
}

/** Deflated: no byte. */
const NOTHING = Buffer.from([3, 0]);
const gigabyte = (byte: string): Buffer => inflating(Buffer.alloc(MIB, byte), 1024);
const line = 'BT /F 9 Tf 40 500 Td (We open at nine.) Tj ET\n';
const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const page = (rest: string): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${rest} >>`;
const ONE_PAGE = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';

function nestedZip(depth: number): Buffer {
  let inner = zipOf([{ name: 'a.txt', data: 'Nine.' }]);
  for (let at = 0; at < depth; at += 1) inner = zipOf([{ name: 'a.zip', data: inner }]);
  return inner;
}

function parts(count: number, part: (at: number) => ZipPart): ZipPart[] {
  return Array.from({ length: count }, (_, at) => part(at));
}

/** Each draws the next one ten times. */
function drawingForms(levels: number): Buffer {
  const form = (at: number): Buffer =>
    Buffer.from(
      `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${at + 1} 0 R >> /Font << /F 5 0 R >> >> /Length 60 >>\nstream\n${'/X Do '.repeat(10)}\nendstream`,
    );
  const forms = Array.from({ length: levels }, (_, at) => form(6 + at));
  return pdfOf([
    CATALOG,
    ONE_PAGE,
    page('/Contents 4 0 R /Resources << /XObject << /X 6 0 R >> /Font << /F 5 0 R >> >>'),
    Buffer.from('<< /Length 5 >>\nstream\n/X Do\nendstream'),
    FONT,
    ...forms,
    flateStream(inflating(line, 1), '/Type /XObject /Subtype /Form /BBox [0 0 9 9]'),
  ]);
}

const drawing = (bytes: Buffer): Buffer => pdfWithPages([bytes]);

export const BOMBS: readonly [what: string, name: string, make: () => Buffer][] = [
  [
    'a ZIP with a gigabyte',
    'flat.zip',
    () => zipOf([{ name: 'a.txt', data: '', packed: gigabyte('a'), said: { size: 1024 * MIB } }]),
  ],
  [
    'a ZIP with a gigabyte that it says is a kilobyte',
    'lies.zip',
    () => zipOf([{ name: 'a.txt', data: '', packed: gigabyte('a'), said: { size: 1024 } }]),
  ],
  ['a ZIP in a ZIP, a hundred times', 'nested.zip', () => nestedZip(100)],
  [
    'a ZIP whose 2,000 entries are the same 19 MB',
    'overlap.zip',
    () => {
      const packed = inflating(Buffer.alloc(MIB, 'a'), 19);
      return zipOf(
        parts(2_000, (at) => ({
          name: `${at}.txt`,
          data: '',
          packed: at === 0 ? packed : Buffer.alloc(0),
          said: { size: 19 * MIB, offset: 0, packed: packed.length },
        })),
      );
    },
  ],
  [
    'a ZIP of 60,000 entries',
    'many.zip',
    () => zipOf(parts(60_000, (at) => ({ name: `${at}.txt`, data: '', packed: NOTHING }))),
  ],
  [
    'a ZIP of 1,900 files of 10 MB',
    'large.zip',
    () =>
      zipOf(
        parts(1_900, (at) => ({
          name: `${at}.csv`,
          data: '',
          packed: inflating('a,b\n'.repeat(1_000), 2_500),
          said: { size: 10_000_000 },
        })),
      ),
  ],
  [
    'a ZIP of DOCX bombs',
    'words.zip',
    () => zipOf(parts(20, (at) => ({ name: `${at}.docx`, data: hugeWord() }))),
  ],
  ['a PDF whose page is a gigabyte of spaces', 'a.pdf', () => drawing(flateStream(gigabyte(' ')))],
  [
    'a PDF whose page is packed twice',
    'a.pdf',
    () => {
      const inner = Buffer.concat([Buffer.from([0x78, 0x9c]), gigabyte(' ')]);
      const twice = flateStream(deflateRawSync(inner)).toString('latin1');
      return drawing(
        Buffer.from(twice.replace('/FlateDecode', '[/FlateDecode /FlateDecode]'), 'latin1'),
      );
    },
  ],
  [
    'a PDF whose page says something 20 million times',
    'a.pdf',
    () => drawing(flateStream(inflating(line.repeat(1_000), 20_000))),
  ],
  [
    'a PDF whose page is one string of 200 MB',
    'a.pdf',
    () => drawing(flateStream(inflating(`BT /F 9 Tf (${'a'.repeat(MIB)}`, 200))),
  ],
  [
    'a PDF with pages below pages, 50,000 deep',
    'a.pdf',
    () =>
      pdfOf([
        CATALOG,
        ...Array.from(
          { length: 50_000 },
          (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] /Count 1 >>`,
        ),
        page(''),
      ]),
  ],
  [
    'a PDF whose pages are their own',
    'a.pdf',
    () => pdfOf([CATALOG, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1900 >>']),
  ],
  [
    'a PDF that says it has a milliard pages',
    'a.pdf',
    () => pdfOf([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>', page('')]),
  ],
  [
    'a PDF that says it has 1,999 pages and has one',
    'a.pdf',
    () => pdfOf([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 1999 >>', page('')]),
  ],
  [
    'a PDF whose table of objects comes before itself',
    'a.pdf',
    () => {
      const made = pdfOf([CATALOG, ONE_PAGE, page('')]);
      const at = made.lastIndexOf('xref\n0');
      return Buffer.from(made.toString('latin1').replace('/Root', `/Prev ${at} /Root`), 'latin1');
    },
  ],
  [
    'a PDF that says it has two milliard objects',
    'a.pdf',
    () =>
      Buffer.from(pdfOf([CATALOG, ONE_PAGE]).toString('latin1').replace('0 3\n', '0 2000000000\n')),
  ],
  [
    'a PDF with a packed table of objects of a gigabyte',
    'a.pdf',
    () => {
      const head = '%PDF-1.7\n1 0 obj\n';
      const table = flateStream(
        gigabyte('\u0001'),
        '/Type /XRef /W [1 2 1] /Size 200000000 /Root 2 0 R',
      );
      const tail = `\nendobj\nstartxref\n9\n%%EOF`;
      return Buffer.concat([Buffer.from(head), table, Buffer.from(tail)]);
    },
  ],
  [
    'a PDF with an image of ten milliard dots',
    'a.pdf',
    () =>
      pdfOf([
        CATALOG,
        ONE_PAGE,
        page('/Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >>'),
        Buffer.from('<< /Length 5 >>\nstream\n/X Do\nendstream'),
        flateStream(
          gigabyte('\u0001'),
          '/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceGray /BitsPerComponent 8',
        ),
      ]),
  ],
  [
    'a PDF with a script that never ends',
    'a.pdf',
    () => {
      const script = '/OpenAction << /S /JavaScript /JS (for \\(;;\\) {}) >>';
      const made = pdfWithPages([line]).toString('latin1');
      return Buffer.from(made.replace('/Catalog', `/Catalog ${script}`), 'latin1');
    },
  ],
  ['a PDF that draws something 10 milliard times', 'a.pdf', () => drawingForms(10)],
  [
    'a PDF with a million lists in lists',
    'a.pdf',
    () => pdfOf([CATALOG, ONE_PAGE, page(`/X ${'['.repeat(1_000_000)}`)]),
  ],
  [
    'a PDF whose letters stand for 16 million others',
    'a.pdf',
    () => {
      const ranges = '1 beginbfrange\n<000000> <FFFFFF> <0041>\nendbfrange\n'.repeat(50);
      return pdfOf([
        CATALOG,
        ONE_PAGE,
        page('/Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>'),
        flateStream(inflating(line, 1)),
        '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [7 0 R] >>',
        flateStream(
          inflating(`/CIDInit /ProcSet findresource begin begincmap\n${ranges}endcmap`, 1),
        ),
        '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>',
      ]);
    },
  ],
  ['a DOCX of a gigabyte', 'a.docx', () => hugeWord(gigabyte(' '), 1024 * MIB)],
  ['a DOCX of a gigabyte that it says is a megabyte', 'a.docx', () => hugeWord(gigabyte(' '), MIB)],
  ['a DOCX of four million paragraphs', 'a.docx', () => hugeWord()],
  [
    'a DOCX of a milliard laughs',
    'a.docx',
    () => {
      const entity = (at: number): string => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`;
      const all = Array.from({ length: 12 }, (_, at) => entity(at)).join('');
      return docxOf(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">${all}]><w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>&l12;</w:t></w:r></w:p></w:body></w:document>`,
      );
    },
  ],
  [
    'a DOCX of 200,000 tables in tables',
    'a.docx',
    () => docxOf('<w:tbl><w:tr><w:tc>'.repeat(200_000)),
  ],
  [
    'a DOCX that names a file of the machine',
    'a.docx',
    () =>
      docxOf(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>&f;</w:t></w:r></w:p></w:body></w:document>`,
      ),
  ],
  ['a CSV with a row of 19 MB', 'a.csv', () => Buffer.from(`a,b\n"${'x'.repeat(19 * MIB)}`)],
  ['a CSV of a million columns', 'a.csv', () => Buffer.from('ab,'.repeat(1_000_000))],
  ['a CSV of five million rows', 'a.csv', () => Buffer.from('a,b\n'.repeat(4_900_000))],
  [
    'a page of a million elements in elements',
    'a.html',
    () => Buffer.from('<div>'.repeat(1_000_000)),
  ],
  [
    'a page of a million headings',
    'a.html',
    () => Buffer.from('<html><body>' + '<h2>a</h2>b'.repeat(1_000_000)),
  ],
  [
    'a page with a million attributes',
    'a.html',
    () => Buffer.from(`<html><p ${'a=b '.repeat(4_000_000)}>`),
  ],
  ['a text of a million headings', 'a.md', () => Buffer.from('# a\n\nb\n\n'.repeat(1_000_000))],
  [
    'UTF-16 that is none',
    'a.txt',
    () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(19 * MIB, '\u00d8', 'latin1')]),
  ],
];

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

function hugeWord(body = inflating('<w:p/>'.repeat(10_000), 400), size = 24_000_000): Buffer {
  const begin = `<w:document xmlns:w="${WORD}"><w:body>`;
  const head = deflateRawSync(begin, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([head, body]);
  return zipOf([
    { name: '[Content_Types].xml', data: '<Types/>' },
    { name: 'word/document.xml', data: '', packed, said: { size: size + begin.length } },
  ]);
}
