/** What a reader of a site reports, in any order; each path once. */
export type SiteEvent =
  /** The page as it is now. `text` is Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      url: string;
      /** ISO 639-1, as the page itself declares it. */
      language: string | null;
      validators: Validators;
    }
  /** The page is as it was when `known` was asked for its validators. */
  | { kind: 'unchanged'; path: string }
  /** The page could not be read this time. `reason` is a sentence without its full stop. */
  | { kind: 'failed'; path: string; reason: string }
  /** The page has no document that may be kept. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: so many addresses are known so far. */
  | { kind: 'found'; count: number };

/** For a conditional request (RFC 9110, 13). `null` if the server sent none. */
export type Validators = { etag: string | null; lastModified: string | null };

/** The site as a whole cannot be read. `reason` is a word in CamelCase for programs. */
export class SiteRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
