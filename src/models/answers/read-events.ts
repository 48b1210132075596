import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { APIError } from 'openai/core/error';
import { clearTimeout, setTimeout } from '../../clock.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { InvalidAnswer } from '../model-failure.ts';
import { fieldsOf, textOf } from './read-chunk.ts';

/** Maximum size of one event, including comments before it. An event is buffered until it is complete. */
const MAX_EVENT_BYTES = 1024 * 1024;
/**
 * Number of events that are handled in one turn of the event loop. One chunk of the connection may have thousands.
 */
const EVENTS_AT_ONCE = 50;
/**
 * Maximum wait in ms for the end of the response after `[DONE]`. The connection can be reused only once the response is
 * complete.
 */
const LINGER_MS = 250;

/**
 * Reads a stream of events (WHATWG HTML, 9.2). Yields the data of up to 50 events that arrived together, and `done` for
 * `[DONE]`. Events are parsed while the caller iterates, so an invalid event throws after the events before it. The
 * next part of the response is read only when the caller asks for more, and an abort cancels the response.
 */
export async function* readEvents(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Iterable<unknown> | 'done'> {
  const reader = body.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  let isWhole = false;
  try {
    for await (const arrived of eventsOf(reader)) {
      const end = arrived.findIndex(isLast);
      const events = end === -1 ? arrived : arrived.slice(0, end);
      for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
        await giveWay();
        yield dataOf(events.slice(at, at + EVENTS_AT_ONCE), headers);
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

/** Yields the events that each chunk of the response completes, if any. */
async function* eventsOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<EventSourceMessage[]> {
  let complete: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => complete.push(event) });
  const decoder = new TextDecoder();
  let unreadBytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    unreadBytes += value.length;
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
