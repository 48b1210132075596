/**
 * Clock of this process: times, delays and timers. Everything in `src` that runs in Node takes the time from here, so
 * that a test can stop the clock and advance it (test/clock.ts). The timers have the names and types of Node's. Times
 * that several processes compare, such as a due time or a lease, come from the database's clock instead.
 */
import { setTimeout as systemDelay } from 'node:timers/promises';

export type Timer = NodeJS.Timeout;
export type DelayOptions = { signal?: AbortSignal; ref?: boolean };

export type Clock = {
  monotonicMs: () => number;
  epochMs: () => number;
  setTimeout: (fire: () => void, ms?: number) => Timer;
  setInterval: (fire: () => void, ms: number) => Timer;
  /** Cancels a timer of either kind. */
  clear: (timer: Timer | undefined) => void;
  delay: (ms: number, options: DelayOptions) => Promise<undefined>;
  timeoutSignal: (ms: number) => AbortSignal;
};

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  epochMs: () => Date.now(),
  setTimeout: (fire, ms = 0) => globalThis.setTimeout(fire, Math.max(0, ms)),
  setInterval: (fire, ms) => globalThis.setInterval(fire, ms),
  clear: (timer) => globalThis.clearTimeout(timer),
  // `ms` is negative if the caller's deadline has just passed. Node would warn about a negative delay.
  delay: (ms, options) => systemDelay(Math.max(0, ms), undefined, options),
  timeoutSignal: (ms) => AbortSignal.timeout(ms),
};

let clock = systemClock;

/** Replaces the clock of the whole process. Only tests call it. */
export function setClock(next: Clock): void {
  clock = next;
}

/**
 * Returns milliseconds since an arbitrary moment. The value never decreases; use it to measure durations within this
 * process.
 */
export const monotonicMs = (): number => clock.monotonicMs();

/** Returns the Unix time in ms. It follows corrections to the machine's clock. */
export const epochMs = (): number => clock.epochMs();

export const setTimeout = (fire: () => void, ms?: number): Timer => clock.setTimeout(fire, ms);
export const setInterval = (fire: () => void, ms: number): Timer => clock.setInterval(fire, ms);
export const clearTimeout = (timer: Timer | undefined): void => clock.clear(timer);
export const clearInterval = (timer: Timer | undefined): void => clock.clear(timer);

/**
 * Resolves after `ms`; rejects with an AbortError when `signal` aborts. With `ref: false`, does not keep Node alive.
 */
export const delay = (ms: number, options: DelayOptions = {}): Promise<undefined> =>
  clock.delay(ms, options);

/** Returns a signal that aborts after `ms` with a TimeoutError, like `AbortSignal.timeout`. */
export const timeoutSignal = (ms: number): AbortSignal => clock.timeoutSignal(ms);
