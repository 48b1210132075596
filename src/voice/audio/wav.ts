/**
 * Reads and writes WAV (RIFF) with PCM16. The writer supports one channel. If the sample format is not PCM16, the
 * reader's error names the format.
 */

/** Value of the size fields when the length of the stream is unknown. */
const UNKNOWN_BYTES = 0xffff_ffff;
const HEADER_BYTES = 44;

/** Returns the 44-byte header. Without `dataBytes`, the header is for a stream of unknown length. */
export function wavHeader({
  sampleRate,
  dataBytes,
}: {
  sampleRate: number;
  dataBytes?: number;
}): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN_BYTES : dataBytes + 36, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(PCM, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes ?? UNKNOWN_BYTES, 40);
  return header;
}

const PCM = 1;
const EXTENSIBLE = 0xfffe;
const FORMATS: Record<number, string> = { 3: 'floating point', 6: 'A-law', 7: 'µ-law', 85: 'MP3' };

/** Format of a WAV. If `dataBytes` is undefined, the samples continue until the end of the stream. */
export type WavFormat = { sampleRate: number; channels: number; dataBytes: number | undefined };

/**
 * Error for data that is not a PCM16 WAV. `message` completes a sentence that begins with "it" and is safe to show to
 * users.
 */
export class WavError extends Error {
  override readonly name = 'WavError';
}

/**
 * Maximum number of bytes before the samples: the RIFF header and the chunks that precede `data`. A longer header is an
 * error.
 */
const HEADER_BYTES_MAX = 64 * 1024;
const CHANNELS_MAX = 8;

/**
 * Reads the header from the first bytes of a stream. Returns undefined if more bytes are needed. The returned `bytes`
 * is the length of the header.
 * @throws WavError
 */
export function readWavHeader(start: Buffer): { format: WavFormat; bytes: number } | undefined {
  if (start.length < 12) return undefined;
  if (!isWav(start)) throw new WavError('is not a WAV');
  let format: Omit<WavFormat, 'dataBytes'> | undefined;
  for (let at = 12; at + 8 <= start.length;) {
    const name = start.toString('latin1', at, at + 4);
    const size = start.readUInt32LE(at + 4);
    const body = at + 8;
    if (name === 'data') {
      if (format === undefined)
        throw new WavError('is a WAV that does not state its sample format');
      // The writer of a stream does not know the size in advance, so it writes 0 or a huge number.
      const isKnown = size !== 0 && size < 0x7fff_0000;
      return { format: { ...format, dataBytes: isKnown ? size : undefined }, bytes: body };
    }
    if (body + size > HEADER_BYTES_MAX)
      throw new WavError('is a WAV without samples near its start');
    if (body + size > start.length) return undefined;
    if (name === 'fmt ') format = readFormat(start.subarray(body, body + size));
    at = body + size + (size % 2);
  }
  return undefined;
}

export function isWav(start: Buffer): boolean {
  return start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WAVE';
}

function readFormat(chunk: Buffer): Omit<WavFormat, 'dataBytes'> {
  if (chunk.length < 16) throw new WavError('is a WAV that does not state its sample format');
  const tag = chunk.readUInt16LE(0);
  // In the extensible format, the first two bytes of a GUID contain the real format.
  const format = tag === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag;
  const bits = chunk.readUInt16LE(14);
  if (format !== PCM) {
    throw new WavError(`is a WAV with ${FORMATS[format] ?? `format ${format}`} instead of PCM16`);
  }
  if (bits !== 16) throw new WavError(`is a WAV with ${bits} bits instead of 16`);
  const channels = chunk.readUInt16LE(2);
  if (channels < 1 || channels > CHANNELS_MAX)
    throw new WavError(`is a WAV with ${channels} channels`);
  return { sampleRate: chunk.readUInt32LE(4), channels };
}
