import { describe, expect, test } from 'vitest';
import { linked, webAddress } from '../../../packages/widget/src/text/addresses.ts';

/** Where a web address in a text ends, and where it leads. */

const linksOf = (text: string): (string | undefined)[] =>
  linked(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.href]));

function shownOf(text: string): string {
  const parts = linked(text).map((piece) => {
    if (typeof piece === 'string') return piece;
    return `‹${piece.children.filter((one) => typeof one === 'string').join('')}›`;
  });
  return parts.join('');
}

test.each([
  ['参见https://example.com。谢谢', 'https://example.com/'],
  ['请看https://example.com，谢谢', 'https://example.com/'],
  ['「https://example.com/x」', 'https://example.com/x'],
  ['（https://example.com/x）', 'https://example.com/x'],
  ['『https://example.com/x』', 'https://example.com/x'],
  ['https://example.com、もう一つ', 'https://example.com/'],
  ['真的吗https://example.com/x？', 'https://example.com/x'],
  ['太好了https://example.com/x！', 'https://example.com/x'],
  ['https://example.com：8080', 'https://example.com/'],
  ['https://example.com:8080。', 'https://example.com:8080/'],
  ['https://example.com谢谢', 'https://example.com/'],
  ['https://example.comを見て', 'https://example.com/'],
  ['https://example.com에서 봐요', 'https://example.com/'],
  ['https://example.com/a谢谢', 'https://example.com/a'],
  ['https://example.com/路径，好', 'https://example.com/%E8%B7%AF%E5%BE%84'],
  ['انظر https://example.com/a، شكرا', 'https://example.com/a'],
  ['https://example.com/a।', 'https://example.com/a'],
  ['https://例え.jpを見て', 'https://xn--r8jz45g.jp/'],
  ['https://münchen.de.', 'https://xn--mnchen-3ya.de/'],
  ['https://example.com😀', 'https://example.com/'],
])('in a sentence of another script the address ends where it does: %s', (text, href) => {
  expect(linksOf(text)).toEqual([href]);
});

test.each([
  ['See https://example.com/a_(b) now', 'See ‹https://example.com/a_(b)› now'],
  ['(see https://example.com/a_(b))', '(see ‹https://example.com/a_(b)›)'],
  ['https://example.com/q=(business))+ok', '‹https://example.com/q=(business))+ok›'],
  ['[https://example.com/a[1]]', '[‹https://example.com/a[1]›]'],
  ['{https://example.com/a}', '{‹https://example.com/a›}'],
  ['Is it https://example.com/a?b=c?', 'Is it ‹https://example.com/a?b=c›?'],
  ['https://example.com/?a=1&hl;', '‹https://example.com/?a=1›&hl;'],
  ['https://example.com/a; then', '‹https://example.com/a›; then'],
  ['**https://example.com/a**', '**‹https://example.com/a›**'],
  ['"https://example.com/a"', '"‹https://example.com/a›"'],
  ['|https://example.com/a|', '|‹https://example.com/a›|'],
  ['https://example.com.', '‹https://example.com›.'],
  ['HTTP://EXAMPLE.com/A', '‹HTTP://EXAMPLE.com/A›'],
  ['http://[::1]:8080/a.', '‹http://[::1]:8080/a›.'],
  ['https://a.example/, https://b.example/', '‹https://a.example/›, ‹https://b.example/›'],
])('punctuation and brackets of the sentence are no part of it: %s', (text, shown) => {
  expect(shownOf(text)).toBe(shown);
});

test.each([
  ['a user before the host', 'https://bank.example@evil.example/'],
  ['a user and a password', 'https://bank.example:443@evil.example/'],
  ['a host that continues in another script', 'https://bank日本.evil.example/'],
  ['the rest of an international host', 'https://shop.bank日本.中国/'],
  ['a hyphen that browsers ignore', 'https://exam\u00adple.com/'],
  ['letters that browsers replace', 'https://ｅｘａｍｐｌｅ.com/'],
  ['an IP address as a number', 'http://2130706433/'],
  ['no port', 'https://example.com:99999/'],
  ['a scheme within a word', 'xhttps://example.com/'],
  ['another scheme', 'javascript:alert(1) data:text/html,x ftp://example.com'],
])('it is no link where readers may see another host: %s', (_, text) => {
  expect(linked(text)).toEqual([text]);
});

describe('the address of a link', () => {
  test('is what browsers make of it', () => {
    expect(webAddress('https://Example.com/a b')).toBe('https://example.com/a%20b');
  });

  test.each(['https:/example.com', 'https://', 'https://a@b.example', '//example.com', '/a'])(
    'is none: %s',
    (text) => {
      expect(webAddress(text)).toBeUndefined();
    },
  );
});
