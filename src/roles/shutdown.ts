/** The process's end: once, in order, on each of the ways a process is asked to stop. */
import { setTimeout } from '../clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Longer than the longest drain but that of calls: an attempt's ten seconds, its record, the database's stop. */
const FORCE_AFTER_MS = 25_000;

/**
 * Runs `stop` at the first signal (or when the bootstrap that started us is gone) and exits 0
 * when it is done; a second Ctrl-C, or a drain that hangs, exits at once. `moreMs`: what it may take
 * beside, for calls that go on.
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
        process.stderr.write(`parley: did not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // bin/bootstrap.mjs holds the other end of an IPC channel; a kill -9 of it closes that.
  process.on('disconnect', onSignal);
}
