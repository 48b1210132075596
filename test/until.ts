import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is neither undefined nor false, and resolves with it. For what has no signal
 * a test could wait for: another process, a server, a row that somebody else writes. What happens in
 * the test's own process is awaited instead.
 *
 * @param what completes "waited in vain for …"; a function is called when it is in vain
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
