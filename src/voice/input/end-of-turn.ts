import {
  PHRASE_WORDS_MAX,
  spokenWords,
  turnLanguageOf,
  type TurnLanguage,
} from './languages/languages.ts';

export type TurnSoFar = {
  /** All text recognized in the user's turn so far. */
  text: string;
  /** Time since the user's last sound. */
  silenceMs: number;
  /** Language tag (BCP 47). Default English. */
  language?: string | undefined;
  /** Minimum silence in ms, even if the text sounds finished. Default 400. */
  minDelayMs?: number | undefined;
  /** Maximum silence in ms, even if the text sounds unfinished. Default 2500. */
  maxDelayMs?: number | undefined;
};

/**
 * Result of `endOfTurn`. `waitMs` is how much longer the silence must last until the turn is over, or 0 if the turn is
 * over.
 */
export type EndOfTurn = { isOver: boolean; waitMs: number };

const MIN_DELAY_MS = 400;
const MAX_DELAY_MS = 2_500;
/** Number of characters at the end of the text to examine. Earlier text does not affect whether the turn is over. */
const END_CHARS = 1_000;

/**
 * Decides from the silence and the words whether the user's turn is over. After a finished sentence, a short silence is
 * enough. After "I'd like to and", half a number or "um", the silence must be longer. Words count for more than
 * punctuation, because recognizers end every text with a period.
 */
export function endOfTurn(turn: TurnSoFar): EndOfTurn {
  const { minDelayMs: min = MIN_DELAY_MS, maxDelayMs: max = MAX_DELAY_MS } = turn;
  const end = turn.text.slice(-END_CHARS).trimEnd();
  const delayMs = min + Math.max(0, max - min) * doubtOf(end, turnLanguageOf(turn.language));
  const waitMs = Math.max(0, Math.round(delayMs) - turn.silenceMs);
  return { isOver: waitMs === 0, waitMs };
}

/** Returns how likely the user is to continue, from 0 (finished) to 1. */
function doubtOf(text: string, language: TurnLanguage): number {
  const words = spokenWords(text);
  if (words.length === 0) return 1;
  if (language.complete.has(words.join(' '))) return 0;
  if (endsWith(words, language.fillers)) return 1;
  if (/[?？؟]["'”’»)]*$/u.test(text)) return 0;
  if (endsWith(words, language.unfinished)) return 0.9;
  if (isDictating(words, language)) return 0.8;
  if (/(?:[,;:–—-]|\.\.|…)$/u.test(text)) return 0.8;
  if (/[.!。！।]["'”’»)]*$/u.test(text)) return 0.1;
  return 0.4;
}

function endsWith(words: readonly string[], phrases: ReadonlySet<string>): boolean {
  const lengths = Array.from({ length: PHRASE_WORDS_MAX }, (_, at) => at + 1);
  return lengths.some((count) => phrases.has(words.slice(-count).join(' ')));
}

/**
 * Returns whether the user is dictating a number or a name that may continue. Numbers are dictated in groups of digits,
 * and names letter by letter.
 */
function isDictating(words: readonly string[], { numbers }: TurnLanguage): boolean {
  const isPart = (word: string): boolean =>
    numbers.has(word) || /^\p{N}+$/u.test(word) || /^\p{L}$/u.test(word);
  const end = words.slice(-2);
  // A short number after another word is complete: "At nine", "for two" and "in 2024".
  const digits = words.at(-1)!.match(/^\p{N}+$/u)?.[0].length ?? 0;
  return (end.length === 2 && end.every(isPart)) || digits > 4;
}
