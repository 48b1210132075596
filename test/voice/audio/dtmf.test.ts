import { expect, test } from 'vitest';
import { soundOfKeys } from '../../../src/voice/audio/dtmf.ts';
import { keysIn } from './keys-in.ts';

test.each([8_000, 16_000])('every key is told apart by its two tones, at %s Hz', (rate) => {
  const keys = '1234567890*#ABCD';
  expect(keysIn(soundOfKeys(keys, rate), rate)).toBe(keys);
  // 100 ms of it, and 80 ms of nothing.
  expect(soundOfKeys('1', rate)).toHaveLength((180 * rate) / 1_000);
});

test('the same key twice is pressed twice, a w is half a second, and nothing is cut', () => {
  const sound = soundOfKeys('1w1', 8_000);
  expect(sound).toHaveLength(6_880);
  expect(keysIn(sound, 8_000)).toBe('11');
  expect(Math.max(...sound)).toBeLessThan(0.55 * 32_767);
  expect(soundOfKeys('x', 8_000)).toHaveLength(0);
});

test('a tone lasts 100 ms to the sample', () => {
  const sound = soundOfKeys('5', 8_000);
  expect([sound[799] !== 0, sound[800], sound.length]).toEqual([true, 0, 1_440]);
});
