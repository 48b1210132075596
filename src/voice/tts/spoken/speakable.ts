import { INLINE_RULES } from './inline-rules.ts';
import { readLineStart } from './line-start.ts';
import {
  characterAt,
  lastOf,
  WAIT,
  type Reading,
  type Source,
  type Step,
  type Wait,
} from './reading.ts';
import { createSaidText } from './said-text.ts';

/**
 * Emoji. The characters in `SIGNS` (such as ©, ®, ™, ℹ and arrows) are exceptions, because a voice may say their names.
 */
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const SIGNS = /[©®™ℹ‼⁉\u2190-\u21ff\u24c2〰〽㊗㊙]/u;
/** Characters that join several emoji into one. */
const JOINERS = /[\u200d\u{e0020}-\u{e007f}]/u;
const SILENT = /[\ufe0f\u20e3]/u;

/**
 * Converts a model's tokens, which may be Markdown, into words for a voice
 * (docs/decisions/0066-what-is-spoken-is-words.md). Text without Markdown, web addresses or emoji stays unchanged.
 */
export type Speakable = {
  /** Adds the next part of the text. Returns the words that later text can no longer change. */
  push: (text: string) => string;
  /** Ends the text. Returns the remaining words. */
  end: () => string;
  /** Returns all words so far. */
  said: () => string;
  /**
   * Returns the prefix of the source text, including Markdown marks, that corresponds to the first `saidLength`
   * characters of the words.
   */
  textOf: (saidLength: number) => string;
};

/** Maximum length in characters of text that is held back while a closing mark may still arrive. */
const HELD_CHARS_MAX = 2_000;

export function createSpeakable(): Speakable {
  const said = createSaidText();
  const reading: Reading = {
    said,
    before: '',
    isLineStart: true,
    open: { '*': 0, _: 0 },
    fence: '',
    isTable: false,
    isHead: false,
    skipsSpace: false,
    isAfterPicture: false,
  };
  let text = '';
  /** Text that has not been read yet, and its position in the whole text. */
  let held = '';
  let base = 0;

  function take(isEnd: boolean): string {
    // The second half of the surrogate pair arrives with the next token.
    const isCut = !isEnd && /[\ud800-\udbff]$/.test(held);
    const isWhole = isEnd || held.length > HELD_CHARS_MAX;
    const length = read(reading, { text: isCut ? held.slice(0, -1) : held, base, isWhole });
    held = held.slice(length);
    base += length;
    return said.take();
  }

  return {
    push: (part) => {
      text += part;
      held += part;
      return take(false);
    },
    end: () => take(true),
    said: said.all,
    textOf: (saidLength) => text.slice(0, said.placeOf(saidLength)),
  };
}

/** Reads as much as possible, and returns the number of characters read. The rest is read when more text arrives. */
function read(reading: Reading, source: Source): number {
  const { text } = source;
  let at = 0;
  while (at < text.length) {
    const length = reading.isLineStart
      ? readLineStart(reading, source, at, readInside)
      : readInline(reading, source, at);
    if (length === WAIT) break;
    at += length;
  }
  return at;
}

/** Reads a complete part, such as the text of a link. */
function readInside(reading: Reading, { text, base }: Source, [from, to]: [number, number]): void {
  const source = { text: text.slice(0, to), base, isWhole: true };
  let at = from;
  while (at < to) {
    const length = readInline(reading, source, at);
    if (length === WAIT) break;
    at += length;
  }
  reading.isLineStart = false;
}

/** Matches characters up to the next one that may begin a mark. */
const PLAIN =
  /[^*_~`[!<&\\|\nhHwW\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\p{Variation_Selector}\p{Me}\p{Cf}]+/uy;

function readInline(reading: Reading, source: Source, at: number): number | Wait {
  const { text, base } = source;
  const character = characterAt(text, at);
  if (reading.skipsSpace && character === ' ') {
    reading.skipsSpace = false;
    reading.before = ' ';
    return 1;
  }
  if (isPicture(character, reading.isAfterPicture)) {
    leaveOut(reading);
    reading.before = character;
    reading.isAfterPicture = true;
    return character.length;
  }
  const rule = INLINE_RULES[character];
  const step = rule?.(reading, source, at);
  if (step === WAIT) return WAIT;
  if (step) return follow(reading, source, { at, step });
  PLAIN.lastIndex = at;
  const plain = PLAIN.exec(text)?.[0] ?? character;
  reading.said.copy(plain, base + at);
  passed(reading, plain);
  if (plain === '\n') Object.assign(reading, { isLineStart: true, isHead: false, before: '' });
  return plain.length;
}

function follow(
  reading: Reading,
  source: Source,
  { at, step }: { at: number; step: Step },
): number {
  const { text, base } = source;
  const { length, inner, copy, say, closes, isLeftOut } = step;
  const end = at + length;
  if (isLeftOut) leaveOut(reading);
  else if (!closes || inner || copy) reading.skipsSpace = false;
  if (inner) readInside(reading, source, inner);
  if (copy) reading.said.copy(text.slice(...copy), base + copy[0]);
  if (say !== undefined) reading.said.say(say, base + end);
  if (closes) reading.said.close(base + end);
  reading.before = lastOf(text.slice(at, end));
  reading.isAfterPicture = false;
  return length;
}

function passed(reading: Reading, plain: string): void {
  reading.before = lastOf(plain);
  reading.skipsSpace = false;
  reading.isAfterPicture = false;
}

function leaveOut(reading: Reading): void {
  reading.skipsSpace ||= /^\s?$/.test(reading.said.last());
}

/** Returns whether a character is omitted from speech. The digit of a keycap emoji (1️⃣) is spoken. */
function isPicture(character: string, isAfterPicture: boolean): boolean {
  if (SILENT.test(character)) return true;
  if (JOINERS.test(character)) return isAfterPicture;
  return PICTURE.test(character) && !SIGNS.test(character);
}
