/**
 * Text normalized for the functions that find the values to redact. Digits, spaces, dashes and dots become their ASCII
 * forms. Full-width letters become narrow, and invisible characters are omitted. `at` maps positions back to the
 * original text.
 */
export type FoldedText = {
  text: string;
  /** Returns the position in the original text for a position in `text`, which may also be the end of `text`. */
  at: (place: number) => number;
};

/** Part of a folded text; `from` is inclusive, `to` exclusive. */
export type Span = readonly [from: number, to: number];

const IS_PLAIN = /^[\t\n -~]*$/;
/**
 * Pattern for zero-width characters, bidirectional controls, soft hyphens, and marks that turn a digit into an emoji.
 */
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
  return { text, at: (place) => places[place]! }; // `places` has an entry for each position, including the end.
}

function foldChar(char: string): string {
  const code = char.codePointAt(0)!; // `char` is never empty, so it has a code point.
  if (code >= WIDE.from && code <= WIDE.to) {
    return String.fromCodePoint(code - WIDE.from + WIDE.narrow);
  }
  if (INVISIBLE.test(char)) return '';
  if (DIGIT.test(char)) return digitOf(code);
  if (SPACE.test(char)) return ' ';
  if (DASH.test(char)) return '-';
  return DOT.test(char) ? '.' : char;
}

/**
 * Returns the value (0 to 9) of a digit in any script. In Unicode, the ten digits of a script are consecutive and begin
 * with its 0.
 */
function digitOf(code: number): string {
  let zero = code;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
