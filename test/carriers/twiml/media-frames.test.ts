import { describe, expect, test } from 'vitest';
import {
  clearFrame,
  markFrame,
  readMediaFrame,
  soundFrame,
} from '../../../src/carriers/twiml/media-frames.ts';
import { isMuLaw, type Media } from '../../../src/carriers/media.ts';
import { createMediaTrack } from '../../../src/calls/phone/media-track.ts';

describe('frames', () => {
  const start = { streamSid: 'MZ1', callSid: 'CA1' };

  test('numbers come as strings', () => {
    const media = { track: 'inbound', chunk: '2', timestamp: '20', payload: '/w==' };
    const frame = readMediaFrame(JSON.stringify({ event: 'media', sequenceNumber: '3', media }));
    expect(frame).toEqual({ event: 'media', media: { ...media, chunk: 2, timestamp: 20 } });
    const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: '8000', channels: '1' };
    const begun = readMediaFrame(
      JSON.stringify({
        event: 'start',
        start: { ...start, mediaFormat, customParameters: { token: 't' } },
      }),
    );
    expect(begun).toMatchObject({ start: { mediaFormat: { sampleRate: 8_000, channels: 1 } } });
  });

  test.each([
    '',
    'null',
    '[]',
    '{"event":"news"}',
    '{"event":"media"}',
    '{"event":"mark","mark":{}}',
  ])('%j is none', (text) => expect(readMediaFrame(text)).toBeUndefined());

  test.each([
    [{ encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 }, true],
    [undefined, true],
    [{ encoding: 'audio/x-mulaw', sampleRate: 16_000, channels: 1 }, false],
    [{ encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 2 }, false],
    [{ encoding: 'audio/x-l16', sampleRate: 8_000, channels: 1 }, false],
  ])('of %j we take: %j', (mediaFormat, isTaken) => {
    expect(isMuLaw({ ...start, mediaFormat })).toBe(isTaken);
  });

  test('are sent as the carrier reads them', () => {
    const bytes = new Uint8Array([0, 1, 2, 255]).subarray(1);
    expect(JSON.parse(soundFrame('MZ1', bytes))).toEqual({
      event: 'media',
      streamSid: 'MZ1',
      media: { payload: 'AQL/' },
    });
    expect(JSON.parse(markFrame('MZ1', 's1'))).toEqual({
      event: 'mark',
      streamSid: 'MZ1',
      mark: { name: 's1' },
    });
    expect(JSON.parse(clearFrame('MZ1'))).toEqual({ event: 'clear', streamSid: 'MZ1' });
  });
});

describe('a track', () => {
  const frame = (chunk: number, more: Partial<Media> = {}): Media => ({
    track: 'inbound',
    chunk,
    timestamp: (chunk - 1) * 20,
    payload: Buffer.alloc(160, chunk).toString('base64'),
    ...more,
  });

  function trackAt() {
    const clock = { ms: 0 };
    let floods = 0;
    const track = createMediaTrack({ nowMs: () => clock.ms, onFlood: () => void (floods += 1) });
    const take = (media: Media): number[] => [...(track.take(media) ?? [])];
    return { clock, take, floods: () => floods };
  }

  test('doubled and late frames are left out', () => {
    const { take } = trackAt();
    expect([1, 2, 2, 1, 3].map((chunk) => take(frame(chunk)).length)).toEqual([
      160, 160, 0, 0, 160,
    ]);
    const unnumbered = { chunk: undefined };
    const other = trackAt();
    expect([1, 2, 2, 1, 3].map((at) => other.take(frame(at, unnumbered)).length)).toEqual([
      160, 160, 0, 0, 160,
    ]);
  });

  test('what is missing is silence, a second of it at most', () => {
    const { take } = trackAt();
    take(frame(1));
    expect(take(frame(4))).toEqual([...Array(320).fill(0xff), ...Array(160).fill(4)]);
    const after = take(frame(200));
    expect(after).toHaveLength(8_000 + 160);
    expect(after.at(-1)).toBe(200);
    expect(take(frame(201))).toHaveLength(160);
  });

  test('small differences of clocks are no gaps', () => {
    const { take } = trackAt();
    take(frame(1));
    expect(take(frame(2, { timestamp: 25 }))).toHaveLength(160);
    expect(take(frame(3, { timestamp: 38 }))).toHaveLength(160);
  });

  test('what the agent says, and what is empty, is not heard', () => {
    const { take } = trackAt();
    expect(take(frame(1, { track: 'outbound' }))).toEqual([]);
    expect(take(frame(1, { payload: '' }))).toEqual([]);
  });

  test('more than twice real time is dropped, and told once', () => {
    const { clock, take, floods } = trackAt();
    const flood = (count: number) =>
      Array.from(
        { length: count },
        () => take(frame(1, { chunk: undefined, timestamp: undefined })).length,
      ).filter(Boolean).length;
    expect(flood(1_000)).toBe(150);
    clock.ms += 1_000;
    expect(flood(1_000)).toBe(100);
    expect(floods()).toBe(1);
    clock.ms += 20;
    expect(flood(1)).toBe(1);
  });
});
