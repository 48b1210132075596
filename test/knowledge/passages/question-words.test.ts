import { describe, expect, test } from 'vitest';
import { rankPassages, termsOf, type Term } from '../../../src/knowledge/passages/rank-passages.ts';
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
      sentence: 'is a refund possible',
    });
  });

  test('of a question that says nothing by itself, the story is what is asked', () => {
    expect(askedWords('My invoice is wrong. What can you do about it?').question).toBe(
      'invoice wrong',
    );
  });

  test.each([
    ['My parcel has not moved for a week. Can you help me check?', 'parcel moved week'],
    ['Can you check the parcel? It has not moved.', 'check parcel'],
    ['What time can we check in?', 'check'],
  ])('a question that only points at the story leaves it to the story: %j', (message, question) => {
    expect(askedWords(message).question).toBe(question);
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
  const OWNER = '018f0000-0000-7000-8000-00000000000a';
  /** The list of one owner, each posting with the same impact unless it is said. */
  const listOf = (all: readonly (number | [number, number])[], owner = OWNER): Buffer => {
    const place = (at: number): number[] => [21, 14, 7, 0].map((bits) => (at >> bits) & 127);
    const postings = all.map((one) => {
      const [position, impact] = typeof one === 'number' ? [one, 64] : one;
      return Buffer.from([...place(position), impact]);
    });
    const head = Buffer.from([...Buffer.from(`${owner}s`), ...place(all.length)]);
    return Buffer.concat([head, ...postings]);
  };
  type Asked = { lexeme: string; df: number; lists: Buffer; counts?: boolean };
  const termsOfAll = (passages: number, all: readonly Asked[]): Term[] =>
    termsOf(
      all.map(({ lexeme, counts = true }, term) => ({ term, word: lexeme, counts, closeness: 1 })),
      {
        passages,
        stopped: [],
        asked: all.map(({ lexeme }, term) => ({ term, lexeme })),
        meant: all.map(({ lexeme }, term) => ({ term, lexeme, closeness: 1 })),
        lexemes: all,
      },
    );

  test('a rare word says more than two frequent ones, and all three say most', () => {
    const terms = termsOfAll(100, [
      { lexeme: 'rare', df: 2, lists: listOf([1_000_000, 1_000_007]) },
      { lexeme: 'often', df: 60, lists: listOf([1_000_003, 1_000_007]) },
      { lexeme: 'ever', df: 60, lists: listOf([1_000_003, 1_000_007]) },
    ]);
    const order = rankPassages(terms, { limit: 10, answers: 0 }).best.map(
      ({ position }) => position - 1_000_000,
    );
    expect(order).toEqual([7, 0, 3]);
  });

  test('of thousands with the same word, the one that has the others too comes first', () => {
    const all = Array.from({ length: 5_000 }, (_, at) => at);
    const terms = termsOfAll(10_000, [
      { lexeme: 'many', df: 5_000, lists: listOf(all) },
      { lexeme: 'other', df: 2, lists: listOf([4_321, 9_999]) },
    ]);
    expect(rankPassages(terms, { limit: 3, answers: 0 }).best[0]).toMatchObject({
      ownerId: OWNER,
      position: 4_321,
    });
    expect(rankPassages(terms, { limit: 3, answers: 0 }).best).toHaveLength(3);
  });

  test('what stands around a question finds nothing by itself', () => {
    const terms = termsOfAll(100, [
      { counts: false, lexeme: 'leg', df: 1, lists: listOf([4]) },
      { lexeme: 'refund', df: 2, lists: listOf([5, 6]) },
      { counts: false, lexeme: 'friday', df: 1, lists: listOf([6]) },
    ]);
    expect(
      rankPassages(terms, { limit: 10, answers: 0 }).best.map(({ position }) => position),
    ).toEqual([6, 5]);
  });

  test('of passages with the same words, the one that is more about them comes first', () => {
    const lists = listOf([
      [5, 10],
      [6, 120],
      [7, 60],
    ]);
    const terms = termsOfAll(100, [{ lexeme: 'refund', df: 3, lists }]);
    expect(
      rankPassages(terms, { limit: 10, answers: 0 }).best.map(({ position }) => position),
    ).toEqual([6, 7, 5]);
  });

  test('places of several owners are not mixed up, also when their positions are not in order', () => {
    const other = OWNER.replace(/a$/, 'b');
    const lists = Buffer.concat([listOf([9, [3, 100], 70_000]), listOf([[3, 120], 1], other)]);
    const terms = termsOfAll(100, [
      { lexeme: 'refund', df: 5, lists },
      { lexeme: 'card', df: 1, lists: listOf([1], other) },
    ]);
    const ranked = rankPassages(terms, { limit: 10, answers: 0 }).best.map(
      ({ ownerId, position }) => [ownerId, position],
    );
    expect(ranked).toEqual([
      [other, 1],
      [other, 3],
      [OWNER, 3],
      [OWNER, 9],
      [OWNER, 70_000],
    ]);
  });

  test('a word in two ways is one word: a passage that has both has it once', () => {
    const terms = termsOf([{ term: 0, word: 'dog', counts: true, closeness: 1 }], {
      passages: 100,
      stopped: [],
      asked: [{ term: 0, lexeme: 'dog' }],
      meant: [
        { term: 0, lexeme: 'hound', closeness: 0.5 },
        { term: 0, lexeme: 'dog', closeness: 1 },
      ],
      lexemes: [
        { lexeme: 'dog', df: 2, lists: listOf([1, 2]) },
        { lexeme: 'hound', df: 2, lists: listOf([2, 3]) },
      ],
    });
    const [{ weight }] = terms as [Term];
    const { best } = rankPassages(terms, { limit: 10, answers: 0 });
    const about = new Map(best.map((one) => [one.position, one.about / weight]));
    expect(about.get(2)).toBe(about.get(1));
    expect(about.get(3)! / about.get(1)!).toBeCloseTo(0.5);
  });

  const oneWord = { term: 0, word: 'x', counts: true, closeness: 1 };
  const none = { passages: 9, stopped: [], asked: [], meant: [], lexemes: [] };

  test('a word without a stem is left out, and so is noise that no passage has', () => {
    expect(termsOf([oneWord], none)).toEqual([]);
    expect(termsOf([oneWord], { ...none, asked: [{ term: 0, lexeme: 'hmm' }] })).toEqual([]);
  });

  test('a word that says nothing elsewhere counts where a passage has it', () => {
    const asked = [{ term: 0, lexeme: 'die' }];
    const meant = [{ term: 0, lexeme: 'die', closeness: 1 }];
    const lexemes = [{ lexeme: 'die', df: 1, lists: listOf([1]) }];
    expect(termsOf([oneWord], { ...none, stopped: [0], asked, meant, lexemes })).toHaveLength(1);
  });

  test('of two words with one stem the first is asked', () => {
    const words = [oneWord, { term: 1, word: 'y', counts: false, closeness: 1 }];
    const asked = [0, 1].map((term) => ({ term, lexeme: 'tent' }));
    expect(termsOf(words, { ...none, asked })).toMatchObject([{ counts: true }]);
  });

  test('answers to gaps are ranked by themselves too', () => {
    const answers = OWNER.replace(/a$/, 'b');
    const list = listOf([1, 2], answers);
    list[36] = 'a'.charCodeAt(0);
    const lists = Buffer.concat([listOf([3, 4]), list]);
    const ranked = rankPassages(termsOfAll(9, [{ lexeme: 'refund', df: 4, lists }]), {
      limit: 9,
      answers: 1,
    });
    expect(ranked.best).toHaveLength(4);
    expect(ranked.answers).toMatchObject([{ ownerId: answers, position: 1 }]);
  });

  test('a word that says nothing in one of the languages is none when no passage has it', () => {
    const postings = { passages: 9, asked: [{ term: 0, lexeme: 'die' }], meant: [], lexemes: [] };
    const words = [{ term: 0, word: 'die', counts: true, closeness: 1 }];
    expect(termsOf(words, { ...postings, stopped: [0] })).toEqual([]);
    expect(termsOf(words, { ...postings, stopped: [] })).toHaveLength(1);
  });
});
