import { describe, expect, test } from 'vitest';
import { bytesOf, createPcmReader } from '../../../src/voice/audio/pcm.ts';
import { readWavHeader, wavHeader, WavError } from '../../../src/voice/audio/wav.ts';
import { joined } from './tones.ts';

const HEADER = wavHeader({ sampleRate: 16_000, dataBytes: 8 });

test('what is written is read again', () => {
  expect(readWavHeader(HEADER)).toEqual({
    format: { sampleRate: 16_000, channels: 1, dataBytes: 8 },
    bytes: 44,
  });
  expect(HEADER.readUInt32LE(4)).toBe(44);
  expect(HEADER.readUInt32LE(28)).toBe(32_000);
});

test.each([
  ['0xFFFFFFFF', wavHeader({ sampleRate: 24_000 })],
  ['0', wavHeader({ sampleRate: 24_000, dataBytes: 0 })],
  ['0x7FFFFFFF', wavHeader({ sampleRate: 24_000, dataBytes: 0x7fff_ffff })],
])('a stream whose length is %s goes on until it ends', (_, header) => {
  expect(readWavHeader(header)?.format).toEqual({
    sampleRate: 24_000,
    channels: 1,
    dataBytes: undefined,
  });
});

test('a header that comes byte by byte is waited for', () => {
  for (let bytes = 0; bytes < 44; bytes += 1) {
    expect(readWavHeader(HEADER.subarray(0, bytes))).toBeUndefined();
  }
});

const chunkOf = (name: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
};

/** A header with one field of `fmt ` changed. */
function changed(at: number, value: number): Buffer {
  const header = Buffer.from(HEADER);
  header.writeUInt16LE(value, at);
  return header;
}

test('other chunks are passed over, of an odd length too', () => {
  const list = chunkOf('LIST', Buffer.from('INFOISFT\u0003\0\0\0abc'));
  const wav = Buffer.concat([HEADER.subarray(0, 12), list, HEADER.subarray(12)]);
  expect(readWavHeader(wav)).toMatchObject({ bytes: 44 + list.length });
});

test('the extensible form is read by what it extends', () => {
  const format = Buffer.alloc(40);
  HEADER.copy(format, 0, 20, 36);
  format.writeUInt16LE(0xfffe, 0);
  format.writeUInt16LE(1, 24);
  const wav = Buffer.concat([HEADER.subarray(0, 12), chunkOf('fmt ', format), HEADER.subarray(36)]);
  expect(readWavHeader(wav)?.format).toMatchObject({ sampleRate: 16_000, dataBytes: 8 });
  format.writeUInt16LE(3, 24);
  const float = Buffer.concat([
    HEADER.subarray(0, 12),
    chunkOf('fmt ', format),
    HEADER.subarray(36),
  ]);
  expect(() => readWavHeader(float)).toThrow('is a WAV with floating point instead of PCM16');
});

describe('what is no WAV of PCM16 is named', () => {
  test.each([
    ['nothing of it', Buffer.from('<html><body>hello</body></html>'), 'is not a WAV'],
    ['µ-law', changed(20, 7), 'is a WAV with µ-law instead of PCM16'],
    ['an unknown format', changed(20, 4_711), 'is a WAV with format 4711 instead of PCM16'],
    ['24 bits', changed(34, 24), 'is a WAV with 24 bits instead of 16'],
    ['no channel', changed(22, 0), 'is a WAV with 0 channels'],
    [
      'samples before their format',
      Buffer.concat([HEADER.subarray(0, 12), HEADER.subarray(36)]),
      'does not state its sample format',
    ],
    [
      'a chunk without end',
      Buffer.concat([HEADER.subarray(0, 12), Buffer.from('LIST\xff\xff\xff\x7f', 'latin1')]),
      'without samples near its start',
    ],
  ])('%s', (_, bytes, message) => {
    expect(() => readWavHeader(bytes)).toThrow(WavError);
    expect(() => readWavHeader(bytes)).toThrow(message);
  });
});

describe('bytes become samples', () => {
  const samples = Int16Array.from([0, 1, -1, 32_767, -32_768, 258]);

  test.each([1, 2, 3, 5, 100])('in chunks of %d', (size) => {
    const bytes = bytesOf(samples);
    const reader = createPcmReader();
    const parts: Int16Array[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = Buffer.from(bytes.subarray(at, at + size));
      parts.push(reader.push(chunk));
      chunk.fill(0x55);
    }
    expect(joined(...parts)).toEqual(samples);
    expect(reader.unread()).toBe(0);
  });

  test('of two channels their mean', () => {
    const reader = createPcmReader(2);
    const bytes = bytesOf(Int16Array.from([10, 20, -5, -15, 7]));
    expect(reader.push(bytes.subarray(0, 5))).toEqual(Int16Array.from([15]));
    expect(reader.push(bytes.subarray(5))).toEqual(Int16Array.from([-10]));
    expect(reader.unread()).toBe(2);
  });
});
