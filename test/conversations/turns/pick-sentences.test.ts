import { expect, test } from 'vitest';
import { pickSentences } from '../../../src/conversations/turns/pick-sentences.ts';

const PASSAGE = 'We rent tents. Refunds take a week. Ask at the desk.';
const pick = (charsMax: number, passage = PASSAGE): string =>
  pickSentences(passage, 'How long does a refund take?', { charsMax });

test('a passage that fits is taken whole', () => {
  expect(pick(PASSAGE.length)).toBe(PASSAGE);
});

test.each([
  [PASSAGE.length - 1, 'Refunds take a week. Ask at the desk.'],
  [37, 'Refunds take a week. Ask at the desk.'],
  [36, 'We rent tents. Refunds take a week.'],
  [35, 'Refunds take a week.'],
])('of %i characters, the sentence that answers and those that fit beside it', (charsMax, text) => {
  expect(pick(charsMax)).toBe(text);
});

test('a sentence that does not fit is cut at a word of its second half', () => {
  const long = 'Refunds xx yyyyyyyyyyyyyyyyyyyy';
  expect(pick(19, long)).toBe('Refunds xx…');
  expect(pick(20, long)).toBe('Refunds xx yyyyyyyy…');
  expect(pick(20, 'Refunds take a week. More of it stands here.')).toBe('Refunds take a week.');
});
