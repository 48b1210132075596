import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../../src/conversations/turns/languages/frames.ts';
import {
  asksForHumanIn,
  LANGUAGE_FILES,
} from '../../../../src/conversations/turns/languages/languages.ts';
import { createCorrect } from '../../../../src/conversations/turns/languages/misspelled.ts';
import { readUserTurn, wantsHuman } from '../../../../src/conversations/turns/read-user-turn.ts';
import { measureWishes, readWishes } from '../../../language/turns.ts';

/** Sentences of our own. Those of held-out were written before the rules and never looked at for them. */
const invented = (name: string) =>
  readWishes(path.resolve(import.meta.dirname, '../../../language/invented', name))!;

describe('who asks for a human is heard', () => {
  test('of the sentences the rules were worked on with, nearly all, and nobody else', () => {
    const { recall, madeUp } = measureWishes(invented('worked-on'));
    expect(recall).toBeGreaterThan(0.97);
    expect(madeUp).toEqual([]);
  });

  test('of sentences that were held out', () => {
    const { recall, falseAlarms } = measureWishes(invented('held-out'));
    expect(recall).toBeGreaterThan(0.92);
    expect(falseAlarms).toBeLessThan(0.005);
  });

  test.each(['I want to tlak to a persom', 'human agnet pleese', 'coonect me to a represntative'])(
    'with a wrong letter: %s',
    (text) => expect(wantsHuman(text)).toBe(true),
  );

  test('in German, where the agent speaks it', () => {
    const { missed, madeUp } = measureWishes(invented('german'), 'de-AT');
    expect({ missed, madeUp }).toEqual({ missed: [], madeUp: [] });
    expect(readUserTurn('Mitarbeiter bitte', 'de').wantsHuman).toBe(true);
    expect(readUserTurn('Mitarbeiter bitte').wantsHuman).toBe(false);
  });

  test.each([undefined, 'en', 'en-GB', 'EN', 'pt-BR', 'constructor'])(
    'for the language %s in English',
    (language) => expect(wantsHuman('I want to talk to a human', language)).toBe(true),
  );

  // Without a bound on its work this would not end.
  test('of a message of 100,000 characters too', () => {
    const text = 'I would like to know whether I can really please just maybe '.repeat(1_700);
    expect(wantsHuman(text)).toBe(false);
  });
});

test('a word of more than 40 letters is no misspelling', () => {
  const known = new Set(['a'.repeat(40), 'b'.repeat(41)]);
  const correct = createCorrect(known, []);
  expect(correct(`${'a'.repeat(39)}x`)).toBe('a'.repeat(40));
  expect(correct(`${'b'.repeat(40)}x`)).toBe(`${'b'.repeat(40)}x`);
});

describe.each(LANGUAGE_FILES)('the file of $language', (file) => {
  test('has the shape of the English one', () => {
    const english = LANGUAGE_FILES.find(({ language }) => language === 'en')!;
    expect(Object.keys(file).sort()).toEqual(Object.keys(english).sort());
    for (const slot of ['i', 'polite', 'adverb', 'person', 'people', 'reach', 'bot']) {
      expect(file.slots).toHaveProperty(slot);
    }
  });

  test('names each slot that it has, and has each that it names', () => {
    const lines = [...file.asked, ...file.notAsked, ...Object.values(file.slots).flat()];
    const named = lines.flatMap((line) => [...line.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(new Set(Object.keys(file.slots)));
  });

  test('writes words as they are compared: in lower case, without signs', () => {
    for (const word of wordsOf([...file.asked, ...file.notAsked], file.slots)) {
      expect(word).toBe(word.toLowerCase().normalize('NFC'));
    }
    expect(asksForHumanIn(file.language)('')).toBe(false);
  });
});
