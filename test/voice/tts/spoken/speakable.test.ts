import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSpeakable } from '../../../../src/voice/tts/spoken/speakable.ts';

/** What a voice is given of a text: words, wherever the text is cut into tokens. */

function spoken(tokens: readonly string[]): string {
  const words = createSpeakable();
  const said = tokens.map(words.push).join('') + words.end();
  expect(words.said()).toBe(said);
  return said;
}

/** Said whole, cut in two at every place, and letter by letter, it is the same. */
function said(text: string): string {
  const whole = spoken([text]);
  for (let cut = 1; cut < text.length; cut += 1) {
    const halves = [text.slice(0, cut), text.slice(cut)];
    expect([cut, spoken(halves)]).toEqual([cut, whole]);
  }
  expect(spoken(text.split(''))).toBe(whole);
  return whole;
}

test('an answer of a model in Markdown is words', () => {
  const answer =
    '**Delivery** takes *four* days:\n\n1. **Order** on the [shop page](https://shop.example/a)\n2. Pay\n\n' +
    '| Size | Price |\n|---|---|\n| S | 10 € |\n\nDone! 😀';
  expect(said(answer)).toBe(
    'Delivery takes four days:\n\n1. Order on the shop page\n2. Pay\n\nSize, Price\nS, 10 €\n\nDone! ',
  );
});

describe('text without marks is said byte for byte', () => {
  test.each([
    '2*3*4',
    '5 * 3 = 15, and 2 ** 3',
    'x**2 and a*b*c',
    'snake_case_words and __dirname_of',
    'first_name.last_name@example.com',
    '_foo_bar@example.com',
    'C# and F#, #1, #winning, and 5 # 3',
    'It costs $5, £42 or 1.299,00 €.',
    'Press *1 or *2, dial *67, or *#06#. Press * or #.',
    'A rating of 5* for the hotel!',
    'R&D at AT&T; a < b, x > y, I <3 it',
    'arr[0], [sic] and a (note)',
    'C:\\Users\\me',
    'A | B, a||b and || c',
    '3. Mai\n12. Juni',
    '-5 °C, +49 30 123\n+ 49 30 123\n> 5 kg',
    '~5 minutes',
    '© 2024 ® ™',
    'a_b',
    'Wait... what?! No!! [x]',
    'Hello\n\n  World\n',
    'न्\u200dय, می\u200cخواهم',
    '日本語のテキスト。「引用」です！',
    'h w ht www htt https http: //',
    '`unclosed, &amp and [open',
    '<break time="1s"/> <say-as interpret-as="date">x</say-as>',
    '--',
    '',
    // Marks at the end of a text.
    '5*',
    'a_',
    '`',
    '<',
    '~',
    '~~',
    '&',
    '#',
    '•',
    'www.',
    'a\ud83d',
  ])('%j', (text) => {
    expect(said(text)).toBe(text);
  });

  test('letters, digits and the marks of sentences, in any order', () => {
    const unit = fc.constantFrom(...'aZ9é日ا .,;:?!()\'"’„“%€$£/@\n-–'.split(''));
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 9 })), (tokens) => {
        const text = tokens.join('');
        fc.pre(!/^[ \t]*[-–] |^\s*-+\s*$|-[ \t]*-[ \t]*-/m.test(text));
        expect(spoken(tokens)).toBe(text);
      }),
    );
  });
});

test.each([
  ['emphasis', '*a* **b** ***c*** _d_ __e__', 'a b c d e'],
  ['nested emphasis', '**bold *and italic* text** and *_both_*', 'bold and italic text and both'],
  ['emphasis with marks around', '(**Note:** "*yes*"), **Bold**: x', '(Note: "yes"), Bold: x'],
  ['emphasis within Chinese words', '这是**重点**内容，*很*好', '这是重点内容，很好'],
  ['emphasis over two lines', '**one\ntwo** three', 'one\ntwo three'],
  ['emphasis that is never closed', '**one\n\ntwo 5* x', 'one\n\ntwo 5* x'],
  ['a number in italics', 'only *12* left', 'only 12 left'],
  ['a product in bold', '**2*3*4** is 24', '2*3*4 is 24'],
  ['what is struck out', 'for ~~19 €~~ 15 €', 'for 15 €'],
  ['headings', '# One\n\n### Two ###\n##Three\ntext', 'One\n\nTwo\nThree\ntext'],
  ['underlined headings and rules', 'One\n===\nTwo\n---\n***\nThree', 'One\nTwo\nThree'],
  ['lists', '- a\n* b\n+ c\n  - d\n• e\n● f', 'a\nb\nc\nd\ne\nf'],
  ['a list of tasks', '- [ ] buy\n- [x] **pay**', 'buy\npay'],
  ['numbers of lists are words', '1. **a**\n2) b', '1. a\n2) b'],
  ['quotes', '> one\n> > *two*', 'one\ntwo'],
  ['code', 'Enter `a_b*c` now', 'Enter a_b*c now'],
  ['code with marks in it', '``a`b`` c', 'a`b c'],
  ['a block of code', '```js\nlet *a* = 1;\n\n# b\n```\nafter', 'let *a* = 1;\n\n# b\nafter'],
  ['a block of code that goes on', '~~~\nA-1', 'A-1'],
  ['links', 'on [our **page**](https://a.example/x_(y) "Title"), [b][1]', 'on our page, b'],
  ['a link over two lines', '[a\n- b](c) d', 'a\n- b d'],
  ['the addresses of links', '[1]: https://a.example/x\ntext', 'text'],
  ['an address', 'See https://www.shop.example:8080/a?b=c#d.', 'See shop.example.'],
  [
    'an address in brackets',
    '(http://a.example/b_(c)) **www.b.example/x**',
    '(a.example) b.example',
  ],
  ['an address before Chinese marks', '参见https://example.com/a。谢谢', '参见example.com。谢谢'],
  ['addresses between angles', '<https://a.example/x> <me@b.example>', 'a.example me@b.example'],
  ['pictures of a page', '![Our shop](x.png) ![](y.png) here', 'Our shop here'],
  ['footnotes', 'Daily[^1].\n\n[^1]: Except Sundays.', 'Daily.\n\nExcept Sundays.'],
  ['elements of HTML', '<b>a</b><br/>b <!-- no --> c<p class="x">d</p>', 'a b c d '],
  ['entities', 'R&amp;D &lt;3 &nbsp;&#39;x&#39;', "R&D <3  'x'"],
  ['escaped marks', '\\*a\\* 1\\. \\# b', '*a* 1. # b'],
  ['emoji', '😀 Hi 👋🏽 there ❤️! ✅', 'Hi there ! '],
  ['emoji of several parts', 'a 👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇩🇪 b 🧑🏿‍🚀.', 'a b .'],
  ['keys in a box are their digits', 'Press 1️⃣0️⃣, #️⃣ or *️⃣', 'Press 10, # or *'],
  ['emoji beside emphasis', '🎉**Hi**🎉 *x*', 'Hi x'],
  ['nothing but emoji', '👍👍', ''],
  ['scores within emphasized words', '_snake_case_ x', 'snake_case x'],
  ['a product in italics', '*a1*2* b', 'a1*2 b'],
  ['a star within bold words', '**a*b** c', 'a*b c'],
  ['bold words before a number', '**a1**2', 'a12'],
  ['italics within a word', '5 a*bcd*e', '5 a*bcd*e'],
  ['emphasis beside one Chinese character', '5*点 ไ*', '5点 ไ'],
  ['bold signs', '**#', '#'],
  ['the sign of a key alone', '**\u20e3', '**'],
  ['a list without words', '+ \n\n- [', '\n\n['],
  ['an item that begins with a number', '- 5\n+ 5', '5\n+ 5'],
  ['a task with more spaces', '- [x]  a', 'a'],
  ['a quote without words', '>\n\na', '\n\na'],
  ['a bar without words', '|\na', '\na'],
  ['a bar behind an element', '<b>|\na', '|\na'],
  ['code between three marks within a line', '```a b```', 'a b'],
  ['a line of code that begins with marks', '```\n```<b>', '```<b>'],
  ['marks of two lines', '~~\n~~', '~~\n~~'],
  ['a picture of a note', '![^1]', ''],
  ['a description that begins with a space', '![ b](x)', ' b'],
  ['an address in brackets of its own', 'https://a.b/c)点', 'a.b'],
  ['code behind a picture', '😀`a` b', 'a b'],
  ['a link behind a picture', '😀[ a](x)', ' a'],
])('%s', (_, text, words) => {
  expect(said(text)).toBe(words);
});

describe('tables', () => {
  test('cells are said one after the other, with what is in them', () => {
    const table = '| **Size** | Price |\n|:--|--:|\n| [S](x) | 10 \\| 12 € |\n|  | free |\n\nEnd';
    expect(said(table)).toBe('Size, Price\nS, 10 | 12 €\nfree\n\nEnd');
  });

  test('without bars at the start of lines', () => {
    const table = 'Size | Price\n---|---\nS | 10 €\nM|12 €\nThat is all | really';
    expect(said(table).replaceAll(' ,', ',')).toBe(
      'Size, Price\nS, 10 €\nM, 12 €\nThat is all, really',
    );
  });

  test('end with the first line that has no bar', () => {
    expect(said('|a|b|\n|-|-|\n|c|d|\nText, e | f')).toMatch(/^a, b\nc, d\nText, e/);
  });
});

describe('what cannot be a mark any more is said at once', () => {
  test.each([
    ['<~', 2, '<'],
    ['\n', 1, '\n'],
    ['& ', 2, '& '],
    ['&abcdefg', 8, '&abcdefg'],
    ['[ ] ', 4, '[ ] '],
    ['- ](', 3, ']'],
    [':', 1, ''],
    ['a|\n=', 4, 'a|\n'],
    ['>重', 2, '重'],
    ['*1**😀', 6, '1'],
    ['~~\n', 3, '~~\n'],
    ['点_(', 2, '点'],
    ['_ |', 3, '_ '],
    ['``a``@', 6, 'a@'],
    ['``a``', 5, ''],
  ])('of %j, after %i characters: %j', (text, length, words) => {
    const speakable = createSpeakable();
    for (const character of text.slice(0, length)) speakable.push(character);
    expect(speakable.said()).toBe(words);
  });

  test.each([
    ['a closing star', `*1${'x'.repeat(119)}`],
    ['the end of what is struck out', `~~${'x'.repeat(298)}`],
    ['the end of a row', `|${'x'.repeat(1_999)}`],
  ])('%s is waited for only so long', (_, text) => {
    const speakable = createSpeakable();
    expect(speakable.push(text)).toBe('');
    expect(speakable.push('x')).toContain('xx');
  });

  test('a link has at most 2,000 characters', () => {
    const words = (length: number): string => 'x'.repeat(length);
    expect(spoken([`[${words(1_998)}](y)`])).toBe(words(1_998));
    expect(spoken([`[${words(1_999)}](y)`])).toBe(`[${words(1_999)}](y)`);
  });
});

test('words are said as they come: only what may be a mark waits', () => {
  const words = createSpeakable();
  expect(['Your ', 'order ', '**A-1', '** is', ' on its', ' way *', '67'].map(words.push)).toEqual([
    'Your ',
    'order ',
    'A-1',
    ' is',
    ' on its',
    ' way ',
    '',
  ]);
  expect(words.end()).toBe('*67');
});

test('the end of a line ends the wait for a closing mark', () => {
  const words = createSpeakable();
  expect(words.push('Say _five\nand go')).toBe('Say _five\nand go');
});

test('a mark that is never closed holds words back for a while only', () => {
  const words = createSpeakable();
  const text = `[${'word '.repeat(500)}`;
  expect(words.push(text)).not.toBe('');
  const row = createSpeakable();
  expect(row.push(`|${'word '.repeat(500)}`)).not.toBe('');
});

describe('what was said leads back to the text', () => {
  const textOf = (text: string, heard: string): string => {
    const words = createSpeakable();
    words.push(text);
    words.end();
    expect(words.said().startsWith(heard)).toBe(true);
    return words.textOf(heard.length);
  };

  test.each([
    ['**Delivery** takes *four* days', 'Delivery', '**Delivery**'],
    ['**Delivery** takes *four* days', 'Delivery ta', '**Delivery** ta'],
    ['the [shop page](https://a.example/x) is', 'the shop', 'the [shop'],
    [
      'the [shop page](https://a.example/x) is',
      'the shop page',
      'the [shop page](https://a.example/x)',
    ],
    ['see https://a.example/x?y=z now', 'see a.example', 'see https://a.example/x?y=z'],
    ['see https://a.example/x?y=z now', 'see a.ex', 'see https://a.example/x?y=z'],
    ['- one\n- two', 'one\n', '- one\n'],
    ['- one\n- two', 'one\nt', '- one\n- t'],
    ['|a|b|\n|-|-|\n|c|d|', 'a, b\nc', '|a|b|\n|-|-|\n|c'],
    ['plain text', 'plain', 'plain'],
    ['`x` y', 'x', '`x`'],
    ['😀 Hi', 'Hi', '😀 Hi'],
    ['**x**', '', ''],
  ])('of %j, %j is %j', (text, heard, kept) => {
    expect(textOf(text, heard)).toBe(kept);
  });

  test('it is always a beginning of the text, and more of it the more was said', () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      '*',
      '**',
      '_',
      '`',
      '[',
      '](',
      ')',
      '|',
      '\n',
      '- ',
      '# ',
      '😀',
      '~~',
      '<b>',
      '&amp;',
      '\\',
      '1',
    );
    fc.assert(
      fc.property(fc.array(unit), fc.nat(), (tokens, cut) => {
        const words = createSpeakable();
        for (const token of tokens) words.push(token);
        words.end();
        const length = cut % (words.said().length + 1);
        const text = words.textOf(length);
        expect(tokens.join('').startsWith(text)).toBe(true);
        expect(words.textOf(words.said().length).startsWith(text)).toBe(true);
      }),
    );
  });

  test.each(['<b \n\na>a', '<!-- \n\n-->a', '<https://a\n\nb>'])(
    'a tag does not span the paragraphs of %j, wherever it is cut',
    (text) => {
      for (let at = 0; at <= text.length; at += 1)
        expect(spoken([text.slice(0, at), text.slice(at)])).toBe(spoken([text]));
    },
  );

  test('wherever anything is cut, the same is said', () => {
    const unit = fc.constantFrom(
      'a',
      'b ',
      ' ',
      '*',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '|',
      '\n',
      '-',
      '#',
      '!',
      '😀',
      '~',
      '<',
      '>',
      'h',
      'www.',
      '9',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.nat(), (tokens, cut) => {
        const text = tokens.join('');
        const at = cut % (text.length + 1);
        expect(spoken([text.slice(0, at), text.slice(at)])).toBe(spoken([text]));
      }),
      { numRuns: 2_000 },
    );
  });
});
