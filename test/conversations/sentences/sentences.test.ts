import { describe, expect, test } from 'vitest';
import { fillPlaceholders } from '../../../src/conversations/record/fill-placeholders.ts';
import {
  SENTENCES,
  sentenceLanguageOf,
  sentencesIn,
  type Sentence,
} from '../../../src/conversations/sentences/sentences.ts';

/** Parley's own sentences, in the language of the agent. */

const ENGLISH = SENTENCES['en']!;
const KEYS = Object.keys(ENGLISH) as Sentence[];
const OTHERS = Object.keys(SENTENCES).filter((code) => code !== 'en');
/** Scripts that no English sentence is in. */
const SCRIPTS: Record<string, RegExp> = {
  ar: /\p{Script=Arabic}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  uk: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
  'zh-Hant': /\p{Script=Han}/u,
};

test('the sentences are there in nineteen languages, one of them in two scripts', () => {
  expect(Object.keys(SENTENCES).toSorted()).toEqual(
    'ar da de en es fr hi it ja ko nl pl pt ru sv th tr uk zh zh-Hant'.split(' '),
  );
});

describe.each(OTHERS)('%s', (code) => {
  const words = SENTENCES[code]!;

  test('has every sentence, and none of them is English', () => {
    expect(Object.keys(words)).toEqual(KEYS);
    for (const key of KEYS) {
      expect(words[key].trim()).toBe(words[key]);
      expect(words[key]).not.toBe(ENGLISH[key]);
      const script = key.startsWith('onDay') ? undefined : SCRIPTS[code];
      if (script) expect(words[key]).toMatch(script);
    }
  });

  test('has the places of the English ones', () => {
    for (const key of KEYS) {
      if (key === 'onDay') continue;
      expect([key, placesOf(words[key])]).toEqual([key, placesOf(ENGLISH[key])]);
    }
    // A language may name the weekday apart from the day.
    expect([
      ['date', 'time', 'zone'],
      ['day', 'time', 'weekday', 'zone'],
    ]).toContainEqual(placesOf(words.onDay));
  });
});

function placesOf(sentence: string): string[] {
  return [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!).toSorted();
}

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-at', 'de'],
  ['deu', 'de'],
  ['zh-Hant', 'zh-Hant'],
  ['zh-TW', 'zh-Hant'],
  ['zh-Hant-HK', 'zh-Hant'],
  ['zh-CN', 'zh'],
  ['zh', 'zh'],
  ['cmn', 'zh'],
  ['pt-BR', 'pt'],
  ['en-GB', 'en'],
  ['xx', 'en'],
  ['den', 'en'],
  ['constructor', 'en'],
  ['not a tag', 'en'],
  [undefined, 'en'],
])('the tag %s is answered in %s', (tag, code) => {
  expect(sentenceLanguageOf(tag)).toBe(code);
  expect(sentencesIn(tag)).toBe(SENTENCES[code]);
});

test('a place is filled as it stands, also with what looks like one', () => {
  const name = '{{zone}} $& Kim';
  expect(fillPlaceholders(ENGLISH.joined, { name })).toBe(`${name} has joined.`);
});

test('a variable that a text names often is inserted until 256 KiB are reached', () => {
  const name = 'v'.repeat(64 * 1_024);
  expect(fillPlaceholders('{{name}}'.repeat(1_000), { name })).toBe(name.repeat(4));
  expect(fillPlaceholders('{{name}}, {{other}}!', { name: name.repeat(5), other: 'Kim' })).toBe(
    ', Kim!',
  );
});
