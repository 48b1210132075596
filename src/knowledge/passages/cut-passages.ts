import { createHash } from 'node:crypto';
import { newUuid } from '../../ids.ts';
import { chunkText, titleOf } from './chunk.ts';
import { detectLanguage } from './detect-language.ts';
import { packChunks, type Batch, type NewChunk } from './packed-chunks.ts';
import { searchableText } from './question-words.ts';

/** One document of a source. `path`: its name there; `title`: used when it has none itself. */
export type Content = {
  path: string;
  title: string;
  /** As it was uploaded, which may not be UTF-8; or as it was declared. */
  text: Uint8Array | string;
  /** ISO 639-1, as the document itself declares it. */
  language?: string | null;
};

/** A content in passages, ready to be written. */
export type CutContent<B extends Batch = Batch> = {
  path: string;
  title: string;
  hash: Buffer;
  bytes: number;
  /** ISO 639-1; null: not known, its words are stemmed as English. */
  language: string | null;
  passages: number;
  /** The passages, numbered from 0, as `packChunks` makes them. */
  batches: readonly B[];
  /** Bytes of all batches before they are deflated. */
  packed: number;
};

/** Why a text is not taken: `code` for programs, `detail` says what is allowed. */
export type Refusal = { code: 'invalid_format' | 'too_many' | 'too_large'; detail: string };

/**
 * Most passages of a document, and so of a source (contract/knowledge.md#bounds). 20 MiB without headings are never
 * more: two passages have 800 characters at least. A text of short sections, each under a heading of its own, may be.
 */
export const PASSAGES_MAX = 55_000;
/**
 * Different words of one source: twice as many as 20 MB of prose have. Each is a row of the index;
 * two million took a minute.
 */
export const WORDS_MAX = 250_000;
/**
 * Of all batches: texts, the headings above them, and the words of both. Twice the text is usual; more
 * only of letters that stand for several in an index (U+FDFA for eighteen).
 */
const PACKED_BYTES_MAX = 100_000_000;

/**
 * All work on a text that grows with it; text-cutter.ts says where it is done.
 * @param keep makes what is kept of a batch
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
  // Of `de-CH` what it begins with; not declared, what it looks like.
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
  'the content is not UTF-8: save it as plain text or Markdown in UTF-8; other formats are not read by this ' +
  'version';
const TOO_MANY =
  `a source may have ${PASSAGES_MAX} passages and this text makes more: each heading of the first ` +
  'two levels begins one; use fewer headings, or several sources';
const TOO_MANY_WORDS =
  `a source may have ${WORDS_MAX} different words and this text has more: leave out what nobody asks ` +
  'for, such as keys and numbers, or use several sources';
const TOO_LARGE =
  `the passages of a source may take ${PACKED_BYTES_MAX / 1_000_000} MB with their headings and ` +
  'words, and those of this text take more: use several sources';

/** Whether a content is another one is known without cutting it. */
export function contentHashOf({ path, text }: Pick<Content, 'path' | 'text'>): Buffer {
  return createHash('sha256').update(`${path}\0`).update(text).digest();
}

/** Undefined: not UTF-8. */
function decode(text: Uint8Array | string): string | undefined {
  if (typeof text === 'string') return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    return undefined;
  }
}
