import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createVad, type VadEvent } from '../../../src/voice/vad/vad.ts';
import { decodeMuLaw } from '../../../src/voice/audio/mu-law.ts';
import { createResampler } from '../../../src/voice/audio/resampler.ts';
import { joined, noiseOf, silenceOf, toneOf } from '../audio/tones.ts';

type Name = 'english-man' | 'german-man' | 'english-woman';
const NAMES: readonly Name[] = ['english-man', 'german-man', 'english-woman'];
/** ms: the first loud sound and the last one, as seen in the recordings. */
const SPOKEN: Record<Name, readonly [number, number]> = {
  'english-man': [0, 4_050],
  'german-man': [0, 3_950],
  'english-woman': [0, 2_950],
};

const recordings = new Map<string, Int16Array>();

function recording(name: Name, rate: number): Int16Array {
  const key = `${name} ${rate}`;
  const samples = recordings.get(key) ?? readRecording(name, rate);
  recordings.set(key, samples);
  return samples;
}

function readRecording(name: Name, rate: number): Int16Array {
  const file = path.join(import.meta.dirname, 'recordings', `${name}.ulaw`);
  const samples = decodeMuLaw(readFileSync(file));
  const resampler = createResampler({ from: 8_000, to: rate });
  return joined(resampler.push(samples), resampler.end());
}

type Scene = { rate: number; before?: number; after?: number; noise?: number; gain?: number };

/** A recording in a room. */
function sceneOf(name: Name, { rate, before = 1, after = 1, noise = 0, gain = 1 }: Scene) {
  const clean = joined(
    silenceOf({ rate, sec: before }),
    recording(name, rate).map((sample) => sample * gain),
    silenceOf({ rate, sec: after }),
  );
  const room = noiseOf({ rate, sec: clean.length / rate, level: noise });
  return clean.map((sample, at) => sample + room[at]!);
}

function eventsOf(samples: Int16Array, rate: number, chunk = samples.length, more = {}) {
  const vad = createVad({ sampleRate: rate, ...more });
  const events: VadEvent[] = [];
  for (let at = 0; at < samples.length; at += chunk) {
    events.push(...vad.push(samples.subarray(at, at + chunk)));
  }
  return events;
}
const kindsOf = (samples: Int16Array, rate: number, more = {}): string[] =>
  eventsOf(samples, rate, samples.length, more).map(({ kind }) => kind);

const ROOMS = [
  { room: 'a silent line', noise: 0, gain: 1 },
  { room: 'a quiet room', noise: 0.005, gain: 1 },
  { room: 'a loud room', noise: 0.02, gain: 1 },
  { room: 'a street', noise: 0.05, gain: 1 },
  { room: 'a far voice', noise: 0.002, gain: 0.1 },
];

describe.each([8_000, 16_000])('at %d Hz', (rate) => {
  describe.each(NAMES)('%s', (name) => {
    test.each(ROOMS)('is heard in $room, from the first word to the last', ({ noise, gain }) => {
      const events = eventsOf(sceneOf(name, { rate, noise, gain }), rate);
      const [first] = events;
      const last = events.at(-1)!;
      const [from, to] = SPOKEN[name];
      expect([first!.kind, last.kind]).toEqual(['started', 'ended']);
      // Told within 300 ms of the first sound; nothing of it is missing before.
      expect(first!.atMs).toBeGreaterThan(1_000 + from);
      expect(first!.atMs).toBeLessThan(1_000 + from + 300);
      const preRollMs = (1_000 * (first as { preRoll: Int16Array }).preRoll.length) / rate;
      expect(first!.atMs - preRollMs).toBeLessThan(1_000 + from);
      expect(last.atMs).toBeGreaterThan(1_000 + to - 100);
      expect(last.atMs).toBeLessThan(1_000 + to + 650);
    });
  });

  test('a pause between sentences is one, and longer silence is none', () => {
    const samples = sceneOf('german-man', { rate, noise: 0.005 });
    expect(kindsOf(samples, rate)).toEqual(['started', 'ended', 'started', 'ended']);
    expect(kindsOf(samples, rate, { silenceMs: 800 })).toEqual(['started', 'ended']);
  });

  test.each<[string, (rate: number) => Int16Array]>([
    ['a silent line', () => silenceOf({ rate, sec: 5 })],
    ['a quiet room', () => noiseOf({ rate, sec: 10, level: 0.001 })],
    ['a loud one', () => noiseOf({ rate, sec: 10, level: 0.1 })],
    ['a very loud one', () => noiseOf({ rate, sec: 10, level: 0.5 })],
    [
      'a fan that is switched on',
      () => joined(silenceOf({ rate, sec: 2 }), noiseOf({ rate, sec: 5, level: 0.2 })),
    ],
    ['a hum of the mains', () => toneOf({ rate, sec: 5, hz: 50, level: 0.1 })],
    ['a click', () => inSilence(rate, toneOf({ rate, sec: 0.01, hz: 1_000 }))],
    ['a short sound', () => inSilence(rate, toneOf({ rate, sec: 0.1, hz: 200 }))],
    ['a cough', () => inSilence(rate, fading(noiseOf({ rate, sec: 0.3, level: 0.8 })))],
    ['breath', () => inSilence(rate, fading(noiseOf({ rate, sec: 0.8, level: 0.05 })))],
  ])('%s is no speech', (_, make) => {
    expect(eventsOf(make(rate), rate)).toEqual([]);
  });

  test('a tone that does not end is not taken for speech for long', () => {
    const samples = joined(
      silenceOf({ rate, sec: 1 }),
      toneOf({ rate, sec: 8, hz: 440, level: 0.2 }),
    );
    const [, ended] = eventsOf(samples, rate);
    expect(ended!.kind).toBe('ended');
    expect(ended!.atMs).toBeLessThan(3_000);
  });
});

function inSilence(rate: number, sound: Int16Array): Int16Array {
  const silence = silenceOf({ rate, sec: 1 });
  return joined(silence, sound, silence);
}

function fading(sound: Int16Array): Int16Array {
  return sound.map((sample, at) => sample * (1 - at / sound.length) ** 2);
}

test('the pre-roll is what was heard, up to where it is told', () => {
  const rate = 16_000;
  const samples = sceneOf('english-man', { rate, noise: 0.005 });
  const [started] = eventsOf(samples, rate, 320);
  if (started?.kind !== 'started') throw new Error('nothing was heard');
  const end = (started.atMs * rate) / 1_000;
  expect(started.preRoll).toEqual(samples.slice(end - started.preRoll.length, end));
});

test('how sound is cut into chunks changes nothing', () => {
  const rate = 16_000;
  const samples = sceneOf('english-woman', { rate, noise: 0.01 });
  const whole = eventsOf(samples, rate);
  for (const chunk of [37, 160, 320, 513, 4_000]) {
    expect(eventsOf(samples, rate, chunk)).toEqual(whole);
  }
});

test('how much speech it takes can be chosen', () => {
  const rate = 8_000;
  const sound = inSilence(rate, toneOf({ rate, sec: 0.3, hz: 150 }));
  expect(kindsOf(sound, rate)).toEqual(['started', 'ended']);
  expect(kindsOf(sound, rate, { minSpeechMs: 400 })).toEqual([]);
  const [, ended] = eventsOf(sound, rate);
  expect(ended).toMatchObject({ speechMs: expect.any(Number) });
  expect(Math.abs((ended as { speechMs: number }).speechMs - 300)).toBeLessThanOrEqual(64);
});

test('whether somebody speaks is known at any moment', () => {
  const rate = 8_000;
  const vad = createVad({ sampleRate: rate });
  const samples = sceneOf('english-man', { rate });
  vad.push(samples.subarray(0, rate / 2));
  expect(vad.isSpeaking()).toBe(false);
  vad.push(samples.subarray(rate / 2, rate * 2));
  expect(vad.isSpeaking()).toBe(true);
  vad.push(samples.subarray(rate * 2));
  expect(vad.isSpeaking()).toBe(false);
});

test('a second talk in noise is heard as the first was', () => {
  const rate = 8_000;
  const one = sceneOf('english-man', { rate, noise: 0.01, after: 2 });
  const kinds = kindsOf(joined(one, one, one), rate, { silenceMs: 800 });
  expect(kinds).toEqual([1, 2, 3].flatMap(() => ['started', 'ended']));
});
