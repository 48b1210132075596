import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { setClock, systemClock, type Clock, type Timer } from '../src/clock.ts';

/** Clock that stands still until a test advances it. */
export type HeldClock = {
  /**
   * Advances time by `ms` and fires each timer that becomes due, in order and at its own time. Code that a timer starts
   * has one turn of the event loop to arm the next timer. A test that needs more time awaits `armed`.
   */
  advance: (ms: number) => Promise<void>;
  /** Resolves once a timer of exactly `ms` is waiting. Rejects after 10 s with a list of the waiting timers. */
  armed: (ms: number) => Promise<void>;
  /** Returns the remaining time of each waiting timer in ms, shortest first. */
  waiting: () => number[];
  /**
   * Releases the clock before the test ends. Required if `afterEach` waits for timers, because the hold includes it.
   */
  release: () => void;
};

type HeldTimer = {
  handle: Timer;
  ms: number;
  dueMs: number;
  everyMs: number | undefined;
  fire: () => void;
};

const ARMED_WITHIN_MS = 10_000;

/** Timers of an earlier hold that continue in real time, as a map from the returned handle to the real timer. */
const continued = new Map<Timer, Timer>();

const clockAfterHold: Clock = {
  ...systemClock,
  clear: (timer) => {
    systemClock.clear((timer && continued.get(timer)) ?? timer);
    if (timer) continued.delete(timer);
  },
};

/**
 * Holds the clock of this process (src/clock.ts) until the test ends. Timers that are running already continue in real
 * time. Timers that are still waiting at the end continue in real time too.
 *
 * Spawned processes and the database have clocks of their own. `shiftTime` of a test's database changes its clock.
 */
export function holdTime(): HeldClock {
  // A whole number, so that remaining times are whole milliseconds too and rounding up does not change them.
  const startedMs = Math.round(systemClock.monotonicMs());
  const epochStartedMs = systemClock.epochMs();
  let passedMs = 0;
  const timers = new Map<Timer, HeldTimer>();
  const watchers = new Set<() => void>();

  function arm(fire: () => void, ms: number, everyMs?: number): Timer {
    const handle = newHandle();
    timers.set(handle, { handle, ms, dueMs: passedMs + ms, everyMs, fire });
    for (const watch of watchers) watch();
    return handle;
  }

  /** Returns the handle of a real timer that never fires. It has `ref`, `unref` and `Symbol.toPrimitive`. */
  function newHandle(): Timer {
    const handle = globalThis.setTimeout(() => undefined, 2 ** 31 - 1).unref();
    globalThis.clearTimeout(handle);
    handle.refresh = () => {
      const held = timers.get(handle);
      if (held) held.dueMs = passedMs + held.ms;
      return handle;
    };
    return handle;
  }

  const clock: Clock = {
    monotonicMs: () => startedMs + passedMs,
    epochMs: () => epochStartedMs + Math.floor(passedMs),
    setTimeout: (fire, ms = 1) => arm(fire, Math.max(1, ms)),
    setInterval: (fire, ms) => arm(fire, Math.max(1, ms), Math.max(1, ms)),
    clear: (timer) => {
      if (timer && !timers.delete(timer)) clockAfterHold.clear(timer);
    },
    delay: (ms, { signal }) =>
      new Promise((resolve, reject) => {
        const timer = arm(
          () => {
            signal?.removeEventListener('abort', abort);
            resolve(undefined);
          },
          Math.max(1, ms),
        );
        const abort = (): void => {
          timers.delete(timer);
          reject(new DOMException('The operation was aborted', 'AbortError'));
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      }),
    timeoutSignal: (ms) => {
      const timeout = new AbortController();
      const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      arm(() => timeout.abort(reason), ms);
      return timeout.signal;
    },
  };

  function nextDue(endMs: number): HeldTimer | undefined {
    const [first] = [...timers.values()].toSorted((a, b) => a.dueMs - b.dueMs);
    return first && first.dueMs <= endMs ? first : undefined;
  }

  setClock(clock);
  const release = (): void => {
    setClock(clockAfterHold);
    for (const { handle, fire, dueMs, everyMs } of timers.values()) {
      const running =
        everyMs === undefined
          ? systemClock.setTimeout(fire, dueMs - passedMs)
          : systemClock.setInterval(fire, everyMs);
      continued.set(handle, running.unref());
    }
    timers.clear();
  };
  onTestFinished(release);
  return {
    release,
    advance: async (ms) => {
      const endMs = passedMs + ms;
      for (let due = nextDue(endMs); due; due = nextDue(endMs)) {
        passedMs = Math.max(passedMs, due.dueMs);
        if (due.everyMs === undefined) timers.delete(due.handle);
        else due.dueMs += due.everyMs;
        due.fire();
        await turnOfLoop();
      }
      passedMs = endMs;
      await turnOfLoop();
    },
    armed: (ms) =>
      new Promise((resolve, reject) => {
        const waiting = (): boolean => [...timers.values()].some((timer) => timer.ms === ms);
        const giveUp = globalThis.setTimeout(() => {
          watchers.delete(look);
          const found = [...timers.values()].map((timer) => timer.ms).join(', ');
          reject(new Error(`no timer of ${ms} ms is waiting; there are ${found || 'none'}`));
        }, ARMED_WITHIN_MS);
        const look = (): void => {
          if (!waiting()) return;
          globalThis.clearTimeout(giveUp);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    waiting: () =>
      [...timers.values()].map(({ dueMs }) => dueMs - passedMs).toSorted((a, b) => a - b),
  };
}
