import { describe, expect, test } from 'vitest';
import { likeness } from '../../../src/knowledge/gaps/same-question.ts';

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
