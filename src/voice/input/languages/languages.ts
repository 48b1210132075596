import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };

/** Words of one language that indicate the state of a turn. The file contains only words, separated by `|`. */
export type TurnLanguageFile = {
  /** Language as ISO 639-1. */
  language: string;
  /** Words of a listener that do not claim the turn. */
  backchannels: readonly string[];
  /** Words said while thinking. */
  fillers: readonly string[];
  /** Words that do not end a turn. */
  unfinished: readonly string[];
  /** Words of dictated numbers. */
  numbers: readonly string[];
  /** Phrases that are whole answers. */
  complete: readonly string[];
};

export const TURN_LANGUAGE_FILES: readonly TurnLanguageFile[] = [en, de];

/** Sets of phrases: lower-case words with one space between them. */
export type TurnLanguage = Record<Exclude<keyof TurnLanguageFile, 'language'>, ReadonlySet<string>>;

/** Number of words in the longest phrase. */
export const PHRASE_WORDS_MAX = 4;

const NOTHING: ReadonlySet<string> = new Set();
/** Language without a file. Only its punctuation is used. */
const UNKNOWN: TurnLanguage = {
  backchannels: NOTHING,
  fillers: NOTHING,
  unfinished: NOTHING,
  numbers: NOTHING,
  complete: NOTHING,
};

const LANGUAGES = new Map(TURN_LANGUAGE_FILES.map((file) => [file.language, readFile(file)]));

/** Returns the language of a tag such as `de-AT`; default English. */
export function turnLanguageOf(tag = 'en'): TurnLanguage {
  return LANGUAGES.get(tag.toLowerCase().split('-')[0]!) ?? UNKNOWN;
}

/** Returns the lower-case words. Notations for noises, such as `[cough]` or `(music)`, are removed. */
export function spokenWords(text: string): readonly string[] {
  const said = text.toLowerCase().replaceAll(NOISE, ' ');
  return said.replaceAll('’', "'").match(/[\p{L}\p{M}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
}

/**
 * Matches noises in brackets. The text in brackets contains no further opening bracket, so matching stays linear for
 * many brackets.
 */
const NOISE = /\[[^[\]]*\]|\([^()]*\)|\*[^*]*\*|<[^<>]*>/g;

function readFile(file: TurnLanguageFile): TurnLanguage {
  return {
    backchannels: phrasesOf(file.backchannels),
    fillers: phrasesOf(file.fillers),
    unfinished: phrasesOf(file.unfinished),
    numbers: phrasesOf(file.numbers),
    complete: phrasesOf(file.complete),
  };
}

function phrasesOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split('|')));
}
