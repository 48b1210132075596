import { setImmediate as turnOfLoop, setTimeout as systemDelay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { holdTime } from '../clock.ts';
import { until as untilInRealTime } from '../until.ts';

/**
 * Held time (test/clock.ts) that passes only while a test waits by `until` or `meanwhile`, in steps of one frame of
 * sound. Each step waits until the sockets and the database have dealt with what the step before caused, so that a
 * call of a minute takes a second and a busy machine changes nothing.
 */
export type PassingTime = { pass: (ms: number) => Promise<void> };

const STEP_MS = 20;
/** A database that answers later than this lets time pass meanwhile. */
const SETTLED_WITHIN_MS = 250;
/** Turns of the event loop without a query. What follows a reply needs one or two for its next query. */
const QUIET_TURNS = 3;
/** A test that waits for longer than this waits in vain. */
const HELD_MAX_MS = 300_000;

/** Resolves once the other end has read what was sent to it before, and this end what came before that. */
type Wire = () => Promise<void>;

const wires = new Set<Wire>();
const pools = new Set<Pool>();
let step: (() => Promise<void>) | undefined;

/** Holds time until the test ends. */
export function passTime(): PassingTime {
  const time = holdTime();
  let stepping: Promise<void> | undefined;
  const isBusy = (): boolean =>
    [...pools].some(
      ({ idleCount, totalCount, waitingCount }) => totalCount > idleCount || waitingCount > 0,
    );

  async function settled(): Promise<void> {
    await Promise.all([...wires].map((wire) => wire()));
    const endMs = performance.now() + SETTLED_WITHIN_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < endMs;) {
      quiet = isBusy() ? 0 : quiet + 1;
      await (quiet === 0 ? systemDelay(1) : turnOfLoop());
    }
  }

  const next = (): Promise<void> =>
    (stepping ??= time
      .advance(STEP_MS)
      .then(settled)
      .finally(() => {
        stepping = undefined;
      }));

  step = next;
  onTestFinished(() => {
    step = undefined;
  });
  return {
    pass: async (ms) => {
      for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) await next();
    },
  };
}

/**
 * As `until` of test/until.ts, which it is where time is not held; else it lets `everyMs` pass between the checks, of
 * which those that ask the API cost more than the steps.
 */
export async function until<T>(
  what: string | (() => unknown),
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { everyMs = STEP_MS }: { everyMs?: number } = {},
): Promise<T> {
  if (!step) return untilInRealTime(what, check, { everyMs: 5 });
  for (let passedMs = 0; ; passedMs += everyMs) {
    const answer = await check();
    if (answer !== undefined && answer !== false) return answer;
    if (passedMs > HELD_MAX_MS) {
      const vain = typeof what === 'string' ? what : await what();
      throw new Error(`waited in vain for ${String(vain)}`);
    }
    for (let ms = 0; ms < everyMs; ms += STEP_MS) await step();
  }
}

/** Lets held time pass until the work has settled, and returns its outcome. */
export async function meanwhile<T>(work: Promise<T>): Promise<T> {
  if (!step) return work;
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  work.then(settle, settle);
  await until('work to settle', () => isSettled);
  return work;
}

/** Each step waits until nothing of this pool's is in progress. Returns what ends that. */
export function addPool(pool: Pool): () => void {
  pools.add(pool);
  return () => pools.delete(pool);
}

/** Adds a socket that each step waits for until it is closed: a ping is answered in its turn. */
export function addSocket(socket: WebSocket): void {
  const wire: Wire = async () => {
    if (socket.readyState !== socket.OPEN) return;
    const answered = Promise.withResolvers<void>();
    const settle = (): void => answered.resolve();
    socket.once('pong', settle).once('close', settle);
    socket.ping();
    await answered.promise;
    socket.off('pong', settle).off('close', settle);
  };
  wires.add(wire);
  socket.once('close', () => wires.delete(wire));
}
