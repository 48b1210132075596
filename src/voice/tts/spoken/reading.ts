import type { SaidText } from './said-text.ts';

/** State of the conversion of streamed text into words for a voice. */
export type Reading = {
  said: SaidText;
  /** Last character read, or '' at the start of a line. */
  before: string;
  isLineStart: boolean;
  /** Number of emphasis marks that have been opened but not closed. */
  open: { '*': number; _: number };
  /** Marks that will end the current code block, or '' outside a code block. */
  fence: string;
  /** Whether the previous line was a table row. */
  isTable: boolean;
  /** Whether the line is a table header that does not begin with a bar. */
  isHead: boolean;
  /** Whether text after a space was omitted, so that the next space must be omitted as well. */
  skipsSpace: boolean;
  /** Whether the last character was an emoji, so that a joiner after it must be omitted. */
  isAfterPicture: boolean;
};

/**
 * The part of the text that is being read. It begins at position `base` of the whole text. `isWhole` means that no
 * later text can change how this part is read.
 */
export type Source = { text: string; base: number; isWhole: boolean };

/** Result of a rule that needs more text before it can decide. */
export const WAIT = 'wait';
export type Wait = typeof WAIT;

/**
 * Result of a rule that read `length` characters. The voice speaks the part `inner` after the rules have been applied
 * to it, or the part `copy` unchanged, or the words `say`. If all three are absent, the voice speaks nothing. If
 * `closes` is set, the characters count as part of the words before them.
 */
export type Step = {
  length: number;
  inner?: [from: number, to: number];
  copy?: [from: number, to: number];
  say?: string;
  closes?: true;
  /** True if these characters are not spoken. One of the spaces around them is then omitted as well. */
  isLeftOut?: true;
};

export type Rule = (reading: Reading, source: Source, at: number) => Step | Wait | undefined;

export const isSpace = (character: string): boolean => character === '' || /\s/u.test(character);
export const isWordy = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/**
 * Returns whether a character belongs to a script without spaces between words. In such scripts, emphasis may begin or
 * end between two letters.
 */
export const isOfSpaceless = (character: string): boolean =>
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test(
    character,
  );

/** Returns the character at a position, or '' after the end. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

export const lastOf = (text: string): string => /.$/su.exec(text)?.[0] ?? '';

/** Maximum length in characters of a link's text, and of its URL. If either is longer, it is not treated as a link. */
const BRACKET_CHARS_MAX = 2_000;

/**
 * Returns the position of the bracket that closes the bracket at `at`. Returns undefined if the paragraph has no
 * closing bracket, or if the closing bracket has not arrived yet.
 */
export function closingOf(text: string, at: number, [open, close]: string): number | undefined {
  let depth = 0;
  const end = Math.min(text.length, at + BRACKET_CHARS_MAX);
  for (let place = at; place < end; place += 1) {
    const character = text[place];
    if (character === '\\') place += 1;
    else if (character === open) depth += 1;
    else if (character === close && (depth -= 1) === 0) return place;
    else if (isParagraphEnd(text, place)) return undefined;
  }
  return undefined;
}

export const isParagraphEnd = (text: string, at: number): boolean =>
  text[at] === '\n' && text[at + 1] === '\n';

/**
 * Returns whether a closing mark may still arrive. It may while the paragraph has not ended and at most `charactersMax`
 * characters follow `at`.
 */
export function mayCome({ text, isWhole }: Source, at: number, charactersMax: number): boolean {
  if (isWhole || text.length - at > charactersMax) return false;
  return !text.includes('\n\n', at);
}
