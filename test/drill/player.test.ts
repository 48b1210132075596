import { expect, test } from 'vitest';
import { monotonicMs } from '../../src/clock.ts';
import { createPlayer } from '../../packages/drill/src/phone/player.ts';
import { holdTime } from '../clock.ts';

const frame = (byte: number): Uint8Array => new Uint8Array(160).fill(byte);

test('a clear cuts what was played to the sample, and its marks are reported at once', async () => {
  const time = holdTime();
  const told: string[] = [];
  const player = createPlayer((name) => told.push(name));
  const startMs = monotonicMs();
  for (let byte = 0; byte < 50; byte += 1) player.play(frame(byte));
  player.mark('first');
  expect(player.isPlaying()).toBe(true);
  await time.advance(110);
  expect(told).toEqual([]);
  player.clear();
  expect(told).toEqual(['first']);
  expect(player.isPlaying()).toBe(false);
  // Five frames of 20 ms and half of the sixth.
  expect(player.between(0, monotonicMs())).toEqual(
    Buffer.concat([0, 1, 2, 3, 4, 5].map(frame)).subarray(0, 110 * 8),
  );
  await time.advance(5);
  player.play(frame(99));
  player.mark('second');
  await time.advance(19);
  expect(told).toEqual(['first']);
  await time.advance(1);
  expect(told).toEqual(['first', 'second']);
  expect(player.between(startMs + 110, Infinity)).toEqual(Buffer.from(frame(99)));
});
