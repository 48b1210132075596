import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` until its result is neither undefined nor false, and returns that result. Use it only for changes that
 * send no signal to the test: in another process, in a server, or in a row that somebody else writes. Await changes in
 * the test's own process directly.
 *
 * @param what completes the error message "waited in vain for …"; a function is called only after the timeout
 */
export async function until<T>(
  what: string | (() => unknown),
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 20_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > endMs) {
      throw new Error(
        `waited in vain for ${String(typeof what === 'string' ? what : await what())}`,
      );
    }
    await delay(everyMs);
  }
}
