import { createSingleFlight } from '../controller/single-flight.ts';
import { ApiError } from '../errors.ts';
import { uuidTimeMs } from '../events/ids.ts';
import type { Logger } from '../observability/logger.ts';
import {
  findStreamPosition,
  isAfter,
  readStream,
  readStreamStart,
  type StreamFilter,
  type StreamPosition,
  type StreamedEvent,
} from '../store/event-stream.ts';
import type { Pool } from '../store/pool.ts';
import { REPLAY_WINDOW_MS } from './replay-jobs.ts';

/**
 * Events as they happen, for any number of readers in this process (contract §4).
 *
 * A namespace that somebody reads has one tail: its newest events, read once for all. Who keeps up
 * is served from it; who does not, or resumes from long ago, reads the database by itself. Nothing
 * is queued for a reader, so a slow one costs its place in the order and no memory.
 */
export type EventStreams = {
  /** @throws ApiError event_expired, unavailable (too many, or stopping) */
  open: (input: {
    namespace: string;
    filter: StreamFilter;
    after: string | null;
  }) => Promise<Reader>;
  /** There may be new events in these namespaces; `*`: in all. */
  wake: (namespaces: readonly string[]) => void;
  /** Ends all readers and opens no more. */
  stop: () => void;
};

/** Yields what comes, in order, until `signal` or `stop` ends it. Read once. */
export type Reader = (signal: AbortSignal) => AsyncGenerator<StreamedEvent>;

export const STREAMS_MAX = 500;
const PAGE = 200;
/** Events kept of a namespace that is being read: what a reader may lag without asking by itself. */
const TAIL_MAX = 500;
const TAIL_BYTES_MAX = 2_000_000;
/** Behind the wake-ups. */
const POLL_MS = 1_000;
/** How soon what an older transaction holds back is looked for again; doubled each time. */
const HELD_BACK_MS = 5;

type Tail = {
  events: StreamedEvent[];
  bytes: number;
  /** Everything after this position and up to `until` is in `events`. */
  from: StreamPosition;
  until: StreamPosition;
  readers: number;
  /** Reads on; asked while it reads, it reads once more. */
  look: () => void;
  waiters: Set<() => void>;
  heldBackMs: number;
};

export function createEventStreams(deps: {
  pool: Pool;
  nowMs: () => number;
  log: Logger;
  streamsMax?: number;
}): EventStreams {
  const { pool, nowMs, log, streamsMax = STREAMS_MAX } = deps;
  const tails = new Map<string, Tail>();
  const stopping = new AbortController();
  let open = 0;

  /** Reads what is new for a namespace, once for all who wait. */
  async function advance(namespace: string, tail: Tail): Promise<void> {
    for (;;) {
      const { events, position, isHeldBack } = await readStream(pool, {
        namespace,
        after: tail.until,
        filter: {},
        limit: PAGE,
        sinceMs: nowMs(),
      });
      append(tail, events, position);
      if (events.length > 0) for (const wake of tail.waiters) wake();
      if (events.length === PAGE) continue;
      const waitMs = tail.heldBackMs;
      tail.heldBackMs = isHeldBack ? Math.min(POLL_MS, waitMs * 2 || HELD_BACK_MS) : 0;
      if (isHeldBack) setTimeout(() => lookAt(namespace), tail.heldBackMs).unref();
      return;
    }
  }

  function lookAt(namespace: string): void {
    if (!stopping.signal.aborted) tails.get(namespace)?.look();
  }

  const poll = setInterval(() => {
    for (const namespace of tails.keys()) lookAt(namespace);
  }, POLL_MS);
  poll.unref();

  async function tailOf(namespace: string): Promise<Tail> {
    if (!tails.has(namespace)) {
      const { position } = await readStreamStart(pool);
      const tail: Tail = newTail(position, () => looking.trigger());
      const looking = createSingleFlight(() =>
        advance(namespace, tail).catch((error: Error) => {
          log.warn({ reason: error.message }, 'events cannot be streamed now; trying again');
        }),
      );
      // Somebody else may have been quicker.
      if (!tails.has(namespace)) tails.set(namespace, tail);
    }
    return tails.get(namespace)!; // Set above.
  }

  async function start(namespace: string, after: string | null) {
    if (after === null) return readStreamStart(pool);
    const isTooOld = nowMs() - uuidTimeMs(after) > REPLAY_WINDOW_MS;
    const position = isTooOld
      ? undefined
      : await findStreamPosition(pool, { namespace, id: after });
    if (position) return { position, isCommitted: () => false };
    const detail = 'there is no event of that id any more: read GET /v1/events and begin anew';
    throw new ApiError('event_expired', detail);
  }

  async function* read(
    input: { namespace: string; filter: StreamFilter; tail: Tail },
    from: Awaited<ReturnType<typeof start>>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent> {
    const { filter, tail } = input;
    let { position } = from;
    // A position without an event is of now.
    let sinceMs = Math.max(uuidTimeMs(position.id), 0) || nowMs();
    while (!signal.aborted) {
      const known = fromTail(tail, position);
      const page =
        known ?? (await readStream(pool, { ...input, after: position, limit: PAGE, sinceMs }));
      for (const event of page.events) {
        if (signal.aborted) return;
        position = event;
        sinceMs = uuidTimeMs(event.id);
        if (known && !matches(filter, event)) continue;
        if (!from.isCommitted(event.xid)) yield event;
      }
      position = page.position;
      const isAtEnd = known ? known.events.length === 0 : page.events.length < PAGE;
      if (isAtEnd && !isAfter(tail.until, position)) await news(tail, signal);
    }
  }

  return {
    open: async ({ namespace, filter, after }) => {
      if (stopping.signal.aborted || open >= streamsMax) {
        const detail = 'as many streams are open as this process serves; try again soon';
        throw new ApiError('unavailable', detail, { retryAfterSec: 5 });
      }
      const from = await start(namespace, after);
      return async function* reader(signal) {
        open += 1;
        const ending = AbortSignal.any([signal, stopping.signal]);
        const tail = await tailOf(namespace);
        tail.readers += 1;
        try {
          yield* read({ namespace, filter, tail }, from, ending);
        } finally {
          open -= 1;
          tail.readers -= 1;
          if (tail.readers === 0 && tails.get(namespace) === tail) tails.delete(namespace);
        }
      };
    },
    wake: (namespaces) => {
      for (const namespace of namespaces.includes('*') ? tails.keys() : namespaces) {
        lookAt(namespace);
      }
    },
    stop: () => {
      stopping.abort();
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

/** Resolves when the tail has grown, when the reader ends, or after the poll's time. */
function news({ waiters }: Tail, signal: AbortSignal): Promise<void> {
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

/** What the tail has after a position; undefined when that lies before it. */
function fromTail(
  tail: Tail,
  after: StreamPosition,
): { events: StreamedEvent[]; position: StreamPosition } | undefined {
  if (isAfter(tail.from, after)) return undefined;
  const at = tail.events.findLastIndex((event) => !isAfter(event, after));
  const position = isAfter(after, tail.until) ? after : tail.until;
  return { events: tail.events.slice(at + 1), position };
}

function matches(filter: StreamFilter, event: StreamedEvent): boolean {
  const { types, conversationId, agentId } = filter;
  return (
    (types === undefined || types.includes(event.type)) &&
    (conversationId === undefined || conversationId === event.conversationId) &&
    (agentId === undefined || agentId === event.agentId)
  );
}
