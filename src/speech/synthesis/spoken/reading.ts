import type { SaidText } from './said-text.ts';

/** A text that is read for a voice while it still comes. */
export type Reading = {
  said: SaidText;
  /** The character before the place that is read; '' at the start of a line. */
  before: string;
  isLineStart: boolean;
  /** Opening marks of emphasis that wait for closing ones. */
  open: { '*': number; _: number };
  /** The marks that end the block of code; '': none is open. */
  fence: string;
  /** The rows of a table go on. */
  isTable: boolean;
  /** The line is the head of a table without a bar at its start. */
  isHead: boolean;
  /** Something was left out behind a space: the next space goes, too. */
  skipsSpace: boolean;
  /** What joins two pictures is left out behind one. */
  isAfterPicture: boolean;
};

/** What there is of it. `base`: where it begins in the text. `isWhole`: what follows changes nothing any more. */
export type Source = { text: string; base: number; isWhole: boolean };

/** More of the text has to come before it is known what this is. */
export const WAIT = 'wait';
export type Wait = typeof WAIT;

/**
 * What stands at a place: so many characters. `inner` is read in its place, `copy` said as it stands, `say` said instead;
 * else nothing is. `closes`: it belongs to what was said before.
 */
export type Step = {
  length: number;
  inner?: [from: number, to: number];
  copy?: [from: number, to: number];
  say?: string;
  closes?: true;
  /** Something is left out that stood between spaces. */
  isLeftOut?: true;
};

export type Rule = (reading: Reading, source: Source, at: number) => Step | Wait | undefined;

export const isSpace = (character: string): boolean => character === '' || /\s/u.test(character);
export const isWordy = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

/** Of a script that sets no spaces between words: marks may stand within what looks like one. */
export const isOfSpaceless = (character: string): boolean =>
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u.test(
    character,
  );

/** The character at a place; '': there is none. */
export function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** The last character of a text. */
export const lastOf = (text: string): string => /.$/su.exec(text)?.[0] ?? '';

/** Of a link and its address. */
const BRACKET_CHARS_MAX = 2_000;

/** Where a bracket is closed, with those in it; undefined: not in what there is of the paragraph. */
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

/** Whether what is looked for may still come: the paragraph goes on, and not for too long. */
export function mayCome({ text, isWhole }: Source, at: number, charactersMax: number): boolean {
  if (isWhole || text.length - at > charactersMax) return false;
  return !text.includes('\n\n', at);
}
