/**
 * Runs work that must not overlap itself, and runs it again if it was requested meanwhile. Requests that arrive during
 * one run are served together by the next, so batches grow with the load.
 */
export type SingleFlight = {
  /** Runs the work now, or once more after the current run. */
  trigger: () => void;
  /** Resolves when no run is active or requested. */
  idle: () => Promise<void>;
};

/** Creates a single flight. `work` handles its own errors; a rejection is a bug and ends the process like one. */
export function createSingleFlight(work: () => Promise<void>): SingleFlight {
  let running: Promise<void> | undefined;
  let asked = false;

  async function run(): Promise<void> {
    while (asked) {
      asked = false;
      await work();
    }
    // Set in the same tick as the check above, so that no trigger falls in between.
    running = undefined;
  }

  return {
    trigger: () => {
      asked = true;
      running ??= run();
    },
    idle: () => running ?? Promise.resolve(),
  };
}
