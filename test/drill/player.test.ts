import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPlayer } from '../../src/drill/phone/player.ts';

const frame = (byte: number): Uint8Array => new Uint8Array(160).fill(byte);

test('what was played when a clear came is known to the sample, and its marks are told of at once', async () => {
  const told: string[] = [];
  const player = createPlayer((name) => told.push(name));
  const startMs = performance.now();
  for (let byte = 0; byte < 50; byte += 1) player.play(frame(byte));
  player.mark('first');
  expect(player.isPlaying()).toBe(true);
  await delay(110);
  expect(told).toEqual([]);
  const playedMs = performance.now() - startMs;
  player.clear();
  expect(told).toEqual(['first']);
  expect(player.isPlaying()).toBe(false);
  const heard = player.between(0, performance.now());
  expect(Math.abs(heard.length / 8 - playedMs)).toBeLessThan(5);
  expect(heard[0]).toBe(0);
  await delay(5);
  player.play(frame(99));
  player.mark('second');
  await delay(40);
  expect(told).toEqual(['first', 'second']);
  expect(player.between(startMs + playedMs, Infinity)).toEqual(Buffer.from(frame(99)));
});
