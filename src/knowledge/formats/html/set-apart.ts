/**
 * Numbers that markup separates from their neighbours: superscript, subscript, small print. The parser writes marks,
 * because only the whole page shows which of them are footnotes. `resolveMarks` replaces them.
 */

const [RAISED, LOWERED, SMALL, END] = ['\uE0F1', '\uE0F2', '\uE0F3', '\uE0F4'];
const MARKS = /[\uE0F1-\uE0F4]/g;
const MARKED = /([\uE0F1-\uE0F3])([^\uE0F1-\uE0F4]{0,40})(\uE0F4|$)/g;
const CENTS = /(?:^|[\s_-])(?:cents?|decimals?|fraction)(?:$|[\s_-])/i;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Returns the mark that begins the element, or undefined if it needs no mark. */
export function markOf(name: string, className: string | undefined): string | undefined {
  if (name === 'sup') return RAISED;
  if (name === 'sub') return LOWERED;
  if (name === 'small') return SMALL;
  const isCents = className !== undefined && CENTS.test(className.slice(0, 200));
  return isCents && name !== 'td' ? SMALL : undefined;
}

export const END_OF_MARK = END;

/** Text of a page must not look like a mark. */
export function withoutMarks(text: string): string {
  return text.replace(MARKS, '');
}

/** Whether a text begins with a raised number or sign, as footnotes do: the number or sign. */
export function footnoteOf(text: string): string | undefined {
  const [, mark, shown] = /^(?:- |\d+\. )?([\uE0F1])([^\uE0F1-\uE0F4]{1,6})\uE0F4/.exec(text) ?? [];
  return mark === undefined ? undefined : shown?.trim();
}

/** Writes marks out. `notes`: what footnotes of the page begin with. */
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
  // `<sup>1</sup>30 days`
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
  // `1<sup>1</sup>/<sub>2</sub>`
  if (isNumber && /^\s*[/⁄]/.test(rest)) return ` ${shown}`;
  if (isNote) return gap;
  if (!/^[\d−–-]/.test(shown)) return /^[\p{L}*†‡®™°%€$£]/u.test(shown) ? shown : ` ${shown}`;
  if (mark === SMALL) return ` ${shown}${gap}`;
  return `${mark === RAISED ? '^' : '_'}${shown}${gap}`;
}

/** A number without cents beside a sign of money. */
function isPrice({ before, rest }: Pick<Place, 'before' | 'rest' | 'shown'>): boolean {
  if (/[.,]\d{1,2}$/.test(before)) return false;
  const money = String.raw`(?:[$€£¥]|\b(?:EUR|USD|CHF|GBP|CAD|AUD))`;
  const isBefore = new RegExp(String.raw`${money}\s?\d[\d.,' ]*$`, 'u').test(before);
  return isBefore || new RegExp(String.raw`^\s?${money}`, 'u').test(rest);
}

/** An element that says of itself that it has the cents. */
function isCentsOf(mark: string, before: string): boolean {
  return mark === SMALL && !/[.,]\d{1,2}$/.test(before);
}
