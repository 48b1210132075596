import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };

/** What words say of a turn, in one language: a file of words and nothing else; `|` is between them. */
export type TurnLanguageFile = {
  /** ISO 639-1 */
  language: string;
  /** Said while somebody else speaks, and no wish to. */
  backchannels: readonly string[];
  /** Said by who thinks of what to say. */
  fillers: readonly string[];
  /** Nothing ends with them. */
  unfinished: readonly string[];
  /** Of what is dictated. */
  numbers: readonly string[];
  /** Whole answers. */
  complete: readonly string[];
};

export const TURN_LANGUAGE_FILES: readonly TurnLanguageFile[] = [en, de];

/** Phrases of lower-case words with one space between them. */
export type TurnLanguage = Record<Exclude<keyof TurnLanguageFile, 'language'>, ReadonlySet<string>>;

/** Words of the longest phrase. */
export const PHRASE_WORDS_MAX = 4;

const NOTHING: ReadonlySet<string> = new Set();
/** Of a language that there is no file of: its signs alone are understood. */
const UNKNOWN: TurnLanguage = {
  backchannels: NOTHING,
  fillers: NOTHING,
  unfinished: NOTHING,
  numbers: NOTHING,
  complete: NOTHING,
};

const LANGUAGES = new Map(TURN_LANGUAGE_FILES.map((file) => [file.language, readFile(file)]));

/** By a language tag such as `de-AT`; English for who names none. */
export function turnLanguageOf(tag = 'en'): TurnLanguage {
  return LANGUAGES.get(tag.toLowerCase().split('-')[0]!) ?? UNKNOWN;
}

/** Lower-case words; what recognizers write of noises, as `[cough]` or `(music)`, is none. */
export function spokenWords(text: string): readonly string[] {
  const said = text.toLowerCase().replaceAll(NOISE, ' ');
  return said.replaceAll('’', "'").match(/[\p{L}\p{M}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
}

/** The text within brackets has no other bracket that opens: so no text is read from each of many brackets on. */
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
