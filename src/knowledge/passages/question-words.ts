import { stem } from 'porter2';
import asking from './asking-words.json' with { type: 'json' };
import english from './english.json' with { type: 'json' };
import { whole, wordsIn } from './phrases.ts';
import { isTooShort, splitWords, type Side } from './split-words.ts';

/**
 * This module extracts the words of a text for the index and for searches. PostgreSQL's parser would keep addresses,
 * paths and signed numbers whole, but questions write them differently. Therefore only letters and digits form words,
 * and `10kg` becomes `10 kg`. Questions and indexed texts are divided in the same way, except in the scripts listed in
 * split-words.ts.
 */

/** Pattern for a sentence in any script, with its closing punctuation. */
const SENTENCES =
  /[^.!?\n\u037e\u055e\u061f\u0964\u1362\u1367\u3002\uff01\uff1f]+[.!?\n\u037e\u055e\u061f\u0964\u1362\u1367\u3002\uff01\uff1f]*/gu;
/** Pattern for a question mark. The Greek one is usually typed as a semicolon. */
const QUESTION_MARK = String.raw`[?\u037e\u055e\u061f\u1367\uff1f]|;(?<=\p{sc=Greek}\s*;)`;
const WITHIN = new RegExp(QUESTION_MARK, 'u');
const AT_END = new RegExp(String.raw`(?:${QUESTION_MARK})\s*$`, 'u');

/** Returns true if a text contains a question mark of any script. */
export function hasQuestionMark(text: string): boolean {
  return WITHIN.test(text);
}

/** Returns true if a text ends with a question mark. */
export function endsAsQuestion(text: string): boolean {
  return AT_END.test(text);
}

/**
 * Maximum length of a word in characters. Longer strings are ignored: they are rarely words, and a tsvector rejects
 * those above 2 KB.
 */
const WORD_CHARS_MAX = 64;
/**
 * Maximum number of words that are taken from a question, and from its context. The limit bounds the work of one
 * search.
 */
const QUESTION_WORDS_MAX = 24;
const SENTENCE_WORDS_MAX = 64;
/**
 * Maximum number of characters of a message that are read. A longer message usually asks its question near its
 * beginning, or is not a question.
 */
const MESSAGE_CHARS_MAX = 4_000;

/** Returns words in lower case without accents, separated by spaces, as the index stores them. */
export function searchableText(text: string): string {
  return wordsToMatch(text, 'indexed').join(' ');
}

/**
 * Returns the words of a question as `searchableText` does, but without the additional words that `searchableText`
 * returns for the index.
 */
export function sentenceText(text: string): string {
  return wordsToMatch(text, 'asked').join(' ');
}

/** Words as `sentenceText` returns them. A field is '' if there are no words for it. */
export type AskedWords = {
  /** The words to search for. */
  question: string;
  /** Words of the text around the question. */
  context: string;
  /** All words of the question, including stop words. */
  sentence: string;
};

/**
 * Returns the words of a message to search for. If the message contains questions, these are the words of the
 * questions. The rest of the message is their context, which only helps to order the answers. A question such as "can
 * you check?" does not name its subject. If the message has no other question, the rest of the message becomes the
 * question.
 */
export function askedWords(message: string): AskedWords {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const all = significantWords(text);
  const sentences = text.match(SENTENCES) ?? [];
  const questions = sentences.filter(hasQuestionMark).join(' ');
  const story = sentences.filter((one) => !hasQuestionMark(one)).join(' ');
  const asking = [questions, story].find(saysWhat) ?? text;
  const question = significantWords(asking).slice(0, QUESTION_WORDS_MAX);
  const sentence = wordsToMatch(asking, 'asked').slice(0, SENTENCE_WORDS_MAX);
  const context = all.filter((word) => !question.includes(word)).slice(0, QUESTION_WORDS_MAX);
  return { question: question.join(' '), context: context.join(' '), sentence: sentence.join(' ') };
}

/** Returns the words of a text without stop words; '' if the text has only stop words. */
export function questionText(text: string): string {
  return significantWords(text.slice(0, MESSAGE_CHARS_MAX)).join(' ');
}

function significantWords(text: string): string[] {
  const words = wordsToMatch(text, 'asked');
  const emptyHere = emptyWordsAmong(words);
  const isEmpty = (word: string, at: number): boolean =>
    isEmptyWord(word, words[at - 1]) || emptyHere.has(word);
  return [...new Set(words.filter((word, at) => !isEmpty(word, at)))];
}

/**
 * Returns the stop words to remove from a question: those of all non-Latin scripts and, if the question is not in
 * English, those of its language. That language is the one with the most matching words, provided that it has more
 * matches than English.
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

function wordsToMatch(text: string, side: Side): string[] {
  return splitWords(text, side)
    .filter((word) => word.length <= WORD_CHARS_MAX)
    .map((word) => IRREGULAR.get(word) ?? word);
}

/** Returns true if a text names its subject. "can you check?" does not. */
function saysWhat(text: string): boolean {
  return significantWords(text).some(
    (word) => !POINTING_WORDS.has(word) && !/^\p{sc=Hiragana}+$/u.test(word),
  );
}

/** Words that name an action but not its subject, such as "check". */
const POINTING_WORDS = wordsIn(english.pointingWords);

/** Words that belong to the question word before them, as in "how long" and "what time". */
const ASKING_AFTER = new Map(
  Object.entries(english.askingAfter).map(([word, line]) => [word, wordsIn([line])]),
);

function isEmptyWord(word: string, before = ''): boolean {
  return EMPTY_WORDS.has(word) || ASKING_AFTER.get(before)?.has(word) === true;
}

/**
 * Returns true if a word that no passage contains is meaningless: an interjection, one or two letters, or a mistyped
 * question word. Such a question word ("hwo", "teh", "wat") has two letters swapped or an inner letter missing.
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

/**
 * Irregular forms, which no stemmer reduces to the same stem, although a question may use one form and its answer
 * another.
 */
const IRREGULAR = new Map(Object.entries(english.irregular));

/**
 * Words that are common in questions but not in their answers. Includes PostgreSQL's stop words, so that this code
 * recognizes a question that has only stop words.
 */
const EMPTY_WORDS = wordsIn([...english.stopWords, ...english.emptyWords]);

/** Stop words of languages other than English. */
type OtherEmptyWords = {
  /** Stop words of all languages in non-Latin scripts, together. */
  ofScripts: ReadonlySet<string>;
  /**
   * Stop words that are not English words, each with the stop word lists that contain it. Such a word in a question
   * shows that the question is not in English.
   */
  telling: ReadonlyMap<string, ReadonlySet<string>[]>;
};

/** Loaded for the first question, because a process that never answers a question does not need them. */
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

/**
 * Returns stop words in every form in which a question may contain them: as they are listed, and as `wordsToMatch`
 * divides them.
 */
function emptyOf(lines: readonly string[]): Set<string> {
  return new Set([...wordsIn(lines), ...wordsToMatch(lines.join(' '), 'asked')]);
}

/** Returns true if a stem is the stem of a stop word. */
export function isEmptyStem(stemmed: string): boolean {
  emptyStems ??= new Set([...EMPTY_WORDS].map((word) => stem(word)));
  return emptyStems.has(stemmed);
}

let emptyStems: ReadonlySet<string> | undefined;
