/** Events of a site reader, in any order. Each path occurs once. */
export type SiteEvent =
  /** The current page. `text` is Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      url: string;
      /** ISO 639-1 code that the page declares. */
      language: string | null;
      validators: Validators;
    }
  /** The page has not changed since `known` returned its validators. */
  | { kind: 'unchanged'; path: string }
  /** The page could not be read this time. `reason` is a sentence without its full stop. */
  | { kind: 'failed'; path: string; reason: string }
  /** The page has no document that may be kept. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: number of addresses known so far. */
  | { kind: 'found'; count: number };

/** Validators for a conditional request (RFC 9110, 13). `null` if the server sent none. */
export type Validators = { etag: string | null; lastModified: string | null };

/** The site as a whole cannot be read. `reason` is a word in CamelCase for programs. */
export class SiteRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
