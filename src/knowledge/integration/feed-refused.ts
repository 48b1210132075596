import { FetchRefused } from '../sources/fetching.ts';
import type { FeedLimits } from './feed-limits.ts';

/** What a feed answers is not what docs/integrations.md says. `what` goes on after "the feed ". */
export function invalidFeed(what: string): FetchRefused {
  return new FetchRefused('InvalidFeed', `the feed ${what}`);
}

/** More than FEED_LIMITS. */
export function tooLarge(what: string): FetchRefused {
  return new FetchRefused('TooLarge', `the feed ${what}`);
}

export function tooManyDocuments({ documents }: Pick<FeedLimits, 'documents'>): FetchRefused {
  const instead = 'answer changes alone by a cursor, or make several feeds';
  return tooLarge(`tells of more than ${documents} documents in one sync: ${instead}`);
}

/** Beyond the whole time of a feed. */
export function tookTooLong(ms: number): FetchRefused {
  const instead = 'answer changes alone by a cursor, answer faster, or make several feeds';
  return new FetchRefused(
    'TooSlow',
    `the feed was not read to its end within ${ms / 3_600_000} hours: ${instead}`,
  );
}

/** It may go better soon: the request is repeated, and then refused for this. */
export class TryAgain extends Error {
  readonly refusal: FetchRefused;
  /** As the feed asked for; undefined: it did not. */
  readonly afterMs: number | undefined;

  constructor(refusal: FetchRefused, afterMs?: number) {
    super(refusal.message);
    this.refusal = refusal;
    this.afterMs = afterMs;
  }
}
