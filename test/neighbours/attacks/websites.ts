import type { RequestListener, ServerResponse } from 'node:http';
import type { Attack, Target } from '../attack.ts';

/** What a website or a feed can do that a tenant has declared. */

/** Declares `sources` of one site, and holds until the attack ends. Counts requests to the site as `asked`. */
const site = (
  listener: (url: () => string, target: Target) => RequestListener,
  { sources = 1, ...more }: Omit<Attack, 'by' | 'run' | 'answers'> & { sources?: number },
  type: 'website' | 'integration' = 'website',
): Attack => ({
  answers: ['asked'],
  ...more,
  by: 'website',
  run: async (target) => {
    const { create, serve, saw, held } = target;
    const asked = Promise.withResolvers<void>();
    let url = '';
    const answer = listener(() => url, target);
    url = await serve((request, response) => {
      saw('asked');
      asked.resolve();
      response.on('error', () => undefined);
      answer(request, response);
    });
    const options = type === 'website' ? { delay_ms: 0, max_pages: 10_000, max_depth: 20 } : {};
    for (let i = 0; i < sources; i += 1)
      await create('/v1/knowledge/sources', { type, [type]: { url: `${url}/${i}`, ...options } });
    await asked.promise;
    await held();
  },
});

const html = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
};
const text = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
};
const notFound = (response: ServerResponse): void => {
  response.writeHead(404).end();
};
const page = (links: readonly string[]): string =>
  `<!doctype html><html lang="en"><body><p>We open at nine.</p>${links
    .map((link) => `<a href="${link}">${link}</a>`)
    .join(' ')}</body></html>`;

export const websites: readonly Attack[] = [
  site(
    (_, { many }) => {
      const rule = `Disallow: /${'*a'.repeat(many(2_000, 100))}b\n`;
      const robots = `User-agent: parley\n${rule.repeat(many(120, 5))}`;
      const base = `/${'a'.repeat(2_000)}/`;
      const links = Array.from({ length: many(5_000, 10) }, (_unused, i) => `x${i}`);
      const start = page(links).replace('<body>', `<base href="${base}"><body>`);
      return ({ url }, response) => {
        if (url === '/robots.txt') text(response, robots);
        else if (url === '/sitemap.xml') notFound(response);
        else html(response, start);
      };
    },
    {
      name: 'robots-rules',
      bound: '500 KiB; 512 characters and 20 stars of a rule; matched in linear time',
    },
  ),
  site(
    () =>
      ({ url }, response) => {
        if (url === '/robots.txt') text(response, 'User-agent: *\nCrawl-delay: 60\n');
        else html(response, page(Array.from({ length: 500 }, (_, i) => `/page-${i}`)));
      },
    {
      name: 'crawl-delays',
      sources: 2,
      bound: '16 syncs of a process, 4 of a namespace; a turn of each namespace',
    },
  ),
  site(
    () =>
      ({ url }, response) => {
        if (url === '/robots.txt') return notFound(response);
        response.writeHead(200, { 'content-type': 'text/html' });
        const drip = setInterval(() => response.write('<p>'), 500);
        response.on('close', () => clearInterval(drip));
      },
    { name: 'tarpit', sources: 4, bound: '20 s a page; 6 h a sync' },
  ),
  site(
    () => {
      let next = 0;
      return ({ url }, response) => {
        if (url === '/robots.txt') return notFound(response);
        html(response, page(Array.from({ length: 100 }, () => `/page-${(next += 1)}`)));
      };
    },
    { name: 'endless-links', bound: '10,000 pages of a website; 5,000 links of a page' },
  ),
  site(
    (siteUrl, { many }) => {
      let map: string | undefined;
      return ({ url }, response) => {
        if (url === '/robots.txt') return notFound(response);
        if (url !== '/sitemap.xml') return html(response, page([]));
        map ??= Array.from(
          { length: many(50_000, 20) },
          (_, i) => `<url><loc>${siteUrl()}/${i}</loc></url>`,
        ).join('');
        response.writeHead(200, { 'content-type': 'application/xml' });
        response.end(`<?xml version="1.0"?><urlset>${map}</urlset>`);
      };
    },
    {
      name: 'large-sitemap',
      bound: '50,000 addresses and 10 MB of a sitemap; 10,000 pages of a website',
    },
  ),
  site(
    (_, { many }) => {
      const body = `<body>${'<div><b>'.repeat(many(250_000, 500))}We open at nine.`;
      return ({ url }, response) =>
        url === '/robots.txt' || url === '/sitemap.xml' ? notFound(response) : html(response, body);
    },
    { name: 'unclosed-tags', bound: '20 s and 256 MB in a process of its own' },
  ),
  site(
    () =>
      ({ url }, response) => {
        if (url === '/robots.txt') return notFound(response);
        const writing = (): void => {
          while (response.writable && response.write('<p>We open at nine.</p>'.repeat(1_000)));
        };
        response.writeHead(200, { 'content-type': 'text/html' });
        response.on('drain', writing);
        writing();
      },
    { name: 'endless-page', bound: '5 MB and 20 s a page' },
  ),
  site(
    () => (_, response) => {
      response.writeHead(302, { location: `/${Math.random()}` }).end();
    },
    { name: 'endless-redirects', bound: '5 redirects of a page' },
  ),
  site(
    () => {
      let next = 0;
      return (_, response) => {
        next += 1;
        const documents = [{ id: `doc-${next}`, text: 'We open at nine. '.repeat(100) }];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ documents, has_more: true, next_cursor: String(next) }));
      };
    },
    { name: 'endless-feed', bound: '10,000 documents, 2,000 pages and six hours a sync' },
    'integration',
  ),
  site(
    () => () => undefined,
    { name: 'silent-feed', sources: 4, bound: '120 s a page; 4 syncs of a namespace' },
    'integration',
  ),
];
