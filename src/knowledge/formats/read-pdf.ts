import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { getResolvedPDFJS } from 'unpdf';
import { markdownOfPages, type Page, type PdfLine } from './pdf-text.ts';
import { FormatRefused } from './refusal.ts';

/** pdf.js is loaded when the child starts, because the child cannot open files later. */
const { getDocument, VerbosityLevel } = await getResolvedPDFJS();

/**
 * The predefined CMaps (ISO 32000-1, table 118) by their file names. pdf.js needs them for East Asian fonts that are
 * not embedded in the document. The build copies the files into the release. In a checkout, they are read from the
 * package `pdfjs-dist`.
 */
const CMAPS = new Map(
  [path.join(import.meta.dirname, '../../cmaps'), packagedCMaps()]
    .filter((folder) => folder !== undefined)
    .filter((folder) => existsSync(folder))
    .slice(0, 1)
    .flatMap((folder) =>
      readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file))] as const),
    ),
);

function packagedCMaps(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
    return path.join(path.dirname(manifest), 'cmaps');
  } catch {
    return undefined; // A release does not contain this package, because it is a development dependency.
  }
}

/** Provides the files that pdf.js requests. Provides no standard fonts, because pdf.js needs them only for drawing. */
class FilesOfReader {
  readonly fetch = ({ filename }: { filename: string }): Promise<Uint8Array> => {
    const bytes = CMAPS.get(filename);
    if (!bytes)
      return Promise.reject(new Error(`The PDF reader does not provide the file ${filename}.`));
    return Promise.resolve(new Uint8Array(bytes));
  };
}

const PAGES_MAX = 2_000;
/** Maximum length of the text of one document, in UTF-16 code units. It equals the size limit of an uploaded text. */
export const TEXT_CHARS_MAX = 20 * 1024 * 1024;

/** Settings that make pdf.js read only the text of a PDF, without fonts, images and scripts. */
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
  cMapUrl: 'cmaps/',
  cMapPacked: true,
  BinaryDataFactory: FilesOfReader,
};

/** Returns the text of a PDF as Markdown. @throws FormatRefused */
export async function readPdf(
  bytes: Uint8Array,
): Promise<{ title: string | null; text: string; language: string | null }> {
  // Passes a copy, because pdf.js takes ownership of the buffer.
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

type Piece = {
  str: string;
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
  fontName: string;
};
type Styles = Record<string, { vertical?: boolean } | undefined>;

/** Returns lines in the order in which the file stores them, which is the reading order in almost all PDFs. */
async function linesOf(stream: ReadableStream, charsMax: number): Promise<Page> {
  const lines: PdfLine[] = [];
  let open: PdfLine | undefined;
  let chars = 0;
  for await (const { items, styles } of stream as unknown as AsyncIterable<{
    items: Piece[];
    styles: Styles;
  }>) {
    for (const piece of items) {
      chars += piece.str.length;
      if (chars > charsMax) throw tooLarge();
      open = extended(open, placed(piece, styles), lines);
    }
  }
  if (open) lines.push(open);
  return lines.filter(({ text }) => text.trim() !== '');
}

type Placed = Omit<PdfLine, 'text'> & { str: string; hasEOL: boolean };

/**
 * Returns the position of a piece of text on its page after a rotation that makes the text run from left to right.
 * Pages may be rotated, and text may be rotated or written vertically.
 */
function placed(
  { str, transform, width, height, hasEOL, fontName }: Piece,
  styles: Styles,
): Placed {
  const [a = 1, b = 0, , , x = 0, y = 0] = transform;
  const isVertical = styles[fontName]?.vertical === true;
  const turn = Math.round((Math.atan2(b, a) * 180) / Math.PI) - (isVertical ? 90 : 0);
  const angle = (turn * Math.PI) / 180;
  const along = x * Math.cos(angle) + y * Math.sin(angle);
  const across = y * Math.cos(angle) - x * Math.sin(angle);
  const [length, size] = isVertical ? [height, width] : [width, height];
  return { str, hasEOL, x: along, y: across, right: along + length, size, turn };
}

function extended(
  before: PdfLine | undefined,
  { str, hasEOL, x, y, right, size, turn }: Placed,
  lines: PdfLine[],
): PdfLine | undefined {
  const isText = str.trim() !== '';
  let open = before;
  // In rotated text, pdf.js does not report every end of a line, so a jump to another position also ends the line.
  const isNext = open !== undefined && (open.turn !== turn || Math.abs(open.y - y) > size);
  if (open !== undefined && isText && isNext && (turn !== 0 || open.turn !== 0)) {
    lines.push(open);
    open = undefined;
  }
  const line = open ?? { text: '', x, y, right: x, size: 0, turn };
  line.text += str;
  if (isText) {
    line.size = Math.max(line.size, size);
    line.right = Math.max(line.right, right);
  }
  if (!hasEOL) return line;
  lines.push(line);
  return undefined;
}

/** Pattern for titles that are ignored. Programs often write a file name into the title field of a PDF. */
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
    return new FormatRefused(
      'encrypted',
      'the PDF is password-protected: save it without a password',
    );
  }
  return error;
}

function noText(): FormatRefused {
  const detail = 'the PDF has no text, because its pages are images: run OCR first';
  return new FormatRefused('no_text', detail);
}

function tooMany(pages: number): FormatRefused {
  const detail = `a PDF may have at most ${PAGES_MAX} pages, but this one has ${pages}: split it into several sources`;
  return new FormatRefused('too_many', detail);
}

function tooLarge(): FormatRefused {
  const detail =
    'a document may have at most 20 MB of text, but this one has more: split it into several sources';
  return new FormatRefused('too_large', detail);
}
