import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { monotonicMs } from '../../clock.ts';
import { currentWork } from '../observability/work.ts';
import { createLine } from './line.ts';

/**
 * Shares this process's event loop between namespaces, whose requests and frames all run on it. Node starts all arrived
 * work together, so a burst of one namespace would run before the next database reply of any other namespace is read.
 * Work that begins here yields to the event loop after a few milliseconds, and the rest waits in turn by namespace.
 */
export type EventLoopTurns = {
  /** Returns whether work may begin now: no work waits, and this turn of the event loop has not taken long yet. */
  isFree: () => boolean;
  /** Calls `begin` when the namespace has its next turn. Undefined stands for all clients without a key or a token. */
  wait: (namespace: string | undefined, begin: () => void) => void;
  waiting: () => number;
};

/** Time during which work may begin in one turn of the event loop. A piece that has begun is not interrupted. */
const SLICE_MS = 2;
/**
 * Maximum number of pieces that begin in one turn. Each has its own callback, so that continuations of one piece run
 * before the next piece.
 */
const PIECES_MAX = 50;

export function createEventLoopTurns(nowMs = monotonicMs): EventLoopTurns {
  const line = createLine<string | undefined, () => void>();
  /** Time when the first work of this turn began. */
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
    // An immediate scheduled by an immediate runs in the next turn, after newly arrived events.
    if (line.size() >= callbacks) setImmediate(beginNext);
    else callbacks -= 1;
  }

  return {
    isFree: () => line.size() === 0 && !isOver(),
    wait: (namespace, begin) => {
      // Bound, because otherwise it would begin in the context of the work that waited before it.
      line.join(namespace, AsyncLocalStorage.bind(begin));
      if (callbacks >= PIECES_MAX) return;
      callbacks += 1;
      setImmediate(beginNext);
    },
    waiting: line.size,
  };
}

/** One per process, because a process has one event loop. */
export const eventLoopTurns = createEventLoopTurns();

/** Begins work now if possible, otherwise in the next turn of the namespace. */
export function beginInTurn(namespaceOf: () => string | undefined, begin: () => void): void {
  if (eventLoopTurns.isFree()) begin();
  else eventLoopTurns.wait(namespaceOf(), begin);
}

/** Resolves when work of some milliseconds may begin for the current namespace. Call it before such work. */
export async function giveWay(): Promise<void> {
  if (eventLoopTurns.isFree()) return;
  const namespace = currentWork()?.namespace;
  await new Promise<void>((resolve) => eventLoopTurns.wait(namespace, resolve));
}
