import type { IncomingMessage, ServerResponse } from 'node:http';
import { monotonicMs, setTimeout } from '../../../clock.ts';
import { ApiError } from '../../../errors.ts';
import { giveWay } from '../../controller/event-loop-turns.ts';
import { createPacedTurns } from '../../controller/paced-turns.ts';
import { currentWork } from '../../observability/work.ts';
import type { BodyPlaces } from './body-places.ts';
import { parseJsonBody } from '../json-text.ts';
import { endUnread } from '../last-answer.ts';

/**
 * Maximum size of a JSON body. We do not use body-parser: it reads an oversized body to its end before it rejects it,
 * and it cannot check the nesting and member count before it parses.
 */

export const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Maximum number of bytes of a rejected body that are read and dropped. A client that sends its whole body before it
 * reads the response therefore still gets the response, and can reuse the connection. The value is twice the limit of a
 * JSON body.
 */
const DISCARD_BYTES_MAX = 2 * 1024 * 1024;
/**
 * Maximum backlog of rejected bodies, as the time in ms that reading them takes. Beyond it, a rejected body is read to
 * its end only if it fits in one piece (256 KiB).
 */
const DISCARD_BACKLOG_MS = 1_000;

/** Size of the pieces in which bodies are read. Each piece waits for its turn. */
const PIECE_BYTES = 256 * 1024;
/** Read rate of all bodies of a process together, and of all rejected bodies. */
const BYTES_PER_SEC = 16 * 1024 * 1024;

/** JSON of this size takes a millisecond or more to parse. */
const LARGE_JSON_BYTES = 32 * 1024;

/** `mediaType` is in lower case and without parameters, or '' if the request has no body. */
export type RawBody = { mediaType: string; bytes: Buffer };

/** `otherwise` is appended to the error if the client sends a media type that is not in `mediaTypes`. */
export type RawAccepted = { mediaTypes: readonly string[]; bytesMax: number; otherwise?: string };

export type BodyReader = {
  /**
   * Reads the body unparsed, regardless of its media type. Returns an empty buffer for a request without a body.
   * @throws ApiError body_too_large
   */
  bytes: (bytesMax?: number) => Promise<Buffer>;
  /** Reads a body of one of these types. @throws ApiError unsupported_media_type, body_too_large */
  raw: (accepted: RawAccepted) => Promise<RawBody>;
  /**
   * Reads and parses the body. Returns undefined for a request without a body.
   * @throws ApiError unsupported_media_type, body_too_large and those of parseJsonBody
   */
  json: (mediaTypes: readonly string[], membersMax?: number) => Promise<unknown>;
  /** Frees the slot of the body. The caller calls it when the request has been handled. */
  release: () => void;
};

/**
 * Creates a reader that reads the body once, on the first call, and drops the bytes as soon as the JSON is parsed.
 * @param places slots for bodies in memory; without it, the number of bodies is unlimited
 */
export function createBodyReader(request: IncomingMessage, places?: BodyPlaces): BodyReader {
  let reading: Promise<Buffer> | undefined;
  let release = (): void => undefined;
  const read = async (bytesMax: number): Promise<Buffer> => {
    if (!hasBody(request)) return Buffer.alloc(0);
    const length = Number(request.headers['content-length'] ?? bytesMax);
    if (length > bytesMax) throw tooLarge(bytesMax);
    // Larger bodies are uploads, which already hold an in-flight slot.
    if (bytesMax <= BODY_BYTES_MAX)
      release = (await places?.take(request.socket.remoteAddress ?? '', length)) ?? release;
    try {
      return await readBytes(request, bytesMax);
    } catch (error) {
      // The response may have ended before the body got its slot. Then the caller has already called `release`, which
      // freed nothing, so the slot is freed here.
      release();
      throw error;
    }
  };
  const bytes = (bytesMax = BODY_BYTES_MAX): Promise<Buffer> => (reading ??= read(bytesMax));
  return {
    bytes,
    release: () => release(),
    raw: async ({ mediaTypes, bytesMax, otherwise }) => {
      if (!hasBody(request)) return { mediaType: '', bytes: Buffer.alloc(0) };
      const mediaType = checkMediaType(request, mediaTypes, otherwise);
      return { mediaType, bytes: await bytes(bytesMax) };
    },
    json: async (mediaTypes, membersMax) => {
      if (!hasBody(request)) return undefined;
      checkMediaType(request, mediaTypes, undefined);
      const text = await bytes();
      if (text.length > LARGE_JSON_BYTES) await giveWay();
      const value = text.length === 0 ? undefined : parseJsonBody(text, membersMax);
      reading = Promise.resolve(Buffer.alloc(0));
      // Waits until the caller has processed the parsed value, which takes memory too.
      setImmediate(release);
      return value;
    },
  };
}

/**
 * Handles a body that was not read. A short body is read and dropped. A long body stays unread, and the connection
 * closes after the response, unless the response headers were already sent.
 */
export function discardBody(response: ServerResponse): void {
  const { req: request, socket } = response;
  if (request.complete) return;
  if (socket && !response.headersSent && isTooLongToDrop(request)) {
    // The rest of the body stays unread, so a further request on this connection would never be read. This header tells
    // the client not to send one.
    response.setHeader('Connection', 'close');
    request.pause();
    // Node calls `destroySoon` after the last response of a connection. The original function would destroy the
    // connection as soon as the response is in the kernel's buffer. A client that is still sending would then get a
    // reset instead of the response (RFC 9112 §9.6).
    socket.destroySoon = () => {
      request.resume(); // Drops the bytes that have already arrived.
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

/**
 * Returns whether a body is too long to read and drop. A body without a declared length may be short, so it is read
 * unless the backlog of rejected bodies is too long.
 */
function isTooLongToDrop({ headers }: IncomingMessage): boolean {
  const bytes = Number(headers['content-length'] ?? DISCARD_BYTES_MAX);
  const isBehind = discarded.backlogMs() > DISCARD_BACKLOG_MS;
  return bytes > (isBehind ? PIECE_BYTES : DISCARD_BYTES_MAX);
}

/** Returns whether a request has a body: `Content-Length` or `Transfer-Encoding` declares it (RFC 9112 §6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const OCTETS = 'application/octet-stream';

function checkMediaType(
  { headers }: IncomingMessage,
  mediaTypes: readonly string[],
  otherwise: string | undefined,
): string {
  // RFC 9110 §8.3: a body without a declared type may be treated as an octet stream.
  const unsaid = mediaTypes.includes(OCTETS) ? OCTETS : '';
  const said = headers['content-type'] ?? unsaid;
  const [type = '', ...parameters] = said.toLowerCase().split(';');
  const allowed = mediaTypes.join(' or ');
  if (!mediaTypes.includes(type.trim())) {
    const other = otherwise === undefined ? '' : `; ${otherwise}`;
    throw new ApiError('unsupported_media_type', `Send the body as ${allowed}${other}.`);
  }
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new ApiError('unsupported_media_type', 'Send the body in UTF-8.');
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
  return type.trim();
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = createCollector(Number(request.headers['content-length'] ?? 0));
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const whose = currentWork()?.namespace ?? '';
    const onData = (chunk: Buffer): void => {
      const size = body.add(chunk);
      if (size > bytesMax) {
        stop();
        reject(tooLarge(bytesMax));
      } else if (size % PIECE_BYTES < chunk.length) {
        request.pause();
        bodies.next(whose, PIECE_BYTES, () => request.resume());
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(body.whole());
    };
    const onCut = (): void => {
      stop();
      reject(new ApiError('malformed_request', 'The body ended too early.'));
    };
    // If the client has disconnected during authentication, no further event reports it.
    if (request.destroyed) onCut();
    else request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

/** Read time per piece of a rejected body, in ms, at 16 MiB/s. */
const PIECE_MS = PIECE_BYTES / (BYTES_PER_SEC / 1_000);

/** Creates a pace for rejected bodies. It spaces their pieces by `PIECE_MS`, the time that reading one takes. */
function createPace() {
  let freeAtMs = 0;
  const backlogMs = (): number => Math.max(0, freeAtMs - monotonicMs());
  return {
    backlogMs,
    /** Returns how long to wait before the next piece, in ms. */
    next: (): number => {
      freeAtMs = monotonicMs() + backlogMs() + PIECE_MS;
      return backlogMs();
    },
  };
}

/**
 * Pace of all bodies of a process together. Without it, a nearby sender delivers 20 MB at a gigabyte per second. Each
 * received chunk has its own memory, and garbage collection of the chunks blocked all other requests for 10 ms at a
 * time. While one key uploaded repeatedly, all other requests were blocked half of the time. At this rate an upload of
 * 20 MB takes a little more than a second, and four such uploads take 5 s of the 15 s that a request may take. A single
 * JSON body fits into the burst and never waits.
 */
const bodies = createPacedTurns({ burst: 4 * 1024 * 1024, perSec: BYTES_PER_SEC });
/**
 * Pace of rejected bodies. It is separate from the pace of accepted bodies, so that rejected bodies do not slow down
 * accepted ones.
 */
const discarded = createPace();

function pauseFor(request: IncomingMessage, ms: number): void {
  request.pause();
  setTimeout(() => request.resume(), ms);
}

/** Above this size, chunks are copied into one buffer as they arrive. */
const CHUNKS_BYTES_MAX = 64 * 1024;

/**
 * Joins chunks. A large body is copied into one buffer as its chunks arrive: until they are joined, each chunk occupies
 * 64 KiB, and joining 20 MB at the end would block all other requests for 10 ms. The buffer is shared memory, so that
 * another thread can use it without a copy. The system allocates such memory only for pages that are written.
 */
function createCollector(length: number) {
  const place = length > CHUNKS_BYTES_MAX ? placeOf(length) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Adds a chunk and returns the total number of bytes. */
    add: (chunk: Buffer): number => {
      if (place) chunk.copy(place, size); // The HTTP parser never delivers more than the declared length.
      else chunks.push(chunk);
      size += chunk.length;
      return size;
    },
    whole: (): Buffer => (place ? place.subarray(0, size) : Buffer.concat(chunks, size)),
  };
}

function placeOf(length: number): Buffer {
  if (length <= BODY_BYTES_MAX) return Buffer.allocUnsafeSlow(length);
  return Buffer.from(new SharedArrayBuffer(length));
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `The body has more than the maximum of ${bytesMax} bytes.`);
}
