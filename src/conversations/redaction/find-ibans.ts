import { countrySpecs } from 'ibantools';
import type { Span } from './fold-text.ts';

/**
 * Finds IBANs. An IBAN has a known country, the length and format of that country, and valid check digits (ISO 13616).
 */
export function findIbans(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { index } of text.matchAll(BEGIN)) {
    if (index < end || !isAtStart(text, index)) continue;
    const to = endOfIban(text, index);
    if (to === undefined) continue;
    spans.push([index, to]);
    end = to;
  }
  return spans;
}

const BEGIN = /[a-z]{2}[ .-]?\d[ .-]?\d/gi;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const IS_SIGN = /[a-z\d]/i;
const IS_BETWEEN = /[ .-]/;
/** Maximum number of separators between two groups. */
const BETWEEN_MAX = 2;

/** Returns true if an IBAN may start at `index`. The prefix `IBAN` may directly precede the IBAN, as in `IBANDE89…`. */
function isAtStart(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 4), index);
  return !LETTER_OR_DIGIT.test(before.slice(-1)) || before.toUpperCase() === 'IBAN';
}

function endOfIban(text: string, from: number): number | undefined {
  const { chars, bban_regexp: form } = countrySpecs[text.slice(from, from + 2).toUpperCase()] ?? {};
  if (!chars || form === undefined || form === null) return undefined;
  let signs = '';
  let to = from;
  for (let at = from, between = 0; signs.length < chars && between <= BETWEEN_MAX; at += 1) {
    const char = text[at] ?? '\n';
    if (IS_SIGN.test(char)) {
      signs += char.toUpperCase();
      between = 0;
      to = at + 1;
    } else if (IS_BETWEEN.test(char)) between += 1;
    else break;
  }
  if (signs.length < chars || LETTER_OR_DIGIT.test(text[to] ?? '')) return undefined;
  const isOne = new RegExp(form).test(signs.slice(4)) && remainder(signs) === 1;
  return isOne ? to : undefined;
}

/**
 * Returns the remainder modulo 97 that ISO 13616 uses to check an IBAN. Before the division, the country code and check
 * digits are moved to the end, and letters are replaced by the numbers 10 to 35.
 */
function remainder(signs: string): number {
  let rest = 0;
  for (const sign of signs.slice(4) + signs.slice(0, 4)) {
    const value = Number.parseInt(sign, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
