import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };

/**
 * Words of one language that indicate whether a turn is over. Each string is a list of words or phrases, separated by
 * `|`.
 */
export type TurnLanguageFile = {
  /** Language code (ISO 639-1). */
  language: string;
  /** Words with which a user who does not want to take the turn signals attention. */
  backchannels: readonly string[];
  /** Words that people say while they think. */
  fillers: readonly string[];
  /** Words at the end of a text after which the user probably continues. */
  unfinished: readonly string[];
  /** Words that occur in dictated numbers. */
  numbers: readonly string[];
  /** Phrases that are complete answers. */
  complete: readonly string[];
};

export const TURN_LANGUAGE_FILES: readonly TurnLanguageFile[] = [en, de];

/** Phrases of one language. A phrase consists of lower-case words separated by single spaces. */
export type TurnLanguage = Record<Exclude<keyof TurnLanguageFile, 'language'>, ReadonlySet<string>>;

/** Number of words in the longest phrase. */
export const PHRASE_WORDS_MAX = 4;

const NOTHING: ReadonlySet<string> = new Set();
/** Stands for any language without a file. Turns in such a language are judged by punctuation only. */
const UNKNOWN: TurnLanguage = {
  backchannels: NOTHING,
  fillers: NOTHING,
  unfinished: NOTHING,
  numbers: NOTHING,
  complete: NOTHING,
};

const LANGUAGES = new Map(TURN_LANGUAGE_FILES.map((file) => [file.language, readFile(file)]));

/** Returns the language of a BCP 47 tag such as `de-AT`. The default is English. */
export function turnLanguageOf(tag = 'en'): TurnLanguage {
  return LANGUAGES.get(tag.toLowerCase().split('-')[0]!) ?? UNKNOWN;
}

/** Returns the words of a text in lower case. Annotations of noises, such as `[cough]` or `(music)`, are removed. */
export function spokenWords(text: string): readonly string[] {
  const said = text.toLowerCase().replaceAll(NOISE, ' ');
  return said.replaceAll('’', "'").match(/[\p{L}\p{M}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
}

/**
 * Matches annotations of noises in brackets. The pattern does not allow a second opening bracket inside, so that
 * matching takes linear time for text with many brackets.
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
