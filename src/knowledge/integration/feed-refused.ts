import { FetchRefused } from '../sources/fetching.ts';
import type { FeedLimits } from './feed-limits.ts';

/** Creates the error for a response that violates docs/integrations.md. `what` completes the sentence "the feed …". */
export function invalidFeed(what: string): FetchRefused {
  return new FetchRefused('InvalidFeed', `the feed ${what}`);
}

/** Creates the error for a response that exceeds `FEED_LIMITS`. */
export function tooLarge(what: string): FetchRefused {
  return new FetchRefused('TooLarge', `the feed ${what}`);
}

export function tooManyDocuments({ documents }: Pick<FeedLimits, 'documents'>): FetchRefused {
  const instead = 'return only changes after a cursor, or split the feed into several feeds';
  return tooLarge(`returned more than ${documents} documents in one sync: ${instead}`);
}

/** Creates the error for a feed that exceeds its total time. */
export function tookTooLong(ms: number): FetchRefused {
  const instead =
    'return only changes after a cursor, respond faster, or split the feed into several feeds';
  return new FetchRefused(
    'TooSlow',
    `reading the whole feed took more than ${ms / 3_600_000} hours: ${instead}`,
  );
}

/**
 * Error for a temporary failure of a request. The request is retried. If no attempt succeeds, the sync fails with
 * `refusal`.
 */
export class TryAgain extends Error {
  readonly refusal: FetchRefused;
  /** Pause in milliseconds that the feed requests; `undefined` if it requests none. */
  readonly afterMs: number | undefined;

  constructor(refusal: FetchRefused, afterMs?: number) {
    super(refusal.message);
    this.refusal = refusal;
    this.afterMs = afterMs;
  }
}
