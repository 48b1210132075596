/**
 * Work that must not run twice at once and must run once more when it was asked for meanwhile:
 * what gathers during one run is served together by the next, so batches grow with the load.
 */
export type SingleFlight = {
  /** Runs the work now, or once more after the present run. */
  trigger: () => void;
  /** Resolves when nothing runs and nothing was asked for. */
  idle: () => Promise<void>;
};

/** `work` handles its own errors; a rejection is a bug and ends the process as one. */
export function createSingleFlight(work: () => Promise<void>): SingleFlight {
  let running: Promise<void> | undefined;
  let asked = false;

  async function run(): Promise<void> {
    while (asked) {
      asked = false;
      await work();
    }
    // In the same tick as the check above, so that no trigger falls in between.
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
