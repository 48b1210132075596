import type { KnowledgeSourceRow } from './knowledge-sources.sql.ts';

/** What a fetcher tells of a source, in any order; each path once. */
export type Fetched =
  /** As it now is. `text`: Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      /** For a citation; null where nobody can open it. */
      url: string | null;
      /** ISO 639-1 as the document itself declares it; null: found out from the text. */
      language: string | null;
      validators: Validators;
    }
  /** What is indexed of it stays as it is. */
  | { kind: 'unchanged'; path: string }
  /** Could not be read this time: what is indexed of it stays. `reason`: one sentence for people. */
  | { kind: 'failed'; path: string; reason: string }
  /** Is not to be read: what is indexed of it goes. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: so many are known of so far. */
  | { kind: 'found'; count: number };

/** For a conditional request (RFC 9110 §13); null: none was given. */
export type Validators = { etag: string | null; lastModified: string | null };

export type FetchInput = {
  source: Pick<KnowledgeSourceRow, 'id' | 'namespace' | 'name' | 'spec'>;
  /** What an earlier sync, or this one before its process died, has of a path. `links`: see website. */
  known: (path: string) => Promise<Validators | undefined>;
  /** What the last complete sync returned as `cursor`; null: begin at the beginning. */
  cursor: string | null;
  signal: AbortSignal;
};

/** How a sync ended. Throws FetchRefused when the source as a whole cannot be read: nothing changes then. */
export type FetchEnd = {
  /** What was not told of: `remove` it (all was told of), or `keep` it (only changes were). */
  unseen: 'remove' | 'keep';
  cursor: string | null;
};
export type Fetcher = (input: FetchInput) => AsyncGenerator<Fetched, FetchEnd, void>;

/** The source cannot be read, and why: `reason` as a condition has it (CamelCase). */
export class FetchRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
