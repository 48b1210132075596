/** Rate limiter for one site. It limits the number of concurrent requests and the time between their starts. */
export type Pace = {
  /**
   * Runs a request as soon as the limits allow it.
   * @throws the signal's reason if the signal aborts before the start
   */
  inTurn: <T>(run: () => Promise<T>) => Promise<T>;
  /**
   * Sets a minimum time between starts, and allows only one request at a time from now on. Never shortens the current
   * minimum time.
   */
  slowTo: (delayMs: number) => void;
  /** Delays the start of the next request. */
  pauseMs: (ms: number) => void;
};

const AT_ONCE = 8;

export function createPace(input: {
  delayMs: number;
  nowMs: () => number;
  delay: (ms: number, options: { signal: AbortSignal }) => Promise<unknown>;
  signal: AbortSignal;
}): Pace {
  const { nowMs, delay, signal } = input;
  let { delayMs } = input;
  let nextMs = 0;
  let running = 0;
  let turns = Promise.resolve();
  let freed = Promise.withResolvers<void>();

  const hasPlace = (): boolean => running < (delayMs > 0 ? 1 : AT_ONCE);

  async function waitForPlace(): Promise<void> {
    while (!hasPlace()) await freed.promise;
    while (nextMs > nowMs()) {
      await delay(Math.ceil(nextMs - nowMs()), { signal });
    }
    signal.throwIfAborted();
    nextMs = nowMs() + delayMs;
    running += 1;
  }

  return {
    inTurn: async (run) => {
      const turn = turns.then(waitForPlace);
      turns = turn.catch(() => undefined);
      await turn;
      try {
        return await run();
      } finally {
        running -= 1;
        freed.resolve();
        freed = Promise.withResolvers();
      }
    },
    slowTo: (ms) => {
      delayMs = Math.max(delayMs, ms);
    },
    pauseMs: (ms) => {
      nextMs = Math.max(nextMs, nowMs() + ms);
    },
  };
}
