import { afterEach, describe, expect, test } from 'vitest';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { holdTime } from '../../clock.ts';
import { freePort } from '../../free-port.ts';
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

describe('a site without an end', () => {
  test('pages in a circle are each read once', async () => {
    const site = await serve({
      '/': html('Start', '/a'),
      '/a': html('A', '/', '/a', '/b'),
      '/b': html('B', '/a'),
    });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a', '/b']);
    expect(site.asked.length).toBe(5);
  });

  test('a calendar is read as deep as is declared', async () => {
    const site = await serve((request) => {
      const day = Number(/^\/day\/(\d+)$/.exec(request.url!)?.[1] ?? 0);
      return html(`Nothing on day ${day}`, `/day/${day + 1}`);
    });
    expect((await sync({ url: site.url, maxDepth: 20 })).documents.size).toBe(21);
  });

  test('a tree without end is read up to max_pages', async () => {
    const site = await serve((request) =>
      html(
        `Page ${request.url}`,
        ...[1, 2, 3].map((n) => `${request.url!.replace(/\/$/, '')}/${n}${n}`),
      ),
    );
    const told = await sync({ url: site.url, maxPages: 60, maxDepth: 20 });
    expect(told.documents.size).toBe(60);
    expect(site.asked.length).toBeLessThan(80);
  });

  test('filters without end are read 100 times a path', async () => {
    const site = await serve((request) => {
      const links = Array.from({ length: 300 }, (_, n) => `/list?sort=${n}`);
      return request.url === '/' ? html('Start', ...links) : html(`List ${request.url}`);
    });
    const told = await sync({ url: site.url });
    expect(told.documents.size).toBe(101);
    expect(Object.values(told.skipped)).toContain(
      'more than 100 addresses differ only in the query',
    );
  });

  test('a link that repeats its path ends, and so do paths that grow', async () => {
    const site = await serve((request) =>
      html(`Page ${request.url}`, 'a/b/', `${'x'.repeat(1_000)}/`),
    );
    const told = await sync({ url: site.url, maxDepth: 20 });
    expect(told.documents.size).toBeLessThan(20);
    const reasons = new Set(Object.values(told.skipped));
    expect(reasons).toEqual(
      new Set([
        'a segment of the path occurs more than 3 times',
        'the path has more than 1024 characters',
      ]),
    );
  });

  test('an id of a session in each link makes no new pages', async () => {
    let n = 0;
    const site = await serve(() => {
      n += 1;
      return html('Start', `/?PHPSESSID=${n}`, `/?sid=${'0123456789abcdef'.repeat(2)}${n}`);
    });
    expect((await sync({ url: site.url })).documents.size).toBe(1);
  });
});

describe('redirects', () => {
  test('in a circle, or too many, leave what is indexed', async () => {
    const site = await serve({
      '/': html('Start', '/a', '/self', '/long-0'),
      '/a': redirect('/b'),
      '/b': redirect('/a'),
      '/self': redirect('/self'),
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [`/long-${n}`, redirect(`/long-${n + 1}`)]),
      ),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/']);
    expect(told.failed).toEqual({
      '/b': 'there are circular redirects',
      '/self': 'there are circular redirects',
      '/long-5': 'there are more than 5 redirects',
    });
  });

  test('inside, and links there, are not followed: nothing is sent', async () => {
    const inside = await serve({ '/secret': html('Secret') }, '127.0.0.2');
    const site = await serve({
      '/': html('Start', '/a', '/b', '/c', `${inside.url}/secret`),
      '/a': redirect(`${inside.url}/secret`),
      '/b': redirect('http://169.254.169.254/latest/meta-data/'),
      '/c': redirect('file:///etc/passwd'),
    });
    const told = await sync({ url: site.url });
    expect(paths(told)).toEqual(['/']);
    expect(told.skipped).toEqual(
      Object.fromEntries(
        ['/a', '/b', '/c'].map((path) => [path, 'the page redirects to another site']),
      ),
    );
    expect(inside.asked).toEqual([]);
  });

  test('of the start page inside are refused; so is a name of the site that means an inner address', async () => {
    const inside = await serve(
      { '/': html('Secret'), '/robots.txt': { status: 404 } },
      '127.0.0.2',
    );
    const site = await serve({ '/': redirect(`${inside.url}/`) });
    expect(await refusalOf(sync({ url: site.url }))).toEqual({
      reason: 'RedirectedElsewhere',
      message: `the start page ${site.url}/ cannot be read: the page redirects to ${inside.url}; if that site is intended, set \`website.url\` to its address`,
    });

    const guard = createAddressGuard({ allow: ['127.0.0.1/32', '*.example.test'] });
    const refusal = await refusalOf(
      sync(
        { url: `http://www.docs.example.test:${inside.port}/` },
        { guard, lookup: () => Promise.resolve([{ address: '127.0.0.2', family: 4 as const }]) },
      ),
    );
    expect(refusal.reason).toBe('RobotsUnreachable');
    expect(refusal.message).toMatch(/no public address/);
    expect(inside.asked).toEqual([]);
  });

  test('to the same site with www are that site, and its links are either', async () => {
    const guard = createAddressGuard({
      allow: ['127.0.0.1/32', '*.example.test'],
    });
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
    const site = await serve((request) => {
      const host = request.headers.host!;
      if (request.url === '/robots.txt') return { status: 404 };
      if (!host.startsWith('www.')) return redirect(`http://www.${host}${request.url}`);
      const bare = host.replace('www.', '');
      return request.url === '/'
        ? html('Start', `http://${bare}/a`, `http://${host}/a`)
        : html('A');
    });
    const told = await sync({ url: `http://docs.example.test:${site.port}/` }, { guard, lookup });
    expect(paths(told)).toEqual(['/', '/a']);
    expect(told.documents.get('/a')?.url).toBe(`http://www.docs.example.test:${site.port}/a`);
  });
});

describe('a page that is too much', () => {
  /** Sends for ever. */
  const endless = (piece: string | Buffer, headers: Record<string, string> = {}) =>
    serve((request, response) => {
      if (request.url === '/') return html('Start', '/endless', '/a');
      if (request.url === '/a') return html('A');
      if (request.url !== '/endless') return { status: 404 };
      response.writeHead(200, { 'content-type': 'text/html', ...headers });
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
      return undefined;
    });

  test('of gigabytes is given up at 5 MB', async () => {
    const site = await endless('<p>again and again</p>'.repeat(1_000));
    const told = await sync({ url: site.url });
    expect(told.failed).toEqual({ '/endless': 'the content is larger than 5 MB' });
    expect(paths(told)).toEqual(['/', '/a']);
  });

  test('that would be 8 MB is given up at 5 MB', async () => {
    const bomb = gzipSync(Buffer.alloc(8_000_000));
    const site = await serve({
      '/': html('Start', '/bomb', '/bad'),
      '/bomb': { headers: { 'content-encoding': 'gzip' }, body: bomb },
      '/bad': { headers: { 'content-encoding': 'gzip' }, body: 'no gzip' },
    });
    const told = await sync({ url: site.url });
    expect(told.failed).toEqual({
      '/bomb': 'the content is larger than 5 MB',
      '/bad': 'the content is not valid gzip',
    });
  });

  test('or is of no type that is read is cut off', async () => {
    const site = await endless(Buffer.alloc(100_000), { 'content-type': 'video/mp4' });
    const told = await sync({ url: site.url });
    expect(told.skipped['/endless']).toMatch(/video\/mp4/);
  });

  test.each(['headers', 'body'])('with slow %s is given up in time', async (part) => {
    const time = holdTime();
    const arrived = Promise.withResolvers<void>();
    const site = await serve((request, response) => {
      if (request.url === '/') return html('Start', '/a');
      if (request.url === '/a') return html('A', '/slow');
      if (request.url !== '/slow') return { status: 404 };
      arrived.resolve();
      if (part === 'body') {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('<p>');
      }
      return undefined;
    });
    const synced = sync({ url: site.url }, { timeoutMs: 600 });
    await arrived.promise;
    await time.advance(600);
    const told = await synced;
    expect(Object.keys(told.failed)).toEqual(['/slow']);
    expect(told.failed['/slow']).toMatch(
      /did not (answer|send the whole response) within (600 ms|0.6 s)$/,
    );
    expect(paths(told)).toEqual(['/', '/a']);
  });
});

describe('a site that fails', () => {
  test('keeps pages that answer 5xx or 403, and what they led to; 404 and 410 remove', async () => {
    const pages: Record<string, Reply> = {
      '/': html('Start', '/a', '/b', '/c', '/d', '/e', '/f'),
      '/a': html('A', '/a/x'),
      '/a/x': html('AX'),
    };
    for (const path of ['/b', '/c', '/d', '/e', '/f']) pages[path] = html(path);
    const given = Object.entries(pages).map(([path, body]): [string, Reply] => [
      path,
      { headers: { etag: `"${path}"` }, body: body as string },
    ]);
    let failing = false;
    const site = await serve((request) => {
      const status = { '/a': 500, '/b': 404, '/c': 410, '/d': 403 }[request.url!];
      if (failing && status !== undefined) return { status };
      return new Map(given).get(request.url!) ?? { status: 404 };
    });
    const index = nothing();
    await sync({ url: site.url }, { index });
    failing = true;
    const told = await sync({ url: site.url }, { index });
    expect(told.failed).toEqual({
      '/a': 'the server responded with status 500',
      '/d': 'the server responded with status 403',
    });
    expect([...index.validators.keys()].sort()).toEqual(['/', '/a', '/a/x', '/d', '/e', '/f']);
  });

  test('is waited for when it asks for that', async () => {
    let asked = 0;
    const site = await serve((request) => {
      if (request.url !== '/a') return request.url === '/' ? html('Start', '/a') : { status: 404 };
      asked += 1;
      return asked < 3 ? { status: 429, headers: { 'retry-after': '0' } } : html('A');
    });
    expect(paths(await sync({ url: site.url }))).toEqual(['/', '/a']);

    const busy = await serve({
      '/': html('Start', '/a'),
      '/a': { status: 503, headers: { 'retry-after': '86400' } },
    });
    expect((await sync({ url: busy.url })).failed).toEqual({
      '/a': 'the server responded with status 503 and requested a retry after 86400 s',
    });
  });

  test('and goes down in the middle ends the sync: nothing is removed', async () => {
    const links = Array.from({ length: 60 }, (_, n) => `/${n + 100}`);
    let asked = 0;
    const site = await serve((request, response) => {
      asked += 1;
      if (asked > 12) {
        response.destroy();
        return undefined;
      }
      return request.url === '/' ? html('Start', ...links) : html(request.url!);
    });
    const { reason, message } = await refusalOf(sync({ url: site.url }));
    expect(reason).toBe('SiteUnreachable');
    expect(message).toMatch(/pages could not be read; the last error: the server closed/);
    expect(asked).toBeLessThan(55);
  });

  test('whose start page is down or gone, or which is nowhere, says so', async () => {
    const down = await serve({ '/robots.txt': { status: 404 }, '/': { status: 500 } });
    expect(await refusalOf(sync({ url: down.url }))).toEqual({
      reason: 'StartPageUnreachable',
      message: `the start page ${down.url}/ cannot be read: the server responded with status 500`,
    });
    const gone = await serve({});
    expect((await refusalOf(sync({ url: gone.url }))).reason).toBe('StartPageUnreadable');
    const nowhere = await refusalOf(sync({ url: `http://127.0.0.1:${await freePort()}` }));
    expect(nowhere.message).toMatch(/the server refused the connection/);
    const inside = await refusalOf(sync({ url: 'http://10.0.0.1/' }));
    expect(inside).toMatchObject({ reason: 'InvalidUrl' });
    expect(inside.message).toMatch(/not public/);
  });

  test('that answers what is no HTTP is a page that fails', async () => {
    const server = createServer((socket) => socket.end('what?\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const refusal = await refusalOf(sync({ url: `http://127.0.0.1:${port}` }));
    server.close();
    expect(refusal.message).toMatch(
      /robots.txt cannot be read, so no page of the site may be read: The/,
    );
  });

  test('ends when nobody waits for it any more, and when it takes too long', async () => {
    const leaving = new AbortController();
    const site = await serve((request) => {
      const n = Number(request.url!.slice(1) || 0);
      if (n === 3) leaving.abort(new Error('stopped by somebody'));
      return html(`Page ${n}`, `/${n + 1}`);
    });
    const stopped = sync({ url: site.url, maxDepth: 20 }, { signal: leaving.signal });
    await expect(stopped).rejects.toThrow();

    const index = { ...nothing(), cursor: 'as it was' };
    const late = await sync({ url: site.url, maxDepth: 20 }, { index, syncMsMax: 1 });
    expect(late.end).toEqual({ unseen: 'keep', cursor: 'as it was' });
  });

  test('is asked one at a time, so long after each other', async () => {
    const time = holdTime();
    const site = await serve((request) =>
      request.url === '/' ? html('Start', '/a', '/b') : html(request.url!),
    );
    const synced = sync({ url: site.url, delayMs: 100 });
    for (let asked = 1; asked < 5; asked += 1) {
      await time.armed(100);
      await time.advance(99);
      expect(site.asked).toHaveLength(asked);
      await time.advance(1);
    }
    await synced;
    expect(site.asked).toHaveLength(5);
  });
});

test.each<[string, Buffer, string | undefined, string]>([
  [
    'windows-1252 that nobody names',
    Buffer.from('<p>Gr\u00f6\u00dfe', 'latin1'),
    undefined,
    'Größe',
  ],
  ['a wrong name', Buffer.from('<p>Größe'), 'klingon', 'Größe'],
  ['bytes that are no text of it', Buffer.from([0x3c, 0x70, 0x3e, 0x61, 0xff]), 'utf-8', 'a\ufffd'],
])('a page in %s is read as well as can be', async (_, body, charset, expected) => {
  const type = `text/html${charset === undefined ? '' : `; charset=${charset}`}`;
  const site = await serve({ '/': { headers: { 'content-type': type }, body } });
  expect((await sync({ url: site.url, maxDepth: 0 })).documents.get('/')?.text).toBe(expected);
});
