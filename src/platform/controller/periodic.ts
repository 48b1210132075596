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
  /** Stops, and waits for the run in progress. May be called more than once. */
  stop: () => Promise<void>;
};

/** Does one run. Resolves to true if more work is ready, which causes another run immediately. */
export type PeriodicRun = (signal: AbortSignal) => Promise<boolean>;

/**
 * Creates a periodic job. An error from `run` is logged under `what`, and the next run follows after the interval. An
 * error loses no work, because each run looks for all pending work again.
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
      else timer = setTimeout(look, deps.everyMs);
    });
  }

  async function runOnce(): Promise<void> {
    isWoken = false;
    try {
      if (await deps.run(stopping.signal)) isWoken = true;
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
