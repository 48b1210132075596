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
      return Int16Array.from({ length: moments }, (_, at) => momentAt(all, at * momentBytes));
    },
    unread: () => rest.length,
  };

  function momentAt(all: Buffer, place: number): number {
    if (channels === 1) return all.readInt16LE(place);
    let sum = 0;
    for (let one = 0; one < channels; one += 1) sum += all.readInt16LE(place + 2 * one);
    return Math.round(sum / channels);
  }
}

/** A copy, little endian whatever the machine is. */
export function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, at) => bytes.writeInt16LE(sample, at * 2));
  return bytes;
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
