import { describe, expect, test } from 'vitest';
import { cut, excerptAround, QUOTE_MAX } from '../../../src/conversations/record/excerpt.ts';

describe('an excerpt', () => {
  test.each([
    [
      'is the sentence of the word',
      'Hello there. My zebra is lost! Can you help?',
      'My zebra is lost!',
    ],
    ['is the first sentence', 'A zebra ran. And off it went.', 'A zebra ran.'],
    ['is the last sentence, without an end', 'Hello. I lost a zebra', 'I lost a zebra'],
    ['finds the word in any case', 'Hello. THE ZEBRA ran.', 'THE ZEBRA ran.'],
    [
      'keeps a period within a word',
      'Hi. See zebra.example.com now. Bye.',
      'See zebra.example.com now.',
    ],
    ['ends at a line', 'Dear all\nmy zebra\nis lost', 'my zebra'],
    ['joins spaces', 'My \t zebra  is lost', 'My zebra is lost'],
    ['ends where full-width punctuation says', '你好。我的zebra不见了！谢谢', '我的zebra不见了！'],
    ['is the beginning of a text without the word', 'Hello. Bye.', 'Hello.'],
  ])('%s', (_, text, excerpt) => {
    expect(excerptAround(text, ['zebra'])).toBe(excerpt);
  });

  test('is around the word that comes first', () => {
    expect(excerptAround('A horse. A zebra. A cow.', ['cow', 'zebra'])).toBe('A zebra.');
  });

  test('of a long sentence is what stands around the word', () => {
    const excerpt = excerptAround(`${'one '.repeat(200)}zebra${' two'.repeat(200)}`, ['zebra']);
    expect(excerpt).toMatch(/^… (one )+zebra( two)+ ?(t|tw)?…$/);
    expect(excerpt).toHaveLength(QUOTE_MAX);
  });

  test('never has half of a character', () => {
    for (const offset of [0, 1]) {
      const text = `${'x'.repeat(offset)}${'💬'.repeat(300)}zebra${'💬'.repeat(300)}`;
      expect(excerptAround(text, ['zebra']).isWellFormed()).toBe(true);
    }
  });
});

test('a text is cut to its length, and not within a character', () => {
  expect([cut('abc', 3), cut('abcd', 3), cut('a💬b', 3)]).toEqual(['abc', 'ab…', 'a…']);
});
