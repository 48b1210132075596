import { expect, test } from 'vitest';
import { spokenLanguage } from '../../src/carriers/spoken-language.ts';

test.each([
  ['de', 'de-DE'],
  ['en', 'en-US'],
  ['es', 'es-ES'],
  ['fr', 'fr-FR'],
  ['ja', 'ja-JP'],
  ['pt', 'pt-BR'],
  ['sv', 'sv-SE'],
  ['fil', 'fil-PH'],
  ['zh', 'zh-CN'],
  ['zh-Hant', 'zh-TW'],
  ['no', 'nb-NO'],
  ['DE', 'de-DE'],
])('a language without a region, %s, is told to a carrier as %s', (tag, told) => {
  expect(spokenLanguage(tag)).toBe(told);
});

test.each([
  ['de-AT', 'de-AT'],
  ['en-gb', 'en-GB'],
  ['es-419', 'es-419'],
  ['zh-Hans-HK', 'zh-HK'],
  ['no-NO', 'nb-NO'],
])('a region stays: %s is told as %s', (tag, told) => {
  expect(spokenLanguage(tag)).toBe(told);
});

test.each(['xx', 'de-toolongsubtag1', 'en-x'])(
  '%s, which nobody knows, is told as it is',
  (tag) => {
    expect(spokenLanguage(tag)).toBe(tag);
  },
);
