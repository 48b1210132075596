import { hasStyle, type Attributes } from './boilerplate.ts';

/**
 * This module handles numbers that markup separates from their neighbors: superscript, subscript and small print. The
 * parser first writes marks (private-use characters) around them, because only the complete page shows which of them
 * are footnotes. `resolveMarks` then replaces the marks with text.
 */

const [RAISED, LOWERED, SMALL, END] = ['\uE0F1', '\uE0F2', '\uE0F3', '\uE0F4'];
const MARKS = /[\uE0F1-\uE0F4]/g;
const MARKED = /([\uE0F1-\uE0F3])([^\uE0F1-\uE0F4]{0,40})(\uE0F4|$)/g;
const CENTS = /(?:^|[\s_-])(?:cents?|decimals?|fraction)(?:$|[\s_-])/i;
const STYLED_RAISED = /vertical-align\s*:\s*(super|text-top|top)\b/i;
const STYLED_LOWERED = /vertical-align\s*:\s*sub\b/i;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Returns the private-use character to write at the beginning of an element, or `undefined` if the element's text is
 * not superscript, subscript or small print.
 */
export function markOf(name: string, attributes: Attributes): string | undefined {
  if (name === 'sup' || hasStyle(attributes, STYLED_RAISED)) return RAISED;
  if (name === 'sub' || hasStyle(attributes, STYLED_LOWERED)) return LOWERED;
  if (name === 'small') return SMALL;
  const className = attributes['class'];
  const isCents = className !== undefined && CENTS.test(className.slice(0, 200));
  return isCents && name !== 'td' ? SMALL : undefined;
}

export const END_OF_MARK = END;

/**
 * Removes private-use characters that the page itself contains, because they would be mistaken for those that the
 * parser writes.
 */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '');
}

/**
 * Returns the superscript number or sign at the beginning of a text, or `undefined` if the text does not begin like a
 * footnote.
 */
export function footnoteOf(text: string): string | undefined {
  const [, mark, shown] = /^(?:- |\d+\. )?([\uE0F1])([^\uE0F1-\uE0F4]{1,6})\uE0F4/.exec(text) ?? [];
  return mark === undefined ? undefined : shown?.trim();
}

/**
 * Replaces the private-use characters in a text with ordinary text, such as `²` or `^2`. `notes` has the numbers and
 * signs of the page's footnotes. References to these footnotes are left out.
 */
export function resolveMarks(text: string, notes: ReadonlySet<string>): string {
  if (!/[\uE0F1-\uE0F3]/.test(text)) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: all, 1: mark = '', 2: shown = '' } of text.matchAll(MARKED)) {
    const end = index + all.length;
    const before = text.slice(Math.max(0, index - 20), index).replace(MARKS, '');
    const rest = text.slice(end, end + 10).replace(MARKS, '');
    const place = { mark, shown, before, rest, isNote: notes.has(shown.trim()) };
    parts.push(text.slice(from, index), written(place));
    from = end;
  }
  parts.push(text.slice(from));
  return withoutMarks(parts.join(''));
}

type Place = { mark: string; shown: string; before: string; rest: string; isNote: boolean };

function written({ mark, shown, before, rest, isNote }: Place): string {
  const isNumber = /^\d+$/.test(shown);
  // A space separates the number from a number that follows: `<sup>1</sup>30 days`.
  const gap = isNumber && /^\d/.test(rest) ? ' ' : '';
  if (!/\d$/.test(before)) {
    if (isNote && before.trim() !== '') return gap;
    if (mark !== RAISED || !isNumber || !/\p{L}$/u.test(before)) return shown + gap;
    return shown.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]!) + gap;
  }
  const cents = /^[.,]?(\d{2})(\s*[€$£¥])?$/.exec(shown);
  if (
    cents &&
    (/^[.,]/.test(shown) || isPrice({ before, rest, shown }) || isCentsOf(mark, before))
  ) {
    const sign = /^\s*[€]/.test(`${cents[2] ?? ''}${rest}`) ? ',' : '.';
    return `${/^[.,]/.test(shown) ? '' : sign}${shown}${gap}`;
  }
  // A space separates a fraction from the whole number: `1<sup>1</sup>/<sub>2</sub>`.
  if (isNumber && /^\s*[/⁄]/.test(rest)) return ` ${shown}`;
  if (isNote) return gap;
  if (!/^[\d−–-]/.test(shown)) return /^[\p{L}*†‡®™°%€$£]/u.test(shown) ? shown : ` ${shown}`;
  if (mark === SMALL) return ` ${shown}${gap}`;
  return `${mark === RAISED ? '^' : '_'}${shown}${gap}`;
}

/** Returns true if `before` ends with a price without cents, that is, with a number next to a currency. */
function isPrice({ before, rest }: Pick<Place, 'before' | 'rest' | 'shown'>): boolean {
  if (/[.,]\d{1,2}$/.test(before)) return false;
  const money = String.raw`(?:[$€£¥]|\b(?:EUR|USD|CHF|GBP|CAD|AUD))`;
  const isBefore = new RegExp(String.raw`${money}\s?\d[\d.,' ]*$`, 'u').test(before);
  return isBefore || new RegExp(String.raw`^\s?${money}`, 'u').test(rest);
}

/** Returns true if small print after a number is the cents of a price. */
function isCentsOf(mark: string, before: string): boolean {
  return mark === SMALL && !/[.,]\d{1,2}$/.test(before);
}

/**
 * Number of characters at the end of a link's text that are searched for the phone number or e-mail address to which
 * the link leads.
 */
export const TAIL_CHARS = 200;
const CONTACT = /^(?:tel|mailto):(?:\/\/)?([^?;]{1,300})/i;

/**
 * Returns, in parentheses, the phone number or e-mail address to which a link leads, or '' for any other link. The text
 * of such a link may be an icon or "Call us", so it does not always show the number or address.
 */
export function contactOf(href: string | undefined): string {
  const [, given = ''] = CONTACT.exec(href?.trim() ?? '') ?? [];
  const contact = decoded(given).trim();
  return /^(\+?[\d ()./-]{3,40}|[^\s@<>]{1,64}@[^\s@<>]{1,100})$/.test(contact)
    ? ` (${contact})`
    : '';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns true if the text before `closing` already shows the phone number or e-mail address in `closing`, as "555
 * 0100" does for +1 555 0100.
 */
export function isShown(closing: string, before: string): boolean {
  if (!closing.startsWith(' (')) return false;
  const contact = closing.slice(2, -1);
  if (contact.includes('@')) return before.toLowerCase().includes(contact.toLowerCase());
  const digits = contact.replaceAll(/\D/g, '');
  return before.replaceAll(/\D/g, '').endsWith(digits.slice(-5));
}
