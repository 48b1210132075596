import { stem } from 'porter2';
import english from './english.json' with { type: 'json' };
import { whole, wordsIn } from './phrases.ts';

/**
 * The words of a text as they are indexed and searched. PostgreSQL's parser would keep addresses,
 * paths and signed numbers whole, but questions write them differently. So only letters and digits
 * are words, and `10kg` is `10 kg`: texts and questions are cut alike.
 */

/** Longer ones are no words; a tsvector refuses those above 2 KB. */
const WORD_CHARS_MAX = 64;
/** Of the question, and of the text around it. Bounds the work of one search. */
const QUESTION_WORDS_MAX = 24;
const SENTENCE_WORDS_MAX = 64;
/** A longer message asks near its beginning, or it is no question. */
const MESSAGE_CHARS_MAX = 4_000;

/** Words in lower case without accents, separated by spaces. */
export function searchableText(text: string): string {
  return wordsOf(text).join(' ');
}

/** In words as `searchableText` returns them; '' for none. */
export type AskedWords = {
  /** What is looked for. */
  question: string;
  /** The text around it. */
  context: string;
  /** All words of the question, also those that say nothing by themselves. */
  sentence: string;
};

/**
 * The words of a message that may be found in an answer. Of a long story that ends in a question
 * only the question needs an answer; the story helps to order the answers. But a question such as "can you
 * check?" only points at the story: then the story is the question.
 */
export function askedWords(message: string): AskedWords {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const all = significantWords(text);
  const sentences = text.match(/[^.!?\n]+[.!?\n]*/gu) ?? [];
  const questions = sentences.filter((one) => one.includes('?')).join(' ');
  const story = sentences.filter((one) => !one.includes('?')).join(' ');
  const asking = [questions, story].find(saysWhat) ?? text;
  const question = significantWords(asking).slice(0, QUESTION_WORDS_MAX);
  const sentence = wordsOf(asking).slice(0, SENTENCE_WORDS_MAX);
  const context = all.filter((word) => !question.includes(word)).slice(0, QUESTION_WORDS_MAX);
  return { question: question.join(' '), context: context.join(' '), sentence: sentence.join(' ') };
}

/** The words of a text without those that say nothing; '' when there are no others. */
export function questionText(text: string): string {
  return significantWords(text.slice(0, MESSAGE_CHARS_MAX)).join(' ');
}

function significantWords(text: string): string[] {
  const words = wordsOf(text);
  return [...new Set(words.filter((word, at) => !isEmptyWord(word, words[at - 1])))];
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  // Wi-Fi, e-mail, t-shirt: as often written in one word.
  const joined = plain.replaceAll(/(?<!\p{L})(\p{L}{1,2})[-\u2010\u2011](?=\p{L}{2})/gu, '$1');
  const words = joined.match(/\p{L}+|\p{N}+/gu) ?? [];
  return words
    .filter((word) => word.length <= WORD_CHARS_MAX)
    .map((word) => IRREGULAR.get(word) ?? word);
}

/** Whether a text says what it is about: "can you check?" does not. */
function saysWhat(text: string): boolean {
  return significantWords(text).some((word) => !POINTING_WORDS.has(word));
}

/** They tell what to do about something, and not about what. */
const POINTING_WORDS = wordsIn(english.pointingWords);

/** "How long", "what time": the second word is part of the asking. */
const ASKING_AFTER = new Map(
  Object.entries(english.askingAfter).map(([word, line]) => [word, wordsIn([line])]),
);

function isEmptyWord(word: string, before = ''): boolean {
  return EMPTY_WORDS.has(word) || ASKING_AFTER.get(before)?.has(word) === true;
}

/**
 * Whether a word that is in no passage says nothing about the question: a sound, a letter or two,
 * or a question word typed in a hurry ("hwo", "teh", "wat"), with two letters swapped or an inner
 * one left out.
 */
export function isNoise(unknown: string): boolean {
  return unknown.length <= 2 || SOUNDS.test(unknown) || HURRIED.has(unknown);
}

const SOUNDS = whole(english.sounds);

const HURRIED = new Set(
  [...wordsIn(english.questionWords)].flatMap((word) => [
    ...Array.from({ length: word.length - 1 }, (_, at) => swap(word, at)),
    ...Array.from(
      { length: word.length - 2 },
      (_, at) => word.slice(0, at + 1) + word.slice(at + 2),
    ),
  ]),
);

function swap(word: string, at: number): string {
  return word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2);
}

/** Forms that no stemmer unites: a question has the one, its answer the other. */
const IRREGULAR = new Map(Object.entries(english.irregular));

/**
 * Words around questions that answers do not repeat, with PostgreSQL's own stop words, so that a
 * question of nothing else is recognized here.
 */
const EMPTY_WORDS = wordsIn([...english.stopWords, ...english.emptyWords]);

/** Whether a stem is of a word that says nothing by itself. */
export function isEmptyStem(stemmed: string): boolean {
  return EMPTY_STEMS.has(stemmed);
}

const EMPTY_STEMS = new Set([...EMPTY_WORDS].map((word) => stem(word)));
