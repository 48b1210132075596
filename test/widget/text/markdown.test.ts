import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../../../packages/widget/src/text/markdown.ts';
import type { Piece } from '../../../packages/widget/src/text/piece.ts';

/** What visitors see of an answer in Markdown. */

function shown(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      const { tag, children, href, start } = piece;
      const detail = href ?? (start === undefined || start === 1 ? undefined : String(start));
      return `<${tag}${detail === undefined ? '' : ` ${detail}`}>${shown(children)}</${tag}>`;
    })
    .join('');
}

const read = (text: string): string => shown(readMarkdown(text));
const readPart = (text: string): string => shown(readMarkdown(text, { isPartial: true }));

const ANSWER =
  '**Delivery** takes *four* days:\n\n1. **Order** on the [shop page](https://shop.example/a)\n2. Pay\n\n' +
  '| Size | Price |\n|---|---|\n| S | 10 € |\n\nDone! 😀';

test('an answer has its bold words, its list, its link and its table', () => {
  expect(read(ANSWER)).toBe(
    '<p><strong>Delivery</strong> takes <em>four</em> days:</p>' +
      '<ol><li><p><strong>Order</strong> on the <a https://shop.example/a>shop page</a></p></li><li><p>Pay</p></li></ol>' +
      '<table><tr><th>Size</th><th>Price</th></tr><tr><td>S</td><td>10 €</td></tr></table>' +
      '<p>Done! 😀</p>',
  );
});

test('while it is being written it never shows a mark that is closed later', () => {
  for (let length = 1; length <= ANSWER.length; length += 1) {
    const part = readPart(ANSWER.slice(0, length));
    // The row of a table is known as one by the line below it.
    expect(part.replace(/\|[^<]*/, '')).not.toMatch(/\*\*|\*f|\[|\]\(|\(https/);
  }
});

test.each([
  [
    '***both*** __bold__ _it_ ~~no~~',
    '<strong><em>both</em></strong> <strong>bold</strong> <em>it</em> <del>no</del>',
  ],
  ['**a *b*** and *c **d***', '<strong>a <em>b</em></strong> and <em>c <strong>d</strong></em>'],
  ['**「重要」**です', '<strong>「重要」</strong>です'],
  ['snake_case_name, 2*3*4, 3 * 4 * 5', 'snake_case_name, 2*3*4, 3 * 4 * 5'],
  ['`a*b*` and ``x`y``', '<code>a*b*</code> and <code>x`y</code>'],
  ['\\*no\\*', '*no*'],
  ['**open', '**open'],
  ['one<br>two', 'one\ntwo'],
  ['<b>text</b> <img src=x onerror=alert(1)>', '<b>text</b> <img src=x onerror=alert(1)>'],
  [
    '_see https://a.example/b_c_d_',
    '<em>see <a https://a.example/b_c_d>https://a.example/b_c_d</a></em>',
  ],
])('within a line: %s', (text, line) => {
  expect(read(text)).toBe(`<p>${line}</p>`);
});

test.each([
  ['[the shop](https://a.example/(b) "title")', '<a https://a.example/(b)>the shop</a>'],
  ['[**bold** [x]](<https://a.example/b>)', '<a https://a.example/b><strong>bold</strong> [x]</a>'],
  ['<https://a.example/b>', '<a https://a.example/b>https://a.example/b</a>'],
  ['<me@a.example>', '<a mailto:me@a.example>me@a.example</a>'],
  [
    '[write](mailto:me@a.example) or [ring](tel:+49-30-1)',
    '<a mailto:me@a.example>write</a> or <a tel:+49-30-1>ring</a>',
  ],
  ['![a cat](https://a.example/c.png)', '<a https://a.example/c.png>a cat</a>'],
  ['[prices.pdf](https://a.example/p)', '<a https://a.example/p>prices.pdf</a>'],
  ['[www.a.example](https://a.example/p)', '<a https://a.example/p>www.a.example</a>'],
])('links stay links: %s', (text, line) => {
  expect(read(text)).toBe(`<p>${line}</p>`);
});

test.each([
  '[click](javascript:alert(2))',
  '[click](JavaScript:alert(2))',
  '[click](data:text/html,x)',
  '[click](/returns)',
  '[click](//evil.example)',
  '[click](https://bank.example@evil.example)',
])('no other scheme becomes one: %s', (text) => {
  expect(readMarkdown(text)).not.toContainEqual(expect.objectContaining({ tag: 'a' }));
  expect(read(text)).not.toContain('<a ');
});

test.each([
  'https://bank.example',
  'bank.example',
  'www.bank.example/login',
  '**https://bank.example**',
])('a link that names another host than its own shows its address: %s', (label) => {
  expect(read(`[${label}](https://evil.example/x)`)).toBe(
    '<p><a https://evil.example/x>https://evil.example/x</a></p>',
  );
});

describe('blocks', () => {
  test.each([
    ['headings', '## Title ##\ntext', '<p><strong>Title</strong></p><p>text</p>'],
    ['lines', 'one\ntwo', '<p>one\ntwo</p>'],
    ['a rule', 'one\n\n---\n\ntwo', '<p>one</p><hr></hr><p>two</p>'],
    [
      'a quote',
      '> one\n> - two',
      '<blockquote><p>one</p><ul><li><p>two</p></li></ul></blockquote>',
    ],
    [
      'code',
      '```js\nlet a = "**b**";\n```\nend',
      '<pre><code>let a = "**b**";</code></pre><p>end</p>',
    ],
    ['code that is not closed', '~~~\na\n', '<pre><code>a\n</code></pre>'],
    [
      'a list after a line',
      'Two:\n* a\n* b',
      '<p>Two:</p><ul><li><p>a</p></li><li><p>b</p></li></ul>',
    ],
    [
      'lists in lists',
      '- a\n  1. b\n\n     c\n- d',
      '<ul><li><p>a</p><ol><li><p>b</p><p>c</p></li></ol></li><li><p>d</p></li></ul>',
    ],
    [
      'a list that goes on',
      '1. a\n\ntext\n\n2. b',
      '<ol><li><p>a</p></li></ol><p>text</p><ol 2><li><p>b</p></li></ol>',
    ],
    ['a list with pauses', '- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    [
      'a table',
      '|a|b|\n|:-|-:|\n|x \\| y|',
      '<table><tr><th>a</th><th>b</th></tr><tr><td>x | y</td><td></td></tr></table>',
    ],
    ['bars that are no table', 'a | b\nc', '<p>a | b\nc</p>'],
    ['carriage returns', 'a\r\n\r\nb', '<p>a</p><p>b</p>'],
  ])('%s', (_, text, blocks) => {
    expect(read(text)).toBe(blocks);
  });

  test('a part of a list has the bold word that is being written', () => {
    expect(readPart('- a\n- **b')).toBe(
      '<ul><li><p>a</p></li><li><p><strong>b</strong></p></li></ul>',
    );
    expect(readPart('**a\n\nb')).toBe('<p>**a</p><p>b</p>');
  });
});

test.each([
  '*a ',
  '**',
  '***a ',
  '`a',
  '` `` ',
  '[',
  '[a](',
  '![a',
  '>',
  '- ',
  '|',
  '|a\n',
  'https://a.example/',
  '<a@',
  '_a',
  '~~a ',
])('thirty thousand characters of %j are read', (part) => {
  const text = part.repeat(30_000 / part.length);
  expect(readMarkdown(text).length).toBeGreaterThan(0);
  expect(readMarkdown(text, { isPartial: true })).toBeDefined();
});

test('thirty thousand brackets behind an address are read', () => {
  expect(read(`https://a.example/${')'.repeat(30_000)}`)).toContain('<a https://a.example/>');
});
