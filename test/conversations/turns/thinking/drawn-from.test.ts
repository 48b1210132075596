import { expect, test } from 'vitest';
import { drawnFrom } from '../../../../src/conversations/turns/thinking/drawn-from.ts';

/** Finds the passages behind an answer, by words that the answer shares with them but not with the question. */

const PARKING = { heading: 'Parking', text: 'Nine euros behind the northern gate.' };
const PETS = { heading: '', text: 'Dogs sleep in wooden cabins beside the lake.' };

const drawn = (answer: string, question = 'Tell me') =>
  drawnFrom(answer, [PARKING, PETS], question);

test('each sentence is drawn from the passage that has its words', () => {
  expect(drawn('Parking is nine euros.')).toEqual([PARKING]);
  expect(drawn('Dogs sleep in wooden cabins.')).toEqual([PETS]);
  expect(drawn('Dogs sleep in cabins. Parking is nine euros.')).toEqual([PARKING, PETS]);
  expect(drawn('Hello and welcome, dear traveller.')).toEqual([]);
  expect(drawnFrom('Dogs sleep.', [], 'Tell me')).toEqual([]);
});

test('two words are needed, and those of the question are none', () => {
  expect(drawn('Dogs.')).toEqual([]);
  expect(drawn('Dogs sleep.')).toEqual([PETS]);
  expect(drawn('Dogs sleep.', 'Do dogs bark?')).toEqual([]);
});

test('a fifth of the words is needed', () => {
  const others = ['copper', 'bridge', 'violin', 'planet', 'anchor', 'pepper', 'candle', 'magnet'];
  expect(drawn(`Dogs sleep ${others.join(' ')}.`)).toEqual([PETS]);
  expect(drawn(`Dogs sleep ${others.join(' ')} rocket.`)).toEqual([]);
});
