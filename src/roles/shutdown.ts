/** This module shuts down the process on the first signal that asks it to stop. */
import { setTimeout } from '../clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Time in ms after which the process exits even if the shutdown is not complete. The longest shutdown without active
 * calls is shorter: ten seconds for a delivery attempt, plus the time to record it and to close the database
 * connections. Active calls get additional time (`moreMs`).
 */
const FORCE_AFTER_MS = 25_000;

/**
 * Runs `stop` once, at the first signal or when the parent process (bin/bootstrap.mjs) has ended, and then exits with
 * 0. A second Ctrl-C exits immediately, and so does a shutdown that exceeds its time limit. `moreMs` is additional time
 * for active calls.
 */
export function stopOnSignals(stop: () => Promise<void>, moreMs = 0): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(130);
    stopping = true;
    setTimeout(() => process.exit(1), FORCE_AFTER_MS + moreMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`parley: shutdown failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // bin/bootstrap.mjs holds the other end of an IPC channel, which closes even when that process is killed with -9.
  process.on('disconnect', onSignal);
}
