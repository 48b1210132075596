import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { createDigits } from '../../../src/calls/lines/digits.ts';

let told: string[];
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const press = (text: string) => {
  const digits = createDigits((said) => told.push(said));
  for (const digit of text) digits.press(digit);
  return digits;
};

test('keys are told together, two seconds after the last', () => {
  press('4711');
  vi.advanceTimersByTime(1_999);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(['4711']);
});

test('# ends them at once, and alone is a key', () => {
  press('4711#');
  expect(told).toEqual(['4711']);
  press('#');
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(['4711', '#']);
});

test('a flood is one word of 32 keys', () => {
  press('1'.repeat(100_000));
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(['1'.repeat(32)]);
});

test('what is no key is none, and nothing is told once the call is over', () => {
  press('x1y').stop();
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([]);
});
