import { expect, test } from 'vitest';
import { readEmbeddings } from '../../../src/models/embeddings/read-embeddings.ts';

/** What an answer with embeddings may be, at its limits. */

const one = (embedding: unknown, index?: number) => ({ embedding, index });
const vectors = (data: unknown, texts = 1): number[][] =>
  readEmbeddings({ data }, texts).vectors.map((vector) => [...vector]);

test.each([
  [8_192, true],
  [8_193, false],
])('a vector of %i numbers is read: %s', (length, isRead) => {
  const read = () => vectors([one(Array.from({ length }, () => 1))]);
  if (isRead) expect(read()[0]).toHaveLength(length);
  else expect(read).toThrow(`an embedding of ${length} numbers`);
});

test.each([
  ['no numbers', [one([])], /of 0 numbers/],
  ['no list', [one(7)], /of 0 numbers/],
  ['only zeros', [one([0, 0])], /length is zero or infinite/],
  ['what is no number', [one([1, 'x'])], /length is zero or infinite/],
  ['half a number', [one('AAAA')], /incomplete number/],
  ['a text too many', [one([1]), one([1])], /2 embeddings for 1 texts/],
  ['a place that is not there', [one([1], 1)], /two embeddings for one text/],
  ['no list of embeddings', null, /without embeddings/],
])('an answer with %s is refused', (_, data, message) => {
  expect(() => vectors(data)).toThrow(message);
});

test('each text has one vector at its place, all equally long', () => {
  expect(vectors([one([2], 1), one([-2], 0)], 2)).toEqual([[-1], [1]]);
  expect(() => vectors([one([1], 0), one([1], 0)], 2)).toThrow(/two embeddings/);
  expect(() => vectors([one([1]), one([1, 1])], 2)).toThrow(/different lengths/);
});

test.each([
  [0, 0],
  [3, 3],
  [-1, null],
  ['3', null],
  [undefined, null],
])('%j tokens are reported as %j', (told, tokens) => {
  const usage = { prompt_tokens: told };
  expect(readEmbeddings({ data: [one([1])], usage }, 1).tokens).toBe(tokens);
});
