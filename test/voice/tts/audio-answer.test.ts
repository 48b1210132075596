import { expect, test } from 'vitest';
import { wavHeader } from '../../../src/voice/audio/wav.ts';
import { createAudioAnswer } from '../../../src/voice/tts/audio-answer.ts';

/** The first twelve bytes of an answer whose other bytes are zero. */
const startingWith = (...bytes: number[]): Buffer => Buffer.from([...bytes, ...Buffer.alloc(12)]);

/** All samples of an answer. */
function read(bytes: Buffer, contentType: string | null = null): number {
  const answer = createAudioAnswer(contentType);
  return answer.push(bytes).length + answer.end().length;
}

test('twelve bytes of PCM are read at once, and fewer at the end', () => {
  const whole = createAudioAnswer(null);
  expect(whole.push(Buffer.alloc(12))).toHaveLength(6);
  const short = createAudioAnswer(null);
  expect(short.push(Buffer.alloc(10))).toHaveLength(0);
  expect(short.end()).toHaveLength(5);
});

test('a WAV that says its length has to be whole', () => {
  const header = wavHeader({ sampleRate: 16_000, dataBytes: 8 });
  expect(read(Buffer.concat([header, Buffer.alloc(8)]))).toBe(4);
  expect(() => read(Buffer.concat([header, Buffer.alloc(7)]))).toThrow('ended its audio too early');
  expect(() => read(header.subarray(0, 40))).toThrow('ended its audio too early');
});

test('a WAV that does not say its length ends where it ends', () => {
  const header = wavHeader({ sampleRate: 16_000 });
  expect(read(Buffer.concat([header, Buffer.alloc(8)]))).toBe(4);
});

test('PCM ends where it ends', () => {
  expect(read(Buffer.alloc(100))).toBe(50);
  expect(read(Buffer.alloc(0))).toBe(0);
});

test.each([
  ['a frame of layer III', [0xff, 0xfb, 0x90], true],
  ['the lowest bit rate', [0xff, 0xfb, 0x10], true],
  ['the highest bit rate', [0xff, 0xfb, 0xe0], true],
  ['no bit rate', [0xff, 0xfb, 0x00], false],
  ['a bit rate that does not exist', [0xff, 0xfb, 0xf0], false],
  ['a rate that does not exist', [0xff, 0xfb, 0x9c], false],
  ['no sync in the first byte', [0xfe, 0xfb, 0x90], false],
  ['another layer', [0xff, 0xfd, 0x90], false],
])('%s: is it MP3?', (_, bytes, isMp3) => {
  const answer = (): number => read(startingWith(...bytes));
  if (isMp3) expect(answer).toThrow('answered with MP3');
  else expect(answer()).toBeGreaterThan(0);
});

test('an answer of three bytes may be MP3, and one of two is too short', () => {
  expect(() => read(Buffer.from([0xff, 0xfb, 0x90]))).toThrow('answered with MP3');
  expect(read(Buffer.from([0xff, 0xfb]))).toBe(1);
});

test('an answer that calls itself PCM is read as PCM', () => {
  expect(read(startingWith(0xff, 0xfb, 0x90), 'audio/pcm')).toBeGreaterThan(0);
});
