import { setImmediate as afterOthers } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import { uuidTimeMs } from '../ids.ts';
import { createFairQueue, type FairQueueMetrics } from '../platform/controller/fair-queue.ts';
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
import { replayWindowMs, type ReplayWindow } from './replay-window.ts';

/**
 * Streams events as they happen to any number of readers in this process (contract/events.md#stream).
 *
 * Each namespace with readers has one tail: its newest events, read from the database once for all readers. A reader
 * that keeps up is served from the tail. A reader that is slow, or resumes from an old event, reads the database
 * itself. Readers have no queues: a stalled reader keeps only its current page (PAGE_BYTES) in memory and is
 * disconnected after a while (platform/http/slow-reader.ts).
 */
export type EventStreams = {
  /**
   * Starts a reader.
   * @throws ApiError event_expired, unavailable (stopping)
   */
  open: (input: {
    namespace: string;
    filter: StreamFilter;
    after: string | null;
  }) => Promise<Reader>;
  /** Makes the streams of the given namespaces check for new events; `*` means all. */
  wake: (namespaces: readonly string[]) => void;
  /** Ends all readers and refuses new ones. */
  stop: () => void;
};

/** Yields events in order until `signal` aborts or `stop` is called. A reader can be iterated only once. */
export type Reader = (signal: AbortSignal) => AsyncGenerator<StreamedEvent>;

export function createEventStreams(
  deps: ReplayWindow & {
    pool: Pool;
    nowMs: () => number;
    metrics: FairQueueMetrics;
    log: Logger;
  },
): EventStreams {
  const { pool, nowMs } = deps;
  const tails = createEventTails(deps);
  const inTurn = createPageTurns(deps.metrics);
  const stopping = new AbortController();

  async function start(namespace: string, after: string | null): Promise<StreamStart> {
    if (after === null) return readStreamStart(pool);
    const isTooOld = nowMs() - uuidTimeMs(after) > replayWindowMs(deps);
    const position = isTooOld
      ? undefined
      : await findStreamPosition(pool, { namespace, id: after });
    if (position) return { position, isCommitted: () => false };
    const detail =
      'The event with this ID no longer exists. Read GET /v1/events, then open the stream again without an ID.';
    throw new ApiError('event_expired', detail);
  }

  return {
    open: async ({ namespace, filter, after }) => {
      if (stopping.signal.aborted) {
        const detail = 'The server is shutting down. Reconnect.';
        throw new ApiError('unavailable', detail, { retryAfterSec: 5 });
      }
      const from = await start(namespace, after);
      return async function* reader(signal) {
        const tail = await tails.of(namespace);
        const ending = AbortSignal.any([signal, stopping.signal]);
        try {
          yield* read({ ...deps, inTurn }, { namespace, filter, tail, from }, ending);
        } finally {
          tails.release(namespace);
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
  { pool, nowMs, inTurn }: { pool: Pool; nowMs: () => number; inTurn: PageTurns },
  input: { namespace: string; filter: StreamFilter; tail: Tail; from: StreamStart },
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const { filter, tail, from } = input;
  let { position } = from;
  // A start position without an event has no time. In that case the reader gets only new events, so the current time is
  // used.
  let sinceMs = Math.max(uuidTimeMs(position.id), 0) || nowMs();
  while (!signal.aborted) {
    const after = position;
    const { known, page } = await inTurn(input.namespace, async () => {
      const kept = fromTail(tail, after);
      const next = { ...input, after, limit: PAGE, sinceMs };
      return { known: kept !== undefined, page: kept ?? (await readStream(pool, next)) };
    });
    for (const event of page.events) {
      if (signal.aborted) return;
      position = event;
      sinceMs = uuidTimeMs(event.id);
      if (known && !matches(filter, event)) continue;
      if (!from.isCommitted(event.xid)) yield event;
    }
    position = page.position;
    if (!page.hasMore && !isAfter(tail.until, position)) await untilGrown(tail, signal);
  }
}

function matches(filter: StreamFilter, event: StreamedEvent): boolean {
  const { types, conversationId, agentId, withTests } = filter;
  return (
    (withTests || event.endpointId === null) &&
    (types === undefined || types.includes(event.type)) &&
    (conversationId === undefined || conversationId === event.conversationId) &&
    (agentId === undefined || agentId === event.agentId)
  );
}

/**
 * Reads the pages of all readers of this process, a few at a time. Namespaces take turns, and other work runs in
 * between. Otherwise, a hundred readers with a backlog would occupy all database connections and the event loop for
 * seconds.
 */
type PageTurns = <T>(namespace: string, read: () => T | Promise<T>) => Promise<T>;

/**
 * Limits on concurrent page reads: they use two of the 20 database connections that serve requests. The number of
 * waiting reads needs no limit, because each stream waits for at most one page and the number of streams is limited.
 */
const READING = { places: 2, waitingMax: { namespace: Infinity, all: Infinity } };

export function createPageTurns(metrics: FairQueueMetrics): PageTurns {
  const queue = createFairQueue({ kind: 'event_pages', ...READING, metrics });
  return <T>(namespace: string, read: () => T | Promise<T>) => {
    const page = Promise.withResolvers<T>();
    void queue.run(namespace, async () => {
      await Promise.resolve().then(read).then(page.resolve, page.reject);
      // Keeps the slot until the reader has written the page, or waits because its client is slow.
      await afterOthers();
    });
    return page.promise;
  };
}
