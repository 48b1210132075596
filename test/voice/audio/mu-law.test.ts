import { describe, expect, test } from 'vitest';
import { decodeMuLaw, encodeMuLaw, MU_LAW_SILENCE } from '../../../src/voice/audio/mu-law.ts';

/**
 * Table 2a of ITU-T G.711, in its 14 bits: of each segment the decision value it begins at, the size of
 * its steps, and the first value that comes out. The byte before the inversion is segment and step.
 */
const SEGMENTS = [
  { segment: 0, from: 31 - 30, size: 2, firstOut: 2, firstStep: 1 },
  { segment: 1, from: 31, size: 4, firstOut: 33, firstStep: 0 },
  { segment: 2, from: 95, size: 8, firstOut: 99, firstStep: 0 },
  { segment: 3, from: 223, size: 16, firstOut: 231, firstStep: 0 },
  { segment: 4, from: 479, size: 32, firstOut: 495, firstStep: 0 },
  { segment: 5, from: 991, size: 64, firstOut: 1_023, firstStep: 0 },
  { segment: 6, from: 2_015, size: 128, firstOut: 2_079, firstStep: 0 },
  { segment: 7, from: 4_063, size: 256, firstOut: 4_191, firstStep: 0 },
];

const encode = (...samples: number[]): number[] => [...encodeMuLaw(Int16Array.from(samples))];
const decode = (...bytes: number[]): number[] => [...decodeMuLaw(Uint8Array.from(bytes))];

describe.each(SEGMENTS)(
  'segment $segment of G.711',
  ({ segment, from, size, firstOut, firstStep }) => {
    const steps = Array.from({ length: 16 - firstStep }, (_, at) => firstStep + at);

    test('each step begins at its decision value and ends before the next', () => {
      for (const step of steps) {
        const byte = ~((segment << 4) | step) & 0xff;
        const begin = (from + (step - firstStep) * size) * 4;
        const end = begin + size * 4 - 1;
        expect(encode(begin, end)).toEqual([byte, byte]);
        expect(encode(begin - 1)).not.toEqual([byte]);
        // The same below zero, but for zero itself: ITU-T G.191 turns numbers over bit by bit.
        expect(encode(-begin - 1, -end - 1)).toEqual([byte & 0x7f, byte & 0x7f]);
      }
    });

    test('what comes out is the middle of a step', () => {
      for (const step of steps) {
        const byte = ~((segment << 4) | step) & 0xff;
        const out = (firstOut + (step - firstStep) * size) * 4;
        expect(decode(byte, byte & 0x7f)).toEqual([out, -out]);
      }
    });
  },
);

test('the ends of the scale', () => {
  expect(encode(0, 3, -1, -4)).toEqual([0xff, 0xff, 0x7f, 0x7f]);
  expect(encode(32_635, 32_767, -32_636, -32_768)).toEqual([0x80, 0x80, 0x00, 0x00]);
  expect(decode(0x80, 0x00, 0xff, 0x7f)).toEqual([32_124, -32_124, 0, 0]);
  expect(decode(MU_LAW_SILENCE)).toEqual([0]);
});

test('what was decoded is encoded to the same byte, but for the second zero', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x7f);
  expect(encodeMuLaw(decodeMuLaw(bytes))).toEqual(bytes);
});

test('a sample comes back within half a step of its segment', () => {
  const samples = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);
  const back = decodeMuLaw(encodeMuLaw(samples));
  let worst = 0;
  samples.forEach((sample, at) => {
    const magnitude = Math.min(Math.abs(sample), 32_635);
    const halfStep = 2 ** Math.max(0, Math.floor(Math.log2(magnitude / 4 + 33)) - 5) * 4;
    const off = Math.abs(Math.abs(back[at]!) - magnitude) - halfStep;
    worst = Math.max(worst, off);
  });
  expect(worst).toBeLessThanOrEqual(0);
});
