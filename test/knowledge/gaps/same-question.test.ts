import { describe, expect, test } from 'vitest';
import { commonWords, likeness } from '../../../src/knowledge/gaps/same-question.ts';

/** Stems of a question, each with its weight. */
const asked = (words: Record<string, number>) =>
  Object.entries(words).map(([stem, weight]) => ({ stem, weight, isKnown: true }));

describe('two questions', () => {
  test('ask the same with another word of the same meaning, which counts less than the word', () => {
    const rent = asked({ rent: 2, bicycl: 2 });
    const inOtherWords = likeness(rent, asked({ hire: 2, bike: 2 }));
    expect(likeness(rent, rent)).toBe(1);
    expect(inOtherWords).toBeGreaterThan(0);
    expect(inOtherWords).toBeLessThan(1);
  });

  test('ask different things when what has no like is as rare as what has', () => {
    expect(likeness(asked({ toilet: 2 }), asked({ bathroom: 2, scale: 2 }))).toBe(0);
    // A word that nobody has asked before weighs more, and is not the rarer one for that.
    const restroom = asked({ restroom: 4, shop: 2 });
    expect(likeness(restroom, asked({ bathroom: 2, scale: 2, shop: 2 }))).toBe(0);
    expect(likeness(asked({ rent: 2, bicycl: 2 }), asked({ hire: 2, car: 2 }))).toBe(0);
    // However much else they have in common.
    const long = { deliver: 2, order: 2, express: 2, morn: 2 };
    expect(likeness(asked({ ...long, norway: 2 }), asked({ ...long, sweden: 2 }))).toBe(0);
    expect(likeness(asked({ ...long, norway: 1 }), asked({ ...long, sweden: 1 }))).toBeGreaterThan(
      0,
    );
  });

  test('ask different things when they name different numbers, be these as common as can be', () => {
    const helmet = { helmet: 2, size: 2 };
    expect(likeness(asked({ ...helmet, '42': 0.5 }), asked({ ...helmet, '43': 0.5 }))).toBe(0);
    expect(likeness(asked({ ...helmet, '42': 0.5 }), asked(helmet))).toBe(0);
    expect(likeness(asked({ '42': 2, ...helmet }), asked({ ...helmet, '42': 2 }))).toBe(1);
  });
});

describe('two words are one', () => {
  test.each<[string, string, boolean]>([
    ['helmet', 'helmet', true],
    ['helmet', 'shop', false],
    // Two words with the same root.
    ['pay', 'payment', true],
    ['payment', 'pay', true],
    ['de', 'deal', false],
    ['pay', 'paypal', false],
    ['pay', 'repayment', false],
    // A letter left out, or two swapped.
    ['bicyc', 'biycc', true],
    ['bicycl', 'biccycl', true],
    ['bicyc', 'bicyck', true],
    ['boot', 'boots', false],
    ['gambia', 'zambia', false],
    ['ambia', 'zambia', false],
    ['helmet', 'helmetxx', false],
    ['shirt', 'short', false],
    ['abcd1', 'abc1d', false],
  ])('%s and %s: %s', (one, other, are) => {
    expect(commonWords([one], [other])).toBe(are ? 1 : 0);
  });

  test('a word that a passage has is typed right', () => {
    const word = (stem: string, isKnown: boolean) => [{ stem, weight: 1, isKnown }];
    const alike = (isKnown: boolean, isOtherKnown: boolean): boolean =>
      likeness(word('bicyc', isKnown), word('biycc', isOtherKnown)) > 0;
    expect([
      alike(true, true),
      alike(true, false),
      alike(false, true),
      alike(false, false),
    ]).toEqual([false, true, true, true]);
  });

  test('once each', () => {
    expect(commonWords(['a', 'a'], ['a'])).toBe(1);
    expect(commonWords(['pay', 'payment'], ['payment', 'pay'])).toBe(2);
    expect(commonWords([], ['a'])).toBe(0);
  });
});

describe('what one question has alone', () => {
  const common = { a: 2, b: 2 };

  test('may weigh almost as much as what both have, and less if the other has such a word too', () => {
    const more = asked({ ...common, c: 1.5 });
    expect(likeness(more, asked(common))).toBeGreaterThan(0);
    expect(likeness(asked(common), more)).toBeGreaterThan(0);
    expect(likeness(more, asked({ ...common, d: 1.5 }))).toBe(0);
    expect(likeness(asked({ ...common, c: 1.2 }), asked({ ...common, d: 1.2 }))).toBeGreaterThan(0);
  });

  test('leaves seven tenths in common', () => {
    expect(likeness(asked({ a: 3.5, b: 3 }), asked({ a: 3.5 }))).toBe(0.7);
    expect(likeness(asked({ a: 3.5, b: 3.1 }), asked({ a: 3.5 }))).toBe(0);
  });

  test('is no ending of another word, nor a letter more of one', () => {
    expect(commonWords(['pay'], ['payment'])).toBe(1);
    expect(commonWords(['pay'], ['canment'])).toBe(0);
    expect(commonWords(['helmet'], ['hexxxxx'])).toBe(0);
  });
});
