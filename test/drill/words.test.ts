import { expect, test } from '@jest/globals';
import { wordsApart, wordsOf } from '../../src/drill/words.ts';

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
