import type { IncomingMessage, ServerResponse } from 'node:http';
import { monotonicMs, setTimeout } from '../../clock.ts';
import { ApiError } from '../../errors.ts';
import { giveWay } from '../controller/event-loop-turns.ts';
import { parseJsonBody } from './json-text.ts';
import { endUnread } from './last-answer.ts';

/**
 * Reads a request's JSON body. Not with body-parser: before it says that a body is too large it
 * reads the whole of it, however long that is, and it cannot look at the shape before it parses.
 */

export const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Bytes of a refused body that are read and dropped, so that a client that sends all of it first reads the answer and
 * uses the connection again. Twice what a JSON body may have.
 */
const DISCARD_BYTES_MAX = 2 * 1024 * 1024;
/** While this much work is waiting to be dropped, only bodies of one piece are read to their end. */
const DISCARD_BACKLOG_MS = 1_000;

/** Larger JSON takes a millisecond or more to parse. */
const LARGE_JSON_BYTES = 32 * 1024;

/** `mediaType`: without parameters, in lower case; '' when there is no body. */
export type RawBody = { mediaType: string; bytes: Buffer };

/** `otherwise`: told to who sends something else. */
export type RawAccepted = { mediaTypes: readonly string[]; bytesMax: number; otherwise?: string };

export type BodyReader = {
  /** As it came, of whatever type; empty when there is none. @throws ApiError body_too_large */
  bytes: (bytesMax?: number) => Promise<Buffer>;
  /** Bytes of one of these types. @throws ApiError unsupported_media_type, body_too_large */
  raw: (accepted: RawAccepted) => Promise<RawBody>;
  /**
   * The value; undefined when there is none.
   * @throws ApiError unsupported_media_type, body_too_large and those of parseJsonBody
   */
  json: (mediaTypes: readonly string[], membersMax?: number) => Promise<unknown>;
};

/** Reads nothing until it is asked, and the bytes once. */
export function createBodyReader(request: IncomingMessage): BodyReader {
  let reading: Promise<Buffer> | undefined;
  const bytes = (bytesMax = BODY_BYTES_MAX): Promise<Buffer> =>
    (reading ??= readBody(request, bytesMax));
  return {
    bytes,
    raw: async ({ mediaTypes, bytesMax, otherwise }) => {
      if (!hasBody(request)) return { mediaType: '', bytes: Buffer.alloc(0) };
      const mediaType = checkMediaType(request, mediaTypes, otherwise);
      return { mediaType, bytes: await bytes(bytesMax) };
    },
    json: async (mediaTypes, membersMax) => {
      if (!hasBody(request)) return undefined;
      checkMediaType(request, mediaTypes, undefined);
      const read = await bytes();
      if (read.length > LARGE_JSON_BYTES) await giveWay();
      return read.length === 0 ? undefined : parseJsonBody(read, membersMax);
    },
  };
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return readBytes(request, bytesMax);
}

/**
 * Call before the head of an answer is sent. A short unread body is read and dropped. A long one is not read: the
 * connection ends with the answer.
 */
export function discardBody(response: ServerResponse): void {
  const { req: request, socket } = response;
  if (request.complete) return;
  if (socket && !response.headersSent && isTooLongToDrop(request)) {
    // A client that does not know it would lose its next request with the rest of this one.
    response.setHeader('Connection', 'close');
    request.pause();
    // Node calls this after the last answer of a connection. It would destroy the connection as soon as the answer is
    // in the kernel, and a client that still sends would lose it to a reset (RFC 9112 §9.6).
    socket.destroySoon = () => {
      request.resume(); // Drops what has arrived.
      endUnread(socket);
    };
    return;
  }
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_BYTES_MAX) request.destroy();
    else if (bytes % PIECE_BYTES < chunk.length) pauseFor(request, discarded.next());
  });
  request.resume();
}

/** A body without a declared length may turn out to be short, so it is read unless too much is waiting already. */
function isTooLongToDrop({ headers }: IncomingMessage): boolean {
  const bytes = Number(headers['content-length'] ?? DISCARD_BYTES_MAX);
  const isBehind = discarded.backlogMs() > DISCARD_BACKLOG_MS;
  return bytes > (isBehind ? PIECE_BYTES : DISCARD_BYTES_MAX);
}

/** RFC 9112 §6: a request has a body exactly when it says how long it is. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const OCTETS = 'application/octet-stream';

function checkMediaType(
  { headers }: IncomingMessage,
  mediaTypes: readonly string[],
  otherwise: string | undefined,
): string {
  // RFC 9110 §8.3: of a body of no type that may be taken to be anything.
  const unsaid = mediaTypes.includes(OCTETS) ? OCTETS : '';
  const said = headers['content-type'] ?? unsaid;
  const [type = '', ...parameters] = said.toLowerCase().split(';');
  const allowed = mediaTypes.join(' or ');
  if (!mediaTypes.includes(type.trim())) {
    const other = otherwise === undefined ? '' : `; ${otherwise}`;
    throw new ApiError('unsupported_media_type', `send the body as ${allowed}${other}`);
  }
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new ApiError('unsupported_media_type', 'send the body in UTF-8');
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'send the body without Content-Encoding');
  }
  return type.trim();
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = createCollector(Number(request.headers['content-length'] ?? 0));
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const onData = (chunk: Buffer): void => {
      const size = body.add(chunk);
      if (endsPiece(size, chunk.length)) pauseFor(request, bodies.next());
      if (size <= bytesMax) return;
      stop();
      reject(tooLarge(bytesMax));
    };
    const onEnd = (): void => {
      stop();
      resolve(body.whole());
    };
    const onCut = (): void => {
      stop();
      reject(new ApiError('malformed_request', 'the body ended too early'));
    };
    // Who left while the key was looked up is not told of again.
    if (request.destroyed) onCut();
    else request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

/**
 * How fast large bodies are read, all of a process together. From a near sender 20 MB come at a gigabyte a
 * second; each chunk is memory of its own, and collecting that kept everybody else waiting for 10 ms at a
 * time, half of the time while one key uploaded again and again. So it takes 1.25 s, or 5 s for as many
 * uploads as may run by default, of the 15 s that a request has.
 */
const BYTES_PER_MS = (16 * 1024 * 1024) / 1_000;
const PIECE_BYTES = 256 * 1024;
const PIECE_MS = PIECE_BYTES / BYTES_PER_MS;

/** Gives each piece its time, one after the other. */
function createPace() {
  let freeAtMs = 0;
  const backlogMs = (): number => Math.max(0, freeAtMs - monotonicMs());
  return {
    backlogMs,
    /** Returns how long the caller has to wait, in ms. */
    next: (): number => {
      freeAtMs = monotonicMs() + backlogMs() + PIECE_MS;
      return backlogMs();
    },
  };
}

const bodies = createPace();
/** Of their own: who is refused takes nothing from those who are served. */
const discarded = createPace();

function pauseFor(request: IncomingMessage, ms: number): void {
  request.pause();
  setTimeout(() => request.resume(), ms);
}

/** Whether another piece of a large body is complete with the chunk that was its last. */
function endsPiece(size: number, chunkSize: number): boolean {
  const isLarge = size > BODY_BYTES_MAX;
  return isLarge && size % PIECE_BYTES < chunkSize;
}

/**
 * Chunks as one. A large body goes into its place as it comes: to put 20 MB together at the end keeps
 * everybody waiting for 10 ms, and so would handing them to another thread were their memory not
 * shared. Memory that nothing was written to is none.
 */
function createCollector(length: number) {
  const isLarge = length > BODY_BYTES_MAX;
  const place = isLarge ? Buffer.from(new SharedArrayBuffer(length)) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Bytes so far. */
    add: (chunk: Buffer): number => {
      if (place) chunk.copy(place, size); // Never more than was told: the parser sees to that.
      else chunks.push(chunk);
      size += chunk.length;
      return size;
    },
    whole: (): Buffer => (place ? place.subarray(0, size) : Buffer.concat(chunks, size)),
  };
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `a body may have ${bytesMax} bytes`);
}
