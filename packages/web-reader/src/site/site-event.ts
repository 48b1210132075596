/** Events that a site reader yields, in any order. Each path occurs in one event only. */
export type SiteEvent =
  /** The current page. `text` is Markdown. */
  | {
      kind: 'document';
      path: string;
      title: string;
      text: string;
      url: string;
      /** Language that the page declares, as an ISO 639-1 code. */
      language: string | null;
      validators: Validators;
    }
  /** The page has not changed: its validators are still those that `SiteDeps.known` returned. */
  | { kind: 'unchanged'; path: string }
  /** The page could not be read this time. `reason` is a sentence without its full stop. */
  | { kind: 'failed'; path: string; reason: string }
  /** The page has no document that may be indexed. */
  | { kind: 'skipped'; path: string; reason: string }
  /** Progress: number of addresses known so far. */
  | { kind: 'found'; count: number };

/** Validators for a conditional request (RFC 9110, 13). A field is `null` if the server sent no such validator. */
export type Validators = { etag: string | null; lastModified: string | null };

/** Error for a site that cannot be read as a whole. `reason` is a CamelCase code for programs. */
export class SiteRefused extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
