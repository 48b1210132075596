import { describe, expect, test } from 'vitest';
import { readHtml, type HtmlDocument } from '../../../packages/web-reader/src/html/read-html.ts';

/** Each page differs in one element, attribute or class. */

const read = (html: string): HtmlDocument => readHtml(html, { url: 'https://docs.example.com/' });
const TEXT = 'We are here for you.';

describe('elements outside of their place', () => {
  test.each([
    ['cells without a table', '<tr><td>a</td><th>b</th></tr>', 'a\n\nb'],
    ['a head without a table', '<thead>a</thead>', 'a'],
    ['text behind a cell', '<table><td>a</td>text', 'text\n\na'],
    ['text behind a name', '<table><th>a</th>text', 'text\n\na'],
    ['code that a title interrupts', '<code><h2>Part</h2>', '## Part'],
    ['two titles', '<h1>Title</h1><h1>Title</h1>', '# Title\n\n# Title'],
    ['two titles of a tab', '<title>A</title><title>A</title>', 'A'],
  ])('%s', (_, html, text) => {
    expect(read(html).text).toBe(text);
  });
});

describe('a table', () => {
  const row = (...cells: string[]): string =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  const names = (...cells: string[]): string =>
    `<tr>${cells.map((cell) => `<th>${cell}</th>`).join('')}</tr>`;
  const HEAD = '| Name | Price |\n| --- | --- |';

  test.each([
    ['of names', names('Name', 'Price'), HEAD],
    ['of one row', row('A', 'B', 'C'), '| A | B | C |'],
    [
      'whose names stand above a merged cell',
      `${names('Name', 'Price')}<tr><td rowspan="2">r</td><td>x</td></tr>`,
      `${HEAD}\n| r | x |`,
    ],
    [
      'whose numbers stand above words',
      row('Tent', '5') + row('Name', 'Price'),
      '| Tent | 5 |\n| Name | Price |',
    ],
    [
      'whose first row is a note',
      `<tr><td colspan="2">Note</td></tr><tr><th colspan="2">Group</th><th>R</th></tr>`,
      'Note\n\n| Group | Group | R |\n| --- | --- | --- |',
    ],
    [
      'with a row of one cell',
      row('Name', 'Price') + row('only') + row('z', 'a'),
      'only\n\n| Name | Price |\n| z | a |',
    ],
    ['with a cell that is empty at its end', '<td>n</td><td>a</td><th></th>', '| n | a |  |'],
    [
      'without ends of its cells',
      '<tr><td>a<td>b<tr><td>1<td>2',
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    [
      'without ends of its names',
      '<tr><th>a<th>b<tr><td>1<td>2',
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['with lines in a cell', row('a<br>b', '<ul><li>c<li>d</ul>'), '| a b | c d |'],
    ['with code in a cell', '<td><pre>c</pre></td>', '```\nc\n```'],
    ['with a table in a cell', `<td><table>${row('a', '1')}</table></td>`, '| a | 1 |'],
    ['with a title in a cell', '<td><h2>t</h2></td>', '## t'],
    ['with a hidden row', `${row('a', 'b')}<tr hidden><td>h</td><td>i</td></tr>`, '| a | b |'],
    ['with something hidden in a cell', '<td>a</td><td>b<div hidden>d</div></td>', '| a | b |'],
    ['with something hidden in a name', '<th><div hidden>d</div></th>', ''],
    ['with something hidden between its cells', '<div hidden>d</div>', ''],
  ])('%s', (_, table, text) => {
    expect(read(`<table>${table}</table>`).text).toBe(text);
  });

  test('that lays a page out has lists in its cells', () => {
    expect(read('<table role="presentation"><td><ul><li>a<li>b</ul></td>').text).toBe('- a\n- b');
  });

  test('has names of at most 60 characters without elements that say so', () => {
    const of = (length: number): string =>
      read(`<table>${row('n'.repeat(length), 'b')}${row('1', '2')}</table>`).text;
    expect(of(60)).toContain('---');
    expect(of(61)).not.toContain('---');
  });

  test('has names without digits, and at most one that is empty', () => {
    const of = (...cells: string[]): string =>
      read(`<table>${row(...cells)}${row('1', '2', '3')}</table>`).text;
    expect(of('', 'a', 'b')).toContain('---');
    expect(of('', '', 'b')).not.toContain('---');
    expect(of('a', 'b 2', 'c')).not.toContain('---');
  });

  test('has at most five rows of names', () => {
    const all = (count: number): string[] =>
      Array.from({ length: count }, (_, at) => names(`a${at}`, 'b'));
    const of = (count: number): string =>
      read(`<table>${all(count).join('')}${row('1', '2')}</table>`).text;
    expect(of(5).split('\n')[0]).toBe('| a0 a1 a2 a3 a4 | b |');
    expect(of(6).split('\n')[0]).toBe('| a0 a1 a2 a3 a4 | b |');
    expect([of(5), of(6)].map((text) => text.split('\n').length)).toEqual([3, 4]);
  });

  test('has cells of at most 1,000 characters, else they are paragraphs', () => {
    const of = (length: number): string =>
      read(`<table>${row('x'.repeat(length), '1')}</table>`).text;
    expect(of(1_000)).toBe(`| ${'x'.repeat(1_000)} | 1 |`);
    expect(of(1_001)).toBe(`${'x'.repeat(1_001)}\n\n1`);
  });
});

describe('numbers that markup sets apart', () => {
  test.each([
    ['of a class', '19<span class="cents">99</span>', '19.99'],
    ['with their dot', '19<sup class="cents">.99</sup>', '19.99'],
    [
      'in a cell of that class',
      '<table><td class="cents">99</td><td>19</td></table>',
      '| 99 | 19 |',
    ],
    ['beside a fraction', '1<sup>1</sup>/<sub>2</sub>', '1 1/2'],
    ['lowered by a style', '10<span style="vertical-align: sub">3</span>', '10_3'],
    ['before another number', '10<sup>6</sup>5', '10^6 5'],
    ['behind a word', 'word<sup>2</sup>', 'word²'],
    ['behind a word, in small letters', 'word<small>2</small>', 'word2'],
    ['in code', '<pre class="language-sh">19<small>99</small></pre>', '```sh\n1999\n```'],
    ['behind the dot of a sentence', 'word.19<span class="cents">99</span>', 'word.19 99'],
    ['that are signs', '5<sup>/</sup>', '5 /'],
    ['that are struck out', '<strike>19</strike> 15', '~~19~~ 15'],
  ])('%s', (_, html, text) => {
    expect(read(`<p>${html}</p>`).text).toBe(text);
  });
});

describe('tools and marks in titles', () => {
  test.each([
    ['a span that links to it', '<h2><span class="permalink">#</span>Part</h2>', '## Part'],
    ['a button that links to it', '<h2><button class="permalink">#</button>Part</h2>', '## Part'],
    ['a button behind its words', '<h2>Part <button>x</button></h2>', '## Part'],
    ['a button that is all of it', '<h2><button>Part</button></h2>', '## Part'],
    ['a label that is all of it', '<h2><label>Part</label></h2>', '## Part'],
    ['something hidden', '<h2><b hidden>no</b>Part</h2>', '## Part'],
  ])('%s', (_, html, text) => {
    expect(read(`<main>${html}<p>${TEXT}</p></main>`).text).toBe(`${text}\n\n${TEXT}`);
  });
});

describe('what stands beside a text', () => {
  test.each([
    ['the class of the body', `<body class="sidebar"><p>${TEXT}</p></body>`],
    ['the id of the body', `<body id="nav"><p>${TEXT}</p></body>`],
    ['the class of the page', `<html class="sidebar"><p>${TEXT}</p></html>`],
    ['the id of the text', `<main id="header"><p>${TEXT}</p></main>`],
    [
      'the id of a section',
      `<section id="menu"><p>Text.</p></section><p>${TEXT}</p>`,
      `Text.\n\n${TEXT}`,
    ],
    [
      'the id of a section of a manual',
      `<div class="sect1" id="menu"><h2>A</h2></div><p>${TEXT}</p>`,
      `## A\n\n${TEXT}`,
    ],
    ['a button of the page', `<button><p>Open</p></button><p>${TEXT}</p>`],
    [
      'a button that opens a menu',
      `<button aria-haspopup="true" aria-controls="a"><p>Open</p></button><p>${TEXT}</p>`,
    ],
    ['a button in the text', `<main><button><p>Open</p></button><p>${TEXT}</p></main>`],
    ['a part that complements it', `<div role="complementary"><p>No.</p></div><p>${TEXT}</p>`],
    ['a note in it', `<aside class="note"><p>Yes.</p></aside><p>${TEXT}</p>`, `Yes.\n\n${TEXT}`],
    ['an advertisement in it', `<aside class="offer"><p>No.</p></aside><p>${TEXT}</p>`],
    ['what no part of a manual is', `<p>No.</p><div role="main"><p>${TEXT}</p></div>`],
    [
      'what is not the body of an article',
      `<p>No.</p><div itemprop="articleBody"><p>${TEXT}</p></div>`,
    ],
    ['what is not the content by its id', `<p>No.</p><div id="content"><p>${TEXT}</p></div>`],
    ['what is not the content by its class', `<p>No.</p><div class="content"><p>${TEXT}</p></div>`],
    ['a hidden region', `<div hidden role="region"><p>No.</p></div><p>${TEXT}</p>`],
    [
      'a hidden part with a label',
      `<div hidden aria-labelledby="q"><p>No.</p></div><p>${TEXT}</p>`,
    ],
    [
      'a named part in a hidden one',
      `<div hidden><div class="sidebar"><p>No.</p></div></div><p>${TEXT}</p>`,
    ],
    [
      'a class of a body of content',
      `<body class="content"><p>${TEXT}</p><div class="content"><p>${TEXT}</p></div></body>`,
      TEXT,
    ],
  ])('%s', (_, html, text = TEXT) => {
    expect(read(html).text).toBe(text);
  });

  test('a menu is text if it holds sentences, and none if it holds links', () => {
    const menu = (content: string): string =>
      read(`<div class="menu">${content}</div><p>${TEXT}</p>`).text;
    const sentence = 'Soup of the day with bread for two.';
    expect(menu(`<p>${sentence}</p>`)).toBe(`${sentence}\n\n${TEXT}`);
    expect(menu('<p><a href="/a">Soup of the day with bread</a></p>')).toBe(TEXT);
    // Half of the lines are sentences.
    const half = `<p><a href="/a">${sentence}</a></p><p><a href="/b">Soup of the day</a></p>`;
    expect(menu(half)).toContain('Soup of the day');
    expect(menu(`${half}<p><a href="/c">Bread</a></p>`)).toBe(TEXT);
    // Exactly half of the characters are links.
    expect(
      menu('<p>sixteen letters <a href="/a">sixteen letters!</a></p><p>x</p><p>y</p>'),
    ).toContain('sixteen');
  });

  test('a menu is text from 30 characters on', () => {
    const menu = (length: number): string =>
      read(`<div class="menu"><p>${'x'.repeat(length)}</p></div><p>${TEXT}</p>`).text;
    expect(menu(30)).toContain('xx');
    expect(menu(29)).toBe(TEXT);
  });
});

describe('facts around a text', () => {
  const around = (html: string): string => read(`<main><p>${TEXT}</p></main>${html}`).around;

  test.each([
    ['a sentence of four words', '<footer><p>Come and see us.</p></footer>', 'Come and see us.'],
    ['no sentence of three', '<footer><p>Come and see.</p></footer>', ''],
    ['no four words without an end', '<footer><p>come and see us</p></footer>', ''],
    ['a number', '<footer><p>Room 12</p></footer>', 'Room 12'],
    ['no number in a link of two digits', '<footer><p><a href="/12">12</a></p></footer>', ''],
    ['a number in a link of three', '<footer><p><a href="/120">120</a></p></footer>', '120'],
    ['no words in a link', '<footer><p><a href="/x">Come and see us.</a></p></footer>', ''],
    ['no number outside of them', '<div><p>Room 12</p></div>', ''],
    ['no number on a button', '<footer><button><p>Room 12</p></button></footer>', ''],
    ['no number in a label', '<footer><label><p>Room 12</p></label></footer>', ''],
    ['no number in a form', '<footer><form>Room 12</form></footer>', ''],
    ['a number in a part of that class', '<div class="sidebar">Room 12</div>', 'Room 12'],
    ['a number in a part of that id', '<div id="sidebar">Room 12</div>', 'Room 12'],
    ['no number of a newsletter', '<div id="newsletter">Room 12</div>', ''],
    ['no text of the page', `<footer><p>${TEXT}</p></footer>`, ''],
  ])('%s', (_, html, facts) => {
    expect(around(html)).toBe(facts);
  });

  test('of at most 500 characters', () => {
    const of = (length: number): number =>
      around(`<footer><p>${'12'.repeat(length / 2)}</p></footer>`).length;
    expect([of(500), of(502)]).toEqual([500, 0]);
  });

  test('are none of the class of the page', () => {
    expect(
      read(`<body class="sidebar"><main><p>${TEXT}</p></main><p>Room 12</p></body>`).around,
    ).toBe('');
    expect(
      read(`<html class="sidebar"><main><p>${TEXT}</p></main><p>Room 12</p></html>`).around,
    ).toBe('');
    expect(
      read(`<article><p>${TEXT}</p></article><main id="header"><p>Room 12</p></main>`).around,
    ).toBe('');
  });

  const data = (value: unknown): string =>
    around(`<script type="application/ld+json">${JSON.stringify(value)}</script>`);
  const nested = (depth: number): unknown =>
    depth === 0 ? { telephone: '1' } : { a: nested(depth - 1) };

  test('of structured data stand at most twelve deep, and are at most 60', () => {
    expect([data(nested(12)), data(nested(13))]).toEqual(['Telephone: 1', '']);
    const all = (count: number): string =>
      data(Array.from({ length: count }, (_, at) => ({ email: `${at}@` })));
    expect([all(60), all(61)].map((text) => text.split('\n').length)).toEqual([60, 60]);
  });

  test.each([
    ['numbers', { telephone: 555 }, 'Telephone: 555'],
    ['nothing', { telephone: null, email: 'a@b' }, 'Email: a@b'],
    ['hours without an end', { opens: '08:00', email: 'a@b' }, 'Email: a@b'],
    ['hours without a start', { closes: '08:00', email: 'a@b' }, 'Email: a@b'],
  ])('of structured data with %s', (_, value, facts) => {
    expect(data(value)).toBe(facts);
  });

  test('of structured data of 100,000 characters are read, and of no more', () => {
    const of = (length: number): string => {
      const empty = JSON.stringify({ email: 'a@b', x: '' });
      return data({ email: 'a@b', x: 'x'.repeat(length - empty.length) });
    };
    expect([of(100_000), of(100_001)]).toEqual(['Email: a@b', '']);
  });
});

describe('links of a page', () => {
  const links = (html: string): string[] => read(html).links;

  test.each([
    [
      'of the next and the one before',
      '<link rel="next" href="/n"><link rel="prev" href="/p">',
      ['/n', '/p'],
    ],
    ['none of a style', '<link rel="stylesheet" href="/s">', []],
    ['none without an address', '<a name="x">x</a>', []],
  ])('%s', (_, html, paths) => {
    expect(links(html)).toEqual(paths.map((path) => `https://docs.example.com${path}`));
  });

  test('of at most 2,048 characters, with their host too', () => {
    const of = (length: number): number =>
      links(`<a href="${'https://docs.example.com/'.padEnd(length, 'x')}">x</a>`).length;
    expect([of(2_048), of(2_049)]).toEqual([1, 0]);
    expect(links(`<a href="/${'x'.repeat(2_030)}">x</a>`)).toEqual([]);
  });

  test.each(['noindex', 'none'])('are not indexed by %s', (word) => {
    for (const name of ['robots', 'parley']) {
      expect(read(`<meta name="${name}" content="${word}">`).robots.noindex).toBe(true);
    }
  });

  test.each(['nofollow', 'none'])('are not followed by %s', (word) => {
    expect(read(`<meta name="robots" content="${word}">`).robots.nofollow).toBe(true);
  });

  test('are only those of elements that link', () => {
    expect(
      read(`<main><p>${TEXT}</p></main><footer><p href="/x">Come and see us.</p></footer>`).around,
    ).toBe('Come and see us.');
    expect(
      read(`<main><p>${TEXT}</p></main><footer><p><a name="x">Come and see us.</a></p></footer>`)
        .around,
    ).toBe('Come and see us.');
  });
});
