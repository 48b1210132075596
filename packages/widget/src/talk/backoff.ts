/**
 * How long to wait before the next try, ms: doubled each time up to the longest, and anything between
 * half of that and all of it, so that not all pages come at once when a server is back.
 *
 * @param tries those that failed before: 0, 1, 2 …
 */
export function backoffMs(
  tries: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
  random: () => number = Math.random,
): number {
  const most = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(most / 2 + (most / 2) * random());
}
