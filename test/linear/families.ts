import type { Family } from './growth.ts';

/** Texts that somebody writes to make a function slow: what repeats, and what never ends. */

const repeat =
  (...units: string[]): Family =>
  (chars) => {
    const unit = units.join('');
    return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
  };

/** One unit many times, and then something else. */
const broken =
  (unit: string, end: string): Family =>
  (chars) =>
    repeat(unit)(chars - end.length) + end;

/** A half that opens and a half that closes. */
const nested =
  (open: string, close: string): Family =>
  (chars) =>
    repeat(open)(chars / 2) + repeat(close)(chars / 2);

const UNITS = [
  'a',
  'a ',
  'a, ',
  'a. ',
  'a.a.',
  'a: ',
  'a-',
  'a_',
  'a@',
  'a@a.a.',
  '@',
  '"@',
  "a'",
  '<',
  '<<a',
  '(',
  '[(*<',
  '*',
  '**a',
  '`',
  '[a](',
  '![',
  '|',
  '4 ',
  '4-',
  '4.4-4 4',
  '4/',
  '41',
  '1.',
  '+1 ',
  '+49 ',
  '(0',
  'GB82 ',
  'DE89',
  '%41',
  '&#',
  '\n',
  ' ',
  ' \n',
  '\t',
  '?',
  '…',
  'é',
  'e\u0301',
  '\u0301',
  '\u200B',
  'a\u200D',
  '\uD83D',
  '\uDE00',
  '😀',
  '中',
  '中a',
  'aб',
  'कि',
  'ครับ',
  'ﬁ',
  'İ',
  'no ',
  'not good ',
  'i want ',
  'can i speak to a ',
  'the a of to in ',
  'thanks, ',
  'thanks ',
  'ok ',
  'ok yes ',
  'no human ',
  'ich will ',
  'is a human ',
  'mhm ',
  'okaaay ',
  'http://a.',
  'www.',
  'a/',
  '/*',
  '{{',
  '$ref',
];

export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ...UNITS.map((unit): [string, Family] => [`${JSON.stringify(unit)} …`, repeat(unit)]),
  ...['a', 'a ', ' ', '4', '4 ', '<', '.'].map((unit): [string, Family] => [
    `${JSON.stringify(unit)} … and an end`,
    broken(unit, 'b!7'),
  ]),
  ['brackets in brackets', nested('(', ')')],
  ['elements in elements', nested('<a>', '</a>')],
]);
