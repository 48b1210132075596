import leven from 'leven';

/** Minimum length of a word to correct. A shorter word that differs by one letter is usually a different word. */
const CHARS_MIN = 5;
/**
 * Maximum length of a word to correct. The correction leaves out each character of the word in turn, so the cost is
 * quadratic in the length. No word of the frames is longer.
 */
const CHARS_MAX = 40;

/**
 * Creates a function that corrects misspellings of `known` words. A misspelling has a wrong, missing or extra letter,
 * or two adjacent letters swapped.
 * @param others words that resemble a known one but must not be corrected
 */
export function createCorrect(
  known: ReadonlySet<string>,
  others: readonly string[],
): (word: string) => string {
  const kept = new Set(others);
  // Two words that differ by one letter become equal when that letter is left out of both.
  const shortened = new Map<string, string[]>();
  for (const word of known) {
    for (const key of [word, ...shorter(word)]) {
      shortened.set(key, [...(shortened.get(key) ?? []), word]);
    }
  }
  return (word) => {
    if (word.length < CHARS_MIN - 1 || word.length > CHARS_MAX) return word;
    if (known.has(word) || kept.has(word)) return word;
    const like = [word, ...shorter(word)].flatMap((key) => shortened.get(key) ?? []);
    return like.find((one) => isMisspelling(word, one)) ?? word;
  };
}

function shorter(word: string): string[] {
  return Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
}

function isMisspelling(word: string, of: string): boolean {
  return isSwapped(word, of) || (of.length >= CHARS_MIN && leven(word, of) === 1);
}

function isSwapped(word: string, of: string): boolean {
  if (word.length !== of.length) return false;
  let at = 0;
  while (at < word.length && word[at] === of[at]) at += 1;
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2) === of;
}
