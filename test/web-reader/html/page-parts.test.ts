import { describe, expect, test } from 'vitest';
import { readHtml } from '../../../packages/web-reader/src/html/read-html.ts';

const textOf = (html: string): string => readHtml(html, { url: 'https://docs.example.com/' }).text;
const page = (body: string): string => `<!doctype html><html lang="en"><body>${body}</body></html>`;

describe('text that opens by a click', () => {
  const panel = (question: string, answer: string): string =>
    page(`<main><h1>Questions</h1><p>Open one.</p>${question}${answer}</main>`);
  test.each([
    [
      'by its button',
      '<h3><button aria-expanded="false" aria-controls="a2">How long?</button></h3>',
      '<div id="a2" hidden><p>Four days.</p></div>',
    ],
    [
      'by one of several',
      '<div><button aria-controls="a1 a2">How long?</button></div>',
      '<p>See:</p><div id="a2" hidden>Four days.</div>',
    ],
    [
      'by a link of Bootstrap',
      '<p><a data-bs-toggle="collapse" href="#a2">How long?</a></p>',
      '<div id="a2" style="display:none">Four days.</div>',
    ],
    [
      'by an older Bootstrap',
      '<p><a data-toggle="collapse" data-target="#a2">How long?</a></p>',
      '<div id="a2" style="display: none">Four days.</div>',
    ],
    [
      'by a button below it',
      '<p>How long?</p><div id="a2" hidden>Four days.</div>',
      '<button aria-controls="a2">More</button>',
    ],
    [
      'as a region',
      '<h3 id="q">How long?</h3><p>See:</p>',
      '<div role="region" aria-labelledby="q" hidden>Four days.</div>',
    ],
    ['found by a search', '<p>How long?</p>', '<div hidden="until-found">Four days.</div>'],
    ['as a tab', '<p>How long?</p>', '<div role="tabpanel" aria-hidden="true">Four days.</div>'],
    [
      'by its class',
      '<p>How long?</p>',
      '<div class="faq__answer" style="display:none">Four days.</div>',
    ],
    ['behind its term', '<dl><dt>How long?</dt>', '<dd hidden>Four days.</dd></dl>'],
    ['behind its title', '<h4>How long?</h4>', '<div aria-hidden="true">Four days.</div>'],
    ['by a link to it', '<a href="#a2">How long?</a>', '<div id="a2" hidden>Four days.</div>'],
    [
      'by a script',
      `<button onclick="toggle('#a2')">How long?</button>`,
      '<div id="a2" hidden>Four days.</div>',
    ],
    [
      'by a script, with a link in it',
      `<b onclick='document.getElementById("a2").hidden = false'>How long?</b>`,
      '<div id="a2" style="display:none"><a href="/">Four days.</a></div>',
    ],
    ['in a closed summary', '<details><summary>How long?</summary>', 'Four days.</details>'],
    [
      'in one that is hidden too',
      '<h2>More</h2><div hidden>',
      '<h4>How long?</h4><div hidden>Four days.</div></div>',
    ],
  ])('is read behind its question: %s', (_, question, answer) => {
    const text = textOf(panel(question, answer));
    expect(text).toMatch(/How long\?[^]*Four days\./);
  });

  test.each([
    ['that nothing opens', '<p>Late.</p><div hidden>Four days.</div>'],
    [
      'of a menu',
      '<button aria-haspopup="true" aria-controls="m">More</button><div id="m" hidden>Four days.</div>',
    ],
    [
      'in a dialog',
      '<button aria-controls="m">More</button><div id="m" role="dialog" hidden>Four days.</div>',
    ],
    [
      'in a dialog by its class',
      '<button aria-controls="m">More</button><div class="modal fade" id="m" hidden>Four days.</div>',
    ],
    [
      'in one that nothing opens',
      '<p>Late.</p><div hidden><h4>How long?</h4><div hidden>Four days.</div></div>',
    ],
    ['in a line', '<h4>How long? <span hidden>Four days.</span></h4>'],
    ['of an icon', '<p>Late. <i aria-hidden="true">Four days.</i></p>'],
    [
      'of a menu that a link opens',
      '<a href="#m">Menu</a><div id="m" hidden><a href="/">Four days</a></div>',
    ],
    [
      'of a menu that a button opens',
      '<button aria-controls="m">Menu</button><div id="m" hidden><a href="/">Four days</a></div>',
    ],
    [
      'that a link of another page names',
      '<a href="/b#m">How long?</a><p>See:</p><div id="m" hidden>Four days.</div>',
    ],
    ['in navigation', '<button aria-controls="n">Menu</button><nav id="n" hidden>Four days.</nav>'],
  ])('is no other hidden text: %s', (_, hidden) => {
    expect(textOf(page(`<main><h1>A</h1><p>Words of a page.</p>${hidden}</main>`))).not.toContain(
      'Four days',
    );
  });
});

describe('a part with a name for something else', () => {
  const dishes =
    '<h2>Pasta</h2><p>Tagliatelle with mushrooms, 14.50.</p><p>Spaghetti with clams, 17.00.</p>';
  test.each([
    '<section class="menu" id="menu">TEXT</section>',
    '<div id="menu">TEXT</div>',
    '<menu>TEXT</menu>',
    '<div class="ads">TEXT</div>',
    '<div class="advert">TEXT</div>',
    '<div class="share">TEXT</div>',
    '<div class="related">TEXT</div>',
    '<div class="navigation"><div class="toc">TEXT</div></div>',
    '<div class="sidebar">TEXT</div>',
  ])('%s is text where it reads as text', (part) => {
    const text = textOf(
      page(`<main><h1>Lago</h1><p>We are at the lake.</p>${part.replace('TEXT', dishes)}</main>`),
    );
    expect(text).toContain('Tagliatelle with mushrooms, 14.50.');
    expect(text).toContain('Spaghetti with clams, 17.00.');
  });

  test.each([
    ['Open from ten until six daily.', true],
    ['Open from ten until six today', false],
  ])('with few characters is text from the thirtieth on: %s', (words, isText) => {
    const about = '<main><h1>Lago</h1><p>We are at the lake, where the road ends.</p>';
    const text = textOf(page(`${about}<div class="advert">${words}</div></main>`));
    expect(text.includes(words)).toBe(isText);
  });

  test('is text where each of its lines is a link with a price', () => {
    const links =
      '<ul class="menu"><li><a href="/1">Tagliatelle, 14.50</a><li><a href="/2">Spaghetti, 17.00</a></ul>';
    expect(textOf(page(`<main><p>We are at the lake.</p>${links}</main>`))).toContain(
      'Spaghetti, 17.00',
    );
  });

  test.each(['menu', 'navigation', 'sidebar', 'related', 'toc', 'ads'])(
    'is left out where it has links alone: %s',
    (name) => {
      const lake = 'We are at the lake, and open from noon to ten. '.repeat(5).trim();
      const links = Array.from(
        { length: 8 },
        (_, at) => `<li><a href="/${at}">Another page ${at}</a>`,
      );
      const html = page(
        `<main><h1>Lago</h1><p>${lake}</p><ul class="${name}">${links.join('')}</ul></main>`,
      );
      expect(textOf(html)).toBe(`# Lago\n\n${lake}`);
    },
  );

  test('about data protection is text', () => {
    const html = page(
      '<main><h1>Privacy</h1><div class="gdpr-rights">You may ask what we store.</div></main>',
    );
    expect(textOf(html)).toContain('You may ask what we store.');
  });
});

describe('what markup sets apart', () => {
  test.each([
    ['cents', 'The chain costs $19<sup>99</sup> today.', 'The chain costs $19.99 today.'],
    ['cents before their sign', 'Only 19<sup>99</sup> € today.', 'Only 19,99 € today.'],
    ['cents of thousands', '£1,249<sup>50</sup>', '£1,249.50'],
    ['cents with their comma', '19<sup>,99</sup> €', '19,99 €'],
    ['cents in a small element', 'EUR 7<small>90</small>', 'EUR 7.90'],
    ['cents by their class', '$<span>19</span><span class="price-cents">99</span>', '$19.99'],
    ['a lowered number of cents', '$19<sub>99</sub>', '$19.99'],
    ['a whole price with a footnote', '$19.99<sup>1</sup> today', '$19.99 today'],
    ['a footnote', 'Cancel within 29<sup>1</sup> days.', 'Cancel within 29 days.'],
    ['a footnote with a link', 'Within 29<sup><a href="#n">1</a></sup> days.', 'Within 29 days.'],
    ['a footnote of a word', 'Delivery<sup>1</sup> is free.', 'Delivery is free.'],
    ['a power', 'about 10<sup>6</sup> parts', 'about 10^6 parts'],
    ['a base', '101<sub>2</sub>', '101_2'],
    ['a square', '40 m<sup>2</sup>', '40 m²'],
    ['a formula', 'H<sub>2</sub>O', 'H2O'],
    ['an ordinal', 'the 1<sup>st</sup> of May', 'the 1st of May'],
    ['a fraction', '1<sup>1</sup>/<sub>2</sub> hours', '1 1/2 hours'],
    ['a sign', 'Café<sup>®</sup> 24<sup>°</sup>', 'Café® 24°'],
    ['a struck price', 'Now <del>$25</del>$19', 'Now ~~$25~~ $19'],
    [
      'a price that a style strikes out',
      '<span style="text-decoration: line-through">$49</span><span>$39</span>',
      '~~$49~~ $39',
    ],
    [
      'cents that a style raises',
      '$19<span style="font-size:60%; vertical-align:super">99</span>',
      '$19.99',
    ],
    [
      'a number that a style lowers',
      'about H<span style="vertical-align: sub">2</span>O',
      'about H2O',
    ],
    ['a struck price behind another', '$19<s>$25</s>', '$19 ~~$25~~'],
    ['a reading', '<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>', '漢字(かんじ)'],
    ['marks that the page has itself', 'a\uE0F1b\uE0F4c', 'abc'],
  ])('is not glued to its neighbours: %s', (_, html, expected) => {
    const notes = '<p><sup>1</sup> From the day of delivery.</p>';
    expect(textOf(page(`<main><p>${html}</p>${notes}</main>`)).split('\n')[0]).toBe(expected);
  });

  test('without a footnote below, a raised number is not taken away', () => {
    expect(textOf(page('<p>29<sup>1</sup> days</p>'))).toBe('29^1 days');
  });
  test('a footnote is not glued to the number that follows it', () => {
    expect(textOf(page('<p>x</p><p><sup>1</sup>30 days from delivery.</p>'))).toContain(
      '1 30 days',
    );
  });
});

describe('merged cells', () => {
  const table = (rows: string): string[] =>
    textOf(page(`<main><table>${rows}</table></main>`)).split('\n');
  test('repeat their text in each column and row that they reach', () => {
    const rows = `<thead><tr><th>Region<th>Parcel<th>Price</thead><tbody><tr><td rowspan="2">Germany<td>Small<td>4.90
      <tr><td>Medium<td>7.90<tr><td>Austria<td colspan="2">on request 1</tbody>`;
    expect(table(rows)).toEqual([
      '| Region | Parcel | Price |',
      '| --- | --- | --- |',
      '| Germany | Small | 4.90 |',
      '| Germany | Medium | 7.90 |',
      '| Austria | on request 1 | on request 1 |',
    ]);
  });

  test('in the middle and at the end of a row push the others aside', () => {
    const rows = `<tr><th>A<th>B<th>C<tr><td>1<td rowspan="3">x<td>2<tr><td>3<td rowspan="2">y<tr><td>5`;
    expect(table(rows).slice(2)).toEqual(['| 1 | x | 2 |', '| 3 | x | y |', '| 5 | x | y |']);
  });

  test('end with their group of rows', () => {
    const rows = `<tbody><tr><td rowspan="9">A<td>1</tbody><tbody><tr><td>B<td>2</tbody>`;
    expect(table(rows)).toEqual(['| A | 1 |', '| B | 2 |']);
    expect(table('<tbody><tr><td rowspan="0">A<td>1<tr><td>2</tbody><tr><td>B<td>3')).toEqual([
      '| A | 1 |',
      '| A | 2 |',
      '| B | 3 |',
    ]);
  });

  test('of a head of two rows make one name for each column', () => {
    const rows = `<thead><tr><th rowspan="2">Size<th colspan="2">France<th colspan="2">Spain
      <tr><th>week<th>month<th>week<th>month</thead><tr><td>small<td>8<td>20<td>9<td>25`;
    expect(table(rows)).toEqual([
      '| Size | France week | France month | Spain week | Spain month |',
      '| --- | --- | --- | --- | --- |',
      '| small | 8 | 20 | 9 | 25 |',
    ]);
  });

  test('over a whole row are a text, and the names stand above the rows behind it again', () => {
    const rows = `<tr><th>Item<th>Price<tr><td>Tea<td>3<tr><td colspan="2">Hot food<tr><td>Soup<td>6`;
    expect(textOf(page(`<table>${rows}</table>`))).toBe(
      '| Item | Price |\n| --- | --- |\n| Tea | 3 |\n\nHot food\n\n| Item | Price |\n| --- | --- |\n| Soup | 6 |',
    );
  });

  test('names of columns without elements that say so are those above numbers', () => {
    expect(table('<tr><td>Item<td>Price<tr><td>Tea<td>3.50')).toEqual([
      '| Item | Price |',
      '| --- | --- |',
      '| Tea | 3.50 |',
    ]);
    expect(table('<tr><td>Mon<td>open<tr><td>Tue<td>closed')).toEqual([
      '| Mon | open |',
      '| Tue | closed |',
    ]);
  });
});

describe('facts around a text', () => {
  const aroundOf = (body: string): string =>
    readHtml(page(`<main><p>Our team is here for you and your family.</p></main>${body}`), {
      url: 'https://a.example/',
    }).around;
  test.each([
    [
      'a head',
      '<header><p>Blue Door, telephone 555 0100</p></header>',
      'Blue Door, telephone 555 0100',
    ],
    [
      'a foot by its role',
      '<div role="contentinfo"><p>Open from 8:00 to 17:30.</p></div>',
      'Open from 8:00 to 17:30.',
    ],
    [
      'a foot by its class',
      '<div class="site-footer"><p>Parking is behind the house.</p></div>',
      'Parking is behind the house.',
    ],
    ['an address', '<address>4 Park Lane, 12345 Exampleton</address>', ''],
    ['a link to call', '<footer><a href="tel:+15550100">555 0100</a></footer>', '555 0100'],
    [
      'a link to call without its number',
      '<header><a href="tel:+1-555-0100">Call us</a></header>',
      'Call us (+1-555-0100)',
    ],
    ['an icon to call', '<header><a href="tel:+15550100"><svg></svg></a></header>', '(+15550100)'],
    [
      'a link to call with its number in another form',
      '<footer><p>Call <a href="tel:+4930555010">(030) 555-010</a> today.</p></footer>',
      'Call (030) 555-010 today.',
    ],
    [
      'a link to write without its address',
      '<footer><p>Write <a href="mailto:a%40b.example?subject=Hi">to us</a>.</p></footer>',
      'Write to us (a@b.example).',
    ],
    ['a link to call that has no number', '<footer><a href="tel:">Call us</a></footer>', ''],
    ['a link to write that is no address', '<footer><a href="mailto:%zz">Write</a></footer>', ''],
    [
      'a link to write',
      '<footer><p><a href="mailto:a@b.example">a@b.example</a></p></footer>',
      'a@b.example',
    ],
    [
      'a menu',
      '<footer><ul><li><a href="/a">About us</a><li><a href="/b">Jobs</a></ul></footer>',
      '',
    ],
    ['a copyright', '<footer><p>© 2019-2026 Blue Door. All rights reserved.</p></footer>', ''],
    ['a form', '<footer><form><p>Subscribe and save 10 percent.</p></form></footer>', ''],
    ['a name', '<header><p>Blue Door</p></header>', ''],
  ])('%s', (_, body, expected) => {
    if (body.startsWith('<address>'))
      expect(textOf(page(body))).toBe('4 Park Lane, 12345 Exampleton');
    expect(aroundOf(body.startsWith('<address>') ? '' : body)).toBe(expected);
  });

  test.each<[unknown, string]>([
    [
      { name: 'Blue', telephone: '555 0100', openingHours: ['Mo-Fr 08:00-17:30'] },
      'Blue, Telephone: 555 0100, Opening hours: Mo-Fr 08:00-17:30',
    ],
    [
      { '@graph': [{ address: { streetAddress: '4 Park Lane', addressLocality: 'Exampleton' } }] },
      'Street: 4 Park Lane, Town: Exampleton',
    ],
    [
      {
        openingHoursSpecification: {
          dayOfWeek: 'https://schema.org/Monday',
          opens: '08:00',
          closes: '17:30',
        },
      },
      'Opening hours: Monday 08:00 to 17:30',
    ],
    [{ '@type': 'WebSite', name: 'Blue' }, ''],
    ['no thing', ''],
  ])('structured data: %j', (data, expected) => {
    expect(aroundOf(`<script type="application/ld+json">${JSON.stringify(data)}</script>`)).toBe(
      expected,
    );
  });

  test('structured data full of brackets is read as fast as any other', () => {
    const data = JSON.stringify({ name: '<'.repeat(90_000), telephone: '555 0100' });
    const script = `<script type="application/ld+json">${data}</script>`;
    expect(aroundOf(script.repeat(20))).toMatch(/, Telephone: 555 0100$/);
  });

  test('what is no JSON says nothing', () => {
    expect(aroundOf('<script type="application/ld+json">{"telephone":</script>')).toBe('');
    expect(aroundOf(`<script type="application/ld+json">${'['.repeat(90_000)}</script>`)).toBe('');
  });
});
