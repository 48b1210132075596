import { readSync, writeSync } from 'node:fs';

/**
 * Message between the parent and the child process: a JSON header and bytes, preceded by the lengths of both. Node's
 * IPC is not used, because it would serialize a document into JSON and parse it again.
 */
export type Frame<T> = { header: T; bytes: Buffer };

const PREFIX_BYTES = 8;

/** Returns the buffers of a frame in the order in which they must be written, without copying the bytes. */
export function frameParts(header: unknown, bytes: Uint8Array): [Buffer, Uint8Array] {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(json.length, 0);
  prefix.writeUInt32LE(bytes.length, 4);
  return [Buffer.concat([prefix, json]), bytes];
}

/**
 * Returns a function that takes pieces of any size and calls `onFrame` for each complete frame.
 * @throws RangeError if a frame is longer than `bytesMax`
 */
export function createFrameReader(
  bytesMax: number,
  onFrame: (frame: Frame<unknown>) => void,
): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let wanted = PREFIX_BYTES;
  return (piece) => {
    pieces.push(piece);
    length += piece.length;
    while (length >= wanted) {
      const whole = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length);
      pieces = [whole];
      wanted = PREFIX_BYTES + whole.readUInt32LE(0) + whole.readUInt32LE(4);
      if (wanted > bytesMax) throw new RangeError(`a message has more than ${bytesMax} bytes`);
      if (length < wanted) break;
      pieces = [whole.subarray(wanted)];
      length -= wanted;
      onFrame(parsed(whole.subarray(0, wanted)));
      wanted = PREFIX_BYTES;
    }
  };
}

/** Reads the next frame from a blocking file descriptor. Returns `undefined` if the other process has closed it. */
export function readFrame(descriptor: number): Frame<unknown> | undefined {
  const prefix = readExactly(descriptor, PREFIX_BYTES);
  if (!prefix) return undefined;
  const [json, bytes] = [prefix.readUInt32LE(0), prefix.readUInt32LE(4)];
  const header = readExactly(descriptor, json);
  const content = header && readExactly(descriptor, bytes);
  return content && { header: JSON.parse(header.toString()), bytes: content };
}

export function writeFrame(descriptor: number, header: unknown, bytes: Uint8Array): void {
  for (const part of frameParts(header, bytes)) {
    for (let at = 0; at < part.length;) at += writeSync(descriptor, part, at);
  }
}

function parsed(whole: Buffer): Frame<unknown> {
  const bytesFrom = PREFIX_BYTES + whole.readUInt32LE(0);
  const header: unknown = JSON.parse(whole.toString('utf8', PREFIX_BYTES, bytesFrom));
  return { header, bytes: whole.subarray(bytesFrom) };
}

function readExactly(descriptor: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const count = readSync(descriptor, buffer, at, length - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return buffer;
}
