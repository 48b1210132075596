import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { outsideOfTraces } from '../observability/trace-context.ts';
import { asWork } from '../observability/work.ts';

/**
 * Runs a job at an interval, and immediately when woken. Only one run is active at a time; a wake-up during a run
 * causes another run after it.
 */
export type Periodic = {
  start: () => void;
  /** Requests a run now. Returns immediately and never throws. */
  wake: () => void;
  /** Stops the job, and waits for the run in progress. May be called more than once. */
  stop: () => Promise<void>;
};

/**
 * Performs one run. Resolves to true if more work is ready; the next run then follows immediately. Resolves to a number
 * if the next work is due in that many ms; the next run then follows after that time or after the interval, whichever
 * is shorter. Resolves to false if no work is known; the next run then follows after the interval.
 */
export type PeriodicRun = (signal: AbortSignal) => Promise<boolean | number>;

/**
 * Creates a periodic job. An error from `run` is logged with `what` as the name of the job, and the next run follows
 * after the interval. No work is lost, because each run searches for all pending work again.
 */
export function createPeriodic(deps: {
  what: string;
  everyMs: number;
  run: PeriodicRun;
  log: Logger;
}): Periodic {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWoken = false;
  let waitMs = deps.everyMs;
  const stopping = new AbortController();

  function look(): void {
    if (stopping.signal.aborted) return;
    if (running) {
      isWoken = true;
      return;
    }
    clearTimeout(timer);
    // A run may do work for many requests, so it does not belong to the trace of the request that woke it.
    running = outsideOfTraces(() => asWork({ name: deps.what }, runOnce)).finally(() => {
      running = undefined;
      if (stopping.signal.aborted) return;
      if (isWoken) look();
      else timer = setTimeout(look, waitMs);
    });
  }

  async function runOnce(): Promise<void> {
    isWoken = false;
    waitMs = deps.everyMs;
    try {
      const next = await deps.run(stopping.signal);
      if (next === true) isWoken = true;
      else if (next !== false) waitMs = Math.min(Math.ceil(next), deps.everyMs);
    } catch (error) {
      deps.log.warn({ reason: reasonOf(error) }, `${deps.what} failed; retrying`);
    }
  }

  return {
    start: look,
    wake: look,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
