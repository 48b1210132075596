import { clearTimeout, setTimeout } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { outsideOfTraces } from '../observability/trace-context.ts';
import { asWork } from '../observability/work.ts';

/**
 * Looks for work at an interval, and at once when woken. One run at a time; a wake during a run
 * makes another one follow it.
 */
export type Periodic = {
  start: () => void;
  /** Looks now. Never waits, never fails. */
  wake: () => void;
  /** Waits for the run in progress; may be called twice. */
  stop: () => Promise<void>;
};

/** Resolves to true when there is more to do at once. */
export type PeriodicRun = (signal: AbortSignal) => Promise<boolean>;

/**
 * What `run` throws is logged under `what` and tried again after the interval: everything done here
 * is found again by looking.
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
    // What a request wakes is not done for that request alone.
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
