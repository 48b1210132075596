import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SENTENCES } from '../../../src/conversations/sentences/sentences.ts';
import { readUserTurn } from '../../../src/conversations/turns/read-user-turn.ts';
import { askedWords } from '../../../src/knowledge/passages/question-words.ts';

/**
 * How everything that is said or asked in the two corpora is understood, line by line: who changes
 * a phrase in english.json sees here what else it changes, and edits understood.txt where that is
 * right. Whether it is right is judged elsewhere (twenty-conversations, knowledge-search).
 */

const HERE = import.meta.dirname;
const corpus = (file: string): unknown =>
  parse(readFileSync(path.resolve(HERE, file), 'utf8')) as unknown;

const said = [
  ...textsAt(corpus('../conversations.yaml'), 'say'),
  ...textsAt(corpus('../../knowledge/passages/retrieval.yaml'), 'ask'),
];

test('all of both corpora is understood as before', () => {
  expect(said.length).toBeGreaterThan(150);
  const kept = readFileSync(path.join(HERE, 'understood.txt'), 'utf8').trimEnd().split('\n');
  expect(said.map(understood)).toEqual(kept);
});

test('phrases say of which language they are', () => {
  const src = path.resolve(HERE, '../../../src');
  const data = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.json') && !/^(dashboard|roles|widget)\//.test(file),
  );
  for (const file of data) {
    const phrases = corpus(path.join(src, file));
    // By language, of the words by which one is told from the other.
    if (path.basename(file) === 'function-words.json') {
      for (const language of ['de', 'en', 'fr']) expect(phrases).toHaveProperty(language);
    } else if (path.basename(file) === 'asking-words.json') {
      // Compares by script, since a word of another script cannot be English.
      for (const language of ['zh', 'th', 'latin.de']) expect(phrases).toHaveProperty(language);
    } else if (path.basename(file) === 'feedback-words.json') {
      // What is said to users beside an agent's words, the same in each.
      const [english, german] = ['en', 'de'].map((one) => Object.keys(Object(phrases)[one]));
      expect(german).toEqual(english);
    } else if (path.basename(path.dirname(file)) === 'sentences') {
      const codes = Object.keys(SENTENCES).map((code) => code.toLowerCase());
      expect(codes).toContain(path.basename(file, '.json'));
    } else if (path.basename(path.dirname(file)) === 'languages') {
      expect(phrases).toHaveProperty('language', path.basename(file, '.json'));
    } else {
      expect(path.basename(file)).toBe('english.json');
      expect(phrases).toHaveProperty('language', 'en');
    }
  }
  expect(data.length).toBeGreaterThan(3);
});

/** All strings that stand under this key, wherever. */
function textsAt(value: unknown, key: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : textsAt(inner, key),
  );
}

function understood(text: string): string {
  const { question, query, mood, words, smallTalk, ...is } = readUserTurn(text);
  const { question: asked, context } = askedWords(query);
  const flags = Object.entries(is).flatMap(([name, holds]) => (holds ? [name] : []));
  return [
    JSON.stringify(text),
    ...(question === text ? [] : [`asks ${JSON.stringify(question)}`]),
    ...(smallTalk === undefined ? [] : [smallTalk]),
    ...flags,
    `mood ${mood}`,
    ...(words.length === 0 ? [] : [`stems ${words.join(' ')}`]),
    ...(asked === '' ? [] : [`finds ${asked}`]),
    ...(context === '' ? [] : [`around ${context}`]),
  ].join(' | ');
}
