/**
 * Runs work that must not overlap with itself, and runs it again if another run was requested meanwhile. The next run
 * serves all requests that arrived during the current one, so batches grow with the load.
 */
export type SingleFlight = {
  /** Runs the work now, or once more after the current run. */
  trigger: () => void;
  /** Resolves when no run is active or requested. */
  idle: () => Promise<void>;
};

/**
 * Creates a single flight. `work` must handle its own errors: a rejection is a bug and ends the process as unhandled.
 */
export function createSingleFlight(work: () => Promise<void>): SingleFlight {
  let running: Promise<void> | undefined;
  let asked = false;

  async function run(): Promise<void> {
    while (asked) {
      asked = false;
      await work();
    }
    // Nothing is awaited between the check above and this line, so that no trigger is missed.
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
