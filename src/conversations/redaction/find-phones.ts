import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { groupsIn, GROUPS_AT_ONCE, type Group } from './digit-groups.ts';
import type { Span } from './fold-text.ts';

/** Parses a telephone number in international format, or in the format of a region. */
export type ParsePhone = (written: string, region?: CountryCode) => PhoneNumber | undefined;

/**
 * Finds telephone numbers: international numbers, with + or 00, and numbers in the national format of a region. A
 * number without a leading 0 and without groups counts only after a word such as "phone", because most such numbers are
 * order numbers.
 */
export async function findPhones(
  written: string,
  { parse, region }: { parse: ParsePhone; region: CountryCode | undefined },
): Promise<Span[]> {
  const text = written.replace(DATE_OR_ADDRESS, (found) => '\n'.repeat(found.length));
  const spans: Span[] = [];
  let looksLeft = LOOKS_MAX;
  let seen = 0;
  const isPhone = (from: number, to: number, isAbroad: boolean): boolean => {
    const number = text.slice(from, to);
    if (looksLeft === 0) return isAbroad;
    if (!isAbroad && !showsToBePhone(text, from, number)) return false;
    looksLeft -= 1;
    if (isAbroad) return parse(number.replace(ABROAD, '+'))?.isPossible() === true;
    const phone = parse(number, region);
    return phone?.isValid() === true && isWrittenAs(number, phone);
  };
  for (const { from, groups } of groupsIn(text, RUN)) {
    for (let first = 0; first < groups.length; first += 1) {
      if (++seen % GROUPS_AT_ONCE === 0) await giveWay();
      // `groups[first]` exists: the loop condition bounds the index.
      const begin = first === 0 ? from : groups[first]!.from;
      const isAbroad = ABROAD.test(text.slice(begin, begin + BEGIN_CHARS));
      if (!isAbroad && (!region || looksLeft === 0)) continue;
      if (!beginsOne(text, begin)) continue;
      const ends = endsOf(groups, first);
      // `groups[end]` exists: `endsOf` returns indexes of `groups`.
      const last = ends.findLast((end) => isPhone(begin, groups[end]!.to, isAbroad));
      if (last === undefined) continue;
      spans.push([begin, groups[last]!.to]);
      first = last;
    }
  }
  return spans;
}

/**
 * Maximum number of calls to libphonenumber-js per text, at about 20 µs each. Most messages contain fewer numbers.
 * Beyond this limit, the library does not check numbers: every number with + or 00 counts as a telephone number, and no
 * other number does.
 */
const LOOKS_MAX = 100;
const DIGITS = { min: 7, max: 15 };

const RUN = /(?:\(?\+)?\(?\d(?:[ ()./-]{0,3}\d)*/g;
const BEGIN_CHARS = 8;
const ABROAD = /^\(?(?:\+|00(?=[ ().-]{0,3}[1-9]))/;

/** Pattern for dates such as 2027-03-31, 31.3.2027 and 3/31/27, and for addresses such as 192.0.2.17. */
const DATE_OR_ADDRESS =
  /(?<![\d./+-])(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:\d{4}|\d{2})|(?:\d{1,3}\.){3}\d{1,3})(?![./-]?\d)/g;

/** Returns the indexes of the groups that can be the last group of a number which starts with the group `first`. */
function endsOf(groups: readonly Group[], first: number): number[] {
  const ends: number[] = [];
  let digits = 0;
  for (let end = first; end < groups.length; end += 1) {
    digits += groups[end]!.to - groups[end]!.from; // `groups[end]` exists: the loop condition bounds the index.
    if (digits > DIGITS.max) break;
    if (digits >= DIGITS.min) ends.push(end);
  }
  return ends;
}

/**
 * Returns true if a telephone number may start at `from`, because the text before it does not end in an identifier, an
 * amount, a fraction or a sum.
 */
function beginsOne(text: string, from: number): boolean {
  return !WITHIN.test(text.slice(Math.max(0, from - 2), from));
}

const WITHIN = /[\p{L}\p{N}_#=@+/-]$|\p{Sc} ?$|[\d)][.,]$/u;

/** Returns true if a number in national format looks like a telephone number and not like an order number. */
function showsToBePhone(text: string, from: number, number: string): boolean {
  if (AFTER.test(text.slice(from + number.length, from + number.length + 2))) return false;
  if (AMOUNT.test(number)) return false;
  const isMarked = number.replace('(', '').startsWith('0') || /\D/.test(number);
  return isMarked || CALLED.test(text.slice(Math.max(0, from - CALLED_CHARS), from));
}

const AFTER = /^[\p{L}\p{N}_@%]|^ ?\p{Sc}|^,\d/u;
/** Pattern for amounts such as 1.234.567 and 0.1234567. */
const AMOUNT = /^\d{1,3}(?:\.\d{3})+$|^\d+\.\d+$/;

const CALLED_CHARS = 40;
const CALLED =
  /(?<!\p{L})(?:tele)?(?:phone|fon|telefon|téléphone|teléfono|telefono|tel|mobile|mobil|móvil|celular|cellulare|cell|handy|call|ring|text|sms|whatsapp|fax)(?:[ :.]|\b(?:number|no|nr|is|me|us|on|at|under|my)\b)*$/iu;

/**
 * Returns true if the number is written as people dial it within the region. In North America, a leading 1 is allowed.
 */
function isWrittenAs(number: string, phone: PhoneNumber): boolean {
  const digits = number.replaceAll(/\D/g, '');
  const national = phone.formatNational().replaceAll(/\D/g, '');
  return digits === national || (phone.countryCallingCode === '1' && digits === `1${national}`);
}
