import type { Span } from './fold-text.ts';

/**
 * Finds e-mail addresses, including addresses with letters of non-Latin scripts. In a script that is written without
 * spaces, the words of a sentence may directly precede or follow an address. Therefore, letters of such scripts belong
 * to an address only if the character next to the @ is such a letter. Without this rule, the surrounding sentence would
 * be redacted as well.
 */
export function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const from = startOfName(text, at, end);
    const to = from < at ? endOfDomain(text, at + 1) : undefined;
    if (to === undefined) continue;
    spans.push([from, to]);
    end = to;
  }
  return spans;
}

const SPACELESS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}' +
  '\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const IS_SPACELESS = new RegExp(`[${SPACELESS}]`, 'u');
/**
 * Characters allowed in a local part. They include halves of surrogate pairs, because the text is read in UTF-16 code
 * units.
 */
const IN_NAME = /[\p{L}\p{M}\p{N}\p{Cs}._%+&~'’-]/u;
const BEGINS_NAME = /[\p{L}\p{N}\p{Cs}_+]/u;
const QUOTED_MAX = 64;

function startOfName(text: string, at: number, after: number): number {
  const beside = text[at - 1] ?? '';
  if (beside === '"') return startOfQuoted(text, at, after);
  const isSpaceless = IS_SPACELESS.test(beside);
  let from = at;
  while (from > after && belongs(text[from - 1]!, isSpaceless)) from -= 1;
  while (from < at && !BEGINS_NAME.test(text[from]!)) from += 1;
  return from;
}

function belongs(char: string, isSpaceless: boolean): boolean {
  return IN_NAME.test(char) && (isSpaceless || char < '\u0100' || !IS_SPACELESS.test(char));
}

/** Returns the start of a quoted local part, as in "john doe"@example.com. Returns `at` for any other text. */
function startOfQuoted(text: string, at: number, after: number): number {
  const from = text.lastIndexOf('"', at - 2);
  const isNear = from >= after && at - from <= QUOTED_MAX && !text.slice(from, at).includes('\n');
  return isNear ? from : at;
}

/**
 * Returns the pattern of a domain. `letters` are the allowed letters, as the content of a character class. A label
 * cannot contain a dot, so the pattern backtracks only over the last label.
 */
const domainOf = (letters: string): RegExp =>
  new RegExp(`(?:[${letters}\\p{N}_\\-]+\\.)+(?:xn--[a-z\\d\\-]+|[${letters}]{2,})`, 'ivy');
const ANY_DOMAIN = domainOf('\\p{L}\\p{M}');
const SPACED_DOMAIN = domainOf(`[[\\p{L}\\p{M}]--[${SPACELESS}]]`);
const NUMBERS = /\[[\d.:a-f]{3,45}\]/iy;

function endOfDomain(text: string, from: number): number | undefined {
  const isSpaceless = IS_SPACELESS.test(text[from] ?? '');
  for (const pattern of [isSpaceless ? ANY_DOMAIN : SPACED_DOMAIN, NUMBERS]) {
    pattern.lastIndex = from;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return undefined;
}
