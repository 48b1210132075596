import type { SaidText } from './said-text.ts';

/** The state of reading a text for a voice while it streams. */
export type Reading = {
  said: SaidText;
  /** The character before the place that is read; '' at the start of a line. */
  before: string;
  isLineStart: boolean;
  /** Opening marks of emphasis that wait for closing ones. */
  open: { '*': number; _: number };
  /** The marks that end the block of code; '': none is open. */
  fence: string;
  /** The line before was a row of a table. */
  isTable: boolean;
  /** The line is the head of a table without a bar at its start. */
  isHead: boolean;
  /** Something was left out after a space, so the next space is left out as well. */
  skipsSpace: boolean;
  /** The last character was a picture, so a joiner after it is left out. */
  isAfterPicture: boolean;
};

/**
 * The part of the text that is being read. It begins at `base` in the text. `isWhole`: nothing that follows can change
 * how it is read.
 */
export type Source = { text: string; base: number; isWhole: boolean };

/** More of the text has to arrive first. */
export const WAIT = 'wait';
export type Wait = typeof WAIT;

/**
 * What a rule makes of `length` characters. The voice gets the part `inner` after it is read by the rules, the part
 * `copy` unchanged, or the words `say`; without any of the three, nothing. `closes`: the characters belong to the words
 * before them.
 */
export type Step = {
  length: number;
  inner?: [from: number, to: number];
  copy?: [from: number, to: number];
  say?: string;
  closes?: true;
  /** One of the spaces around these characters is left out, too. */
  isLeftOut?: true;
};

export type Rule = (reading: Reading, source: Source, at: number) => Step | Wait | undefined;

export const isSpace = (character: string): boolean => character === '' || /\s/u.test(character);
export const isWordy = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** Whether the script of a character has no spaces between words. There a mark may stand between two letters. */
export const isOfSpaceless = (character: string): boolean =>
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test(
    character,
  );

/** The character at a place; '' behind the end. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The last character of a text. */
export const lastOf = (text: string): string => /.$/su.exec(text)?.[0] ?? '';

/** The longest text or address of a link. */
const BRACKET_CHARS_MAX = 2_000;

/** Finds the bracket that closes the one at `at`. Returns undefined if the paragraph does not have it so far. */
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

/** Whether a closing mark may still arrive: the paragraph has not ended, and is not longer than the bound. */
export function mayCome({ text, isWhole }: Source, at: number, charactersMax: number): boolean {
  if (isWhole || text.length - at > charactersMax) return false;
  return !text.includes('\n\n', at);
}
