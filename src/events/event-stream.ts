import { ApiError } from '../errors.ts';
import { uuidTimeMs } from '../ids.ts';
import type { Logger } from '../platform/observability/logger.ts';
import {
  findStreamPosition,
  isAfter,
  readStream,
  readStreamStart,
  type StreamFilter,
  type StreamStart,
  type StreamedEvent,
} from './event-stream.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { createEventTails, fromTail, untilGrown, PAGE, type Tail } from './event-tails.ts';
import { REPLAY_WINDOW_MS } from './events.sql.ts';

/**
 * Events as they happen, for any number of readers in this process (contract §4).
 *
 * A namespace with readers has one tail: its newest events, read once for all. A reader that keeps
 * up is served from it; one that does not, or resumes from long ago, reads the database itself.
 * Nothing is queued for a reader, so a slow one costs no memory.
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

/** Of one process. */
const STREAMS_MAX = 500;

export function createEventStreams(deps: {
  pool: Pool;
  nowMs: () => number;
  log: Logger;
  streamsMax?: number;
}): EventStreams {
  const { pool, nowMs, streamsMax = STREAMS_MAX } = deps;
  const tails = createEventTails(deps);
  const stopping = new AbortController();
  let open = 0;

  async function start(namespace: string, after: string | null): Promise<StreamStart> {
    if (after === null) return readStreamStart(pool);
    const isTooOld = nowMs() - uuidTimeMs(after) > REPLAY_WINDOW_MS;
    const position = isTooOld
      ? undefined
      : await findStreamPosition(pool, { namespace, id: after });
    if (position) return { position, isCommitted: () => false };
    const detail = 'there is no event of that id any more: read GET /v1/events and begin anew';
    throw new ApiError('event_expired', detail);
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
        try {
          const tail = await tails.of(namespace);
          const ending = AbortSignal.any([signal, stopping.signal]);
          try {
            yield* read(deps, { namespace, filter, tail, from }, ending);
          } finally {
            tails.release(namespace);
          }
        } finally {
          open -= 1;
        }
      };
    },
    wake: tails.wake,
    stop: () => {
      stopping.abort();
      tails.stop();
    },
  };
}

async function* read(
  { pool, nowMs }: { pool: Pool; nowMs: () => number },
  input: { namespace: string; filter: StreamFilter; tail: Tail; from: StreamStart },
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const { filter, tail, from } = input;
  let { position } = from;
  // A position without an event is the present.
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
    if (isAtEnd && !isAfter(tail.until, position)) await untilGrown(tail, signal);
  }
}

function matches(filter: StreamFilter, event: StreamedEvent): boolean {
  const { types, conversationId, agentId } = filter;
  return (
    (types === undefined || types.includes(event.type)) &&
    (conversationId === undefined || conversationId === event.conversationId) &&
    (agentId === undefined || agentId === event.agentId)
  );
}
