import type { Answer, ExtractedDocument, ExtractInput } from './extracted.ts';
import { formatOf, type Format } from './format-of.ts';
import { decodeHtml } from '../../../packages/web-reader/src/html/decode-html.ts';
import { withAround } from '../../../packages/web-reader/src/html/page-contacts.ts';
import { readHtml } from '../../../packages/web-reader/src/html/read-html.ts';
import { readCsv } from './read-csv.ts';
import { readDocx } from './read-docx.ts';
import { readPdf, TEXT_CHARS_MAX } from './read-pdf.ts';
import { checkName, filesOf, isDocx } from './read-zip.ts';
import { refusalOf } from './refusal-of.ts';
import { FormatRefused } from './refusal.ts';
import { openZip, type ZipEntry } from './zip-file.ts';

/** A message from the child process. `text` is present if the message is a document. */
export type Told = { header: Answer; text?: string };

type ReadDocument = Pick<ExtractedDocument, 'title' | 'text' | 'language'> &
  Partial<ExtractedDocument>;

type Reader = (input: ExtractInput) => ReadDocument | Promise<ReadDocument>;

/**
 * Functions that convert a document to Markdown, by the document's format. They throw FormatRefused and the errors of
 * the libraries that they use.
 */
const READERS: Record<Format, Reader> = {
  text: ({ bytes, charset }) => plain(decodeText(bytes, charset)),
  csv: ({ bytes, charset }) => plain(readCsv(decodeText(bytes, charset))),
  html: ({ bytes, charset, url }) => readPage(decodeHtml(bytes, charset ?? null), url),
  pdf: ({ bytes }) => readPdf(bytes),
  docx: async ({ bytes }) => readWord(await openZip(bytes)),
  zip: async ({ bytes }) => readWord(await openZip(bytes)),
  locked: () => {
    throw new FormatRefused(
      'encrypted',
      'the document is password-protected: save it without a password',
    );
  },
};

/**
 * Yields the document or, for a ZIP, its documents from the entry with the index `from` on. Throws the same errors as
 * `READERS`.
 */
export async function* readDocument(input: ExtractInput & { from: number }): AsyncGenerator<Told> {
  const found = formatOf(input);
  const entries = 'format' in found && found.format === 'zip' ? await openZip(input.bytes) : [];
  if (entries.length > 0 && !isDocx(entries)) yield* readFolder(filesOf(entries), input.from);
  else yield toldOf(input, await readOne(input));
}

/** Maximum size in bytes of one unpacked entry of a ZIP. `UNPACKED_BYTES_MAX` limits all entries together. */
const ENTRY_BYTES_MAX = 20 * 1024 * 1024;
const UNPACKED_BYTES_MAX = 200 * 1024 * 1024;

async function* readFolder(files: readonly ZipEntry[], from: number): AsyncGenerator<Told> {
  const seen = new Set(files.slice(0, from).map(({ name }) => name));
  let [unpacked, chars] = [0, 0];
  for (const [index, { name, read }] of files.entries()) {
    if (index < from) continue;
    yield { header: { kind: 'entry', index, name } };
    let told: Told;
    try {
      checkName(name, seen);
      seen.add(name);
      const bytes = await read(ENTRY_BYTES_MAX);
      unpacked += bytes.length;
      told = toldOf({ name, bytes }, await readOne({ name, bytes, mediaType: null }));
    } catch (error) {
      told = { header: { kind: 'failed', name, ...refusalOf(error) } };
    }
    chars += told.text?.length ?? 0;
    if (unpacked > UNPACKED_BYTES_MAX || chars > TEXT_CHARS_MAX) throw tooMuch();
    yield told;
  }
}

async function readOne(input: ExtractInput): Promise<ReadDocument> {
  const found = formatOf(input);
  if ('not' in found) throw new FormatRefused('invalid_format', found.not);
  return READERS[found.format](input);
}

/**
 * Reads the entries of a DOCX file, which is itself a ZIP archive. Refuses all other archives, because archives inside
 * an archive are not read.
 */
function readWord(entries: readonly ZipEntry[]): Promise<ReadDocument> {
  if (isDocx(entries)) return readDocx(entries);
  filesOf(entries);
  throw new FormatRefused(
    'invalid_format',
    'archives inside an archive are not supported: unpack them first',
  );
}

function readPage(html: string, url: string | null | undefined): ReadDocument {
  const { title, text, around, language, links, canonical, robots } = readHtml(html, {
    url: url ?? 'http://localhost/',
  });
  if (url) return { title, text, language, around, links, canonical, robots };
  return { title, text: withAround(text, around), language };
}

type Named = Pick<ExtractInput, 'name' | 'bytes'>;

function toldOf({ name, bytes }: Named, { text, title, ...rest }: ReadDocument): Told {
  // Replaces control characters, in particular U+0000, which PostgreSQL cannot store.
  const shown = title
    ?.replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
  const document = { ...rest, name, title: shown || null, bytes: bytes.length };
  return { header: { kind: 'document', document }, text };
}

function plain(text: string): ReadDocument {
  return { title: null, text, language: null };
}

function tooMuch(): FormatRefused {
  const detail =
    'the documents in a ZIP archive may have at most 20 MB of text and 200 MB unpacked: split them into several sources';
  return new FormatRefused('too_large', detail);
}

const MARKS: readonly [mark: readonly number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Decodes a text by its byte order mark, by its declared charset, or as UTF-8. Refuses invalid bytes instead of
 * guessing the charset, because a wrong guess would index words that the text does not contain.
 * @throws FormatRefused
 */
export function decodeText(bytes: Uint8Array, charset: string | null = null): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const encoding = marked ?? charset ?? 'utf-8';
  const text = decodeAs(encoding, bytes);
  if (text.includes('\u0000')) {
    throw new FormatRefused(
      'invalid_format',
      'the content is not text, because it contains zero bytes',
    );
  }
  return text;
}

function decodeAs(encoding: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new FormatRefused(
      'invalid_format',
      `the content is not valid ${encoding.toUpperCase()}: save it as text in UTF-8, or in UTF-16 with a byte order mark`,
    );
  }
}
