import { beforeEach, expect, test } from 'vitest';
import { createDtmfAggregator } from '../../../src/voice/input/dtmf-aggregator.ts';
import { holdTime, type HeldClock } from '../../clock.ts';

let told: string[];
let time: HeldClock;
beforeEach(() => {
  time = holdTime();
  told = [];
});

const press = (text: string) => {
  const digits = createDtmfAggregator((said) => told.push(said));
  for (const digit of text) digits.press(digit);
  return digits;
};

test('keys are told together, two seconds after the last', async () => {
  press('4711');
  await time.advance(1_999);
  expect(told).toEqual([]);
  await time.advance(1);
  expect(told).toEqual(['4711']);
});

test('# ends them at once, and alone is a key', async () => {
  press('4711#');
  expect(told).toEqual(['4711']);
  press('#');
  await time.advance(2_000);
  expect(told).toEqual(['4711', '#']);
});

test('a flood is one word of 32 keys', async () => {
  press('1'.repeat(10_000));
  await time.advance(2_000);
  expect(told).toEqual(['1'.repeat(32)]);
});

test('what is no key is none, and nothing is told once the call is over', async () => {
  press('x1y').stop();
  await time.advance(5_000);
  expect(told).toEqual([]);
});
