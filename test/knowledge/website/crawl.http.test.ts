import { afterEach, describe, expect, test } from 'vitest';
import { Crawl } from '../../../packages/web-reader/src/site/crawl.ts';
import type { Page } from '../../../packages/web-reader/src/site/read-page.ts';
import { siteOf } from '../../../packages/web-reader/src/site/site-address.ts';
import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { closeAll, html, nothing, redirect, serve, sync, type Reply } from './website.ts';

afterEach(closeAll);

const paths = ({ documents }: { documents: Map<string, unknown> }): string[] =>
  [...documents.keys()].sort();

describe('a site', () => {
  test('is read from its start page on: text, title, address, language, validators', async () => {
    const site = await serve({
      '/': html('Welcome', '/prices', 'help/'),
      '/prices': {
        headers: { etag: '"7"', 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT' },
        body: '<html lang="de-CH"><title>Preise</title><nav>Home</nav><h1>Preise</h1><p>9 Franken.</p>',
      },
      '/help/': html('Ask us.', '../prices#top', '//elsewhere.example/x'),
    });
    const told = await sync({ url: `${site.url}/` });
    expect(paths(told)).toEqual(['/', '/help/', '/prices']);
    expect(told.documents.get('/prices')).toEqual({
      kind: 'document',
      path: '/prices',
      title: 'Preise',
      text: '# Preise\n\n9 Franken.',
      url: `${site.url}/prices`,
      language: 'de',
      validators: { etag: '"7"', lastModified: 'Mon, 02 Nov 2026 10:00:00 GMT' },
    });
    expect(told.end).toMatchObject({ unseen: 'remove' });
    expect(told.events.filter(({ kind }) => kind === 'found').at(-1)).toEqual({
      kind: 'found',
      count: 3,
    });
    expect(site.requests.every(({ headers }) => headers['user-agent'] === 'parley/1.2.3')).toBe(
      true,
    );
  });

  test.each([
    [0, ['/']],
    [1, ['/', '/1']],
    [2, ['/', '/1', '/2']],
  ])('is followed %i links deep', async (maxDepth, expected) => {
    const site = await serve({
      '/': html('0', '/1'),
      '/1': html('1', '/2'),
      '/2': html('2', '/3'),
    });
    expect(paths(await sync({ url: site.url, maxDepth }))).toEqual(expected);
  });

  test('is read up to max_pages, the nearest and shortest first, the same each time', async () => {
    const site = await serve({
      '/': html('0', '/long-name', '/b', '/a'),
      '/a': html('a', '/c'),
      '/b': html('b'),
      '/c': html('c'),
      '/long-name': html('l'),
    });
    const told = await sync({ url: site.url, maxPages: 3 });
    expect(paths(told)).toEqual(['/', '/a', '/b']);
    expect(told.skipped).toEqual({
      '/long-name': 'the limit `max_pages` (3) is reached',
      '/c': 'the limit `max_pages` (3) is reached',
    });
  });

  test('has pages that include and exclude leave; the start page gives its links at least', async () => {
    const site = await serve({
      '/': html('0', '/help/a', '/help/old/b', '/shop', '/help/a?print=1', '/HELP/x'),
      '/help/a': html('a'),
      '/help/a?print=1': html('b'),
    });
    const told = await sync({
      url: site.url,
      include: ['/help/*'],
      exclude: ['*/old/*', '*?print=*'],
    });
    expect(paths(told)).toEqual(['/help/a']);
    expect(site.asked.sort()).toEqual(['/', '/help/a', '/robots.txt', '/sitemap.xml']);
    expect(Object.keys(told.skipped).sort()).toEqual([
      '/',
      '/HELP/x',
      '/help/a?print=1',
      '/help/old/b',
      '/shop',
    ]);
  });

  test('writes one address for a page, whatever links to it say', async () => {
    const site = await serve((request) =>
      request.url === '/'
        ? html(
            'Start',
            '/a?utm_source=x',
            '/a#part',
            '/a?utm_medium=y&gclid=1',
            '/a;jsessionid=0a1b2c',
            '/a?sid=0123456789abcdef0123',
            '/b?x=1&a=2&utm_source=x',
            '/%c3%bc',
          )
        : html(request.url!),
    );
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/%C3%BC', '/a', '/b?x=1&a=2']);
  });

  test('has text, Markdown and documents; other types are not read', async () => {
    const type = (mediaType: string, body: string | Buffer = 'Plain words.'): Reply => ({
      headers: { 'content-type': mediaType },
      body,
    });
    const site = await serve({
      '/': html('Start', '/a', '/b', '/c', '/d', '/e.png'),
      '/a': type('text/plain; charset=iso-8859-1', Buffer.from('Gr\u00f6\u00dfe', 'latin1')),
      '/b': type('Text/Markdown', '# Head\n\nWords.'),
      '/c': type('application/json', '{}'),
      '/d': type('application/pdf', '%PDF-1.7'),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/a', '/b', '/d']);
    expect(told.documents.get('/a')?.text).toBe('Größe');
    expect(told.skipped).toEqual({ '/c': 'the media type application/json is not supported' });
    expect(site.asked).not.toContain('/e.png');
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('is sent as %s', async (encoding, compress) => {
    const site = await serve((request) => {
      expect(request.headers['accept-encoding']).toBe('gzip, br, deflate');
      return { headers: { 'content-encoding': encoding }, body: compress(html('Packed words')) };
    });
    const told = await sync({ url: site.url, maxDepth: 0 });
    expect(told.documents.get('/')?.text).toBe('Packed words');
  });

  test('of pages that are none, without end, is given up', async () => {
    const page = (from: number): Page => ({
      kind: 'document',
      title: null,
      text: 'x',
      language: null,
      validators: { etag: null, lastModified: null },
      links: [1, 2, 3].map((more) => `/none/${from * 3 + more}`),
      canonical: null,
      noindex: true,
      nofollow: false,
    });
    let requests = 0;
    const url = new URL('http://site.test/');
    const crawl = new Crawl({
      site: siteOf(url),
      maxDepth: 20,
      maxPages: 10,
      isWanted: () => true,
      isAllowed: () => true,
      before: new Map(),
      known: async () => undefined,
      read: async ({ pathname }) => {
        requests += 1;
        return page(Number(pathname.slice('/none/'.length)));
      },
      isLate: () => false,
    });
    const start = { url, page: { ...page(0), noindex: false } as Page };
    const kinds: string[] = [];
    for await (const { kind } of crawl.run(start, { paths: [], problems: [] })) kinds.push(kind);
    expect(kinds.filter((kind) => kind === 'document')).toHaveLength(1);
    expect(requests).toBe(3 * 10 + 1_000);
  });
});

describe('pages that are one', () => {
  test('a page whose canonical address is another of the site is that one', async () => {
    const site = await serve({
      '/': html('Start', '/a?ref=menu'),
      '/a?ref=menu': `<link rel="canonical" href="/a"><p>A`,
      '/a': `<link rel="canonical" href="/a"><p>A`,
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/a']);
    expect(told.skipped).toEqual({ '/a?ref=menu': 'the canonical address of the page is /a' });
  });

  const canonical = (href: string, ...paragraphs: string[]): string =>
    `<link rel="canonical" href="${href}"><main>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</main>`;

  test('canonical addresses in a circle, elsewhere or left out take nothing away', async () => {
    const site = await serve({
      '/': html('Start', '/a', '/b', '/c', '/d', '/e'),
      '/a': canonical('/b', 'A'),
      '/b': canonical('/a', 'B'),
      '/c': canonical('https://www.example.com/c', 'C'),
      '/d': canonical('/secret/d', 'D'),
      '/e': { headers: { link: '</f>; rel="canonical"' }, body: '<p>E' },
      '/f': html('F'),
    });
    const told = await sync({ url: site.url, exclude: ['/secret/*'] });
    expect(paths(told)).toEqual(['/', '/a', '/b', '/c', '/d', '/e', '/f']);
  });

  test('a page whose canonical address was read before and is gone is kept', async () => {
    const site = await serve({
      '/': html('Start', '/old', '/page'),
      '/page': `<link rel="canonical" href="/old"><p>Page`,
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/page']);
    expect(told.skipped).toEqual({ '/old': expect.any(String) });
  });

  test('one text under many addresses is one document, the nearest and shortest', async () => {
    const site = await serve({
      '/': html('Start', '/a/index.html', '/a/'),
      '/a/': html('Same words'),
      '/a/index.html': html('Same words'),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/a/']);
    expect(told.skipped).toEqual({ '/a/index.html': 'the page has the same text as /a/' });
  });

  test('a redirect within the site is the page that it leads to', async () => {
    const site = await serve({
      '/': html('Start', '/old', '/docs'),
      '/old': redirect('/new?utm_source=old'),
      '/new': html('New'),
      '/docs': redirect('/docs/'),
      '/docs/': html('Docs'),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/docs/', '/new']);
    expect(told.skipped).toEqual({
      '/old': 'the page redirects to /new',
      '/docs': 'the page redirects to /docs/',
    });
  });
});

describe('what a page asks for', () => {
  test('noindex keeps it out, its links are followed; nofollow the other way round', async () => {
    const site = await serve({
      '/': html('Start', '/list', '/leaf', '/head', '/none', '/ours', '/others'),
      '/list': `<meta name="robots" content="noindex"><p>L<a href="/l1">x</a>`,
      '/leaf': `<meta name="robots" content="nofollow"><p>F<a href="/f1">x</a>`,
      '/head': { headers: { 'x-robots-tag': 'noindex' }, body: '<p>H' },
      '/none': { headers: { 'x-robots-tag': 'none' }, body: '<p>N<a href="/n1">x</a>' },
      '/ours': { headers: { 'x-robots-tag': 'parley: noindex' }, body: '<p>O' },
      '/others': { headers: { 'x-robots-tag': 'otherbot: noindex, nofollow' }, body: '<p>Q' },
      '/l1': html('L1', '/hidden'),
      '/f1': html('F1'),
      '/n1': html('N1'),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/l1', '/leaf', '/others']);
    expect(told.skipped['/list']).toBe('the page forbids indexing (noindex)');
  });

  test('links with rel=nofollow are not followed', async () => {
    const site = await serve({ '/': '<p>Start<a rel="nofollow" href="/a">a</a>', '/a': html('A') });
    expect(paths(await sync({ url: site.url }))).toEqual(['/']);
  });
});

describe('a sync of what was read before', () => {
  /** Answers 304 to who has it. */
  async function validated(texts: Map<string, string>) {
    return await serve((request) => {
      const body = texts.get(request.url!);
      if (body === undefined) return { status: 404 };
      const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
      const isSame = request.headers['if-none-match'] === etag;
      return isSame ? { status: 304, headers: { etag } } : { headers: { etag }, body };
    });
  }

  test('asks with validators; the same answers lead to the same pages', async () => {
    const texts = new Map([
      ['/', html('Start', '/a')],
      ['/a', html('A', '/b')],
      ['/b', html('B')],
    ]);
    const site = await validated(texts);
    const index = nothing();
    await sync({ url: site.url }, { index });
    const { cursor } = index;
    const told = await sync({ url: site.url }, { index });
    expect(told.unchanged.sort()).toEqual(['/', '/a', '/b']);
    expect(told.documents.size).toBe(0);
    expect(told.end.cursor).toBe(cursor);

    texts.set('/a', html('A', '/c'));
    texts.set('/c', html('C'));
    const next = await sync({ url: site.url }, { index });
    expect(next.unchanged).toEqual(['/']);
    expect(paths(next)).toEqual(['/a', '/c']);
    expect([...index.validators.keys()].sort()).toEqual(['/', '/a', '/c']);
  });

  test('after a process died asks for pages whose links nobody knows without validators', async () => {
    const site = await validated(
      new Map([
        ['/', html('Start', '/a')],
        ['/a', html('A')],
      ]),
    );
    const index = nothing();
    await sync({ url: site.url }, { index });
    const told = await sync({ url: site.url }, { index: { ...index, cursor: null } });
    expect(paths(told)).toEqual(['/', '/a']);
  });

  test('reads all again when what is declared is another', async () => {
    const site = await validated(
      new Map([
        ['/', html('Start', '/a')],
        ['/a', html('A', '/b')],
        ['/b', html('B')],
      ]),
    );
    const index = nothing();
    await sync({ url: site.url, maxDepth: 1 }, { index });
    expect(paths(await sync({ url: site.url, maxDepth: 2 }, { index }))).toEqual(['/', '/a', '/b']);
  });

  test('finds a page again that many lead to, and most no longer do', async () => {
    const texts = new Map([['/z', html('Z')]]);
    const hubs = Array.from({ length: 12 }, (_, n) => `/hub-${n + 10}`);
    texts.set('/', html('Start', ...hubs));
    for (const hub of hubs) texts.set(hub, html(hub, '/z'));
    const site = await validated(texts);
    const index = nothing();
    await sync({ url: site.url }, { index });
    for (const hub of hubs.slice(0, 11)) texts.set(hub, html(`${hub} changed`));
    const told = await sync({ url: site.url }, { index });
    expect(told.unchanged.sort()).toEqual(['/', '/hub-21', '/z']);
  });
});
