import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

type Inflater = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflateZlib = promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflateRaw);

const INFLATERS: Record<string, Inflater> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.gunzip),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.brotliDecompress),
  // Also accepts a raw deflate stream without the zlib header, which some servers send.
  deflate: async (bytes, options) =>
    (bytes[0]! & 0x0f) === 8 ? await inflateZlib(bytes, options) : await inflateRaw(bytes, options),
};

/**
 * Decodes a body according to its `Content-Encoding`, in the thread pool. Returns a problem if the content is invalid
 * or exceeds `maxBytes` when decoded.
 */
export async function inflate(
  bytes: Buffer,
  encoding: string | null,
  maxBytes: number,
): Promise<{ bytes: Buffer } | { problem: string }> {
  const name = nameOf(encoding);
  if (name === 'identity' || name === '' || bytes.length === 0) return { bytes };
  const inflater = INFLATERS[name];
  if (inflater === undefined)
    return { problem: 'the server sent a `Content-Encoding` that the request does not accept' };
  try {
    return { bytes: await inflater(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { problem: isTooLarge ? largerThan(maxBytes) : `the content is not valid ${name}` };
  }
}

/**
 * Decodes like `inflate`, but returns only the first `maxBytes` of longer content, and the beginning of a damaged
 * stream. `isCut` is true in both cases.
 */
export async function inflateStart(
  bytes: Buffer,
  encoding: string | null,
  maxBytes: number,
): Promise<{ bytes: Buffer; isCut: boolean } | { problem: string }> {
  const whole = await inflate(bytes, encoding, maxBytes);
  if (!('problem' in whole)) return { ...whole, isCut: false };
  const stream = partsOf(nameOf(encoding), bytes);
  if (stream === undefined) return whole;
  const parts: Buffer[] = [];
  let length = 0;
  try {
    stream.end(bytes);
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // The stream is damaged, so only the part that was decoded before the damage is returned.
  }
  stream.destroy();
  if (length === 0) return whole;
  return { bytes: Buffer.concat(parts, length).subarray(0, maxBytes), isCut: true };
}

function nameOf(encoding: string | null): string {
  return (encoding ?? 'identity').trim().toLowerCase().replace(/^x-/, '');
}

function partsOf(name: string, bytes: Buffer): Transform | undefined {
  const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  if (name === 'gzip') return zlib.createGunzip(options);
  if (name === 'br') {
    return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
  }
  if (name !== 'deflate') return undefined;
  return (bytes[0]! & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
}

/**
 * Returns true if the bytes are a gzip file, such as `sitemap.xml.gz`, which is compressed regardless of the headers.
 */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export function largerThan(bytes: number): string {
  const isMega = bytes >= 1_000_000;
  return `the content is larger than ${isMega ? `${bytes / 1_000_000} MB` : `${Math.round(bytes / 1024)} KiB`}`;
}
