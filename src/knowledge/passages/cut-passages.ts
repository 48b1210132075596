import { createHash } from 'node:crypto';
import { newUuid } from '../../ids.ts';
import { chunkText, titleOf } from './chunk.ts';
import { detectLanguage } from './detect-language.ts';
import { packChunks, type Batch, type NewChunk } from './packed-chunks.ts';
import { searchableText } from './question-words.ts';

/** One document of a source. `path` is its name within the source. `title` is used if the text itself has none. */
export type Content = {
  path: string;
  title: string;
  /** The text as a string, or as the bytes of an upload, which may be invalid UTF-8. */
  text: Uint8Array | string;
  /** Language that the document declares, as an ISO 639-1 code. */
  language?: string | null;
};

/** A document divided into passages, ready to be written. */
export type CutContent<B extends Batch = Batch> = {
  path: string;
  title: string;
  hash: Buffer;
  bytes: number;
  /** ISO 639-1 code, or `null` if the language is unknown. Words of an unknown language are stemmed as English. */
  language: string | null;
  passages: number;
  /** The passages, packed by `packChunks` and numbered from 0. */
  batches: readonly B[];
  /** Size of all batches in bytes before compression. */
  packed: number;
};

/**
 * Result of the worker thread as the main thread receives it. The transfer between threads turns the Buffer into a
 * Uint8Array.
 */
export type CutInThread = (Omit<CutContent, 'hash'> & { hash: Uint8Array }) | { refused: Refusal };

/** Reason for the refusal of a text. `code` is for programs; `detail` names the limit. */
export type Refusal = { code: 'invalid_format' | 'too_many' | 'too_large'; detail: string };

/**
 * Maximum number of passages in a document and in a source (contract/knowledge.md#bounds). A text of 20 MiB without
 * headings never exceeds it, because two neighboring passages have at least 800 characters together. A text of short
 * sections with headings may exceed it.
 */
export const PASSAGES_MAX = 55_000;
/**
 * Maximum number of distinct words in one source. 20 MB of prose have half as many. Each word is a row in the index,
 * and writing two million rows took a minute.
 */
export const WORDS_MAX = 250_000;
/**
 * Maximum size in bytes of all batches of a document: texts, headings, and the words of both. The batches are usually
 * twice as large as the text. Only a text with characters that expand in the index can exceed the limit (U+FDFA becomes
 * eighteen characters).
 */
const PACKED_BYTES_MAX = 100_000_000;

/**
 * Divides a document into passages. All work whose cost grows with the length of the text is done here; text-cutter.ts
 * decides which thread runs it.
 * @param keep converts a batch to the form that stays in memory until the batch is written to the database
 */
export function cutPassages<B extends Batch = Uint8Array>(
  content: Content,
  keep: (batch: Uint8Array) => B = (batch) => batch as B,
): CutContent<B> | { refused: Refusal } {
  const text = decode(content.text);
  if (text === undefined) {
    return { refused: { code: 'invalid_format', detail: NO_UTF8 } };
  }
  let { title } = content;
  let passages = 0;
  const batches: B[] = [];
  const words = new Set<string>();
  let packed = 0;
  for (const batch of packChunks(numbered())) {
    packed += batch.length;
    if (packed > PACKED_BYTES_MAX) return { refused: { code: 'too_large', detail: TOO_LARGE } };
    batches.push(keep(batch));
  }
  if (words.size > WORDS_MAX) return { refused: { code: 'too_many', detail: TOO_MANY_WORDS } };
  if (passages > PASSAGES_MAX) return { refused: { code: 'too_many', detail: TOO_MANY } };
  const { path, text: given } = content;
  // Uses the primary subtag of the declared language (`de` of `de-CH`), or detects the language if none is declared.
  const declared = content.language?.split(/[-_]/)[0]?.toLowerCase();
  const language = declared ?? detectLanguage(text);
  const hash = contentHashOf(content);
  const bytes = Buffer.byteLength(given);
  return { path, title, hash, bytes, language, passages, batches, packed };

  function* numbered(): Generator<NewChunk> {
    for (const chunk of chunkText(text!)) {
      if (passages === 0) title = titleOf(chunk) ?? title;
      passages += 1;
      if (passages > PASSAGES_MAX) return;
      const headingWords = searchableText(chunk.heading);
      const textWords = searchableText(chunk.text);
      for (const word of `${headingWords} ${textWords}`.split(' ')) words.add(word);
      if (words.size > WORDS_MAX) return;
      yield { id: newUuid(), position: passages - 1, ...chunk, headingWords, textWords };
    }
  }
}

const NO_UTF8 =
  'the content is not valid UTF-8: save it as plain text or Markdown in UTF-8; other formats are not supported ' +
  'here';
const TOO_MANY =
  `a source may have at most ${PASSAGES_MAX} passages, but this text has more: each heading of the first ` +
  'two levels begins a passage; use fewer headings, or split the text into several sources';
const TOO_MANY_WORDS =
  `a source may have at most ${WORDS_MAX} different words, but this text has more: remove content that nobody ` +
  'asks about, such as keys and numbers, or split the text into several sources';
const TOO_LARGE =
  `the passages of a source may take at most ${PACKED_BYTES_MAX / 1_000_000} MB with their headings and ` +
  'words, but the passages of this text take more: split it into several sources';

/** Hashes a document, so that a change is detected without dividing the text into passages. */
export function contentHashOf({ path, text }: Pick<Content, 'path' | 'text'>): Buffer {
  return createHash('sha256').update(`${path}\0`).update(text).digest();
}

/** Decodes a text. Returns `undefined` if it is not valid UTF-8. */
function decode(text: Uint8Array | string): string | undefined {
  if (typeof text === 'string') return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    return undefined;
  }
}
