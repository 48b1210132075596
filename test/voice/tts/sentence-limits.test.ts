import { expect, test } from 'vitest';
import { createSentences, PIECE_CHARS_MAX } from '../../../src/voice/tts/sentences.ts';

/** The limits of pieces: exactly at each, and one character beyond. */

function cut(text: string): string[] {
  const sentences = createSentences();
  return [...sentences.push(text), ...sentences.end()];
}

/** A text without spaces and signs. */
const word = (chars: number): string => 'a'.repeat(chars);

test('a sentence of twelve characters is a piece, and one of eleven is spoken with the next', () => {
  expect(cut('We are home. Then we go.')).toEqual(['We are home.', 'Then we go.']);
  expect(cut('We do that. Then we go.')).toEqual(['We do that. Then we go.']);
});

test('marks without a word are spoken with what follows', () => {
  expect(cut(`${'.'.repeat(12)} And so it went on.`)).toEqual([
    `${'.'.repeat(12)} And so it went on.`,
  ]);
});

test('a first clause has at least 24 characters', () => {
  expect(createSentences().push(`${word(23)}, and`)).toEqual([`${word(23)},`]);
  expect(createSentences().push(`${word(22)}, and`)).toEqual([]);
});

test('a first clause holds a word and is followed by white space', () => {
  expect(createSentences().push(`${'*'.repeat(30)}, and`)).toEqual([]);
  expect(createSentences().push(`${word(30)},and`)).toEqual([]);
});

test('a sentence that ends before the first clause is the first piece', () => {
  expect(createSentences().push('We open at nine. Then we close at five, and')).toEqual([
    'We open at nine.',
  ]);
});

test('a last text of just the bound stays whole', () => {
  const text = `${word(200)} ${word(PIECE_CHARS_MAX - 201)}`;
  expect(cut(text)).toEqual([text]);
  expect(cut(`${text}a`)).toEqual([word(200), word(PIECE_CHARS_MAX - 200)]);
});

test('a text is cut once two characters follow the bound', () => {
  const sentences = createSentences();
  expect(sentences.push(word(PIECE_CHARS_MAX + 1))).toEqual([]);
  expect(sentences.push('a')).toEqual([word(PIECE_CHARS_MAX)]);
  expect(sentences.end()).toEqual(['aa']);
});

test('a sentence that ends at the bound is a piece', () => {
  const sentence = `${word(12)}, ${word(PIECE_CHARS_MAX - 15)}.`;
  expect(cut(`${sentence} Then it goes on.`)).toEqual([sentence, 'Then it goes on.']);
});

test('one character that is longer than the bound is cut at the bound', () => {
  const accents = '\u0301'.repeat(PIECE_CHARS_MAX);
  expect(cut(`a${accents}`).map((piece) => piece.length)).toEqual([PIECE_CHARS_MAX, 1]);
});

test('twenty spaces end a sentence, whatever follows', () => {
  const after = (spaces: number): string[] =>
    cut(`We open at nine.${' '.repeat(spaces)}then we close.`);
  expect(after(20)).toEqual(['We open at nine.', 'then we close.']);
  expect(after(19)).toHaveLength(1);
});

test.each(['…', '...'])('“%s” after an abbreviation ends a sentence', (sign) => {
  expect(cut(`I have to ask Dr${sign} Then we went away.`)).toEqual([
    `I have to ask Dr${sign}`,
    'Then we went away.',
  ]);
});

test('“I” ends a sentence, and other single letters do not', () => {
  expect(cut('Nobody knew it but I. Then we went.')).toEqual([
    'Nobody knew it but I.',
    'Then we went.',
  ]);
  expect(cut('Nobody knew it but J. Then we went.')).toHaveLength(1);
});

test('a number after a word that is no abbreviation begins a sentence', () => {
  expect(cut('That was long ago. 5 of us came.')).toEqual(['That was long ago.', '5 of us came.']);
});

test('a date whose month ends the text is no end of a sentence', () => {
  expect(cut('Wir öffnen wieder am 3. Mai')).toEqual(['Wir öffnen wieder am 3. Mai']);
  expect(cut('Wir öffnen um 9. Mehr nicht')).toEqual(['Wir öffnen um 9.', 'Mehr nicht']);
});
