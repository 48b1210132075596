import type { Response } from 'express';
import { clearInterval, monotonicMs, setInterval } from '../../clock.ts';
import { writeOrCut } from './slow-reader.ts';

/**
 * Server-sent event (WHATWG HTML §9.2). `event` is the event's type. Clients send `id` back as `Last-Event-ID`. `data`
 * is a value that is serialized as JSON; `json` is a line of JSON that is sent as it is.
 */
export type SentEvent = { event?: string; id?: string } & ({ data: unknown } | { json: string });

/**
 * Sends events until there are no more. `signal` aborts when the client has disconnected. `send` resolves when the
 * connection has room for more data. A client that reads no data for 30 s is disconnected. If the function throws, the
 * stream ends with `event: error` and the problem document.
 */
export type EventStream = (
  send: (event: SentEvent) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** Interval in ms between heartbeats. It is shorter than the idle timeouts of common proxies (60 s). */
const HEARTBEAT_MS = 15_000;

/** Returns true if the client requests a stream instead of a document. */
export function wantsEvents(accept: string | string[] | undefined): boolean {
  return namesType(accept, EVENT_STREAM_TYPE);
}

/** Returns true if an `Accept` header names this media type. A range such as `*\/*` does not count. */
export function namesType(accept: string | string[] | undefined, mediaType: string): boolean {
  return String(accept ?? '')
    .split(',')
    .some((part) => part.split(';')[0]!.trim().toLowerCase() === mediaType);
}

export async function sendEvents(
  response: Response,
  stream: EventStream,
  stalledMs?: number,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  // The client disconnected before the response began, so no `close` event will follow.
  if (response.destroyed) gone.abort();
  response.writeHead(200, {
    'Content-Type': EVENT_STREAM_TYPE,
    'X-Accel-Buffering': 'no', // Tells nginx not to buffer the events.
  });
  response.flushHeaders();
  // The logged duration ends when the response begins. Otherwise a long stream would count as a slow request.
  response.locals['answeredAtMs'] = monotonicMs();
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  }, HEARTBEAT_MS);
  try {
    await stream(async (event) => {
      if (!gone.signal.aborted) await writeOrCut(response, encode(event), stalledMs);
    }, gone.signal);
  } finally {
    clearInterval(heartbeat);
  }
  response.end();
}

export function isStreaming(response: Response): boolean {
  return response.headersSent && response.getHeader('content-type') === EVENT_STREAM_TYPE;
}

/** Sends the last event of a failed stream. */
export function endEvents(response: Response, last: SentEvent): void {
  response.end(encode(last));
}

/** Encodes an event. Serialized JSON has no line breaks, so `data` fits on one line. */
function encode(sent: SentEvent): string {
  const { event, id } = sent;
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${'json' in sent ? sent.json : JSON.stringify(sent.data)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
