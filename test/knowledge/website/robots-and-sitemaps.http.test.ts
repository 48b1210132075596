import { afterEach, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { holdTime } from '../../clock.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import {
  closeAll,
  html,
  nothing,
  paths,
  redirect,
  refusalOf,
  serve,
  sync,
  type Reply,
} from './website.ts';

afterEach(closeAll);

describe('robots.txt', () => {
  const withRobots = (robots: Reply, pages: Record<string, Reply> = {}) =>
    serve({
      '/robots.txt': robots,
      '/': html('Start', '/a', '/private/b'),
      '/a': html('A'),
      '/private/b': html('B'),
      ...pages,
    });
  const text = (body: string): Reply => ({ headers: { 'content-type': 'text/plain' }, body });

  test('that forbids a part, or us alone, is heeded', async () => {
    const site = await withRobots(text('User-agent: *\nDisallow: /private/\n'));
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/a']);
    expect(told.skipped).toEqual({ '/private/b': 'robots.txt forbids the page' });
    expect(site.asked).not.toContain('/private/b');

    const ours = await withRobots(
      text('User-agent: Parley\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n'),
    );
    expect(paths(await sync({ url: ours.url }))).toEqual(['/', '/private/b']);
  });

  test('that forbids the start page ends the sync', async () => {
    const site = await withRobots(text('User-agent: *\nDisallow: /'));
    expect((await refusalOf(sync({ url: site.url }))).reason).toBe('ForbiddenByRobots');
    expect(site.asked).toEqual(['/robots.txt']);
  });

  test('that forbids where the start page redirects to ends the sync, on the same origin too', async () => {
    const site = await withRobots(text('User-agent: *\nDisallow: /private/'), {
      '/': redirect('/private/b'),
    });
    expect(await refusalOf(sync({ url: site.url }))).toMatchObject({
      reason: 'ForbiddenByRobots',
      message: `robots.txt of 127.0.0.1:${site.port} forbids /private/b`,
    });
    expect(site.asked).toEqual(['/robots.txt', '/']);
  });

  test('of 4xx allows all, of 5xx nothing', async () => {
    const open = await withRobots({ status: 403 });
    expect((await sync({ url: open.url })).documents.size).toBe(3);
    const closed = await withRobots({ status: 500 });
    const { reason, message } = await refusalOf(sync({ url: closed.url }));
    expect(reason).toBe('RobotsUnreachable');
    expect(message).toMatch(/the server responded with status 500/);
    expect(closed.asked).toEqual(['/robots.txt']);
  });

  test.each([
    ['of one rule many times', 'Disallow: /private/\n'.repeat(60_000)],
    ['of comments', `Disallow: /private/\n${'# long\n'.repeat(100_000)}`],
    ['of lines that end in CR', `Disallow: /private/\r${'# long\r'.repeat(100_000)}`],
    ['of one line', `Disallow: /private/\n# ${'x'.repeat(600_000)}`],
  ])('of more than 500 KiB is obeyed in its first part: %s', async (_, rules) => {
    const site = await withRobots(text(`User-agent: *\n${rules}\nDisallow: /a`));
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a']);
  });

  test('of more than 500 KiB is obeyed in its first part when it is compressed', async () => {
    const body = `User-agent: *\nDisallow: /private/\n${'# long\n'.repeat(100_000)}Disallow: /a`;
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const site = await withRobots({ headers, body: gzipSync(body) });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a']);
  });

  test('does not obey half a rule at the end of its first 500 KiB', async () => {
    const start = 'User-agent: *\n';
    const filler = `#${'x'.repeat(500 * 1024 - start.length - '\nDisallow: /'.length - 1)}`;
    const site = await withRobots(text(`${start}${filler}\nDisallow: /private/`));
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a', '/private/b']);
  });

  test('is read behind five redirects, also on another host, and not behind six', async () => {
    const other = await serve({ '/rules': text('User-agent: *\nDisallow: /a') }, '127.0.0.2');
    const moved = (hops: number) =>
      serve((request) => {
        const hop = Number(/^\/hop(\d)/.exec(request.url!)?.[1] ?? '1');
        if (request.url === '/' || request.url === '/a') return html('Text', '/a');
        return redirect(hop < hops ? `/hop${hop + 1}` : `${other.url}/rules`);
      });
    const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
    const near = await moved(5);
    expect(paths(await sync({ url: near.url, maxDepth: 0 }, { guard }))).toEqual(['/']);
    expect(other.asked).toEqual(['/rules']);
    const far = await moved(6);
    await sync({ url: far.url, maxDepth: 0 }, { guard });
    expect(other.asked).toEqual(['/rules']);
  });

  test('says how fast', async () => {
    const site = await withRobots(text('User-agent: *\nCrawl-delay: 0.2\n'));
    const time = holdTime();
    const synced = sync({ url: site.url });
    // The sitemap and two pages, each so long after the one before; the start page comes at once.
    for (let asked = 2; asked < 5; asked += 1) {
      await time.armed(200);
      await time.advance(199);
      expect(site.asked).toHaveLength(asked);
      await time.advance(1);
    }
    await synced;
    expect(site.asked).toHaveLength(5);
  });
});

describe('sitemaps', () => {
  const xml = (body: string | Buffer): Reply => ({
    headers: { 'content-type': 'application/xml' },
    body,
  });
  const urls = (...list: string[]): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${list.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

  test('list pages that nothing links to: named by robots.txt, in an index, compressed', async () => {
    const site = await serve((request) => {
      const { host } = request.headers;
      const pages: Record<string, Reply> = {
        '/robots.txt': `Sitemap: http://${host}/maps/index.xml`,
        '/maps/index.xml': xml(
          `<sitemapindex><sitemap><loc>http://${host}/maps/1.xml.gz</loc></sitemap><sitemap><loc>/maps/index.xml</loc></sitemap></sitemapindex>`,
        ),
        '/maps/1.xml.gz': xml(
          gzipSync(urls(`http://${host}/a?x=1&amp;y=2`, 'https://elsewhere.example/')),
        ),
        '/sitemap.xml': xml(urls(`http://${host}/b`)),
        '/': html('Start'),
        '/a?x=1&y=2': html('A'),
        '/b': html('B'),
      };
      return pages[request.url!] ?? { status: 404 };
    });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a?x=1&y=2', '/b']);
    expect(paths(await sync({ url: site.url, maxDepth: 0 }))).toEqual(['/']);
  });

  /** The home page, and two pages that only a sitemap lists. */
  async function listed() {
    const answers: Record<string, Reply> = {
      '/': html('This shop sells bicycles.'),
      '/faq/returns': html('Goods come back within thirty days.'),
      '/faq/delivery': html('A parcel takes four days.'),
      '/sitemap.xml': xml(urls('/faq/returns', '/faq/delivery')),
    };
    const site = await serve((request) => answers[request.url!] ?? { status: 404 });
    const index = nothing();
    expect((await sync({ url: site.url }, { index })).documents.size).toBe(3);
    const again = async (changes: Record<string, Reply>) => {
      Object.assign(answers, changes);
      return await sync({ url: site.url }, { index });
    };
    return { site, index, again };
  }
  const map = '/sitemap.xml';

  test.each<[string, Reply, RegExp]>([
    [
      '403',
      { status: 403, body: '<h1>403 Forbidden</h1>' },
      /the server responded with status 403/,
    ],
    ['401', { status: 401 }, /the server responded with status 401/],
    ['429', { status: 429 }, /the server responded with status 429/],
    ['451', { status: 451 }, /the server responded with status 451/],
    ['500', { status: 500 }, /the server responded with status 500/],
    [
      '503',
      { status: 503, headers: { 'retry-after': '3600' } },
      /the server responded with status 503/,
    ],
    ['304 that nobody asked for', { status: 304 }, /sent nothing/],
    ['a page that asks who is there', html('Are you human?'), /is not a sitemap/],
    ['JSON', { headers: { 'content-type': 'application/json' }, body: '{}' }, /is not a sitemap/],
    ['nothing', xml(''), /is not a sitemap/],
    ['another root', xml('<error>down</error>'), /is not a sitemap/],
    ['half of it', xml('<urlset><url><loc>/faq/returns</loc></url>'), /is incomplete/],
    [
      'half of it, compressed',
      xml(gzipSync(urls('/faq/returns')).subarray(0, 30)),
      /cannot be read|larger|incomplete/,
    ],
    ['a redirect to another site', redirect('https://login.example/'), /redirects to another site/],
    ['a redirect to itself', redirect('/sitemap.xml'), /redirects/],
    ['a redirect to a page', redirect('/'), /is not a sitemap/],
    [
      'more than 10 MB',
      xml(`${urls('/faq/returns')}${' '.repeat(11_000_000)}`),
      /larger than 10 MB/,
    ],
  ])('that answer %s keep the pages that they listed, and it is said', async (_, reply, reason) => {
    const { index, again } = await listed();
    const told = await again({ [map]: reply });
    expect([...index.validators.keys()].sort()).toEqual(['/', '/faq/delivery', '/faq/returns']);
    expect(told.failed).toEqual({ [map]: expect.stringMatching(reason) });
    expect((await again({ [map]: xml(urls('/faq/returns')) })).failed).toEqual({});
    expect([...index.validators.keys()].sort()).toEqual(['/', '/faq/returns']);
  });

  test.each([404, 410])('that are gone (%i) list nothing any more', async (status) => {
    const { index, again } = await listed();
    expect((await again({ [map]: { status } })).failed).toEqual({});
    expect([...index.validators.keys()]).toEqual(['/']);
  });

  test('that cannot be read keep no page that the site itself says is gone', async () => {
    const { index, again } = await listed();
    await again({ [map]: { status: 403 }, '/faq/returns': { status: 410 } });
    expect([...index.validators.keys()].sort()).toEqual(['/', '/faq/delivery']);
  });

  test('that a robots.txt names which cannot be read keep their pages', async () => {
    const { index, again } = await listed();
    const robots = { '/robots.txt': 'Sitemap: /maps.xml', [map]: { status: 404 } };
    await again({ ...robots, '/maps.xml': xml(urls('/faq/returns', '/faq/delivery')) });
    expect(index.validators.size).toBe(3);
    for (const reply of [{ status: 403 }, html('Are you human?')]) {
      expect((await again({ '/robots.txt': reply })).failed).toMatchObject({
        '/robots.txt': expect.stringMatching(/^robots.txt cannot be read/),
      });
      expect(index.validators.size).toBe(3);
    }
    await again({ '/robots.txt': { status: 404 } });
    expect(index.validators.size).toBe(1);
  });

  test('one of which cannot be read do not keep the others from being read', async () => {
    const { again } = await listed();
    const told = await again({
      '/robots.txt':
        'Sitemap: /broken.xml\nSitemap: /more.xml\nSitemap: https://cdn.example/map.xml',
      '/broken.xml': { status: 403 },
      '/more.xml': xml(urls('/more')),
      '/more': html('More.'),
    });
    expect(paths(told)).toEqual(['/', '/faq/delivery', '/faq/returns', '/more']);
    expect(told.failed).toEqual({
      '/broken.xml': 'the sitemap cannot be read: the server responded with status 403',
      'https://cdn.example/map.xml': 'the sitemap belongs to another site',
    });
  });

  test('are nothing to tell of where a site answers a page for all that it is asked', async () => {
    const site = await serve(() => html('Start'));
    const told = await sync({ url: site.url });
    expect(told.failed).toEqual({});
    expect(paths(told)).toEqual(['/']);
  });

  test.each([1, 5, 6])('are followed through %i redirects, up to five', async (hops) => {
    const { site, index, again } = await listed();
    const chain: Record<string, Reply> = { [map]: redirect('/hop1') };
    for (let hop = 1; hop < hops; hop += 1) chain[`/hop${hop}`] = redirect(`/hop${hop + 1}`);
    chain[`/hop${hops}`] = xml(urls('/faq/returns'));
    const told = await again(chain);
    expect(site.asked).toContain(`/hop${Math.min(hops, 5)}`);
    expect(index.validators.size).toBe(hops > 5 ? 3 : 2);
    expect(Object.keys(told.failed)).toEqual(hops > 5 ? [map] : []);
  });

  test('behind a redirect list addresses relative to where they are', async () => {
    const { again } = await listed();
    const told = await again({
      [map]: { status: 308, headers: { location: '/maps/index.xml' } },
      '/maps/index.xml': xml('<sitemapindex><sitemap><loc>one.xml</loc></sitemap></sitemapindex>'),
      '/maps/one.xml': xml(urls('/faq/returns')),
    });
    expect(told.failed).toEqual({});
    expect(paths(told)).toEqual(['/', '/faq/returns']);
  });

  const utf16 = (text: string, { swap = false, mark = true } = {}): Buffer => {
    const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
    return swap ? bytes.swap16() : bytes;
  };
  const sitemapOf = (host: string): string =>
    `<?xml version="1.0" encoding="UTF-16"?>${urls(`http://${host}/a`, `http://${host}/b`)}`;
  test.each<[string, (host: string) => string | Buffer]>([
    ['a text', (host) => `http://${host}/a\nhttp://${host}/b\n`],
    [
      'a text with CR, a mark and a remark',
      (host) => `\ufeff# all\rhttp://${host}/a\r\rhttp://${host}/b`,
    ],
    ['a text in UTF-16', (host) => utf16(`http://${host}/a\r\nhttp://${host}/b`)],
    ['a compressed text', (host) => gzipSync(`http://${host}/a\nhttp://${host}/b`)],
    ['XML in UTF-16LE', (host) => utf16(sitemapOf(host))],
    ['XML in UTF-16BE', (host) => utf16(sitemapOf(host), { swap: true })],
    ['XML in UTF-16 without a mark', (host) => utf16(sitemapOf(host), { mark: false })],
    [
      'XML in UTF-16BE without a mark',
      (host) => utf16(sitemapOf(host), { swap: true, mark: false }),
    ],
    [
      'XML in ISO-8859-1',
      () =>
        Buffer.from(
          '<?xml version="1.0" encoding="ISO-8859-1"?><!-- é --><urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>',
          'latin1',
        ),
    ],
    [
      'XML with a namespace and CDATA',
      () =>
        '<sm:urlset xmlns:sm="x"><sm:url><sm:loc><![CDATA[/a]]></sm:loc></sm:url><sm:url><sm:loc> /b </sm:loc></sm:url></sm:urlset>',
    ],
    [
      'RSS',
      (host) =>
        `<rss version="2.0"><channel><link>http://${host}/</link><item><title>A</title><link>http://${host}/a</link></item><item><guid>http://${host}/b</guid></item><item><guid isPermaLink="false">/c</guid></item></channel></rss>`,
    ],
    [
      'Atom',
      (host) =>
        `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://${host}/c"/><entry><link rel="enclosure" href="/c"/><link href="http://${host}/a"/></entry><entry><link rel="alternate" href="/b"/></entry></feed>`,
    ],
    [
      'RSS 1.0',
      () =>
        '<rdf:RDF xmlns:rdf="x"><channel><link>/c</link></channel><item><link>/a</link></item><item><link>/b</link></item></rdf:RDF>',
    ],
  ])('of robots.txt may be %s', async (_, body) => {
    const site = await serve((request) => {
      const { host } = request.headers;
      if (request.url === '/robots.txt') return `Sitemap: http://${host}/map`;
      if (request.url === '/map')
        return { headers: { 'content-type': 'text/plain' }, body: body(host!) };
      return ['/', '/a', '/b', '/c'].includes(request.url!) ? html(request.url!) : { status: 404 };
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/', '/a', '/b']);
    expect(told.failed).toEqual({});
  });

  test.each<[string, Reply]>([
    [
      'entities that grow',
      xml(
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>/&b;</loc></url></urlset>`,
      ),
    ],
    [
      'an entity that is a file',
      xml(
        `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&f;</loc></url></urlset>`,
      ),
    ],
    ['a zip bomb', xml(gzipSync(Buffer.alloc(20_000_000)))],
    ['elements in elements', xml('<urlset>'.repeat(500_000))],
    [
      'an address without end',
      xml(`<urlset><url><loc>${'/x'.repeat(500_000)}</loc></url></urlset>`),
    ],
    ['no XML at all', '<html><a href="/a">'],
  ])('with %s make nothing', async (_, reply) => {
    const site = await serve({ '/': html('Start'), '/sitemap.xml': reply });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/']);
    expect(site.asked.filter((path) => path.length > 100)).toEqual([]);
  });

  test('in indexes without end are 50 at most', async () => {
    const site = await serve((request) => {
      if (!request.url!.includes('sitemap'))
        return request.url === '/' ? html('Start') : { status: 404 };
      const n = Array.from(
        { length: 20 },
        (_, i) => `${request.url!.replace('.xml', '')}-${i}.xml`,
      );
      return xml(
        `<sitemapindex>${n.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('')}</sitemapindex>`,
      );
    });
    await sync({ url: site.url });
    expect(site.asked.filter((path) => path.includes('sitemap')).length).toBe(50);
  });
});
