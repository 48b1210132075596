import { expect, test } from 'vitest';
import { wordsApart, wordsApartFromBeginning, wordsOf } from '../../packages/drill/src/words.ts';

test('words are the same however they are set', () => {
  expect(wordsOf('Stop it! I’m “done”.')).toEqual(['stop', 'it', "i'm", 'done']);
});

test.each([
  ['', '', 0],
  ['', 'one two', 2],
  ['one two', '', 2],
  ['one two three', 'one two three', 0],
  ['one two three', 'one three', 1],
  ['one two three', 'one too three', 1],
  ['one two', 'nought one two three', 2],
])('“%s” and “%s” are %i words apart', (one, other, apart) => {
  expect(wordsApart(wordsOf(one), wordsOf(other))).toBe(apart);
});

test.each([
  ['we deliver to every', 0],
  ['we deliver to every how', 1],
  ['', 0],
  ['something else', 2],
])('“%s” differs from a beginning in %i words', (heard, apart) => {
  const whole = wordsOf('We deliver to every house in the city.');
  expect(wordsApartFromBeginning(whole, wordsOf(heard))).toBe(apart);
});
