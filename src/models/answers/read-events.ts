import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { APIError } from 'openai/core/error';
import { clearTimeout, setTimeout } from '../../clock.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { createPacedTurns } from '../../platform/controller/paced-turns.ts';
import { currentWork } from '../../platform/observability/work.ts';
import { InvalidAnswer } from '../model-failure.ts';
import { fieldsOf, textOf } from './read-chunk.ts';

/** Maximum size in bytes of one event, including comments before it. An event is buffered until it is complete. */
const MAX_EVENT_BYTES = 1024 * 1024;
/**
 * Maximum size of a stream, about ten times that of a long answer with its reasoning. A server that never ends its
 * stream, or sends an event for each character, could keep a process busy until the time limit of the answer.
 */
export const STREAM_MAX = { events: 100_000, bytes: 64 * 1024 * 1024 };
/**
 * Rate limit, in bytes, on the events of all streams that a process handles. An event counts as at least
 * `EVENT_BYTES_MIN`, because even an event of one character takes about 10 µs. At this rate, events take at most a
 * third of the process's time. A fast provider sends a few thousand events a second, so a single answer never waits.
 * When streams have to wait, namespaces take turns.
 */
const RATE = { burst: 4 * 1024 * 1024, perSec: 16 * 1024 * 1024 };
const EVENT_BYTES_MIN = 512;
/**
 * Number of events that are handled in one turn of the event loop. One chunk from the connection may contain thousands
 * of events.
 */
const EVENTS_AT_ONCE = 50;
/**
 * Maximum wait in ms for the end of the response after `[DONE]`. The connection can be reused only once the response is
 * complete.
 */
const LINGER_MS = 250;

const pace = createPacedTurns(RATE);

/** Waits until these events may be handled: first for the rate limit, then for a turn of the event loop. */
async function turnOf(events: readonly EventSourceMessage[]): Promise<void> {
  const cost = events.reduce((sum, { data }) => sum + Math.max(EVENT_BYTES_MIN, data.length), 0);
  await new Promise<void>((resolve) => pace.next(currentWork()?.namespace, cost, resolve));
  await giveWay();
}

/**
 * Reads a stream of events (WHATWG HTML, 9.2). Yields the data of up to 50 events that arrived together, `done` for
 * `[DONE]`, and `too_long` instead of the events beyond the maximum size of a stream. Events are parsed while the
 * caller iterates, so an invalid event causes an error only after the earlier events were yielded. The next part of the
 * response is read only when the caller asks for more, and an abort cancels the response.
 */
export async function* readEvents(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<unknown> | 'done' | 'too_long'> {
  const reader = body.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  let isWhole = false;
  let left = STREAM_MAX.events;
  try {
    for await (const arrived of eventsOf(reader)) {
      if (arrived === 'too_long' || arrived.length > left) {
        yield 'too_long';
        return;
      }
      left -= arrived.length;
      const end = arrived.findIndex(isLast);
      const events = end === -1 ? arrived : arrived.slice(0, end);
      for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
        const some = events.slice(at, at + EVENTS_AT_ONCE);
        await turnOf(some);
        yield dataOf(some, headers);
      }
      if (end === -1) continue;
      isWhole = true;
      yield 'done';
      return;
    }
    isWhole = true;
  } finally {
    signal.removeEventListener('abort', giveUp);
    if (isWhole && !signal.aborted) void linger(reader);
    else giveUp();
  }
}

/**
 * Yields the events that each chunk of the response completes, if any, and `too_long` once the response exceeds the
 * maximum size.
 */
async function* eventsOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<EventSourceMessage[] | 'too_long'> {
  let complete: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => complete.push(event) });
  const decoder = new TextDecoder();
  let unreadBytes = 0;
  for (let bytes = 0; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    bytes += value.length;
    unreadBytes += value.length;
    if (bytes > STREAM_MAX.bytes) {
      yield 'too_long';
      return;
    }
    if (unreadBytes > MAX_EVENT_BYTES) {
      throw new InvalidAnswer('streamed an event larger than 1 MiB');
    }
    parser.feed(decoder.decode(value, { stream: true }));
    if (complete.length === 0) continue;
    unreadBytes = 0;
    yield complete;
    complete = [];
  }
}

function isLast({ data }: EventSourceMessage): boolean {
  return data.trim().toUpperCase() === '[DONE]';
}

/** Yields the data of each event that has data. @throws APIError for the error that an event reports */
function* dataOf(events: readonly EventSourceMessage[], headers: Headers): Generator {
  for (const { event, data } of events) {
    const words = data.trim();
    const value = carriesNothing(event, words) ? null : valueOf(event, words);
    if (value === null) continue;
    const { error } = fieldsOf(value);
    if (event === 'error' || error) {
      throw new APIError(undefined, fieldsOf(error ?? value), textOf(error), headers);
    }
    yield value;
  }
}

/** Returns true for events without data (WHATWG HTML, 9.2.6) and for pings, which are ignored. */
function carriesNothing(event: string | undefined, words: string): boolean {
  return words === '' || /^(ping|pong|heartbeat|keep-?alive)$/i.test(event ?? words);
}

function valueOf(event: string | undefined, words: string): unknown {
  try {
    return JSON.parse(words);
  } catch (error) {
    if (event !== undefined && event !== 'message' && event !== 'error') return null;
    throw new SyntaxError('an event is not valid JSON', { cause: error });
  }
}

async function linger(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const cut = setTimeout(() => void reader.cancel().catch(() => {}), LINGER_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection broke after the end of the answer, so no data is missing.
  } finally {
    clearTimeout(cut);
  }
}
