import { promisify } from 'node:util';
import zlib from 'node:zlib';

type Inflater = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflateZlib = promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflateRaw);

const INFLATERS: Record<string, Inflater> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.gunzip),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.brotliDecompress),
  // Some servers send the bare stream.
  deflate: async (bytes, options) =>
    (bytes[0]! & 0x0f) === 8 ? await inflateZlib(bytes, options) : await inflateRaw(bytes, options),
};

/** The bytes behind a content-encoding, in a thread of the pool; what would be more than `maxBytes` is given up. */
export async function inflate(
  bytes: Buffer,
  encoding: string | null,
  maxBytes: number,
): Promise<{ bytes: Buffer } | { problem: string }> {
  const name = (encoding ?? 'identity').trim().toLowerCase().replace(/^x-/, '');
  if (name === 'identity' || name === '' || bytes.length === 0) return { bytes };
  const inflater = INFLATERS[name];
  if (inflater === undefined)
    return { problem: `it is sent in an encoding that was not asked for` };
  try {
    return { bytes: await inflater(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return { problem: isTooLarge ? largerThan(maxBytes) : `it is no valid ${name}` };
  }
}

/** A file that is compressed whatever its headers say, such as `sitemap.xml.gz`. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export function largerThan(bytes: number): string {
  const isMega = bytes >= 1_000_000;
  return `it is larger than ${isMega ? `${bytes / 1_000_000} MB` : `${Math.round(bytes / 1024)} KiB`}`;
}
