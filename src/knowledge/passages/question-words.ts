import { stem } from 'porter2';
import asking from './asking-words.json' with { type: 'json' };
import english from './english.json' with { type: 'json' };
import { whole, wordsIn } from './phrases.ts';
import { isTooShort, splitWords, type Side } from './split-words.ts';

/**
 * The words of a text as they are indexed and searched. PostgreSQL's parser would keep addresses,
 * paths and signed numbers whole, but questions write them differently. So only letters and digits
 * are words, and `10kg` is `10 kg`: texts and questions are cut alike.
 */

/** A sentence with the marks at its end, in any script. */
const SENTENCES =
  /[^.!?\n\u037e\u055e\u061f\u0964\u1362\u1367\u3002\uff01\uff1f]+[.!?\n\u037e\u055e\u061f\u0964\u1362\u1367\u3002\uff01\uff1f]*/gu;
/** The mark of Greek is mostly typed as a semicolon. */
const QUESTION_MARK = String.raw`[?\u037e\u055e\u061f\u1367\uff1f]|;(?<=\p{sc=Greek}\s*;)`;
const WITHIN = new RegExp(QUESTION_MARK, 'u');
const AT_END = new RegExp(String.raw`(?:${QUESTION_MARK})\s*$`, 'u');

/** Whether there is a question mark in a text, in any script. */
export function hasQuestionMark(text: string): boolean {
  return WITHIN.test(text);
}

/** Whether a text ends with one. */
export function endsAsQuestion(text: string): boolean {
  return AT_END.test(text);
}

/** Longer ones are no words; a tsvector refuses those above 2 KB. */
const WORD_CHARS_MAX = 64;
/** Of the question, and of the text around it. Bounds the work of one search. */
const QUESTION_WORDS_MAX = 24;
const SENTENCE_WORDS_MAX = 64;
/** A longer message asks near its beginning, or it is no question. */
const MESSAGE_CHARS_MAX = 4_000;

/** Words in lower case without accents, separated by spaces, as the index has them. */
export function searchableText(text: string): string {
  return wordsOf(text, 'indexed').join(' ');
}

/** The same, as a question has them: without what the index has beside the words of the text. */
export function sentenceText(text: string): string {
  return wordsOf(text, 'asked').join(' ');
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
  const sentences = text.match(SENTENCES) ?? [];
  const questions = sentences.filter(hasQuestionMark).join(' ');
  const story = sentences.filter((one) => !hasQuestionMark(one)).join(' ');
  const asking = [questions, story].find(saysWhat) ?? text;
  const question = significantWords(asking).slice(0, QUESTION_WORDS_MAX);
  const sentence = wordsOf(asking, 'asked').slice(0, SENTENCE_WORDS_MAX);
  const context = all.filter((word) => !question.includes(word)).slice(0, QUESTION_WORDS_MAX);
  return { question: question.join(' '), context: context.join(' '), sentence: sentence.join(' ') };
}

/** The words of a text without those that say nothing; '' when there are no others. */
export function questionText(text: string): string {
  return significantWords(text.slice(0, MESSAGE_CHARS_MAX)).join(' ');
}

function significantWords(text: string): string[] {
  const words = wordsOf(text, 'asked');
  const emptyHere = emptyWordsAmong(words);
  const isEmpty = (word: string, at: number): boolean =>
    isEmptyWord(word, words[at - 1]) || emptyHere.has(word);
  return [...new Set(words.filter((word, at) => !isEmpty(word, at)))];
}

/**
 * Returns the words that say nothing in the language of a question: the empty words of its script, and in Latin letters
 * those of the language that most of the words belong to, if it has more of them than English.
 */
function emptyWordsAmong(words: readonly string[]): ReadonlySet<string> {
  const { ofScripts, telling } = (otherEmptyWords ??= readOtherEmptyWords());
  const counts = new Map<ReadonlySet<string>, number>();
  let english = 0;
  for (const word of words) {
    if (EMPTY_WORDS.has(word)) english += 1;
    for (const empty of telling.get(word) ?? []) counts.set(empty, (counts.get(empty) ?? 0) + 1);
  }
  if (counts.size === 0) return ofScripts;
  const most = Math.max(...counts.values());
  if (most <= english) return ofScripts;
  const likely = [...counts.keys()].filter((empty) => counts.get(empty) === most);
  return new Set([ofScripts, ...likely].flatMap((one) => [...one]));
}

function wordsOf(text: string, side: Side): string[] {
  return splitWords(text, side)
    .filter((word) => word.length <= WORD_CHARS_MAX)
    .map((word) => IRREGULAR.get(word) ?? word);
}

/** Whether a text says what it is about: "can you check?" does not. */
function saysWhat(text: string): boolean {
  return significantWords(text).some(
    (word) => !POINTING_WORDS.has(word) && !/^\p{sc=Hiragana}+$/u.test(word),
  );
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
  return isTooShort(unknown) || SOUNDS.test(unknown) || HURRIED.has(unknown);
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

/** The empty words of other languages than English. */
type OtherEmptyWords = {
  /** Empty words of all languages that have a script of their own. */
  ofScripts: ReadonlySet<string>;
  /** Words that tell that a question is not English, each with the empty words of the languages it may be in. */
  telling: ReadonlyMap<string, ReadonlySet<string>[]>;
};

/** Read for the first question: a process that answers none starts without them. */
let otherEmptyWords: OtherEmptyWords | undefined;

function readOtherEmptyWords(): OtherEmptyWords {
  const { latin, alsoEnglish, koreanEndings: _, ...scripts } = asking;
  return {
    ofScripts: emptyOf(Object.values(scripts).flat()),
    telling: tellingOf(Object.values(latin).map(emptyOf), wordsIn(alsoEnglish)),
  };
}

function tellingOf(
  languages: readonly ReadonlySet<string>[],
  alsoEnglish: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>[]> {
  const telling = new Map<string, ReadonlySet<string>[]>();
  for (const empty of languages) {
    for (const word of empty) {
      if (!alsoEnglish.has(word)) telling.set(word, [...(telling.get(word) ?? []), empty]);
    }
  }
  return telling;
}

/** The words in the form that they have in a question. Chinese and Japanese ones are whole words of the dictionary. */
function emptyOf(lines: readonly string[]): Set<string> {
  return new Set([...wordsIn(lines), ...wordsOf(lines.join(' '), 'asked')]);
}

/** Whether a stem is of a word that says nothing by itself. */
export function isEmptyStem(stemmed: string): boolean {
  emptyStems ??= new Set([...EMPTY_WORDS].map((word) => stem(word)));
  return emptyStems.has(stemmed);
}

let emptyStems: ReadonlySet<string> | undefined;
