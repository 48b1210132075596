import { expect, test } from 'vitest';
import { isWav, readWavHeader, wavHeader, WavError } from '../../../src/voice/audio/wav.ts';

/** Headers at the limits of the reader, and one byte beyond. */

const HEADER = wavHeader({ sampleRate: 16_000, dataBytes: 8 });
const RIFF = HEADER.subarray(0, 12);
const DATA = HEADER.subarray(36);

function chunkOf(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** A header whose `fmt ` has so many bytes; `fields` by their place in it. */
function formatted(bytes: number, fields: Record<number, number> = {}): Buffer {
  const format = Buffer.alloc(bytes);
  HEADER.copy(format, 0, 20, 36);
  for (const [at, value] of Object.entries(fields)) format.writeUInt16LE(value, Number(at));
  return Buffer.concat([RIFF, chunkOf('fmt ', format), DATA]);
}

test.each([
  [0x7ffe_ffff, 0x7ffe_ffff],
  [0x7fff_0000, undefined],
])('samples of %d bytes: the length is read as %s', (dataBytes, read) => {
  const header = wavHeader({ sampleRate: 16_000, dataBytes });
  expect(readWavHeader(header)?.format.dataBytes).toBe(read);
});

test('twelve bytes tell that something is no WAV', () => {
  expect(readWavHeader(Buffer.from('<!doctype h'))).toBeUndefined();
  expect(() => readWavHeader(Buffer.from('<!doctype ht'))).toThrow('is not a WAV');
});

test.each([
  ['RIFF', 'WAVE', true],
  ['RIFF', 'AVI ', false],
  ['RIFX', 'WAVE', false],
])('%s of %s: is it a WAV? %s', (riff, wave, is) => {
  expect(isWav(Buffer.from(`${riff}\0\0\0\0${wave}`))).toBe(is);
});

test('a wrong format is an error as soon as it is whole', () => {
  const header = Buffer.from(HEADER);
  header.writeUInt16LE(7, 20);
  expect(readWavHeader(header.subarray(0, 35))).toBeUndefined();
  expect(() => readWavHeader(header.subarray(0, 36))).toThrow('µ-law');
});

test('other chunks may end 64 KiB from the start, and no later', () => {
  const most = 64 * 1024 - 36 - 8;
  const other = (bytes: number): Buffer =>
    Buffer.concat([HEADER.subarray(0, 36), chunkOf('LIST', Buffer.alloc(bytes)), DATA]);
  expect(readWavHeader(other(most))?.bytes).toBe(64 * 1024 + 8);
  expect(() => readWavHeader(other(most + 1))).toThrow('without samples near its start');
});

test('a format has 16 bytes at least', () => {
  expect(readWavHeader(formatted(16))?.format.sampleRate).toBe(16_000);
  const header = formatted(16);
  header.writeUInt32LE(15, 16);
  expect(() => readWavHeader(header)).toThrow('does not state its sample format');
});

test('only the extensible form is read by what it extends', () => {
  expect(readWavHeader(formatted(40, { 24: 3 }))?.format.channels).toBe(1);
  expect(readWavHeader(formatted(26, { 0: 0xfffe, 24: 1 }))?.format.channels).toBe(1);
  expect(() => readWavHeader(formatted(25, { 0: 0xfffe, 22: 1 }))).toThrow(WavError);
});

test('one channel to eight are read', () => {
  expect(readWavHeader(formatted(16, { 2: 1 }))?.format.channels).toBe(1);
  expect(readWavHeader(formatted(16, { 2: 8 }))?.format.channels).toBe(8);
  expect(() => readWavHeader(formatted(16, { 2: 0 }))).toThrow('with 0 channels');
  expect(() => readWavHeader(formatted(16, { 2: 9 }))).toThrow('with 9 channels');
});
