import { APIError } from 'openai/core/error';
import { _iterSSEMessages as iterateEvents } from 'openai/core/streaming';
import { clearTimeout, setTimeout } from '../../clock.ts';
import { InvalidAnswer } from '../model-failure.ts';
import { fieldsOf, textOf } from './read-chunk.ts';

/** Maximum size of one event. The package that parses the stream buffers an event until it is complete. */
const MAX_EVENT_BYTES = 1024 * 1024;
/**
 * Maximum wait in ms for the end of the response after `[DONE]`. The connection can be reused only once the response is
 * complete.
 */
const LINGER_MS = 250;

/**
 * Yields the data of each event that has data, and `done` for `[DONE]`. A package splits the stream into events. An
 * abort also cancels the connection here, whatever state the package is in.
 */
export async function* readEvents(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<{ data: unknown } | 'done'> {
  const reader = body.getReader();
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  const unread = { bytes: 0 };
  const limited = limitEvents(reader, unread);
  let isWhole = false;
  try {
    for await (const { event, data } of iterateEvents(
      new Response(limited),
      new AbortController(),
    )) {
      unread.bytes = 0;
      const words = data.trim();
      if (words.toUpperCase() === '[DONE]') {
        isWhole = true;
        yield 'done';
        return;
      }
      const value = carriesNothing(event, words) ? null : valueOf(event, words);
      if (value === null) continue;
      const { error } = fieldsOf(value);
      if (event === 'error' || error) {
        throw new APIError(undefined, fieldsOf(error ?? value), textOf(error), headers);
      }
      yield { data: value };
    }
    isWhole = true;
  } finally {
    signal.removeEventListener('abort', giveUp);
    if (isWhole && !signal.aborted) void linger(reader);
    else giveUp();
  }
}

/** Returns true for events without data (WHATWG HTML, 9.2.6) and for pings, which are ignored. */
function carriesNothing(event: string | null, words: string): boolean {
  return words === '' || /^(ping|pong|heartbeat|keep-?alive)$/i.test(event ?? words);
}

function valueOf(event: string | null, words: string): unknown {
  try {
    return JSON.parse(words);
  } catch (error) {
    if (event !== null && event !== 'message' && event !== 'error') return null;
    throw new SyntaxError('an event is not valid JSON', { cause: error });
  }
}

/**
 * Limits the size of events. A cancellation of the returned stream does not cancel `reader`, because `readEvents`
 * decides whether to keep the connection.
 */
function limitEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  unread: { bytes: number },
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (control) => {
        const { value, done } = await reader.read();
        if (done) return control.close();
        unread.bytes += value.length;
        if (unread.bytes > MAX_EVENT_BYTES) {
          throw new InvalidAnswer('streamed an event larger than 1 MiB');
        }
        control.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
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
