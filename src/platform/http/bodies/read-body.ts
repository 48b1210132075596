import type { IncomingMessage, ServerResponse } from 'node:http';
import { clearTimeout, monotonicMs, setTimeout } from '../../../clock.ts';
import { ApiError } from '../../../errors.ts';
import { giveWay } from '../../controller/event-loop-turns.ts';
import { createPacedTurns } from '../../controller/paced-turns.ts';
import { currentWork } from '../../observability/work.ts';
import type { BodyPlaces } from './body-places.ts';
import { parseJsonBody } from '../json-text.ts';
import { endUnread } from '../last-answer.ts';

/**
 * Maximum size of a JSON body in bytes. The module does not use body-parser. That library reads an oversized body to
 * the end before rejecting it, and cannot check the nesting and the number of members before parsing.
 */

export const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Maximum number of bytes to read and drop from a rejected body. A client may send its whole body before it reads the
 * response. If the body were not read, such a client would not get the response, and could not reuse the connection.
 * The value is twice the size limit for a JSON body.
 */
const DISCARD_BYTES_MAX = 2 * 1024 * 1024;
/**
 * Maximum backlog of rejected bodies, as the time in ms that it takes to read them. If the backlog is longer, a
 * rejected body is read to the end only if it fits in one piece (256 KiB).
 */
const DISCARD_BACKLOG_MS = 1_000;

/**
 * Size in bytes of the pieces in which bodies are read. Before each piece, the reader waits until the rate limit allows
 * it.
 */
const PIECE_BYTES = 256 * 1024;
/**
 * Rate in bytes per second at which a process reads all accepted bodies together. Rejected bodies have a separate limit
 * with the same rate.
 */
const BYTES_PER_SEC = 16 * 1024 * 1024;

/**
 * Size in bytes above which a JSON body waits for a turn of the event loop (event-loop-turns.ts) before it is parsed.
 * Parsing a larger body takes a millisecond or more.
 */
const LARGE_JSON_BYTES = 32 * 1024;

/** A body as bytes. `mediaType` is in lower case and without parameters, or '' if the request has no body. */
export type RawBody = { mediaType: string; bytes: Buffer };

/**
 * Body that a route accepts. `otherwise` is appended to the error if the client sends a media type that is not in
 * `mediaTypes`.
 */
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
   * @throws ApiError unsupported_media_type, body_too_large, and the errors of `parseJsonBody`
   */
  json: (mediaTypes: readonly string[], membersMax?: number) => Promise<unknown>;
  /** Frees the body's slot. Call it when the request has been handled. */
  release: () => void;
  /**
   * Makes the memory of a large body available to later bodies. Call it when nothing uses the bytes any longer, which
   * may be after the connection has ended.
   */
  reuse: () => void;
};

/**
 * Creates a reader that reads the body once, on the first call, and drops the bytes as soon as the JSON is parsed.
 * @param places slots for bodies in memory; if omitted, the number of bodies is not limited
 */
export function createBodyReader(request: IncomingMessage, places?: BodyPlaces): BodyReader {
  let reading: Promise<Buffer> | undefined;
  let release = (): void => undefined;
  const read = async (bytesMax: number): Promise<Buffer> => {
    if (!hasBody(request)) return Buffer.alloc(0);
    const length = Number(request.headers['content-length'] ?? bytesMax);
    if (length > bytesMax) throw tooLarge(bytesMax);
    // Larger bodies are uploads, which already have an in-flight slot.
    if (bytesMax <= BODY_BYTES_MAX)
      release = (await places?.take(request.socket.remoteAddress ?? '', length)) ?? release;
    try {
      return await readBytes(request, bytesMax);
    } catch (error) {
      // The response may have ended before the body got its slot. In that case, the caller has already called
      // `release`, but there was no slot to free yet, so it is freed here.
      release();
      throw error;
    }
  };
  const bytes = (bytesMax = BODY_BYTES_MAX): Promise<Buffer> => (reading ??= read(bytesMax));
  return {
    bytes,
    release: () => release(),
    reuse: () => void reading?.then(keepForReuse, () => undefined),
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
      reading = Promise.resolve(Buffer.alloc(0));
      try {
        return text.length === 0 ? undefined : parseJsonBody(text, membersMax);
      } finally {
        free(text);
        // Keeps the slot until the caller has begun to process the parsed value, because that takes memory too.
        setImmediate(release);
      }
    },
  };
}

/**
 * Handles a body that was not read. A short body is read and dropped. A long body stays unread, and the connection is
 * closed after the response. Once the response headers have been sent, it is too late to announce the close. In that
 * case, a long body is read and dropped too, up to a limit.
 */
export function discardBody(response: ServerResponse): void {
  const { req: request, socket } = response;
  if (request.complete) return;
  if (socket && !response.headersSent && isTooLongToDrop(request)) {
    // A further request on this connection would never be read, because the rest of the body precedes it. This header
    // tells the client not to send one.
    response.setHeader('Connection', 'close');
    request.pause();
    // Node calls `destroySoon` after the last response on a connection. The original function would destroy the
    // connection as soon as the response is in the kernel's buffer. A client that is still sending would then get a
    // reset instead of the response (RFC 9112 §9.6).
    socket.destroySoon = () => {
      request.resume(); // Drops bytes that have already arrived.
      endUnread(socket);
    };
    return;
  }
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    const { length } = chunk;
    free(chunk);
    bytes += length;
    if (bytes > DISCARD_BYTES_MAX) request.destroy();
    else if (bytes % PIECE_BYTES < length) pauseFor(request, discarded.next());
  });
  request.resume();
}

/**
 * Returns true if a body is too long to read and drop. A body without a declared length may be short, so it counts as
 * too long only if the backlog of rejected bodies is too long.
 */
function isTooLongToDrop({ headers }: IncomingMessage): boolean {
  const bytes = Number(headers['content-length'] ?? DISCARD_BYTES_MAX);
  const isBehind = discarded.backlogMs() > DISCARD_BACKLOG_MS;
  return bytes > (isBehind ? PIECE_BYTES : DISCARD_BYTES_MAX);
}

/** Returns true if a request has a body, which `Content-Length` or `Transfer-Encoding` declares (RFC 9112 §6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const OCTETS = 'application/octet-stream';

function checkMediaType(
  { headers }: IncomingMessage,
  mediaTypes: readonly string[],
  otherwise: string | undefined,
): string {
  // A body without a declared type may be treated as an octet stream (RFC 9110 §8.3).
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
      const { length } = chunk;
      const size = body.add(chunk);
      if (size > bytesMax) {
        stop();
        reject(tooLarge(bytesMax));
      } else if (size % PIECE_BYTES < length) {
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
      reject(
        new ApiError('malformed_request', 'The connection closed before the whole body arrived.'),
      );
    };
    // If the client disconnected during authentication, no further event will report it.
    if (request.destroyed) onCut();
    else request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

/** Time in ms that it takes to read one piece of a rejected body at 16 MiB/s. */
const PIECE_MS = PIECE_BYTES / (BYTES_PER_SEC / 1_000);

/** Creates a pacer for rejected bodies. It allows one piece to be read every `PIECE_MS`. */
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
 * Paces all accepted bodies of a process together. Without this limit, a nearby client could send 20 MB at a gigabyte
 * per second. Each received chunk has its own memory, and garbage collection of the chunks blocks all other requests:
 * in a test with one uploading key, half of the time, for 10 ms at a time. At this rate, an upload of 20 MB takes a
 * little more than a second. Four such uploads take 5 s of the 15 s that a request may take. A single JSON body fits
 * into the burst and never waits.
 */
const bodies = createPacedTurns({ burst: 4 * 1024 * 1024, perSec: BYTES_PER_SEC });
/** Paces rejected bodies. It is separate, so that rejected bodies do not slow down accepted ones. */
const discarded = createPace();

function pauseFor(request: IncomingMessage, ms: number): void {
  request.pause();
  setTimeout(() => request.resume(), ms);
}

/** Size in bytes above which the chunks of a body are copied into one buffer as they arrive. */
const CHUNKS_BYTES_MAX = 64 * 1024;

/**
 * Collects the chunks of a body. The chunks of a large body are copied into one buffer as they arrive: an uncopied
 * chunk occupies 64 KiB, and joining 20 MB at the end would block all other requests for 10 ms. The buffer of an upload
 * is shared memory, so that another thread can use it without a copy. The operating system allocates physical memory
 * only for the pages that are written.
 */
function createCollector(length: number) {
  const place = length > CHUNKS_BYTES_MAX ? placeOf(length) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Adds a chunk and returns the total number of bytes. */
    add: (chunk: Buffer): number => {
      const from = size;
      size += chunk.length;
      if (place) {
        chunk.copy(place, from); // The HTTP parser never delivers more than the declared length.
        free(chunk);
      } else chunks.push(chunk);
      return size;
    },
    whole: (): Buffer => (place ? place.subarray(0, size) : Buffer.concat(chunks, size)),
  };
}

/**
 * Frees the memory of bytes that nothing uses any longer. Garbage collection would free it too, but only after 64 MiB
 * have accumulated, and the more buffers it frees, the longer it blocks all other work. Does nothing if the memory is
 * shared with another thread or with other small buffers.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function placeOf(length: number): Buffer {
  if (length <= BODY_BYTES_MAX) return Buffer.allocUnsafeSlow(length);
  const at = spare.findIndex(({ byteLength }) => byteLength >= length);
  const [memory = new SharedArrayBuffer(length)] = at === -1 ? [] : spare.splice(at, 1);
  return Buffer.from(memory, 0, length);
}

/**
 * Shared memory that later bodies reuse. V8 does not count shared memory, so even heavy use of it does not start a
 * garbage collection. Without reuse, 34 uploads of 4 MB occupied 136 MB.
 */
let spare: SharedArrayBuffer[] = [];
/**
 * Maximum number of unused buffers to keep for reuse (each at most 20 MiB), and the time in ms for which they are kept.
 */
const SPARE_MAX = 2;
const SPARE_MS = 10_000;
let forgetting: NodeJS.Timeout | undefined;

function keepForReuse({ buffer }: Buffer): void {
  if (!(buffer instanceof SharedArrayBuffer) || spare.includes(buffer)) return;
  // Keeps the largest buffers.
  spare = [...spare, buffer].toSorted((a, b) => a.byteLength - b.byteLength).slice(-SPARE_MAX);
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (spare = []), SPARE_MS);
  forgetting.unref();
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', `The body exceeds the maximum of ${bytesMax} bytes.`);
}
