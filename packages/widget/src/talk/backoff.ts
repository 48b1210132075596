/**
 * Returns how long to wait before the next try, in ms. The maximum doubles with each try, up to `longestMs`. The result
 * is a random value between half the maximum and the maximum, so that pages do not all return together when a server
 * recovers.
 *
 * @param tries number of failed tries: 0, 1, 2 …
 */
export function backoffMs(
  tries: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
  random: () => number = Math.random,
): number {
  const most = Math.min(longestMs, firstMs * 2 ** tries);
  return Math.round(most / 2 + (most / 2) * random());
}
