import { PASSAGES_MAX, WORDS_MAX } from '../passages/cut-passages.ts';

/**
 * Error for a source whose content cannot be indexed. The sync fails, and the content that is already indexed stays.
 */
export class SyncRefused extends Error {
  override readonly name = 'SyncRefused';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Maximum number of documents in a source. It is limited because a running sync holds all paths in memory. */
export const DOCUMENTS_MAX = 55_000;
/** Maximum size of the text of one document in bytes. */
export const DOCUMENT_BYTES_MAX = 20 * 1024 * 1024;
/** Maximum size of a path in bytes. It is limited because PostgreSQL limits the size of an index entry. */
export const PATH_BYTES_MAX = 2_048;

/** Checks the limits of a source. @throws SyncRefused */
export function requireRoomFor(totals: { documents: number; chunks: number }): void {
  if (totals.documents > DOCUMENTS_MAX) {
    throw new SyncRefused(
      'TooManyDocuments',
      `a source may have at most ${DOCUMENTS_MAX} documents, but this one has more: fetch fewer documents, or split the source into several`,
    );
  }
  if (totals.chunks > PASSAGES_MAX) {
    throw new SyncRefused(
      'TooManyPassages',
      `a source may have at most ${PASSAGES_MAX} passages, but its documents together have more: fetch fewer documents, or split the source into several`,
    );
  }
}

/** Checks the number of distinct words. @throws SyncRefused */
export function requireFewWords(words: number, wordsMax = WORDS_MAX): void {
  if (words <= wordsMax) return;
  throw new SyncRefused(
    'TooManyWords',
    `a source may have at most ${wordsMax} different words, but its documents together have more: fetch fewer documents, or split the source into several`,
  );
}
