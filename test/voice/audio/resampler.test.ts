import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createResampler, RATES } from '../../../src/voice/audio/resampler.ts';
import { joined, levelDb, middleOf, noiseOf, silenceOf, toneOf, withoutTone } from './tones.ts';

const WANTED = [8_000, 16_000, 24_000, 48_000];
const PAIRS = WANTED.flatMap((from) => WANTED.map((to) => [from, to] as const)).filter(
  ([from, to]) => from !== to,
);

function resample(samples: Int16Array, from: number, to: number, chunk = samples.length) {
  const resampler = createResampler({ from, to });
  const out: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += chunk) {
    out.push(resampler.push(samples.subarray(at, at + chunk)));
  }
  return joined(...out, resampler.end());
}

describe.each(PAIRS)('from %d to %d Hz', (from, to) => {
  const highest = (Math.min(from, to) / 2) * 0.84;

  test.each([100, 440, 1_000, 3_000, highest])(
    'a tone of %d Hz keeps its level, and is clean',
    (hz) => {
      const out = resample(toneOf({ hz, rate: from, sec: 0.2 }), from, to);
      expect(out).toHaveLength(to / 5);
      const heard = middleOf(out, to);
      expect(levelDb(heard)).toBeCloseTo(-6.02, 1);
      // Rounding to 16 bits alone is at -98 dB.
      expect(levelDb(withoutTone(heard, hz, to))).toBeLessThan(-70);
    },
  );

  test('nothing above half the lower rate comes through', () => {
    if (to > from) return;
    for (const share of [1.01, 1.2, 1.5, 1.9]) {
      const hz = (to / 2) * share;
      if (hz > from / 2) continue;
      const out = resample(toneOf({ hz, rate: from, sec: 0.2 }), from, to);
      expect(levelDb(middleOf(out, to))).toBeLessThan(-60);
    }
  });

  test('a constant stays one', () => {
    const out = resample(new Int16Array(from / 4).fill(8_000), from, to);
    expect(new Set(middleOf(out, to))).toEqual(new Set([8_000]));
  });
});

test('chunks of any size make what the whole makes', () => {
  const rate = fc.constantFrom(...RATES);
  const chunks = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 });
  fc.assert(
    fc.property(rate, rate, chunks, (from, to, sizes) => {
      const length = sizes.reduce((sum, size) => sum + size, 0);
      const samples = noiseOf({ rate: length, sec: 1, level: 0.9 });
      const resampler = createResampler({ from, to });
      let at = 0;
      const parts = sizes.map((size) => resampler.push(samples.slice(at, (at += size))));
      const out = joined(...parts, resampler.end());
      expect(out).toEqual(resample(samples, from, to));
      expect(out).toHaveLength(Math.ceil((length * to) / from));
    }),
    { numRuns: 20 },
  );
});

test('it waits for no more than 5 ms of what comes next', () => {
  const resampler = createResampler({ from: 8_000, to: 24_000 });
  expect(resampler.push(toneOf({ hz: 440, rate: 8_000, sec: 0.02 })).length).toBeGreaterThanOrEqual(
    24_000 * 0.015,
  );
});

test('after its end nothing is left of the stream before', () => {
  const resampler = createResampler({ from: 48_000, to: 8_000 });
  resampler.push(noiseOf({ rate: 48_000, sec: 0.1 }));
  resampler.end();
  const silence = silenceOf({ rate: 48_000, sec: 0.1 });
  expect(joined(resampler.push(silence), resampler.end())).toEqual(new Int16Array(800));
});

test('what is too loud is cut, and does not turn over', () => {
  const square = Int16Array.from({ length: 800 }, (_, at) => (at % 80 < 40 ? 32_767 : -32_768));
  const out = resample(square, 8_000, 16_000);
  for (let at = 20; at < out.length - 100; at += 1) {
    const inHalf = at % 160 < 80;
    // Away from the edges.
    if (at % 80 > 10 && at % 80 < 70) expect(Math.sign(out[at]!)).toBe(inHalf ? 1 : -1);
  }
});

test('no other rate is taken', () => {
  expect(() => createResampler({ from: 8_000, to: 9_000 })).toThrow('8000 to 9000 Hz');
  expect(() => createResampler({ from: 9_000, to: 8_000 })).toThrow('9000 to 8000 Hz');
});
