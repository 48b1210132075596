import words from './function-words.json' with { type: 'json' };
import { wordsIn } from './phrases.ts';

/**
 * The language of a text by its most frequent words. For stemming: a short text, and one of two
 * languages, is none in particular. Not by a library: the data of the smallest take 32 MB of the process
 * that answers requests, which cuts small texts itself.
 */

/** Of the beginning. */
const CHARS_MAX = 20_000;
/** Fewer may be names, or words that two languages have. */
const FOUND_MIN = 6;
/** Of all words: prose has 30 to 50 per cent of them, a list of products none. */
const SHARE_MIN = 0.12;
/** As many times as of the next language. */
const AHEAD = 1.15;

const LANGUAGES = Object.entries(words).map(([code, line]) => ({ code, words: wordsIn(line) }));

/** ISO 639-1; null: not sure. */
export function detectLanguage(text: string): string | null {
  const all =
    text
      .slice(0, CHARS_MAX)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const ranked = LANGUAGES.map(({ code, words: known }) => ({
    code,
    found: all.filter((word) => known.has(word)).length,
  })).sort((a, b) => b.found - a.found);
  const [best, next] = ranked as [(typeof ranked)[0], (typeof ranked)[0]];
  const isSure =
    best.found >= FOUND_MIN &&
    best.found >= all.length * SHARE_MIN &&
    best.found >= next.found * AHEAD;
  return isSure ? best.code : null;
}
