import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { monotonicMs } from '../../clock.ts';
import { currentWork } from '../observability/work.ts';
import { createLine } from './line.ts';

/**
 * Shares this process's event loop fairly between namespaces. Before Node reads more input, it runs the handlers of all
 * HTTP requests and WebSocket frames that have already arrived. Without this queue, a burst from one namespace would
 * delay the database replies that other namespaces wait for. The queue starts new work only during the first few
 * milliseconds of each turn of the event loop, and then lets Node read input. Work that has not started waits in the
 * queue, and namespaces take turns.
 */
export type EventLoopTurns = {
  /**
   * Returns true if work may begin now: no earlier work is waiting, and this turn of the event loop has time left for
   * new work.
   */
  isFree: () => boolean;
  /** Calls `begin` when it is the namespace's turn. All unauthenticated clients share the namespace `undefined`. */
  wait: (namespace: string | undefined, begin: () => void) => void;
  waiting: () => number;
};

/**
 * Time in ms during which new work may begin in one turn of the event loop. Work that has begun is not interrupted.
 * With 32 parallel requests of one tenant, a limit of 2 ms raised the CPU cost of each request by a fifth. A limit of 5
 * ms did not raise it.
 */
const SLICE_MS = 5;
/**
 * Maximum number of pieces of work that begin in one turn of the event loop. Each begins in its own callback, so that
 * the promise continuations of one piece run before the next piece.
 */
const PIECES_MAX = 50;

export function createEventLoopTurns(nowMs = monotonicMs): EventLoopTurns {
  const line = createLine<string | undefined, () => void>();
  /** Time when the first work in this turn of the event loop began. */
  let startedMs: number | undefined;
  let callbacks = 0;

  function isOver(): boolean {
    if (startedMs === undefined) {
      startedMs = nowMs();
      setImmediate(() => (startedMs = undefined));
      return false;
    }
    return nowMs() - startedMs >= SLICE_MS;
  }

  function beginNext(): void {
    if (!isOver()) line.next()?.one();
    // A callback that is scheduled from within a `setImmediate` callback runs in the next turn of the event loop, after
    // Node has read new input.
    if (line.size() >= callbacks) setImmediate(beginNext);
    else callbacks -= 1;
  }

  return {
    isFree: () => line.size() === 0 && !isOver(),
    wait: (namespace, begin) => {
      // Without this, `begin` would run in the async context of the previous piece of work. `AsyncLocalStorage.bind`
      // does the same, but takes 2 KB for each call.
      const context = new AsyncResource('EventLoopTurn');
      line.join(namespace, () => context.runInAsyncScope(begin));
      if (callbacks >= PIECES_MAX) return;
      callbacks += 1;
      setImmediate(beginNext);
    },
    waiting: line.size,
  };
}

/** Single instance, because a process has one event loop. */
export const eventLoopTurns = createEventLoopTurns();

/** Begins the work now if possible, or otherwise when it is the namespace's turn. */
export function beginInTurn(namespaceOf: () => string | undefined, begin: () => void): void {
  if (eventLoopTurns.isFree()) begin();
  else eventLoopTurns.wait(namespaceOf(), begin);
}

/** Waits until work of the current namespace may begin. Await it before work that takes several milliseconds. */
export async function giveWay(): Promise<void> {
  if (eventLoopTurns.isFree()) return;
  const namespace = currentWork()?.namespace;
  await new Promise<void>((resolve) => eventLoopTurns.wait(namespace, resolve));
}
