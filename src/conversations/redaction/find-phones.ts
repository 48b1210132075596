import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { groupsIn, GROUPS_AT_ONCE, type Group } from './digit-groups.ts';
import type { Span } from './fold-text.ts';

/** Reads a number as those of a region are written, or an international one. */
export type ParsePhone = (written: string, region?: CountryCode) => PhoneNumber | undefined;

/**
 * Telephone numbers: international ones, with + or 00, and of a region those that are written as they are
 * there. One that shows nothing of being a number to call, no 0 in front and no groups, needs a word before
 * it that says so: most such numbers are of orders.
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
      const begin = first === 0 ? from : groups[first]!.from; // One of them.
      const isAbroad = ABROAD.test(text.slice(begin, begin + BEGIN_CHARS));
      if (!isAbroad && (!region || looksLeft === 0)) continue;
      if (!beginsOne(text, begin)) continue;
      const ends = endsOf(groups, first);
      const last = ends.findLast((end) => isPhone(begin, groups[end]!.to, isAbroad)); // As above.
      if (last === undefined) continue;
      spans.push([begin, groups[last]!.to]);
      first = last;
    }
  }
  return spans;
}

/**
 * So often the library is asked about one text, some 20 µs each. A message has a few numbers; of a page full of
 * them the rest is judged by its form alone: with + or 00 it is one, else it is none.
 */
const LOOKS_MAX = 100;
const DIGITS = { min: 7, max: 15 };

const RUN = /(?:\(?\+)?\(?\d(?:[ ()./-]{0,3}\d)*/g;
const BEGIN_CHARS = 8;
const ABROAD = /^\(?(?:\+|00(?=[ ().-]{0,3}[1-9]))/;

/** 2027-03-31, 31.3.2027, 3/31/27; and 192.0.2.17. */
const DATE_OR_ADDRESS =
  /(?<![\d./+-])(?:\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2(?:\d{4}|\d{2})|(?:\d{1,3}\.){3}\d{1,3})(?![./-]?\d)/g;

/** The groups that a number which begins with one of them may end with. */
function endsOf(groups: readonly Group[], first: number): number[] {
  const ends: number[] = [];
  let digits = 0;
  for (let end = first; end < groups.length; end += 1) {
    digits += groups[end]!.to - groups[end]!.from; // One of them.
    if (digits > DIGITS.max) break;
    if (digits >= DIGITS.min) ends.push(end);
  }
  return ends;
}

/** Not in the midst of an identifier, an amount, a fraction or a sum. */
function beginsOne(text: string, from: number): boolean {
  return !WITHIN.test(text.slice(Math.max(0, from - 2), from));
}

const WITHIN = /[\p{L}\p{N}_#=@+/-]$|\p{Sc} ?$|[\d)][.,]$/u;

/** Of one that is not international: what an order number has not. */
function showsToBePhone(text: string, from: number, number: string): boolean {
  if (AFTER.test(text.slice(from + number.length, from + number.length + 2))) return false;
  if (AMOUNT.test(number)) return false;
  const isMarked = number.replace('(', '').startsWith('0') || /\D/.test(number);
  return isMarked || CALLED.test(text.slice(Math.max(0, from - CALLED_CHARS), from));
}

const AFTER = /^[\p{L}\p{N}_@%]|^ ?\p{Sc}|^,\d/u;
/** 1.234.567 and 0.1234567 */
const AMOUNT = /^\d{1,3}(?:\.\d{3})+$|^\d+\.\d+$/;

const CALLED_CHARS = 40;
const CALLED =
  /(?<!\p{L})(?:tele)?(?:phone|fon|telefon|téléphone|teléfono|telefono|tel|mobile|mobil|móvil|celular|cellulare|cell|handy|call|ring|text|sms|whatsapp|fax)(?:[ :.]|\b(?:number|no|nr|is|me|us|on|at|under|my)\b)*$/iu;

/** With what people in the region dial before it, and nothing else; in North America also with the 1. */
function isWrittenAs(number: string, phone: PhoneNumber): boolean {
  const digits = number.replaceAll(/\D/g, '');
  const national = phone.formatNational().replaceAll(/\D/g, '');
  return digits === national || (phone.countryCallingCode === '1' && digits === `1${national}`);
}
