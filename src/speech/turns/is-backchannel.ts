import { PHRASE_WORDS_MAX, spokenWords, turnLanguageOf } from './languages/languages.ts';

/** More than this is somebody who speaks, whatever the words are. */
const WORDS_MAX = 6;
const CHARS_MAX = 200;

/**
 * Whether what is said while the agent speaks only shows that somebody listens ("mhm", "ok, yeah"), or is
 * no word at all: then the agent goes on. Of no use when the agent is silent, where "yes" is an answer.
 */
export function isBackchannel(text: string, language?: string): boolean {
  if (text.length > CHARS_MAX) return false;
  const words = spokenWords(text);
  if (words.length > WORDS_MAX) return false;
  const { backchannels } = turnLanguageOf(language);
  return isMadeOf(words.map(spellings), backchannels);
}

/** Whether words are phrases of a set, one after the other. */
function isMadeOf(words: readonly (readonly string[])[], phrases: ReadonlySet<string>): boolean {
  if (words.length === 0) return true;
  for (let count = 1; count <= Math.min(PHRASE_WORDS_MAX, words.length); count += 1) {
    const isPhrase = waysToSay(words.slice(0, count)).some((phrase) => phrases.has(phrase));
    if (isPhrase && isMadeOf(words.slice(count), phrases)) return true;
  }
  return false;
}

function waysToSay(words: readonly (readonly string[])[]): readonly string[] {
  return words.reduce<readonly string[]>(
    (begun, ways) => begun.flatMap((one) => ways.map((word) => (one ? `${one} ${word}` : word))),
    [''],
  );
}

/** "okaaay" and "hmmm": what is drawn out is written with one letter or two. */
function spellings(word: string): readonly string[] {
  const drawn = /(.)\1{2,}/gu;
  return [...new Set([word, word.replaceAll(drawn, '$1'), word.replaceAll(drawn, '$1$1')])];
}
