/** What a feed may be (docs/integrations.md); whatever is beyond is refused with these figures. */
export const FEED_LIMITS = {
  /** Of one page, as it comes. */
  pageBytes: 20 * 1024 * 1024,
  /** Of a page besides its documents: the names and the cursor. */
  frameChars: 64 * 1024,
  /** Of a document's text, as UTF-8. */
  documentBytes: 5 * 1024 * 1024,
  /** Members of objects and elements of lists in a document: few are read, and all take memory. */
  documentMembers: 10_000,
  depth: 32,
  /** Told of in one sync. */
  documents: 10_000,
  pages: 2_000,
  idChars: 512,
  titleChars: 500,
  urlChars: 2_048,
  cursorChars: 2_048,
} as const;

export type FeedLimits = { [name in keyof typeof FEED_LIMITS]: number };
