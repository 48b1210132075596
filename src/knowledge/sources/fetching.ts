import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';

/** Results of a fetcher, in any order. Each path occurs once. */
export type Fetched =
  /** Current content of a document. `text` is Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      /** URL for citations; `null` if the document has none. */
      url: string | null;
      /** ISO 639-1 code that the document declares; `null` if it must be detected. */
      language: string | null;
      validators: Validators;
    }
  /** The indexed document is still current. */
  | { kind: 'unchanged'; path: string }
  /** The document could not be read this time and stays indexed. `reason` is one sentence for people. */
  | { kind: 'failed'; path: string; reason: string }
  /** The document must not be read and is removed from the index. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: number of documents known so far. */
  | { kind: 'found'; count: number };

/** Validators for a conditional request (RFC 9110 §13); `null` if the source sent none. */
export type Validators = { etag: string | null; lastModified: string | null };

export type FetchInput = {
  source: Pick<KnowledgeSourceRow, 'id' | 'namespace' | 'name' | 'spec'>;
  /** Returns the validators of a path from an earlier sync, or from this one before its process ended. */
  known: (path: string) => Promise<Validators | undefined>;
  /** Cursor that the last complete sync returned; `null` to start from the beginning. */
  cursor: string | null;
  signal: AbortSignal;
};

/**
 * End of a sync. A fetcher throws FetchRefused if the source as a whole cannot be read; the index then stays unchanged.
 */
export type FetchEnd = {
  /**
   * Treatment of documents that the sync did not report: `remove` if it reported all, `keep` if it reported changes
   * only.
   */
  unseen: 'remove' | 'keep';
  cursor: string | null;
};
export type Fetcher = (input: FetchInput) => AsyncGenerator<Fetched, FetchEnd, void>;

/** The source cannot be read. `reason` is a condition's reason (CamelCase). */
export class FetchRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
