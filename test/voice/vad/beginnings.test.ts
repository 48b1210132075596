import { expect, test } from 'vitest';
import {
  createVad,
  WINDOW_MS,
  type VadEvent,
  type VadOptions,
} from '../../../src/voice/vad/vad.ts';
import { createNoiseFloor } from '../../../src/voice/vad/noise-floor.ts';

/** Speech made of 32 ms windows with a known level and pitch: just enough windows, and one fewer. */

const RATE = 8_000;
const WINDOW = (RATE * WINDOW_MS) / 1_000;
/** Windows of silence before; their noise is at -65 dB. */
const BEFORE = 40;

/** A window by its letter: strong (-51 dB), weak (-58 dB), hissing (strong, without a pitch), silent. */
const LEVELS: Record<string, (at: number) => number> = {
  S: (at) => 92 * Math.sin((2 * Math.PI * 250 * at) / RATE),
  W: (at) => 41 * Math.sin((2 * Math.PI * 250 * at) / RATE),
  H: (at) => 60 * hiss(at),
  _: () => 0,
};

/** Noise that is the same each time. */
function hiss(at: number): number {
  const mixed = Math.imul(Math.imul(at + 1, 2_654_435_761) ^ 0x5bd1e995, 1_540_483_477);
  return (((mixed >>> 8) & 0xffff) / 0x7fff) * 2 - 2;
}

function soundOf(windows: string): Int16Array {
  const levels = Array.from('_'.repeat(BEFORE) + windows, (letter) => LEVELS[letter]!);
  return Int16Array.from({ length: levels.length * WINDOW }, (_, at) =>
    Math.round(levels[Math.floor(at / WINDOW)]!(at)),
  );
}

function heard(windows: string, options: Partial<VadOptions> = {}): VadEvent[] {
  return [...createVad({ sampleRate: RATE, ...options }).push(soundOf(windows))];
}
const starts = (windows: string, options: Partial<VadOptions> = {}): boolean =>
  heard(windows, options).some(({ kind }) => kind === 'started');

test('five loud windows of 32 ms are speech, and four are none', () => {
  expect(starts('SSSSS____')).toBe(true);
  expect(starts('SSSS_____')).toBe(false);
});

test('half of the loud windows are strong', () => {
  expect(starts('WSSSWW___', { minSpeechMs: 192 })).toBe(true);
  expect(starts('WSSWWW___', { minSpeechMs: 192 })).toBe(false);
  expect(starts('WWWWWWWWWWW')).toBe(false);
});

test('two of five loud windows have a pitch', () => {
  expect(starts('HSSHH____')).toBe(true);
  expect(starts('HSHHH____')).toBe(false);
});

test('a beginning has at most three gaps, and all of it is in the pre-roll', () => {
  const [started] = heard('SS___SSS____');
  if (started?.kind !== 'started') throw new Error('no speech began');
  expect(started.atMs).toBe((BEFORE + 8) * WINDOW_MS);
  // The eight windows since the first loud one, and 250 ms before them.
  expect(started.preRoll).toHaveLength((8 + 8) * WINDOW);
  expect(starts('SS____SSS___')).toBe(false);
});

test('an event comes with the last sample of its window', () => {
  const sound = soundOf('SSSSS');
  const vad = createVad({ sampleRate: RATE });
  expect(vad.push(sound.subarray(0, -1))).toEqual([]);
  expect(vad.push(sound.subarray(-1))).toMatchObject([{ kind: 'started' }]);
});

test('speech ends once it is silent for just as long as is said', () => {
  const endOf = (silenceMs: number): number | undefined =>
    heard(`SSSSS${'_'.repeat(20)}`, { silenceMs })[1]?.atMs;
  expect(endOf(384)).toBe((BEFORE + 5 + 12) * WINDOW_MS);
  expect(endOf(385)).toBe((BEFORE + 5 + 13) * WINDOW_MS);
});

test('a first sound is taken for the room only up to -50 dB', () => {
  const noise = createNoiseFloor();
  noise.note(-20);
  expect(noise.level()).toBe(-50);
});

test('noise is steady when it changes by less than 4 dB in 31 windows', () => {
  const after = (levels: number, softest: number): number => {
    const noise = createNoiseFloor();
    for (let at = 0; at < levels; at += 1) noise.note(at % 2 ? -30 : softest);
    return noise.level();
  };
  expect(after(31, -33)).toBe(-33);
  expect(after(30, -33)).toBeLessThan(-40);
  expect(after(31, -34)).toBeLessThan(-40);
});
