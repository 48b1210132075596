/**
 * Returns the delay before the next attempt in ms. The upper bound doubles with each attempt, up to `longestMs`. The
 * result is a random value between half the bound and the bound, so that not all pages reconnect at the same time when
 * a server recovers.
 *
 * @param tries number of failed attempts: 0, 1, 2 …
 */
export function backoffMs(
  tries: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
  random: () => number = Math.random,
): number {
  const most = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(most / 2 + (most / 2) * random());
}
