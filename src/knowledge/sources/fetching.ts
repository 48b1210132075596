import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';

/** Items that a fetcher yields, in any order. Each path occurs once. */
export type Fetched =
  /** Current content of a document. `text` is Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      /** URL for citations; `null` if the document has none. */
      url: string | null;
      /**
       * Language that the document declares, as an ISO 639-1 code; `null` if it declares none and the language must be
       * detected.
       */
      language: string | null;
      validators: Validators;
    }
  /** Document whose indexed version is still current. */
  | { kind: 'unchanged'; path: string }
  /** Document that could not be read this time. It stays indexed. `reason` is one sentence for users. */
  | { kind: 'failed'; path: string; reason: string }
  /** Document that must not be indexed. If it is indexed, it is removed. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: the number of documents known so far. */
  | { kind: 'found'; count: number };

/** Validators for a conditional request (RFC 9110 §13). A field is `null` if the source sent no such validator. */
export type Validators = { etag: string | null; lastModified: string | null };

export type FetchInput = {
  source: Pick<KnowledgeSourceRow, 'id' | 'namespace' | 'name' | 'spec'>;
  /**
   * Returns the validators of a path. They come from an earlier sync, or from this sync if another process had begun it
   * and died.
   */
  known: (path: string) => Promise<Validators | undefined>;
  /** Cursor that the last complete sync returned; `null` to start from the beginning. */
  cursor: string | null;
  signal: AbortSignal;
};

/**
 * Result of a complete sync. If the source as a whole cannot be read, the fetcher throws FetchRefused instead, and the
 * index stays unchanged.
 */
export type FetchEnd = {
  /**
   * What happens to documents that the fetcher did not report. `remove`: the fetcher reported all current documents, so
   * unreported documents are removed. `keep`: the fetcher reported only changes, so unreported documents stay.
   */
  unseen: 'remove' | 'keep';
  cursor: string | null;
};
export type Fetcher = (input: FetchInput) => AsyncGenerator<Fetched, FetchEnd, void>;

/** Error for a source that cannot be read as a whole. `reason` is the reason of a condition (CamelCase). */
export class FetchRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
