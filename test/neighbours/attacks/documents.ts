import { pdfOf, streamOf } from '../../knowledge/formats/making.ts';
import type { Attack } from '../attack.ts';

/** Documents that are expensive to read, uploaded by a key with `write`. */

const upload = (
  what: { mediaType: string; fileName: string; atOnce: number },
  make: (many: (full: number, least?: number) => number) => Buffer,
  more: Omit<Attack, 'by' | 'run'>,
): Attack => ({
  ...more,
  by: 'write',
  run: async ({ create, again, call, many }) => {
    const body = make(many);
    const headers = { 'content-type': what.mediaType };
    const sources: string[] = [];
    while (sources.length < many(what.atOnce))
      sources.push((await create('/v1/knowledge/sources', { type: 'file' })).id);
    await again(what.atOnce, (index) =>
      call('PUT', `/v1/knowledge/sources/${sources[index]}/content?file_name=${what.fileName}`, {
        body,
        headers,
      }),
    );
  },
});

/** Every page shows the same content, so that a small file is long to read. */
function pdfWithOneContent(pages: number, lines: number): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 5} 0 R`).join(' ');
  const line = '(some words of a line that is read again and again) Tj T*\n';
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 3 0 R >> >> >>';
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    streamOf(`BT /F 12 Tf 18 TL 40 700 Td ${line.repeat(lines)} ET`),
    ...Array.from({ length: pages }, () => page),
  ]);
}

const words = (bytes: number): Buffer => {
  const parts: string[] = [];
  for (let i = 0, size = 0; size < bytes; i += 1) {
    const word = `word${(i * 7_919) % 200_000} `;
    parts.push(word);
    size += word.length;
  }
  return Buffer.from(parts.join(''));
};

export const documents: readonly Attack[] = [
  upload(
    { mediaType: 'application/pdf', fileName: 'slow.pdf', atOnce: 2 },
    (many) => pdfWithOneContent(many(1_500, 2), many(2_000, 2)),
    {
      name: 'slow-pdfs',
      bound: '20 s and 256 MB in a process of its own; a turn of each namespace at reading',
      answers: ['422'],
    },
  ),
  upload(
    { mediaType: 'text/plain', fileName: 'words.txt', atOnce: 2 },
    (many) => words(many(18_000_000)),
    {
      name: 'large-texts',
      bound:
        '55,000 passages, 250,000 words and 100 MB of a source; cut in a thread with 192 MB and 60 s',
      answers: ['202'],
    },
  ),
  upload(
    { mediaType: 'text/plain', fileName: 'brackets.md', atOnce: 2 },
    (many) => Buffer.from('[](<'.repeat(many(4_000_000, 1_000) / 4)),
    {
      name: 'texts-of-brackets',
      bound: 'cut in a thread with 192 MB and 60 s',
      answers: ['202'],
    },
  ),
];
