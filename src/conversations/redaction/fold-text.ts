/**
 * A text as finders read it: every digit is 0 to 9, every space, dash and dot an ordinary one, full-width
 * letters are narrow, and what nobody sees is left out. `at` leads back to the text as it was written.
 */
export type FoldedText = {
  text: string;
  /** For each place in `text`, and for its end, the place in what was written. */
  at: (place: number) => number;
};

/** A part of a folded text: from, up to and without. */
export type Span = readonly [from: number, to: number];

const IS_PLAIN = /^[\t\n -~]*$/;
/** Zero-width characters, directions, soft hyphens; what makes an emoji of a digit. */
const INVISIBLE = /[\p{Cf}\u034F\u20E3\uFE00-\uFE0F]/u;
const DIGIT = /\p{Nd}/u;
const SPACE = /[\p{Zs}\t]/u;
const DASH = /[\p{Pd}\u2043\u2212]/u;
const DOT = /[\u00B7\u2022\u2024\u2027\u30FB\uFF65]/u;
const WIDE = { from: 0xff_01, to: 0xff_5e, narrow: 0x21 };

export function foldText(written: string): FoldedText {
  if (IS_PLAIN.test(written)) return { text: written, at: (place) => place };
  const places: number[] = [];
  let text = '';
  let from = 0;
  for (const char of written) {
    const folded = char < '\u0080' && char !== '\t' ? char : foldChar(char);
    for (let unit = 0; unit < folded.length; unit += 1) places.push(from + unit);
    text += folded;
    from += char.length;
  }
  places.push(from);
  return { text, at: (place) => places[place]! }; // Of a place in the text, or its end.
}

function foldChar(char: string): string {
  const code = char.codePointAt(0)!; // A character of a text.
  if (code >= WIDE.from && code <= WIDE.to) {
    return String.fromCodePoint(code - WIDE.from + WIDE.narrow);
  }
  if (INVISIBLE.test(char)) return '';
  if (DIGIT.test(char)) return digitOf(code);
  if (SPACE.test(char)) return ' ';
  if (DASH.test(char)) return '-';
  return DOT.test(char) ? '.' : char;
}

/** Unicode has the digits of a script in a row, each row beginning with its 0. */
function digitOf(code: number): string {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
