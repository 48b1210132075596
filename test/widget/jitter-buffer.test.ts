import { describe, expect, test } from 'vitest';
import { JitterBuffer } from '../../packages/widget/src/sound/jitter-buffer.ts';
import { levelOf, toFloat, toInt16 } from '../../packages/widget/src/sound/samples.ts';

/** What is heard of frames that come as networks bring them; 16 samples are a millisecond. */

const FRAME = 320;
const STEP = 64;
const LOUD = 10_000;

const frame = (value = LOUD): Int16Array => new Int16Array(FRAME).fill(value);

/** All that is heard in so many steps, and the marks that were passed. */
function hear(buffer: JitterBuffer, steps: number) {
  const heard: number[] = [];
  const played: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    const pulled = buffer.pull(STEP);
    heard.push(...pulled.samples);
    played.push(...pulled.played);
  }
  return { heard, played };
}

/** The largest jump from one sample to the next: a click is one of thousands. */
const jumpOf = (heard: readonly number[]): number =>
  Math.max(...heard.slice(1).map((sample, at) => Math.abs(sample - heard[at]!)));

test('it begins when 60 ms have come, softly, and plays all of it in order', () => {
  const buffer = new JitterBuffer();
  buffer.push(frame());
  buffer.push(frame());
  expect(hear(buffer, 1).heard.every((sample) => sample === 0)).toBe(true);
  expect(buffer.isPlaying).toBe(false);
  buffer.push(frame());
  const { heard } = hear(buffer, 15);
  expect(heard.filter((sample) => sample === LOUD)).toHaveLength(3 * FRAME - 79);
  expect(jumpOf(heard)).toBeLessThan(200);
});

test('what is all there begins at once, however short; so does what no more comes of', () => {
  const short = new JitterBuffer();
  short.push(frame());
  short.mark('s1');
  expect(hear(short, 1).heard.at(-1)).toBeGreaterThan(0);

  const alone = new JitterBuffer();
  alone.push(frame());
  expect(hear(alone, 40).heard).toContain(LOUD);
});

test('a mark is passed when all before it was heard, and not before', () => {
  const buffer = new JitterBuffer();
  buffer.push(frame());
  buffer.mark('one');
  buffer.push(frame());
  buffer.mark('two');
  expect(hear(buffer, 4).played).toEqual([]);
  expect(hear(buffer, 1).played).toEqual(['one']);
  expect(hear(buffer, 4).played).toEqual([]);
  expect(hear(buffer, 1).played).toEqual(['two']);
  // Of a sentence without sound.
  buffer.mark('three');
  expect(hear(buffer, 1).played).toEqual(['three']);
});

test('clear is heard within 5 ms, without a click, and its marks are nobody’s', () => {
  const buffer = new JitterBuffer();
  for (let at = 0; at < 10; at += 1) buffer.push(frame());
  buffer.mark('never');
  const before = hear(buffer, 10).heard;
  buffer.clear();
  const { heard, played } = hear(buffer, 10);
  expect(heard.slice(80).every((sample) => sample === 0)).toBe(true);
  expect(jumpOf([...before, ...heard])).toBeLessThan(200);
  expect(played).toEqual([]);
  expect(buffer.isPlaying).toBe(false);
});

test('a gap fades and comes back softly; after it more is waited for', () => {
  const buffer = new JitterBuffer();
  for (let at = 0; at < 3; at += 1) buffer.push(frame());
  const one = hear(buffer, 20).heard;
  for (let at = 0; at < 4; at += 1) buffer.push(frame());
  const isEarly = hear(buffer, 1).heard;
  buffer.push(frame());
  const two = hear(buffer, 20).heard;
  expect(isEarly.every((sample) => sample === 0)).toBe(true);
  expect(two).toContain(LOUD);
  expect(jumpOf([...one, ...isEarly, ...two])).toBeLessThan(200);
});

test('the end of a sentence is no gap', () => {
  const buffer = new JitterBuffer();
  for (let round = 0; round < 5; round += 1) {
    for (let at = 0; at < 3; at += 1) buffer.push(frame());
    buffer.mark(`s${round}`);
    hear(buffer, 30);
  }
  for (let at = 0; at < 3; at += 1) buffer.push(frame());
  expect(hear(buffer, 1).heard.at(-1)).toBeGreaterThan(0);
});

describe('samples', () => {
  test('are the same there and back, and never beyond what 16 bits hold', () => {
    const samples = Int16Array.from([-32_768, -1, 0, 1, 12_345, 32_767]);
    toInt16(toFloat(samples)).forEach((one, at) => {
      expect(Math.abs(one - samples[at]!)).toBeLessThanOrEqual(1);
    });
    expect([...toInt16(Float32Array.from([-2, 2]))]).toEqual([-32_768, 32_767]);
  });

  test('have a level from 0 to 1', () => {
    expect(levelOf(new Int16Array(10))).toBe(0);
    expect(levelOf(new Int16Array())).toBe(0);
    expect(levelOf(new Int16Array(10).fill(32_767))).toBeCloseTo(1, 2);
    expect(levelOf(new Int16Array(10).fill(1_036))).toBeCloseTo(0.5, 1);
  });
});
