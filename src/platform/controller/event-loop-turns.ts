import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { monotonicMs } from '../../clock.ts';
import { currentWork } from '../observability/work.ts';
import { createLine } from './line.ts';

/**
 * Shares the event loop of this process, on which requests and frames of all namespaces run. Node begins whatever has
 * arrived at once, so that a burst of one namespace would run before the next reply of the database to any other one
 * is looked at. Work that begins here leaves a turn of the event loop after a few milliseconds, and the rest waits: by
 * namespace, in turn.
 */
export type EventLoopTurns = {
  /** Whether work may begin now: nothing waits, and this turn of the event loop has not taken long yet. */
  isFree: () => boolean;
  /** Calls `begin` in the next turn of the namespace. Undefined: of everybody who has not shown a key or a token. */
  wait: (namespace: string | undefined, begin: () => void) => void;
  waiting: () => number;
};

/** How long work may begin in one turn of the event loop. A piece that has begun is not interrupted. */
const SLICE_MS = 2;
/** Pieces that begin in one turn at most. Each has its own callback, so that what it resolves runs before the next one. */
const PIECES_MAX = 50;

export function createEventLoopTurns(nowMs = monotonicMs): EventLoopTurns {
  const line = createLine<string | undefined, () => void>();
  /** When the first work of this turn began. */
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
    // An immediate of an immediate runs in the next turn, after what has arrived.
    if (line.size() >= callbacks) setImmediate(beginNext);
    else callbacks -= 1;
  }

  return {
    isFree: () => line.size() === 0 && !isOver(),
    wait: (namespace, begin) => {
      // Otherwise it would begin as a part of the work that waited before it.
      line.join(namespace, AsyncLocalStorage.bind(begin));
      if (callbacks >= PIECES_MAX) return;
      callbacks += 1;
      setImmediate(beginNext);
    },
    waiting: line.size,
  };
}

/** Of this process: it has one event loop. */
export const eventLoopTurns = createEventLoopTurns();

/** Begins work now if it may, else in the next turn of the namespace. */
export function beginInTurn(namespaceOf: () => string | undefined, begin: () => void): void {
  if (eventLoopTurns.isFree()) begin();
  else eventLoopTurns.wait(namespaceOf(), begin);
}

/** Call before a piece of work that takes milliseconds: resolves when it may begin, for the namespace of the current work. */
export async function giveWay(): Promise<void> {
  if (eventLoopTurns.isFree()) return;
  const namespace = currentWork()?.namespace;
  await new Promise<void>((resolve) => eventLoopTurns.wait(namespace, resolve));
}
