import { expect, test } from 'vitest';
import type { Media } from '../../../src/carriers/media.ts';
import { createMediaTrack } from '../../../src/calls/phone/media-track.ts';

/** Which frames of a track are accepted, at the limits of gaps and of real time. */

/** 20 ms of sound. */
const SOUND = Buffer.alloc(160, 1).toString('base64');

function trackThatTakes() {
  const track = createMediaTrack({ nowMs: () => 0, onFlood: () => undefined });
  return (media: Partial<Media>): number => track.take({ payload: SOUND, ...media })?.length ?? 0;
}

test.each([
  [undefined, 160],
  ['inbound', 160],
  ['inbound_track', 160],
  ['outbound', 0],
  ['outbound_track', 0],
])('of the track %s %d bytes are heard', (track, bytes) => {
  expect(trackThatTakes()({ track })).toBe(bytes);
});

test('a gap of 20 ms is silence, and one of 19 is none', () => {
  const gapOf = (ms: number): number => {
    const take = trackThatTakes();
    take({ timestamp: 0 });
    return take({ timestamp: 20 + ms }) - 160;
  };
  expect(gapOf(20)).toBe(160);
  expect(gapOf(19)).toBe(0);
});

test('a frame without a number that is 20 ms late is left out, and one of 19 is heard', () => {
  const heardLate = (ms: number, chunks: Pick<Media, 'chunk'>[] = [{}, {}]): number => {
    const take = trackThatTakes();
    take({ ...chunks[0], timestamp: 100 });
    return take({ ...chunks[1], timestamp: 120 - ms });
  };
  expect(heardLate(20)).toBe(0);
  expect(heardLate(19)).toBe(160);
  // The numbers show that the frame is new.
  expect(heardLate(20, [{ chunk: 1 }, { chunk: 2 }])).toBe(160);
});

test('a frame without a time follows the one before', () => {
  const take = trackThatTakes();
  expect(take({ timestamp: 0 })).toBe(160);
  expect(take({})).toBe(160);
  expect(take({ timestamp: 40 })).toBe(320);
});

test('three seconds may be heard at once, and no more', () => {
  const take = trackThatTakes();
  const heard = Array.from({ length: 152 }, () => take({})).filter(Boolean);
  expect(heard).toHaveLength(150);
});
