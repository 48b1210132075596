import type { Span } from './fold-text.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { groupsIn, GROUPS_AT_ONCE, type Group } from './digit-groups.ts';

/**
 * Finds card numbers: 13 to 19 digits in whole groups, with the prefix of a known issuer and a valid check digit. If
 * the number could end at several groups, takes the longest number, so that no digit of a card remains.
 */
export async function findCards(text: string): Promise<Span[]> {
  const spans: Span[] = [];
  let seen = 0;
  for (const { groups } of groupsIn(text, RUN)) {
    for (let first = 0; first < groups.length; first += 1) {
      if (++seen % GROUPS_AT_ONCE === 0) await giveWay();
      const last = lastOfCard(text, groups, first);
      if (last === undefined) continue;
      // `groups[last]` exists: `lastOfCard` returns an index of `groups`.
      spans.push([groups[first]!.from, groups[last]!.to]);
      first = last;
    }
  }
  return spans;
}

/**
 * Pattern for digits with separators between them. Line breaks count as separators, because a number from a pasted
 * table may have one group of digits per line.
 */
const RUN = /\d(?:[\s./_-]{0,3}\d)*/g;
const DIGITS_MAX = 19;

function lastOfCard(text: string, groups: readonly Group[], first: number): number | undefined {
  let digits = '';
  let issuers: readonly Issuer[] | undefined;
  let found: number | undefined;
  for (let last = first; last < groups.length; last += 1) {
    const { from, to } = groups[last]!; // `groups[last]` exists: the loop condition bounds the index.
    if (digits.length + to - from > DIGITS_MAX) break;
    digits += text.slice(from, to);
    if (digits.length >= PREFIX_DIGITS) issuers ??= issuersOf(digits);
    if (issuers?.length === 0) break;
    const isLong = issuers?.some(([, , lengths]) => lengths.includes(digits.length));
    if (isLong && hasCheckDigit(digits)) found = last;
  }
  const isFraction = found === first && FRACTION.test(beforeOf(text, groups[first]!.from));
  return isFraction ? undefined : found;
}

/** Pattern for the start of a fraction, such as `3.` in 3.4111111111111111. */
const FRACTION = /\d[.,]$/;

function beforeOf(text: string, place: number): string {
  return text.slice(Math.max(0, place - 2), place);
}

type Issuer = readonly [from: number, to: number, lengths: readonly number[]];
const PREFIX_DIGITS = 4;

function issuersOf(digits: string): readonly Issuer[] {
  const prefix = Number(digits.slice(0, PREFIX_DIGITS));
  return ISSUERS.filter(([from, to]) => prefix >= from && prefix <= to);
}

const LONG = [16, 17, 18, 19];

/** Ranges of the first four digits of a card number, by issuer, with the possible lengths of the number. */
const ISSUERS: readonly Issuer[] = [
  [4000, 4999, [13, 16, 18, 19]], // Visa
  [5100, 5599, [16]], // Mastercard (2 lines)
  [2221, 2720, [16]],
  [3400, 3499, [15]], // American Express (2 lines)
  [3700, 3799, [15]],
  [3000, 3059, [14, ...LONG]], // Diners Club (4 lines)
  [3095, 3095, [14, ...LONG]],
  [3600, 3699, [14, ...LONG]],
  [3800, 3999, [14, ...LONG]],
  [3528, 3589, LONG], // JCB
  [6011, 6011, LONG], // Discover (2 lines)
  [6440, 6599, LONG],
  [6200, 6299, LONG], // UnionPay
  [5000, 5099, [13, 14, 15, ...LONG]], // Maestro and Verve (4 lines)
  [5600, 5899, [13, 14, 15, ...LONG]],
  [6300, 6399, [13, 14, 15, ...LONG]],
  [6700, 6799, [13, 14, 15, ...LONG]],
  [6000, 6099, [16]], // RuPay and Hipercard (2 lines)
  [8100, 8299, [16]],
  [2200, 2204, LONG], // Mir
  [9792, 9792, [16]], // Troy
];

/**
 * Returns true if the check digit is valid by the Luhn algorithm: after every second digit from the right is doubled,
 * the sum of all digits is a multiple of 10.
 */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 1; i <= digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - i) - ZERO;
    if (i % 2 === 1) sum += digit;
    else sum += digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

const ZERO = '0'.charCodeAt(0);
