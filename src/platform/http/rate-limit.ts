import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../../errors.ts';
import { createCredit, type Credit } from '../controller/credit.ts';

/**
 * Rate limits of this process (contract/limits.md#rate): requests per API key in a fixed minute, and failed
 * authentications per remote address. If an address exceeds the second limit, a failed authentication gets 429 instead
 * of 401. A valid key is accepted even then: behind a proxy, all clients share one address, and one client's failures
 * must not block another client.
 */
export type RateLimits = {
  /**
   * Counts a request. Returns headers with the remaining budget, and the error to throw if the limit is exceeded.
   * Returns undefined if there is no rate limit.
   */
  count: (apiKeyId: string) => Promise<Counted | undefined>;
  /**
   * Counts a failed authentication.
   * @throws ApiError rate_limited
   */
  countFailure: (address: string) => Promise<void>;
};

export type Counted = { headers: Record<string, string>; refusal: ApiError | undefined };

const WINDOW_SEC = 60;
/** Maximum number of failed authentications per minute and address. Nobody mistypes a key that often. */
const FAILURES_MAX = 100;

/** @param perMinute maximum number of requests per minute for one key; 0 means no limit */
export function createRateLimits(perMinute: number): RateLimits {
  if (perMinute === 0) return { count: async () => undefined, countFailure: async () => undefined };
  const failuresMax = Math.min(FAILURES_MAX, perMinute);
  const requests = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SEC });
  const failures = new RateLimiterMemory({ points: failuresMax, duration: WINDOW_SEC });
  const policy = `"default";q=${perMinute};w=${WINDOW_SEC}`;
  return {
    count: async (apiKeyId) => {
      const { left, resetSec, isOver } = await consume(requests, apiKeyId);
      const headers = {
        'RateLimit-Policy': policy,
        RateLimit: `"default";r=${left};t=${resetSec}`,
      };
      const detail = `This API key may send at most ${perMinute} requests per minute.`;
      return { headers, refusal: isOver ? limited(detail, resetSec) : undefined };
    },
    countFailure: async (address) => {
      const { resetSec, isOver } = await consume(failures, networkOf(address));
      if (isOver)
        throw limited(
          'This IP address has sent too many requests with an invalid API key.',
          resetSec,
        );
    },
  };
}

/**
 * Returns a function that counts requests per key in a fixed minute, in this process only. `taken` includes the current
 * request; `resetSec` is the number of seconds until the minute ends.
 */
export function createMinuteCount(): (key: string) => Promise<{ taken: number; resetSec: number }> {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SEC });
  return async (key) => {
    const { consumedPoints: taken, msBeforeNext } = await limiter.consume(key);
    return { taken, resetSec: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
  };
}

/** Number of rejections per address that are sent without delay. It is both the burst size and the rate per second. */
const PROMPT_REFUSALS = 20;
const REFUSED_MS_MAX = 1_000;
const NETWORKS_MAX = 10_000;

/**
 * Returns a function that returns how long to delay a rejection for an address, in ms. After a burst, rejections are
 * sent at a steady rate. Without the delay, a client that retries immediately would keep the process busy: 20
 * connections send 2,000 requests per second.
 * @param mostMs longest delay, 1 s by default. A rejection that would have to wait longer is sent after this delay,
 * even though this exceeds the rate
 */
export function createRefusalPace(mostMs = REFUSED_MS_MAX): (address: string) => number {
  const credits = new LRUCache<string, Credit>({ max: NETWORKS_MAX });
  return (address) => {
    const network = networkOf(address);
    const credit =
      credits.get(network) ?? createCredit({ burst: PROMPT_REFUSALS, perSec: PROMPT_REFUSALS });
    credits.set(network, credit);
    const lacking = Math.max(0, 1 - credit.left());
    const waitMs = Math.ceil((lacking / PROMPT_REFUSALS) * 1_000);
    if (waitMs >= mostMs) return mostMs;
    credit.spend(1);
    return waitMs;
  };
}

async function consume(
  limiter: RateLimiterMemory,
  key: string,
): Promise<{ left: number; resetSec: number; isOver: boolean }> {
  const counted = (result: RateLimiterRes, isOver: boolean) => ({
    left: result.remainingPoints,
    resetSec: Math.max(1, Math.ceil(result.msBeforeNext / 1_000)),
    isOver,
  });
  try {
    return counted(await limiter.consume(key), false);
  } catch (error) {
    // The library rejects with the count if the limit is exceeded, and with an `Error` only if it fails.
    if (error instanceof RateLimiterRes) return counted(error, true);
    throw error;
  }
}

function limited(detail: string, retryAfterSec: number): ApiError {
  return new ApiError('rate_limited', detail, { retryAfterSec });
}

/**
 * Returns the first 64 bits of an IPv6 address, because a single host may use a whole /64. Returns an IPv4 address
 * unchanged.
 */
export function networkOf(address: string): string {
  // An IPv4-mapped address, such as `::ffff:192.0.2.1`, counts as IPv4.
  if (isIP(address) !== 6 || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => '0');
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
}
