import { expect, test } from 'vitest';
import {
  createFrameReader,
  frameParts,
  type Frame,
} from '../../../src/knowledge/formats/frames.ts';
import { createGathering } from '../../../src/knowledge/formats/gathering.ts';

const frameOf = (header: unknown, bytes: string): Buffer =>
  Buffer.concat(frameParts(header, Buffer.from(bytes)));

/** Returns the frames that are whole after each piece. */
function framesOf(bytesMax: number, ...pieces: Buffer[]): string[][] {
  const frames: Frame<unknown>[] = [];
  const take = createFrameReader(bytesMax, (frame) => frames.push(frame));
  return pieces.map((piece) => {
    take(piece);
    return frames
      .splice(0)
      .map(({ header, bytes }) => `${JSON.stringify(header)} ${bytes.toString()}`);
  });
}

test('a frame is reported once it is whole, whatever the pieces', () => {
  const [one, two] = [frameOf(1, 'one'), frameOf({ a: 2 }, 'two')];
  expect(framesOf(100, one, two)).toEqual([['1 one'], ['{"a":2} two']]);
  expect(framesOf(100, Buffer.concat([one, two]))).toEqual([['1 one', '{"a":2} two']]);
  expect(framesOf(100, one.subarray(0, 10), one.subarray(10))).toEqual([[], ['1 one']]);
  const [start, end] = [one.subarray(0, -1), one.subarray(-1)];
  expect(framesOf(100, start, Buffer.concat([end, two]))).toEqual([[], ['1 one', '{"a":2} two']]);
});

test('a frame has at most so many bytes', () => {
  const frame = frameOf(1, 'one');
  expect(framesOf(frame.length, frame)).toEqual([['1 one']]);
  expect(() => framesOf(frame.length - 1, frame)).toThrow('more than 11 bytes');
});

test('a document without anything to read is refused', () => {
  expect(createGathering().all()).toMatchObject({
    refused: { code: 'invalid_format', detail: 'the document has no readable content' },
  });
});
