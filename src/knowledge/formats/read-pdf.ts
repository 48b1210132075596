import { getResolvedPDFJS } from 'unpdf';
import { markdownOfPages, type Page, type PdfLine } from './pdf-text.ts';
import { FormatRefused } from './refusal.ts';

/** With the child: it may open nothing later. */
const { getDocument, VerbosityLevel } = await getResolvedPDFJS();

const PAGES_MAX = 2_000;
/** Of one document, in UTF-16 units; an upload of text may be as large. */
export const TEXT_CHARS_MAX = 20 * 1024 * 1024;

/** What a PDF says of itself: it is read for its words alone, without fonts, images and scripts. */
const SETTINGS = {
  verbosity: VerbosityLevel.ERRORS,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 0,
  enableXfa: false,
  disableAutoFetch: true,
};

/** The text of a PDF as Markdown. @throws FormatRefused */
export async function readPdf(
  bytes: Uint8Array,
): Promise<{ title: string | null; text: string; language: string | null }> {
  // Of its own memory: what it gets it takes apart.
  const loading = getDocument({ data: new Uint8Array(bytes), ...SETTINGS });
  try {
    const pdf = await loading.promise.catch((error: unknown) => {
      throw refused(error);
    });
    if (pdf.numPages > PAGES_MAX) throw tooMany(pdf.numPages);
    const pages: Page[] = [];
    let left = TEXT_CHARS_MAX;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const lines = await linesOf(page.streamTextContent({ includeMarkedContent: false }), left);
      left -= lines.reduce((sum, line) => sum + line.text.length, 0);
      pages.push(lines);
      page.cleanup();
    }
    const text = markdownOfPages(pages);
    if (!/[\p{L}\p{N}]/u.test(text)) throw noText();
    const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
    return { text, ...saidOf(info as Record<string, unknown>) };
  } finally {
    await loading.destroy();
  }
}

type Piece = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean };

/** Lines in the order in which they were written, which is that of reading but for odd programs. */
async function linesOf(stream: ReadableStream, charsMax: number): Promise<Page> {
  const lines: PdfLine[] = [];
  let open: PdfLine | undefined;
  let chars = 0;
  for await (const { items } of stream as unknown as AsyncIterable<{ items: Piece[] }>) {
    for (const piece of items) {
      chars += piece.str.length;
      if (chars > charsMax) throw tooLarge();
      open = extended(open, piece, lines);
    }
  }
  if (open) lines.push(open);
  return lines.filter(({ text }) => text.trim() !== '');
}

function extended(
  open: PdfLine | undefined,
  { str, transform, width, height, hasEOL }: Piece,
  lines: PdfLine[],
): PdfLine | undefined {
  const [x, y] = [transform[4] ?? 0, transform[5] ?? 0];
  const line = open ?? { text: '', x, y, right: x, size: 0 };
  line.text += str;
  if (str.trim() !== '') {
    line.size = Math.max(line.size, height);
    line.right = Math.max(line.right, x + width);
  }
  if (!hasEOL) return line;
  lines.push(line);
  return undefined;
}

/** Programs write the name of a file where a title belongs. */
const NO_TITLE = /\.\w{2,4}$|^microsoft word|^untitled|^$/i;

function saidOf(info: Record<string, unknown>): { title: string | null; language: string | null } {
  const said = (name: string): string => {
    const value = info[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const title = said('Title');
  const language = /^[a-z]{2}(?=$|[-_])/i.exec(said('Language'))?.[0];
  return {
    title: NO_TITLE.test(title) ? null : title.slice(0, 300),
    language: language?.toLowerCase() ?? null,
  };
}

function refused(error: unknown): unknown {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new FormatRefused('encrypted', 'the PDF asks for a password: save it without one');
  }
  return error;
}

function noText(): FormatRefused {
  const detail = 'there is no text in this PDF: its pages are images only; run OCR first';
  return new FormatRefused('no_text', detail);
}

function tooMany(pages: number): FormatRefused {
  const detail = `a PDF may have ${PAGES_MAX} pages and this one has ${pages}: use several sources`;
  return new FormatRefused('too_many', detail);
}

function tooLarge(): FormatRefused {
  const detail = 'a document may have 20 MB of text and this one has more: use several sources';
  return new FormatRefused('too_large', detail);
}
