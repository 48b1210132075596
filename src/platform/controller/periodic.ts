import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { outsideOfTraces } from '../observability/trace-context.ts';
import { asWork } from '../observability/work.ts';

/**
 * Checks for work at an interval, and immediately when woken. Only one run is active at a time; a wake-up during a run
 * makes another one follow.
 */
export type Periodic = {
  start: () => void;
  /** Checks now. Never waits, never fails. */
  wake: () => void;
  /** Waits for the run in progress. May be called twice. */
  stop: () => Promise<void>;
};

/** Resolves to true if more work is ready. */
export type PeriodicRun = (signal: AbortSignal) => Promise<boolean>;

/**
 * Creates a periodic job. An error from `run` is logged under `what`, and the next run follows after the interval.
 * Nothing is lost, because each run looks for all work again.
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
    // Work woken by a request is not done for that request alone, so it is outside of its trace.
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
      deps.log.warn({ reason: reasonOf(error) }, `${deps.what} failed; tried again`);
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
