import type { SaidText } from './said-text.ts';

/** State of reading a text for a voice while it streams. */
export type Reading = {
  said: SaidText;
  /** Character before the current position; '' at the start of a line. */
  before: string;
  isLineStart: boolean;
  /** Open emphasis marks that wait for closing ones. */
  open: { '*': number; _: number };
  /** Marks that end the current code block; '' outside a block. */
  fence: string;
  /** Whether the previous line was a row of a table. */
  isTable: boolean;
  /** Whether the line is the head of a table without a bar at its start. */
  isHead: boolean;
  /** Whether text was left out after a space, so that the next space is left out as well. */
  skipsSpace: boolean;
  /** Whether the last character was an emoji, so that a joiner after it is left out. */
  isAfterPicture: boolean;
};

/**
 * Part of the text that is being read. It begins at `base` in the text. With `isWhole`, nothing that follows can change
 * how it is read.
 */
export type Source = { text: string; base: number; isWhole: boolean };

/** Result of a rule that needs more text first. */
export const WAIT = 'wait';
export type Wait = typeof WAIT;

/**
 * Result of a rule for `length` characters. The voice gets the part `inner` after the rules have read it, the part
 * `copy` unchanged, or the words `say`; without any of the three, nothing. With `closes`, the characters belong to the
 * words before them.
 */
export type Step = {
  length: number;
  inner?: [from: number, to: number];
  copy?: [from: number, to: number];
  say?: string;
  closes?: true;
  /** Whether one of the spaces around these characters is left out, too. */
  isLeftOut?: true;
};

export type Rule = (reading: Reading, source: Source, at: number) => Step | Wait | undefined;

export const isSpace = (character: string): boolean => character === '' || /\s/u.test(character);
export const isWordy = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** Returns whether the script of a character has no spaces between words. Then a mark may stand between two letters. */
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

/** Maximum length of the text or address of a link. */
const BRACKET_CHARS_MAX = 2_000;

/**
 * Returns the position of the bracket that closes the one at `at`, or undefined if the paragraph does not have it so
 * far.
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

/** Returns whether a closing mark may still arrive: the paragraph has not ended and is within the bound. */
export function mayCome({ text, isWhole }: Source, at: number, charactersMax: number): boolean {
  if (isWhole || text.length - at > charactersMax) return false;
  return !text.includes('\n\n', at);
}
