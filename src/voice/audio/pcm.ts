import { endianness } from 'node:os';

/** Conversions of PCM16 between little-endian bytes and samples. */

/** Joins chunks of bytes, however they are split, into whole samples of one channel. */
export type PcmReader = {
  push: (bytes: Uint8Array) => Int16Array;
  /** Returns the number of bytes in the incomplete last sample. */
  unread: () => number;
};

/** Creates a reader that averages all channels into one. */
export function createPcmReader(channels = 1): PcmReader {
  const momentBytes = 2 * channels;
  let rest = Buffer.alloc(0);
  return {
    push: (bytes) => {
      const all = rest.length === 0 ? viewOf(bytes) : Buffer.concat([rest, bytes]);
      const moments = Math.floor(all.length / momentBytes);
      // Copies the incomplete sample, because the caller may reuse the memory of `bytes`.
      rest = Buffer.from(all.subarray(moments * momentBytes));
      if (channels === 1) return samplesOf(all, moments);
      return Int16Array.from({ length: moments }, (_, at) => meanAt(all, at * momentBytes));
    },
    unread: () => rest.length,
  };

  function meanAt(all: Buffer, place: number): number {
    let sum = 0;
    for (let one = 0; one < channels; one += 1) sum += all.readInt16LE(place + 2 * one);
    return Math.round(sum / channels);
  }
}

/** Returns a copy of the samples as little-endian bytes, whatever the byte order of the machine. */
export function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  bytes.set(viewOf(samples));
  return IS_TURNED ? bytes.swap16() : bytes;
}

/** Returns a copy of the samples. An `Int16Array` needs aligned memory, which `bytes` may not have. */
function samplesOf(bytes: Buffer, count: number): Int16Array {
  const samples = new Int16Array(count);
  const copy = viewOf(samples);
  copy.set(bytes.subarray(0, count * 2));
  if (IS_TURNED) copy.swap16();
  return samples;
}

/**
 * Whether the machine is big-endian. If so, the bytes of each copied block are swapped. Samples are copied in blocks
 * and not one by one, because each phone call receives fifty frames a second.
 */
const IS_TURNED = endianness() === 'BE';

function viewOf(bytes: Uint8Array | Int16Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
