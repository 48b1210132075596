/** Limits for feeds (docs/integrations.md). If a feed exceeds a limit, the error names that limit. */
export const FEED_LIMITS = {
  /** Maximum size in bytes of one page as received. */
  pageBytes: 20 * 1024 * 1024,
  /** Maximum number of characters of a page without its documents, that is, of the property names and the cursor. */
  frameChars: 64 * 1024,
  /** Maximum size in bytes of a document's text in UTF-8. */
  documentBytes: 5 * 1024 * 1024,
  /**
   * Maximum number of object members and list elements in one document. Parley reads only a few, but all take memory
   * while the JSON is parsed.
   */
  documentMembers: 10_000,
  depth: 32,
  /** Maximum number of documents in one sync. */
  documents: 10_000,
  pages: 2_000,
  idChars: 512,
  titleChars: 500,
  urlChars: 2_048,
  cursorChars: 2_048,
} as const;

export type FeedLimits = { [name in keyof typeof FEED_LIMITS]: number };
