import words from './function-words.json' with { type: 'json' };
import { wordsIn } from './phrases.ts';

/**
 * This module recognizes the language of a text by its script or, for the Latin script, by its most frequent words. The
 * language decides how words are stemmed. A short text in the Latin script and a text in two languages get no language.
 * The module uses no library, because even the smallest one would take 32 MB of memory. A library would have to be
 * loaded in the process that serves requests, because that process divides small texts itself.
 */

/** Number of characters at the beginning of the text that are examined. */
const CHARS_MAX = 20_000;
/**
 * Minimum number of words in a text that are among the frequent words of a language. Fewer matches may be names, or
 * words that two languages share.
 */
const FOUND_MIN = 6;
/**
 * Minimum share of a language's frequent words among all words of a text. In prose, 30 to 50 percent of the words are
 * frequent words. In a list of products, almost none are.
 */
const SHARE_MIN = 0.12;
/**
 * Minimum ratio between the numbers of matches of the best and the second-best language. Below this ratio, the language
 * is uncertain.
 */
const AHEAD = 1.15;

const LANGUAGES = Object.entries(words).map(([code, line]) => ({ code, words: wordsIn(line) }));

/** Returns the language of a text as an ISO 639-1 code, or `null` if the language is uncertain. */
export function detectLanguage(text: string): string | null {
  const beginning = text.slice(0, CHARS_MAX).toLowerCase();
  return languageOfScript(beginning) ?? languageOfWords(beginning);
}

/** Patterns for scripts, by the language that uses the script most. */
const SCRIPTS = {
  am: /\p{sc=Ethiopic}/gu,
  ar: /\p{sc=Arabic}/gu,
  bn: /\p{sc=Bengali}/gu,
  el: /\p{sc=Greek}/gu,
  gu: /\p{sc=Gujarati}/gu,
  he: /\p{sc=Hebrew}/gu,
  hi: /\p{sc=Devanagari}/gu,
  hy: /\p{sc=Armenian}/gu,
  ja: /[\p{sc=Hiragana}\p{sc=Katakana}]/gu,
  ka: /\p{sc=Georgian}/gu,
  km: /\p{sc=Khmer}/gu,
  ko: /\p{sc=Hangul}/gu,
  lo: /\p{sc=Lao}/gu,
  my: /\p{sc=Myanmar}/gu,
  ru: /\p{sc=Cyrillic}/gu,
  ta: /\p{sc=Tamil}/gu,
  te: /\p{sc=Telugu}/gu,
  th: /\p{sc=Thai}/gu,
  zh: /\p{sc=Han}/gu,
};
/**
 * Number of times that each kana character is counted, so that Japanese wins over Chinese. Japanese text has about as
 * many Chinese characters as kana, whereas Chinese text has no kana.
 */
const KANA_COUNTS = 4;
/** Letters that distinguish a language from others in the same script. */
const LETTERS = [
  { of: 'ar', code: 'fa', letters: /[پچژگ]/u },
  { of: 'ru', code: 'uk', letters: /[іїєґ]/u },
];

function languageOfScript(text: string): string | null {
  const others = text.match(/[\u0370-\u1cff\u2e80-\ud7ff\uf900-\ufaff]/g)?.length ?? 0;
  const latin = others === 0 ? 0 : (text.match(/\p{sc=Latin}/gu)?.length ?? 0);
  if (others <= latin) return null;
  const counts = Object.entries(SCRIPTS).map(([code, script]) => {
    const count = text.match(script)?.length ?? 0;
    return { code, count: code === 'ja' ? count * KANA_COUNTS : count };
  });
  const { code, count } = counts.reduce((best, one) => (one.count > best.count ? one : best));
  if (count === 0) return null;
  return LETTERS.find(({ of, letters }) => of === code && letters.test(text))?.code ?? code;
}

function languageOfWords(text: string): string | null {
  const all = text.match(/\p{L}+/gu) ?? [];
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
