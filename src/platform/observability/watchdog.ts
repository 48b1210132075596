import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { clearInterval, setInterval } from '../../clock.ts';
import { reasonOf } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Stall, WatchdogData } from './watchdog-thread.ts';
import { currentWork } from './work.ts';

/**
 * Interval in ms of the timer that shows that the event loop is running. It is short enough to detect a stall of 100
 * ms. The cost of 50 timer calls per second was too small to measure.
 */
const BEAT_MS = 20;

export type Watchdog = { stop: () => Promise<void> };

/**
 * Detects when the event loop of this process is blocked for more than 100 ms. Reports the work that blocked it in the
 * log and in `parley_event_loop_stall_seconds` (contract/metrics.md#load). A separate thread watches the event loop,
 * because a blocked thread cannot watch itself. At most once a second, the watching thread pauses the blocked one as a
 * debugger would, and reads its call stack.
 */
export async function startWatchdog({
  metrics,
  log,
}: {
  metrics: Pick<Metrics, 'eventLoopStall'>;
  log: Logger;
}): Promise<Watchdog> {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: WatchdogData = {
    beats,
    beatMs: BEAT_MS,
    // Pausing is disabled if a debugger is attached, because its breakpoints would look like stalls, and two debuggers
    // would disturb each other.
    mayInterrupt: inspector.url() === undefined,
  };
  const thread = new Worker(programFile(import.meta.url, 'watchdog-thread'), {
    name: 'watchdog',
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  thread.unref();
  thread.on('error', (error) =>
    log.warn({ reason: reasonOf(error) }, 'the watchdog thread failed'),
  );
  thread.on('message', (stall: Stall) => {
    const { seconds, work, at } = stall;
    metrics.eventLoopStall.observe({ work: work?.name ?? 'unknown' }, seconds);
    const about = { seconds, work: work?.name, namespace: work?.namespace, at };
    log.warn(about, 'the event loop stalled, so no requests were served during that time');
  });
  Object.defineProperty(globalThis, Symbol.for('parley.work'), {
    value: () => JSON.stringify(currentWork()),
    configurable: true,
  });
  const beating = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
  beating.unref();
  await new Promise<void>((resolve) => {
    thread.once('online', resolve);
    thread.once('error', () => resolve());
  });
  return {
    stop: async () => {
      clearInterval(beating);
      await thread.terminate();
    },
  };
}
