/**
 * What is kept between two syncs of a feed, as the text that a fetcher may keep. `url`: of another
 * address nothing of it holds. `format`: what the feed answered. `etag` is of the page that the next sync
 * begins with, which is asked for by `cursor`; both null: from the beginning, and whatever came.
 */
export type FeedState = {
  url: string;
  format: 'json' | 'text';
  cursor: string | null;
  etag: string | null;
};

export function writeState({ url, format, cursor, etag }: FeedState): string {
  return JSON.stringify({ url, format, cursor, etag });
}

/** Undefined: nothing is known of a feed at this address. */
export function readState(kept: string | null, url: string): FeedState | undefined {
  if (kept === null) return undefined;
  // We wrote it ourselves, and nobody else does.
  const state = JSON.parse(kept) as FeedState;
  return state.url === url ? state : undefined;
}
