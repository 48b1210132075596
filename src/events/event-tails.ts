import { clearInterval, clearTimeout, setInterval, setTimeout } from '../clock.ts';
import { createSingleFlight } from '../platform/controller/single-flight.ts';
import type { Logger } from '../platform/observability/logger.ts';
import {
  isAfter,
  PAGE_BYTES,
  readStream,
  readStreamStart,
  type StreamPosition,
  type StreamedEvent,
} from './event-stream.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

/** Keeps the newest events of each namespace that has readers. Reads them once for all readers of the namespace. */
export type EventTails = {
  /** Returns the tail of a namespace. The tail stays in memory until every caller has released it. */
  of: (namespace: string) => Promise<Tail>;
  release: (namespace: string) => void;
  /** Makes the tails of the given namespaces check for new events; `*` means all. */
  wake: (namespaces: readonly string[]) => void;
  stop: () => void;
};

/** Maximum number of events per read. */
export const PAGE = 200;
/** Maximum number of events in memory per namespace. A reader that lags further behind reads the database itself. */
const TAIL_MAX = 500;
const TAIL_BYTES_MAX = 2_000_000;
/** Poll interval, in case a wake-up is lost. */
const POLL_MS = 1_000;
/**
 * Initial delay in ms between checks for events that cannot be read before an older transaction ends. Each check
 * doubles the delay, up to `POLL_MS`.
 */
const HELD_BACK_MS = 5;

export type Tail = {
  events: StreamedEvent[];
  bytes: number;
  /** `events` holds all events of the namespace after `from`, up to and including `until`. */
  from: StreamPosition;
  until: StreamPosition;
  readers: number;
  /** Reads new events. If called during a read, reads once more afterwards. */
  look: () => void;
  waiters: Set<() => void>;
  heldBackMs: number;
};

export function createEventTails(deps: {
  pool: Pool;
  nowMs: () => number;
  log: Logger;
}): EventTails {
  const { pool, nowMs, log } = deps;
  const tails = new Map<string, Tail>();
  let isStopped = false;

  async function advance(namespace: string, tail: Tail): Promise<void> {
    for (;;) {
      const { events, position, hasMore, isHeldBack } = await readStream(pool, {
        namespace,
        after: tail.until,
        filter: { withTests: true },
        limit: PAGE,
        sinceMs: nowMs(),
      });
      append(tail, events, position);
      if (events.length > 0) for (const wake of tail.waiters) wake();
      if (hasMore) continue;
      const waitMs = tail.heldBackMs;
      tail.heldBackMs = isHeldBack ? Math.min(POLL_MS, waitMs * 2 || HELD_BACK_MS) : 0;
      if (isHeldBack) setTimeout(() => wake([namespace]), tail.heldBackMs).unref();
      return;
    }
  }

  function wake(namespaces: readonly string[]): void {
    if (isStopped) return;
    const named = namespaces.includes('*') ? [...tails.keys()] : namespaces;
    for (const namespace of named) tails.get(namespace)?.look();
  }

  const poll = setInterval(() => wake(['*']), POLL_MS);
  poll.unref();

  return {
    of: async (namespace) => {
      // Reads the position first. An `await` between `get` and `set` would let another caller create the same tail in
      // between.
      const { position } = await readStreamStart(pool);
      const tail: Tail = tails.get(namespace) ?? newTail(position, () => looking.trigger());
      const looking = createSingleFlight(() =>
        advance(namespace, tail).catch((error: Error) => {
          log.warn({ reason: error.message }, 'streaming events failed; retrying');
        }),
      );
      tails.set(namespace, tail);
      tail.readers += 1;
      return tail;
    },
    release: (namespace) => {
      const tail = tails.get(namespace);
      if (!tail) return;
      tail.readers -= 1;
      if (tail.readers === 0) tails.delete(namespace);
    },
    wake,
    stop: () => {
      isStopped = true;
      clearInterval(poll);
    },
  };
}

function newTail(position: StreamPosition, look: () => void): Tail {
  return {
    events: [],
    bytes: 0,
    from: position,
    until: position,
    readers: 0,
    look,
    waiters: new Set(),
    heldBackMs: 0,
  };
}

function append(tail: Tail, events: readonly StreamedEvent[], until: StreamPosition): void {
  for (const event of events) {
    tail.events.push(event);
    tail.bytes += event.body.length;
  }
  tail.until = until;
  while (tail.events.length > TAIL_MAX || tail.bytes > TAIL_BYTES_MAX) {
    const gone = tail.events.shift();
    if (!gone) return;
    tail.bytes -= gone.body.length;
    tail.from = gone;
  }
}

/** Resolves when the tail has grown, the reader ends, or POLL_MS have passed. */
export function untilGrown({ waiters }: Tail, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      waiters.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, POLL_MS);
    waiters.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}

/** Returns the next page of the tail after a position, or undefined if the position is before the tail. */
export function fromTail(
  tail: Tail,
  after: StreamPosition,
): { events: StreamedEvent[]; position: StreamPosition; hasMore: boolean } | undefined {
  if (isAfter(tail.from, after)) return undefined;
  const at = tail.events.findLastIndex((event) => !isAfter(event, after));
  const events: StreamedEvent[] = [];
  let bytes = 0;
  for (const event of tail.events.slice(at + 1)) {
    if (events.length > 0 && bytes + event.body.length > PAGE_BYTES) {
      // `events` is not empty: the condition above checks it.
      return { events, position: events.at(-1)!, hasMore: true };
    }
    events.push(event);
    bytes += event.body.length;
  }
  const position = isAfter(after, tail.until) ? after : tail.until;
  return { events, position, hasMore: false };
}
