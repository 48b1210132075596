import { PASSAGES_MAX, WORDS_MAX } from '../passages/cut-passages.ts';

/** What a source holds cannot be indexed: the sync fails, and what was indexed stays. */
export class SyncRefused extends Error {
  override readonly name = 'SyncRefused';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Paths are kept in memory while a sync runs. */
export const DOCUMENTS_MAX = 55_000;
/** Of the text of one document. */
export const DOCUMENT_BYTES_MAX = 20 * 1024 * 1024;
/** The index of paths takes no longer ones. */
export const PATH_BYTES_MAX = 2_048;

/** @throws SyncRefused */
export function requireRoomFor(totals: { documents: number; chunks: number }): void {
  if (totals.documents > DOCUMENTS_MAX) {
    throw new SyncRefused(
      'TooManyDocuments',
      `a source may have ${DOCUMENTS_MAX} documents and this one has more: read less of it, or use several sources`,
    );
  }
  if (totals.chunks > PASSAGES_MAX) {
    throw new SyncRefused(
      'TooManyPassages',
      `a source may have ${PASSAGES_MAX} passages and its documents together have more: read less of it, or use several sources`,
    );
  }
}

/** @throws SyncRefused */
export function requireFewWords(words: number, wordsMax = WORDS_MAX): void {
  if (words <= wordsMax) return;
  throw new SyncRefused(
    'TooManyWords',
    `a source may have ${wordsMax} different words and its documents together have more: read less of it, or use several sources`,
  );
}
