import { expect, test } from 'vitest';
import { createCorrect } from '../../../../src/conversations/turns/languages/misspelled.ts';

test.each([
  ['a letter left out', 'ordr', 'order'],
  ['a letter too many', 'oorder', 'order'],
  ['another letter', 'ordar', 'order'],
  ['two letters swapped', 'odrer', 'order'],
  ['two letters of a short word swapped', 'tihs', 'this'],
  ['another letter of a short word', 'thas', 'thas'],
  ['two letters of three swapped', 'hte', 'hte'],
  ['two other letters', 'orxxr', 'orxxr'],
  ['the first letter behind the last', 'rdero', 'rdero'],
  ['a word that is meant as it stands', 'older', 'older'],
  ['the word itself', 'this', 'this'],
])('%s: %s is %s', (_, word, meant) => {
  expect(createCorrect(new Set(['order', 'this', 'the']), ['older'])(word)).toBe(meant);
});
