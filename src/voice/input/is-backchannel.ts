import { PHRASE_WORDS_MAX, spokenWords, turnLanguageOf } from './languages/languages.ts';

/** Maximum number of words in a backchannel. Longer speech is a turn, whatever the words are. */
const WORDS_MAX = 6;
const CHARS_MAX = 200;

/**
 * Returns whether the user's speech while the agent speaks is only a backchannel ("mhm", "ok, yeah") or contains no
 * words. If so, the agent continues to speak. Call this only while the agent speaks: once the agent has finished, "yes"
 * is an answer.
 */
export function isBackchannel(text: string, language?: string): boolean {
  if (text.length > CHARS_MAX) return false;
  const words = spokenWords(text);
  if (words.length > WORDS_MAX) return false;
  const { backchannels } = turnLanguageOf(language);
  return isMadeOf(words.map(spellings), backchannels);
}

/** Returns whether the words are a sequence of phrases from `phrases`. */
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

/**
 * Returns the possible spellings of a drawn-out word such as "okaaay" or "hmmm", with the repeated letter once or
 * twice.
 */
function spellings(word: string): readonly string[] {
  const drawn = /(.)\1{2,}/gu;
  return [...new Set([word, word.replaceAll(drawn, '$1'), word.replaceAll(drawn, '$1$1')])];
}
