import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileOf, loadWords, type Words } from '../../packages/widget/src/words/words.ts';

/** The texts of the widget, in each language that it has. */

const FOLDER = path.resolve(import.meta.dirname, '../../packages/widget/src/words/languages');
const LANGUAGES = readdirSync(FOLDER).map((name) => path.basename(name, '.ts'));
const FILES = Object.fromEntries(LANGUAGES.map((name) => [name, path.join(FOLDER, `${name}.ts`)]));

/** Maps the path of each key to its text. Functions are called with the name Ada. */
function texts(words: Words): [string, string][] {
  return Object.entries(words).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'string') return [[key, value]];
    if (typeof value === 'function') return [[key, value('Ada')]];
    return Object.entries(value).map(([code, text]) => [`errors.${code}`, text]);
  });
}

test.each(LANGUAGES)('%s says all that English says, in its own words', async (language) => {
  const english = texts(await loadWords('en', FILES));
  const words = await loadWords(language, FILES);
  expect(texts(words).map(([key]) => key)).toEqual(english.map(([key]) => key));
  expect(words.lang.toLowerCase()).toBe(language);
  expect(words.dir).toBe(language === 'ar' ? 'rtl' : 'ltr');
  expect(words.open('Ada')).toContain('Ada');
  expect(words.welcome('Ada')).toContain('Ada');
  const same = texts(words).filter(
    ([key, text]) => key !== 'dir' && english.some(([one, other]) => one === key && other === text),
  );
  // "Message", "Assistant" and "Conversation" are French words, too, and "Send" is Danish.
  expect(
    same.filter(([, text]) => !['Message', 'Assistant', 'Conversation', 'Send'].includes(text)),
  ).toEqual([]);
});

test.each([
  ['fr', 'fr'],
  ['fr-CA', 'fr'],
  ['pt_BR', 'pt'],
  ['ZH-Hans-CN', 'zh'],
  ['zh-TW', 'zh-tw'],
  ['zh-Hant-HK', 'zh-tw'],
  ['ar-EG', 'ar'],
  ['en-GB', undefined],
  ['cy', undefined],
  ['french', undefined],
  ['', undefined],
  ['constructor', undefined],
])('a page in %j has the file of %s', (language, name) => {
  expect(fileOf(language, FILES)).toBe(name && FILES[name]);
});

test('where a file does not load, it is English, and says so', async () => {
  expect((await loadWords('fr', { fr: '/nowhere.js' })).lang).toBe('en');
});
