import { endianness } from 'node:os';

/** PCM16 as bytes, little endian, and as samples. */

/** Bytes in chunks cut anywhere → whole samples of one channel. */
export type PcmReader = {
  push: (bytes: Uint8Array) => Int16Array;
  /** Bytes of a sample that was never finished. */
  unread: () => number;
};

/** `channels`: how many a moment has; they become one, their mean. */
export function createPcmReader(channels = 1): PcmReader {
  const momentBytes = 2 * channels;
  let rest = Buffer.alloc(0);
  return {
    push: (bytes) => {
      const all = rest.length === 0 ? viewOf(bytes) : Buffer.concat([rest, bytes]);
      const moments = Math.floor(all.length / momentBytes);
      // A copy: whoever gave the bytes may use their memory again.
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

/** A copy, little endian whatever the machine is. */
export function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  bytes.set(viewOf(samples));
  return IS_TURNED ? bytes.swap16() : bytes;
}

/** A copy, which begins where a sample may. */
function samplesOf(bytes: Buffer, count: number): Int16Array {
  const samples = new Int16Array(count);
  const copy = viewOf(samples);
  copy.set(bytes.subarray(0, count * 2));
  if (IS_TURNED) copy.swap16();
  return samples;
}

/** Samples are copied whole, not one by one: frames come fifty times a second of each voice. */
const IS_TURNED = endianness() === 'BE';

function viewOf(bytes: Uint8Array | Int16Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
