import english from './english.json' with { type: 'json' };
import { whole, wordsIn } from './phrases.ts';

/**
 * The words of a text as they are indexed and searched. PostgreSQL's parser sees addresses, paths
 * and signed numbers in a text and would keep them whole; a question has them written otherwise.
 * Letters and digits only, and `10kg` as `10 kg`, so that both sides are cut alike.
 */

/** Longer ones are no words; a tsvector refuses them at 2 KB. */
const WORD_CHARS_MAX = 64;
/** Of what is asked, and of what is told around it. Bounds the work of one search. */
const QUESTION_WORDS_MAX = 24;
/** Who writes more than this asks near its beginning, or it is no question. */
const MESSAGE_CHARS_MAX = 4_000;

/** Words in lower case without accents, separated by spaces. */
export function searchableText(text: string): string {
  return wordsOf(text).join(' ');
}

/** What is asked, and what is told around it. Words as `searchableText` has them; '' for none. */
export type AskedWords = { question: string; context: string };

/**
 * The words of a question that may be found in an answer. Of a long story that ends in a question,
 * the question is what has to be answered; the story only tells answers apart.
 */
export function askedWords(message: string): AskedWords {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const all = significantWords(text);
  const sentences = text.match(/[^.!?\n]+[.!?\n]*/gu) ?? [];
  const asked = significantWords(sentences.filter((one) => one.includes('?')).join(' '));
  const question = (asked.length > 0 ? asked : all).slice(0, QUESTION_WORDS_MAX);
  const context = all.filter((word) => !question.includes(word)).slice(0, QUESTION_WORDS_MAX);
  return { question: question.join(' '), context: context.join(' ') };
}

/** The words of a text without those that tell nothing; '' when there are no others. */
export function questionText(text: string): string {
  return significantWords(text.slice(0, MESSAGE_CHARS_MAX)).join(' ');
}

function significantWords(text: string): string[] {
  const words = wordsOf(text);
  return [...new Set(words.filter((word, at) => !isEmptyWord(word, words[at - 1])))];
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  // Wi-Fi, e-mail, t-shirt: as often written as one.
  const joined = plain.replaceAll(/(?<!\p{L})(\p{L}{1,2})[-\u2010\u2011](?=\p{L}{2})/gu, '$1');
  const words = joined.match(/\p{L}+|\p{N}+/gu) ?? [];
  return words
    .filter((word) => word.length <= WORD_CHARS_MAX)
    .map((word) => IRREGULAR.get(word) ?? word);
}

/** "How long", "what time": the second word asks too. */
const ASKING_AFTER = new Map(
  Object.entries(english.askingAfter).map(([word, line]) => [word, wordsIn([line])]),
);

function isEmptyWord(word: string, before = ''): boolean {
  return EMPTY_WORDS.has(word) || ASKING_AFTER.get(before)?.has(word) === true;
}

/**
 * Whether a word that is in no passage says nothing about the question either: a sound, a letter
 * or two, or a question word in a hurry ("hwo", "teh", "wat"), which has two letters swapped or one
 * of the inner ones left out.
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

/** Forms that no stemmer brings together: what is asked with the one is answered with the other. */
const IRREGULAR = new Map(Object.entries(english.irregular));

/**
 * What questions are wrapped in and answers do not repeat; PostgreSQL's own stop words too, so that
 * a question of nothing else is known as such here.
 */
const EMPTY_WORDS = wordsIn([...english.stopWords, ...english.emptyWords]);
