import { afterEach, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { holdTime } from '../../clock.ts';
import { closeAll, html, redirect, refusalOf, serve, sync, type Reply } from './website.ts';

afterEach(closeAll);

const paths = ({ documents }: { documents: Map<string, unknown> }): string[] =>
  [...documents.keys()].sort();

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
    expect(told.skipped).toEqual({ '/private/b': 'robots.txt forbids it' });
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
    expect(message).toMatch(/the server answered 500/);
    expect(closed.asked).toEqual(['/robots.txt']);
  });

  test('of more than 500 KiB ends the sync', async () => {
    const site = await withRobots(text('# long\n'.repeat(100_000)));
    expect((await refusalOf(sync({ url: site.url }))).reason).toBe('RobotsUnreadable');
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
      xml(`<urlset><url><loc>${'/x'.repeat(2_000_000)}</loc></url></urlset>`),
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
