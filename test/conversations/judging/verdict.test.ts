import { expect, test } from 'vitest';
import { readVerdict, verdictSchema } from '../../../src/conversations/judging/verdict.ts';

const ANSWER = {
  summary: ' Short. ',
  outcome: 'resolved',
  satisfaction: 4,
  topics: ['delivery', 'other', ' ', 'delivery'],
  open_questions: ['', 'When?'],
};
const LETTERS = 'abcdefghijk'.split('');
const read = (over: object = {}, topics: readonly string[] = []) =>
  readVerdict(JSON.stringify({ ...ANSWER, ...over }), topics);

test('a verdict is read without blanks, repetitions and unknown topics', () => {
  expect(read()).toEqual({
    summary: 'Short.',
    outcome: 'resolved',
    satisfaction: 4,
    topics: ['delivery', 'other'],
    openQuestions: ['When?'],
  });
  expect(read({}, ['delivery', 'returns'])?.topics).toEqual(['delivery']);
});

test('it is found within other words, and nothing else is one', () => {
  const text = JSON.stringify(ANSWER);
  expect(readVerdict(`Here:\n\`\`\`json\n${text}\n\`\`\``, [])?.satisfaction).toBe(4);
  for (const wrong of ['', 'none', '{', '}{', '[]']) expect(readVerdict(wrong, [])).toBeUndefined();
  for (const over of [
    { summary: ' ' },
    { outcome: 'escalated' },
    { satisfaction: 0 },
    { satisfaction: 6 },
    { more: 1 },
  ]) {
    expect([over, read(over)]).toEqual([over, undefined]);
  }
});

test('what is too long or too much is cut', () => {
  const verdict = read({
    summary: 'x'.repeat(1_001),
    topics: ['y'.repeat(65), ...LETTERS],
    open_questions: ['z'.repeat(501), ...LETTERS],
  })!;
  expect(verdict.summary).toBe(`${'x'.repeat(999)}…`);
  expect(verdict.topics).toEqual([`${'y'.repeat(63)}…`, ...LETTERS.slice(0, 4)]);
  expect(verdict.openQuestions).toEqual([`${'z'.repeat(499)}…`, ...LETTERS.slice(0, 9)]);
});

test('its schema names the topics where there are any', () => {
  const itemsOf = (topics: readonly string[]): unknown =>
    (verdictSchema(topics)['properties'] as { topics: { items: unknown } }).topics.items;
  expect(itemsOf([])).toEqual({ type: 'string' });
  expect(itemsOf(['a'])).toEqual({ type: 'string', enum: ['a'] });
});
