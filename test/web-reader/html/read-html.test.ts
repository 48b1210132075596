import { describe, expect, test } from 'vitest';
import { HtmlBlocks, type Block } from '../../../packages/web-reader/src/html/html-blocks.ts';
import { HtmlRefused } from '../../../packages/web-reader/src/html/html-refused.ts';
import { readHtml } from '../../../packages/web-reader/src/html/read-html.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

const at = { url: 'https://docs.example.com/guide/start' };
const textOf = (html: string): string => readHtml(html, at).text;
const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;

describe('Markdown', () => {
  test.each([
    ['headings', '<h1>A</h1><p>b<h2>C <em>d</em></h2>', '# A\n\nb\n\n## C d'],
    [
      'lists in lists',
      '<ul><li>one<li><p>two<p>more<ol start=3><li>a<li>b</ol></ul>',
      '- one\n- two\n  more\n  3. a\n  4. b',
    ],
    ['two lists', '<ul><li>one</ul><ul><li>two</ul>', '- one\n\n- two'],
    [
      'tables',
      '<table><thead><tr><th>Plan<th>Price</thead><tr><td>S|M<td><p>9</p></table>',
      '| Plan | Price |\n| --- | --- |\n| S\\|M | 9 |',
    ],
    [
      'code',
      '<pre class="highlight-sh"><code>a  b\n  <b>c</b>\n</code></pre><p>Use <code>x y</code>.',
      '```sh\na  b\n  c\n```\n\nUse `x y`.',
    ],
    ['code with a fence in it', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['entities and spaces', '<p>a&nbsp;&amp;\n\n  b&#8203;c &lt;d&gt;</p>', 'a & bc <d>'],
    ['lines', '<p>a<br>b</p>', 'a\nb'],
    ['terms', '<dl><dt>Refund<dd>In 14 days.</dl>', 'Refund\n\nIn 14 days.'],
    [
      'what would be a heading in Markdown',
      '<p># 1 is best</p><p>---</p>',
      '\\# 1 is best\n\n\\---',
    ],
  ])('has %s', (_, html, expected) => {
    expect(textOf(page(html))).toBe(expected);
  });

  test('has the text of a table that lays the page out as paragraphs', () => {
    const html = '<table><tr><td>Left<td><h2>Title</h2><p>Text.</p></tr></table>';
    expect(textOf(page(html))).toBe('Left\n\n## Title\n\nText.');
  });
});

describe('what surrounds a text', () => {
  const text = 'Returns are free for thirty days after the parcel has come. '.repeat(5).trim();

  test.each([
    '<nav>Home</nav>',
    '<header>Shop</header>',
    '<footer>Imprint</footer>',
    '<aside>See also</aside>',
    '<form><input><button>Search</button></form>',
    '<script>let a = "<p>x</p>";</script>',
    '<style>p {}</style>',
    '<template><p>x</p></template>',
    '<div hidden>Later</div>',
    '<p style="display: none">Later</p>',
    '<div class="cookie-banner">We use cookies</div>',
    '<a class="skip-link" href="#main">Skip to content</a>',
    '<ol class="breadcrumbs"><li>Home</ol>',
    '<div role="navigation"><ul><li>Home</ul></div>',
    '<div id="footer">Imprint</div>',
    '<noscript>Turn it on</noscript>',
  ])('%s is left out', (around) => {
    const html = page(`${around}<h1>Returns</h1><p>${text}</p>${around}`);
    expect(textOf(html)).toBe(`# Returns\n\n${text}`);
  });

  test.each([
    `<main>TEXT</main>`,
    `<div role="main">TEXT</div>`,
    `<article>TEXT</article>`,
    `<div class="markdown-body">TEXT</div>`,
    `<main><div>In this page</div><article>TEXT</article></main>`,
  ])('is not what stands beside %s', (main) => {
    const inside = `<h1>Returns<a class="headerlink" href="#r">¶</a></h1><p>${text}</p>`;
    const html = page(`<div>Menu of all things</div>${main.replace('TEXT', inside)}<p>End</p>`);
    expect(textOf(html)).toBe(`# Returns\n\n${text}`);
  });

  test('is the text where there is next to nothing else', () => {
    expect(textOf(page(`<form><h1>Ask</h1><p>${text}</p></form>`))).toContain(text);
    expect(textOf(page(`<main></main><div class="sidebar">${text}</div>`))).toBe(text);
  });

  test('a section about cookies or menus is a text', () => {
    const html = page(`<section id="menu"><h2>Menu</h2><p>${text}</p></section>`);
    expect(textOf(html)).toBe(`## Menu\n\n${text}`);
  });

  test('the head of an article has its title, a note beside it is a note', () => {
    const html = page(
      `<article><header><h1>Returns</h1></header><p>${text}</p><aside class="note">Keep it.</aside></article>`,
    );
    expect(textOf(html)).toBe(`# Returns\n\n${text}\n\nKeep it.`);
  });

  test('a title above the text, in a head of its own, belongs to it with what is said there', () => {
    const head = `<div id="header"><h1>\nkettle(1) Manual Page\n</h1><h2>Name</h2><p>kettle - Boils.</p>
      <ul class="nav"><li><a href="/">All</a></ul></div>`;
    const manual = (title: string): string =>
      page(`${head}<div id="content"><h2>Use</h2><p>${text}</p></div>`, `<title>${title}</title>`);
    const whole = `# kettle(1) Manual Page\n\n## Name\n\nkettle - Boils.\n\n## Use\n\n${text}`;
    expect(readHtml(manual('kettle(1)'), at)).toMatchObject({
      title: 'kettle(1) Manual Page',
      text: whole,
    });
    // The name of the site.
    expect(textOf(manual('Use - kettle(1) Manual Page'))).toBe(`## Use\n\n${text}`);
    expect(textOf(manual(''))).toBe(`## Use\n\n${text}`);
  });

  test('questions that open are titles', () => {
    const html = page(`<h3><button>May I return it?</button></h3><div>${text}</div>`);
    expect(textOf(html)).toBe(`### May I return it?\n\n${text}`);
  });
});

describe('what a page says of itself', () => {
  test('title: the heading that the tab begins with, the only top one, the title of the tab', () => {
    const title = (body: string): string | null =>
      readHtml(page(body, '<title>Returns &amp;\n more · Shop</title>'), at).title;
    expect(title('<main><h1>Returns</h1><p>x</p></main>')).toBe('Returns');
    expect(title('<p>x</p>')).toBe('Returns & more · Shop');
    expect(title('<h1>One</h1><h1>Two</h1>')).toBe('Returns & more · Shop');
    expect(title('<h1>Shop</h1><h2>Returns &amp; more</h2>')).toBe('Returns & more');
    expect(title('<h1>Returns<button>Copy</button></h1>')).toBe('Returns');
    expect(readHtml('x', at).title).toBe(null);
  });

  test('links are absolute, without fragment, each once, but those of rel=nofollow', () => {
    const { links } = readHtml(
      page(
        `<nav><a href="/a#x">a</a></nav><a href="/a">a</a><a href="b?c=1&amp;d">b</a>
         <a href="/no" rel="external NOFOLLOW">n</a><a href="#top">t</a><a href="mailto:a@b.c">m</a>
         <a href="javascript:alert(1)">j</a><a href="http://[">bad</a><a href="//other.example/z">o</a>`,
        '<base href="/base/">',
      ),
      at,
    );
    expect(links).toEqual([
      'https://docs.example.com/a',
      'https://docs.example.com/base/b?c=1&d',
      'https://other.example/z',
    ]);
  });

  test('a link of 2,048 characters is kept, and a longer one is not', () => {
    const address = (length: number): string => 'https://docs.example.com/'.padEnd(length, 'a');
    const anchors = [2_048, 2_049].map((length) => `<a href="${address(length)}">x</a>`).join('');
    expect(readHtml(page(anchors), at).links).toEqual([address(2_048)]);
  });

  test('canonical, language and robots', () => {
    const read = readHtml(
      page(
        '<p>x</p>',
        `<link rel="canonical" href="/guide#x"><meta name="ROBOTS" content="NoIndex, follow">
         <meta name="robots" content="nofollow">`,
      ).replace('lang="en"', 'lang="de-CH"'),
      at,
    );
    expect(read).toMatchObject({
      canonical: 'https://docs.example.com/guide',
      language: 'de',
      robots: { noindex: true, nofollow: true },
    });
    expect(readHtml(page('<p>x</p>'), at)).toMatchObject({
      canonical: null,
      robots: { noindex: false, nofollow: false },
    });
  });
});

describe('a hostile page', () => {
  /** A tenth of what the nightly lane reads; quadratic work on either would last longer than a test may. */
  const SHARE = IS_NIGHTLY ? 1 : 0.05;
  const many = (text: string, count: number): string => text.repeat(count * SHARE);

  test.each<[string, string]>([
    ['headings cut off', many('<h1>a', 250_000)],
    ['links', many('<a href=/x>', 400_000)],
    ['end tags', '<b>'.repeat(900) + many('</i>', 1_000_000)],
    ['entities', `<p>${many('&amp;', 1_000_000)}`],
    ['attributes', `<p ${many('a=1 ', 1_000_000)}>x`],
    ['an attribute of megabytes', `<p class="${many('a ', 2_000_000)}" id=x>x`],
    ['a title without end', `<title>${many('x', 5_000_000)}`],
    ['a comment without end', `<!-- ${many('<p>', 1_000_000)}`],
    ['code of fences', `<pre>${many('```\n', 1_000_000)}</pre>`],
    ['a cell of spaces', `<table><tr><td>${many(' \n', 2_000_000)}`],
    ['tables in tables', '<table><tr><td>'.repeat(300)],
    ['forms in forms', many('<form>', 500_000)],
    [
      'cells that reach everywhere',
      `<table>${many(`<tr><td colspan=999 rowspan=65534>${'x'.repeat(900)}<td>y`, 20_000)}`,
    ],
    [
      'hidden parts in hidden parts',
      many(`${'<div hidden>'.repeat(900)}x${'</div>'.repeat(900)}`, 200),
    ],
    ['raised numbers', `<p>${many('1<sup>2</sup>', 300_000)}`],
    ['raised numbers that do not end', `${'<b>'.repeat(900)}${many('1<sup>2', 90)}`],
  ])('%s is read to its end', (_, html) => {
    expect(readHtml(html, at).links.length).toBeLessThanOrEqual(5_000);
  });

  const refusal = (message: RegExp): unknown =>
    expect.objectContaining({
      constructor: HtmlRefused,
      message: expect.stringMatching(message),
    });

  test('elements in elements are refused', () => {
    const html = many('<div>', 1_000_000);
    expect(() => readHtml(html, at)).toThrow(refusal(/nests elements more than 1000 levels deep/));
  });

  test('300,000 blocks are kept, and one more is refused', () => {
    const blocks = new HtmlBlocks();
    const block: Block = {
      text: '# a',
      kind: 'heading',
      where: 0,
      isFirst: false,
      level: 1,
      linked: 0,
      part: undefined,
    };
    for (let count = 0; count < 300_000; count += 1) blocks.add(block);
    expect(() => blocks.add(block)).toThrow(refusal(/more than 300,000 headings/));
  });

  // It takes as long as ten others.
  test.runIf(IS_NIGHTLY)('a page of 300,001 headings is refused', () => {
    const html = '<h1>a</h1>'.repeat(300_001);
    expect(() => readHtml(html, at)).toThrow(refusal(/more than 300,000 headings/));
  });

  test('is read to its end whatever it lacks', () => {
    expect(textOf('<p>a<p>b</div></x><b><i>c</b>d')).toBe('a\n\nbcd');
    expect(textOf('')).toBe('');
    expect(textOf('<')).toBe('<');
    expect(textOf('<p>a\u0000b&#0;</p>')).toBe('ab\ufffd');
  });
});
