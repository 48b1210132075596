/**
 * FIFO queue of bytes. The chunks taken may differ in size from the chunks pushed. Both `push` and `take` copy the
 * bytes.
 */
export type ByteQueue = {
  push: (bytes: Uint8Array) => void;
  /** Removes and returns the first `count` bytes. The queue must hold at least that many. */
  take: (count: number) => Uint8Array;
  bytes: () => number;
  clear: () => void;
};

export function createByteQueue(): ByteQueue {
  let chunks: Uint8Array[] = [];
  /** Index of the first unread chunk. */
  let first = 0;
  let offset = 0;
  let left = 0;
  const clear = (): void => {
    chunks = [];
    first = offset = left = 0;
  };
  return {
    push: (bytes) => {
      if (bytes.length === 0) return;
      chunks.push(bytes.slice());
      left += bytes.length;
    },
    take: (count) => {
      const taken = new Uint8Array(count);
      for (let at = 0; at < count;) {
        const part = chunks[first]!.subarray(offset, offset + count - at);
        taken.set(part, at);
        at += part.length;
        offset += part.length;
        if (offset === chunks[first]!.length) {
          first += 1;
          offset = 0;
        }
      }
      left -= count;
      if (left === 0) clear();
      // Frees the chunks already read once there are a thousand of them, which is about a minute of audio.
      else if (first > 1_000) {
        chunks = chunks.slice(first);
        first = 0;
      }
      return taken;
    },
    bytes: () => left,
    clear,
  };
}
