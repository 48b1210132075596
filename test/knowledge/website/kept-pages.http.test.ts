import { afterEach, describe, expect, test } from 'vitest';
import {
  closeAll,
  html,
  nothing,
  paths,
  redirect,
  serve,
  servePages,
  sync,
  type Reply,
} from './website.ts';

afterEach(closeAll);

describe('pages with a canonical address', () => {
  const canonical = (href: string, ...paragraphs: string[]): string =>
    `<link rel="canonical" href="${href}"><main>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</main>`;

  test('each page is its own where a template names one address in all of them', async () => {
    const site = await serve({
      '/': `${canonical('/', 'Choose a topic.')}<nav><a href="/returns">R</a><a href="/prices">P</a></nav>`,
      '/returns': canonical('/', 'Goods come back within thirty days.'),
      '/prices': canonical('/', 'A frame costs 249 euros.'),
    });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/prices', '/returns']);
  });

  test.each<[string, string, string, string[]]>([
    [
      'the same text',
      canonical('/b', 'One.', 'Two.'),
      canonical('/b', 'One.', 'Two.'),
      ['/', '/b'],
    ],
    [
      'the same lines in another order',
      canonical('/b', 'One.', 'Two.'),
      canonical('/b', 'Two.', 'One.'),
      ['/', '/b'],
    ],
    [
      'more text',
      canonical('/b', 'One.', 'Two.'),
      canonical('/b', 'One.', 'Two.', 'Three.'),
      ['/', '/b'],
    ],
    [
      'less text',
      canonical('/b', 'One.', 'Two.', 'Three.'),
      canonical('/b', 'One.', 'Two.'),
      ['/', '/a', '/b'],
    ],
    [
      'another number',
      canonical('/b', 'One costs 249.', 'Two.'),
      canonical('/b', 'One costs 259.', 'Two.'),
      ['/', '/a', '/b'],
    ],
    ['no text', canonical('/b', 'One.'), canonical('/b'), ['/', '/a']],
  ])('a page whose canonical address has %s', async (_, a, b, expected) => {
    // Found first by a link, or by the canonical address alone.
    for (const links of [['/a'], ['/a', '/b'], ['/b', '/a']]) {
      const site = await serve({ '/': html('Start', ...links), '/a': a, '/b': b });
      expect(paths(await sync({ url: site.url }))).toEqual(expected);
    }
  });

  test.each<[string, Reply]>([
    ['is gone', { status: 404 }],
    ['cannot be read', { status: 500 }],
    ['asks not to be indexed', '<meta name="robots" content="noindex"><p>A</p>'],
    ['leads to another page', redirect('/c')],
    ['leads to another site', redirect('https://elsewhere.example/')],
  ])('a page is its own where its canonical address %s', async (_, b) => {
    const site = await serve({
      '/': html('Start', '/a'),
      '/a': canonical('/b', 'A'),
      '/b': b,
      '/c': html('C'),
    });
    expect(paths(await sync({ url: site.url }))).toContain('/a');
  });

  test('a page is the one that its canonical address leads to, if that has its text', async () => {
    const site = await serve({
      '/': html('Start', '/a'),
      '/a': canonical('/b', 'A'),
      '/b': redirect('/c'),
      '/c': html('A'),
    });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/c']);
  });

  test('a canonical address that has not changed is compared all the same', async () => {
    const pages = {
      '/': html('Start', '/b'),
      '/b': canonical('/b', 'One.', 'Two.'),
    } as Record<string, string>;
    const site = await servePages(pages);
    const index = nothing();
    await sync({ url: site.url }, { index });
    pages['/'] = html('Start', '/b', '/a');
    pages['/a'] = canonical('/b', 'Two.', 'One.');
    await sync({ url: site.url }, { index });
    // What it has was not sent again; from the next sync on it is.
    for (let time = 0; time < 2; time += 1) {
      await sync({ url: site.url }, { index });
      expect([...index.validators.keys()].sort()).toEqual(['/', '/b']);
    }
    pages['/a'] = canonical('/b', 'Two.', 'Three.');
    await sync({ url: site.url }, { index });
    expect([...index.validators.keys()].sort()).toEqual(['/', '/a', '/b']);
  });

  test('pages whose canonical addresses make a long chain are read to their end', async () => {
    const site = await serve((request) => {
      const at = Number(/^\/p(\d+)$/.exec(request.url!)?.[1] ?? NaN);
      if (request.url === '/')
        return html('Start', ...Array.from({ length: 40 }, (_, n) => `/p${n}`));
      return Number.isNaN(at) ? { status: 404 } : canonical(`/p${(at + 1) % 40}`, `Text ${at}`);
    });
    expect((await sync({ url: site.url })).documents.size).toBe(41);
  });
});

describe('facts in the head and the foot of a site', () => {
  const around = (text: string): string =>
    `<header><nav>Home</nav><p>Telephone 555 0100</p></header><main><p>${text}</p></main>
     <footer><p>Open Monday to Friday, 8:00 to 17:30.</p><p>© 2026 Blue Door</p><ul><li><a href="/">Home</a></ul></footer>`;

  test('stand once, with the start page', async () => {
    const site = await servePages({
      '/': `${around('Our team is here for you.')}<a href="/a">A</a>`,
      '/a': around('Our prices are low.'),
    });
    const index = nothing();
    const { documents } = await sync({ url: site.url }, { index });
    expect(documents.get('/')!.text).toBe(
      'Our team is here for you.\n\nTelephone 555 0100\nOpen Monday to Friday, 8:00 to 17:30.',
    );
    expect(documents.get('/a')!.text).toBe('Our prices are low.');
    expect((await sync({ url: site.url }, { index })).unchanged.sort()).toEqual(['/', '/a']);
  });
});

describe('an answer that does not say that a page is gone', () => {
  async function indexed(answers: Record<string, Reply>) {
    const site = await serve((request) => answers[request.url!] ?? { status: 404 });
    const index = nothing();
    await sync({ url: site.url }, { index });
    expect([...index.validators.keys()].sort()).toEqual(['/', '/a', '/a/b']);
    return async (changes: Record<string, Reply>) => {
      Object.assign(answers, changes);
      const told = await sync({ url: site.url }, { index });
      return { told, kept: [...index.validators.keys()].sort() };
    };
  }
  const site = (): Record<string, Reply> => ({
    '/': html('Start', '/a'),
    '/a': html('A', '/a/b'),
    '/a/b': html('B'),
  });

  test.each<[string, Reply]>([
    ['another type', { headers: { 'content-type': 'application/json' }, body: '{"error":1}' }],
    ['no text', '<!doctype html><script>check()</script>'],
    ['nothing', ''],
    ['a redirect to a login elsewhere, for now', redirect('https://login.example/?next=a')],
    ['a redirect to a page that cannot be read', redirect('/check')],
    ['403', { status: 403 }],
    ['401', { status: 401 }],
    ['206', { status: 206, body: 'A' }],
  ])('keeps it and what it leads to, and it is said: %s', async (_, reply) => {
    const again = await indexed(site());
    const { told, kept } = await again({ '/a': reply, '/check': { status: 403 } });
    expect(kept).toEqual(['/', '/a', '/a/b']);
    expect(Object.keys(told.failed)).toContain('/a');
  });

  test.each<[string, Reply]>([
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    [
      'a redirect to another site for good',
      { status: 301, headers: { location: 'https://new.example/' } },
    ],
    ['noindex', '<meta name="robots" content="noindex">'],
  ])('is not %s: the page goes', async (_, reply) => {
    const again = await indexed(site());
    expect((await again({ '/a': reply })).kept).not.toContain('/a');
  });

  test('keeps everything where it is the start page', async () => {
    const again = await indexed(site());
    await expect(again({ '/': '<script>check()</script>' })).rejects.toMatchObject({
      reason: 'StartPageUnreachable',
    });
  });
});
