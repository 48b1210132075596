import { expect, test } from '@jest/globals';
import { wordsApart, wordsHeard, wordsOf } from '../../src/drill/words.ts';

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
  ['we deliver to every', 6, 4, 0],
  ['we deliver to every house', 4, 5, 0],
  // A cut word was taken for another one: it was heard, or it was not.
  ['we deliver to every how', 4, 4, 1],
  ['we deliver to every how', 6, 5, 1],
  ['', 2, 0, 0],
  ['something else', 4, 2, 2],
])(
  'of “%s”, when %i are stored, %i words were heard, and %i differ',
  (heard, stored, count, apart) => {
    const whole = wordsOf('We deliver to every house in the city.');
    expect(wordsHeard(whole, wordsOf(heard), stored)).toEqual({ count, apart });
  },
);
