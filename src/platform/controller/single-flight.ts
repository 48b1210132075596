/**
 * Runs work that must not overlap with itself, and runs it again if a run was requested in the meantime. One run serves
 * all requests that arrived during the previous run, so batches grow with the load.
 */
export type SingleFlight = {
  /** Starts the work now, or schedules one more run after the current one. */
  trigger: () => void;
  /** Resolves when no run is active or requested. */
  idle: () => Promise<void>;
};

/**
 * Creates a `SingleFlight`. `work` must handle its own errors. A rejection is a bug, and ends the process as an
 * unhandled rejection.
 */
export function createSingleFlight(work: () => Promise<void>): SingleFlight {
  let running: Promise<void> | undefined;
  let asked = false;

  async function run(): Promise<void> {
    while (asked) {
      asked = false;
      await work();
    }
    // There is no `await` between the check above and this line, so no trigger can be missed.
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
