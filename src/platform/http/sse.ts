import type { Response } from 'express';
import { clearInterval, monotonicMs, setInterval } from '../../clock.ts';
import { writeOrCut } from './slow-reader.ts';

/**
 * Server-sent event (WHATWG HTML §9.2). `event` names the kind, clients send `id` back as `Last-Event-ID`, and `data`
 * is JSON. `json` is data that is already JSON text, on one line.
 */
export type SentEvent = { event?: string; id?: string } & ({ data: unknown } | { json: string });

/**
 * Sends events until it is done or the client is gone (`signal`). `send` resolves when there is room for more; a client
 * that takes no data for 30 s is cut. A throw becomes `event: error` with the problem.
 */
export type EventStream = (
  send: (event: SentEvent) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

export const EVENT_STREAM_TYPE = 'text/event-stream';

/** Shorter than the idle timeouts of common proxies (60 s). */
const HEARTBEAT_MS = 15_000;

/** Returns whether a client asked for a stream rather than a document. */
export function wantsEvents(accept: string | string[] | undefined): boolean {
  return namesType(accept, EVENT_STREAM_TYPE);
}

/** Returns whether an `Accept` header names a media type. A range such as `*\/*` does not count. */
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
  if (response.destroyed) gone.abort(); // The client left before the answer began, so no event will report it.
  response.writeHead(200, {
    'Content-Type': EVENT_STREAM_TYPE,
    'X-Accel-Buffering': 'no', // Without it nginx would buffer the events.
  });
  response.flushHeaders();
  // An endless stream must not count as a slow request, so the duration ends when the answer begins.
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

/** Encodes an event. JSON has no line breaks, so `data` is one line. */
function encode(sent: SentEvent): string {
  const { event, id } = sent;
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${'json' in sent ? sent.json : JSON.stringify(sent.data)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
