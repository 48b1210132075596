import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, nothing, serve, servePages, sync, type Reply } from './website.ts';

/** Facts in the heads, feet and structured data of a site, on whichever page they stand. */

afterEach(closeAll);

const PHONE = 'Telephone 555 0100';
const PARK = 'The house by the park is open Monday to Friday, 8:00 to 17:30.';
const HARBOUR = 'Harbour, Telephone: 555 0102, Opening hours: Sa 9:00-12:00';
const NAV = '<nav><a href="/a">A</a> <a href="/b">B</a></nav>';

function page(text: string, ...facts: string[]): string {
  const foot = facts.map((fact) => `<p>${fact}</p>`).join('');
  return `<!doctype html><html lang="en"><body>${NAV}<main><p>${text}</p></main><footer>${foot}</footer></body></html>`;
}

/** Syncs a site several times. Returns the indexed passages after each sync. */
function indexOf(url: string): () => Promise<Record<string, string>> {
  const index = nothing();
  const texts: Record<string, string> = {};
  return async () => {
    for (const { path, text } of (await sync({ url }, { index })).documents.values())
      texts[path] = text;
    return Object.fromEntries(
      [...index.validators.keys()].sort().map((path) => [path, texts[path]!]),
    );
  };
}

test('stand with their page, and what every page repeats stands once, with the start page', async () => {
  const data = { name: 'Harbour', telephone: '555 0102', openingHours: 'Sa 9:00-12:00' };
  const site = await servePages({
    '/': page('Start.', PHONE),
    '/a': page('By the park.', PHONE, PARK),
    '/b': page(
      'At the harbour.',
      PHONE,
      `<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    ),
  });
  const next = indexOf(site.url);
  const indexed = {
    '/': `Start.\n\n${PHONE}`,
    '/a': `By the park.\n\n${PARK}`,
    '/b': `At the harbour.\n\n${HARBOUR}`,
  };
  expect(await next()).toEqual(indexed);
  expect(await next()).toEqual(indexed);
});

test.each([
  'Last updated on May 3, 2026.',
  'Stand: 03.05.2026',
  'Posted 3 May 2026',
  'Updated 2026-05-03',
  '更新日 2026年5月3日',
])('%s is not a fact of its page', async (line) => {
  const site = await servePages({ '/': page('Start.', PHONE), '/a': page('A.', line, PARK) });
  expect((await indexOf(site.url)())['/a']).toBe(`A.\n\n${PARK}`);
});

test.each(['We never close, not even on holidays.', 'Summer fair on May 3, 2026, from 10:00'])(
  '%s is a fact of its page',
  async (line) => {
    const site = await servePages({ '/': page('Start.', PHONE), '/a': page('A.', line) });
    expect((await indexOf(site.url)())['/a']).toBe(`A.\n\n${line}`);
  },
);

describe('a fact that two pages have', () => {
  async function shared() {
    const pages: Record<string, string> = {
      '/': page('Start.'),
      '/a': page('A.', PARK),
      '/b': page('B.', PARK),
    };
    const { url } = await servePages(pages);
    const next = indexOf(url);
    expect(await next()).toEqual({ '/': 'Start.', '/a': `A.\n\n${PARK}`, '/b': 'B.' });
    return { pages, next };
  }

  test('stays with the page that keeps it, whichever of them change', async () => {
    const { pages, next } = await shared();
    pages['/b'] = page('B two.', PARK);
    expect(await next()).toMatchObject({ '/a': `A.\n\n${PARK}`, '/b': 'B two.' });
    pages['/'] = page('Start.', PARK);
    expect(await next()).toMatchObject({ '/': 'Start.', '/a': `A.\n\n${PARK}` });
    pages['/a'] = page('A two.', PARK);
    expect(await next()).toMatchObject({ '/': 'Start.', '/a': `A two.\n\n${PARK}` });
  });

  test('moves to the other page at once if that is read after it', async () => {
    const { pages, next } = await shared();
    pages['/a'] = page('A two.');
    pages['/b'] = page('B two.', PARK);
    expect(await next()).toMatchObject({ '/a': 'A two.', '/b': `B two.\n\n${PARK}` });
  });

  test.each<[string, string | undefined]>([
    ['loses it', page('A two.')],
    ['is gone', undefined],
  ])(
    'moves by the sync after that in which its page %s, if the other is not sent again',
    async (_, now) => {
      const { pages, next } = await shared();
      if (now === undefined) delete pages['/a'];
      else pages['/a'] = now;
      expect(await next()).toMatchObject({ '/b': 'B.' });
      expect(await next()).toMatchObject({ '/b': `B.\n\n${PARK}` });
      const settled = await next();
      expect(await next()).toEqual(settled);
    },
  );
});

test('stay with a page that cannot be read for now', async () => {
  const pages: Record<string, Reply> = {
    '/': page('Start.'),
    '/a': page('A.', PARK),
    '/b': page('B.', PARK),
  };
  const site = await serve((request) => pages[request.url!] ?? { status: 404 });
  const next = indexOf(site.url);
  const indexed = await next();
  pages['/a'] = { status: 403 };
  expect(await next()).toEqual(indexed);
});
