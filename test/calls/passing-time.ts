import { setImmediate as turnOfLoop, setTimeout as systemDelay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { holdTime } from '../clock.ts';
import { until as untilInRealTime } from '../until.ts';

/**
 * Held time (test/clock.ts) that passes only while a test waits by `until` or `meanwhile`, in steps of one frame of
 * sound. Each step waits until the sockets and the database have handled the effects of the step before, so that a call
 * of a minute takes a second and a busy machine changes nothing.
 */
export type PassingTime = { pass: (ms: number) => Promise<void> };

const STEP_MS = 20;
/** Time passes despite a pending query if the database takes longer than this. */
const SETTLED_WITHIN_MS = 250;
/** Turns of the event loop without a query. A reply needs one or two before its next query. */
const QUIET_TURNS = 3;
/** Longest wait of a test. A longer one would never succeed. */
const HELD_MAX_MS = 300_000;

/** Resolves once both ends have read everything that was sent before. */
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
 * Waits like `until` of test/until.ts. If time is held, lets `everyMs` pass between the checks, because checks that
 * request the API cost more than the steps.
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

/**
 * Makes each step wait until these pools have no query in progress. Returns a function that stops this. Without it, a
 * second passes while a busy machine handles a query, and Parley takes the connection for dead.
 */
export function addPools(...added: readonly Pool[]): () => void {
  for (const pool of added) pools.add(pool);
  return () => added.forEach((pool) => pools.delete(pool));
}

/**
 * Makes each step wait for this socket until it is closed. The peer answers a ping after everything that it received
 * before.
 */
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
