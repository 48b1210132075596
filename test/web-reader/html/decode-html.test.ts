import { expect, test } from 'vitest';
import { decodeHtml } from '../../../packages/web-reader/src/html/decode-html.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

test.each<[string, Uint8Array, string | null, string]>([
  ['UTF-8 that nobody names', utf8('<p>Größe – 5 €'), null, '<p>Größe – 5 €'],
  ['windows-1252 that nobody names', latin1('<p>Gr\u00f6\u00dfe \u0080'), null, '<p>Größe €'],
  ['what the header names', latin1('<p>\u00f6'), 'ISO-8859-1', '<p>ö'],
  [
    'what the page names',
    latin1('<meta charset="iso-8859-2">\u00b1'),
    null,
    '<meta charset="iso-8859-2">ą',
  ],
  [
    'what the page names as browsers once needed it',
    latin1('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\u00ef'),
    null,
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">п',
  ],
  [
    'the header before the page',
    utf8('<meta charset="latin1">ö'),
    'utf-8',
    '<meta charset="latin1">ö',
  ],
  ['a byte order mark before all', utf8('\ufeff<p>ö'), 'latin1', '<p>ö'],
  ['UTF-16', Buffer.from('\ufeff<p>ö', 'utf16le'), null, '<p>ö'],
  ['Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'Shift_JIS', '日本'],
  ['GB 18030', Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), 'gb2312', '中文'],
  ['a name that means nothing', utf8('<p>ö'), 'x-unknown', '<p>ö'],
  ['UTF-8 that is none', latin1('<p>a\u00ff'), 'utf-8', '<p>a\ufffd'],
  ['an encoding that is not to be read', utf8('<p>a'), 'iso-2022-kr', ''],
])('%s', (_, bytes, charset, text) => {
  expect(decodeHtml(bytes, charset)).toBe(text);
});
