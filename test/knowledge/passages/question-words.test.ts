import { describe, expect, test } from '@jest/globals';
import { rankPassages, termsOf } from '../../../src/knowledge/passages/rank-passages.ts';
import {
  askedWords,
  isNoise,
  searchableText,
} from '../../../src/knowledge/passages/question-words.ts';

describe('words of a question', () => {
  test.each([
    ['Could you please tell me what time you open?', 'open'],
    ['how long does delivery take', 'delivery'],
    ['Hello! Thanks a lot.', ''],
    ['When was it paid?', 'pay'],
    ['Is Wi-Fi free in the Café?', 'wifi free cafe'],
    ['Do you have a 10kg bag?', '10 kg bag'],
    ['What is constructor injection?', 'constructor injection'],
    ['', ''],
    ['🙂?!', ''],
  ])('%j asks for %j', (message, question) => {
    expect(askedWords(message).question).toBe(question);
  });

  test('of a story that ends in a question, the question is asked and the story decides between passages', () => {
    expect(askedWords('I broke my leg on Friday. Is a refund possible?')).toEqual({
      question: 'refund',
      context: 'break leg friday',
    });
  });

  test('of a question that says nothing by itself, the story is what is asked', () => {
    expect(askedWords('My invoice is wrong. What can you do about it?').question).toBe(
      'invoice wrong',
    );
  });

  test('are bounded, whatever is sent', () => {
    const long = Array.from({ length: 50_000 }, (_, at) => `w${'abcdefghij'[at % 10]}${at}`).join(
      ' ',
    );
    const { question, context } = askedWords(`${long}?`);
    expect(question.split(' ').length).toBeLessThanOrEqual(24);
    expect(context.split(' ').length).toBeLessThanOrEqual(24);
    expect(searchableText('x'.repeat(100_000))).toBe('');
  });
});

test('a word in no passage says nothing when it is a sound or a question word in a hurry', () => {
  for (const word of ['hwo', 'teh', 'wat', 'waht', 'wich', 'u', 'ooh', 'hmm', 'haha', 'pls']) {
    expect({ word, noise: isNoise(word) }).toEqual({ word, noise: true });
  }
  // What somebody may ask for: no letter less at the front or the end, none exchanged.
  for (const word of ['hat', 'tent', 'cake', 'wifi', 'scheme', 'whale', 'cant']) {
    expect({ word, noise: isNoise(word) }).toEqual({ word, noise: false });
  }
});

describe('ranking', () => {
  const positions = (...all: number[]): Buffer => {
    const buffer = Buffer.alloc(all.length * 4);
    all.forEach((position, at) => buffer.writeInt32BE(position, at * 4));
    return buffer;
  };
  const row = { asked: '', counts: true, closeness: 1, passages: 100, ownerId: 'a' };

  test('a rare word says more than two frequent ones, and all three say most', () => {
    const terms = termsOf([
      { ...row, lexeme: 'rare', df: 2, positions: positions(1_000_000, 1_000_007) },
      {
        ...row,
        asked: 'often',
        lexeme: 'often',
        df: 60,
        positions: positions(1_000_003, 1_000_007),
      },
      { ...row, lexeme: 'ever', df: 60, positions: positions(1_000_003, 1_000_007) },
    ]);
    const order = rankPassages(terms, 10).map(({ position }) => position - 1_000_000);
    expect(order).toEqual([7, 0, 3]);
  });

  test('of thousands with the same word, the one that has the others too comes first', () => {
    const all = Array.from({ length: 5_000 }, (_, at) => at);
    const terms = termsOf([
      { ...row, passages: 10_000, lexeme: 'many', df: 5_000, positions: positions(...all) },
      { ...row, passages: 10_000, lexeme: 'other', df: 2, positions: positions(4_321, 9_999) },
    ]);
    expect(rankPassages(terms, 3)[0]).toMatchObject({ ownerId: 'a', position: 4_321 });
    expect(rankPassages(terms, 3)).toHaveLength(3);
  });

  test('what stands around a question finds nothing by itself', () => {
    const terms = termsOf([
      { ...row, counts: false, lexeme: 'leg', df: 1, positions: positions(4) },
      { ...row, lexeme: 'refund', df: 2, positions: positions(5, 6) },
      { ...row, counts: false, lexeme: 'friday', df: 1, positions: positions(6) },
    ]);
    expect(rankPassages(terms, 10).map(({ position }) => position)).toEqual([6, 5]);
  });
});
