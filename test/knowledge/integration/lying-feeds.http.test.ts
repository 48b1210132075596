import { afterEach, describe, expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { json, page, pages, serve, stopFeeds, sync, type Synced } from './feed-harness.ts';

/** Feeds that do what docs/integrations.md does not say: each is refused with its reason, whole. */

afterEach(stopFeeds);

const doc = (id: string, more: object = {}) => ({ id, markdown: `Of ${id}.`, ...more });
const text = (body: string, type = 'application/json') =>
  serve((_, response) => void response.writeHead(200, { 'content-type': type }).end(body));

/** Refused with this, and no end told: so whoever runs it removes nothing. */
function expectRefused(synced: Synced, reason: string, words: string | RegExp): void {
  expect(synced.refused?.message).toMatch(words);
  expect(synced.refused?.reason).toBe(reason);
  expect(synced.end).toBeUndefined();
}

describe('a page is refused', () => {
  const wrong: [name: string, body: unknown, words: string | RegExp][] = [
    ['no JSON', '{"documents": [', 'JSON'],
    ['nothing', '', 'JSON'],
    ['two values', '{"documents":[],"has_more":false} {}', 'JSON'],
    ['a comma too many', '{"documents":[{"id":"a"},],"has_more":false}', 'JSON'],
    ['a comma missing', '{"documents":[{"id":"a"}{"id":"b"}],"has_more":false}', 'JSON'],
    ['brackets that do not match', '{"documents":[{"id":"a"]],"has_more":false}', 'JSON'],
    ['a list', [doc('a')], 'an object'],
    ['null', 'null', 'an object'],
    ['no documents', { has_more: false }, 'documents'],
    ['documents as an object', page({ a: 1 }), 'documents'],
    [
      'documents twice',
      '{"documents":[{"id":"a","text":"x"}],"documents":[],"has_more":false}',
      '`documents` exactly once',
    ],
    ['a document that is null', page([null]), 'documents[0] is not an object'],
    ['a document that is a text', page([doc('a'), 'b']), 'documents[1] is not an object'],
    ['no has_more', { documents: [], next_cursor: null }, 'has_more'],
    ['has_more as a text', page([], { has_more: 'false' }), 'has_more'],
    ['has_more without a cursor', page([doc('a')], { has_more: true }), 'without a `next_cursor`'],
    ['a cursor that is a number', page([], { next_cursor: 7 }), 'next_cursor'],
    ['an empty cursor', page([], { next_cursor: '' }), 'next_cursor'],
    ['a cursor too long', page([], { next_cursor: 'c'.repeat(2_049) }), 'next_cursor'],
    ['a cursor with a line end', page([], { next_cursor: 'a\r\nb' }), 'next_cursor'],
    [
      'a cursor of half a character',
      '{"documents":[],"has_more":false,"next_cursor":"\\ud800"}',
      'next_cursor',
    ],
    ['no id', page([{ text: 'x' }]), 'documents[0].id'],
    ['an id that is a number', page([doc('a'), { id: 7, text: 'x' }]), 'documents[1].id'],
    ['an empty id', page([{ id: '', text: 'x' }]), 'documents[0].id'],
    ['an id too long', page([doc('i'.repeat(513))]), 'documents[0].id'],
    ['an id with U+0000', page([doc('a\u0000b')]), 'documents[0].id'],
    ['the same id twice', page([doc('a'), doc('b'), doc('a')]), 'the document a twice'],
    ['the same id, deleted', page([doc('a'), { id: 'a', deleted: true }]), 'the document a twice'],
  ];
  test.each(wrong)('%s', async (_, body, words) => {
    const { url } = await pages(body);
    expectRefused(
      await sync(url),
      'InvalidFeed',
      new RegExp(words instanceof RegExp ? words : words.replaceAll(/[[\].]/g, String.raw`\$&`)),
    );
  });

  test('HTML, called JSON or not', async () => {
    const html = '<!doctype html><title>Sign in</title>';
    expectRefused(
      await sync((await text(html, 'text/html; charset=utf-8')).url),
      'InvalidFeed',
      'HTML',
    );
    expectRefused(await sync((await text(html)).url), 'InvalidFeed', 'JSON');
  });

  test('another content-type, or none', async () => {
    const { url } = await text('a;b', 'text/csv');
    expectRefused(await sync(url), 'InvalidFeed', 'another content type');
    const none = await serve((_, response) => void response.writeHead(200).end('{}'));
    expectRefused(await sync(none.url), 'InvalidFeed', 'without a `Content-Type`');
  });

  test('not UTF-8, or compressed though nobody asked for it', async () => {
    const latin = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        Buffer.from('{"documents":[{"id":"a","text":"für"}],"has_more":false}', 'latin1'),
      );
    });
    expectRefused(await sync(latin.url), 'InvalidFeed', 'UTF-8');
    const packed = await serve((_, response) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      response.writeHead(200, headers).end(gzipSync('{}'));
    });
    expectRefused(await sync(packed.url), 'InvalidFeed', '`Content-Encoding`');
  });
});

describe('a document alone is at fault', () => {
  test.each([
    ['no text', {}, 'exactly one of text, markdown, html'],
    ['two texts', { text: 'x', markdown: 'y' }, 'exactly one of text, markdown, html'],
    ['text as a list', { text: ['x'] }, '`text` must be a string'],
    ['markdown as an object', { markdown: {} }, '`markdown` must be a string'],
    ['html as a number', { html: 7 }, '`html` must be a string'],
    ['a title as a number', { text: 'x', title: 7 }, '`title` must be a string'],
    ['a url as a list', { text: 'x', url: [] }, '`url` must be a string'],
    ['a url that is a program', { text: 'x', url: 'javascript:alert(1)' }, 'http or https'],
    ['a url without a host', { text: 'x', url: 'https://' }, 'http or https'],
    [
      'a url too long',
      { text: 'x', url: `https://a.example/${'x'.repeat(2_048)}` },
      'at most 2048',
    ],
    ['a language as an object', { text: 'x', language: {} }, '`language` must be a string'],
    ['a language that is none', { text: 'x', language: 'English!' }, 'language tag'],
    ['updated_at as an object', { text: 'x', updated_at: {} }, '`updated_at` must be a time'],
    ['deleted as a text', { text: 'x', deleted: 'yes' }, '`deleted` must be true or false'],
    ['U+0000', { text: 'a\u0000b' }, 'U+0000'],
    ['half of a character', { text: 'a\ud800b' }, 'half of a surrogate pair'],
    ['5 MiB and a byte', { text: 'ü'.repeat(2.5 * 1024 * 1024) + '.' }, 'larger than 5 MiB'],
  ])('%s', async (_, more, words) => {
    const { url } = await pages(page([doc('a'), { id: 'b', ...more }, doc('c')]));
    const { told, end } = await sync(url);
    expect(told.map(({ kind, path }) => [kind, path])).toEqual([
      ['document', 'a'],
      ['failed', 'b'],
      ['document', 'c'],
    ]);
    expect(told[1]).toMatchObject({ reason: expect.stringContaining(words) });
    expect(end?.unseen).toBe('remove');
  });

  test('5 MiB are read, a title too long is cut', async () => {
    const long = doc('a', { markdown: 'ü'.repeat(2.5 * 1024 * 1024), title: 't'.repeat(501) });
    const { told } = await sync((await pages(page([long]))).url);
    expect(told).toMatchObject([{ kind: 'document', title: 't'.repeat(500) }]);
  });
});

describe('pages without end', () => {
  test('the same cursor again', async () => {
    const feed = await pages(
      page([doc('a')], { has_more: true, next_cursor: '1' }),
      page([doc('b')], { has_more: true, next_cursor: '2' }),
      page([doc('c')], { has_more: true, next_cursor: '1' }),
    );
    expectRefused(await sync(feed.url), 'InvalidFeed', 'the same `next_cursor` twice');
    expect(feed.asked).toHaveLength(3);
  });

  test('the kept cursor again', async () => {
    const feed = await pages(
      page([], { next_cursor: 'kept' }),
      page([], { has_more: true, next_cursor: 'kept' }),
    );
    const { end } = await sync(feed.url);
    expectRefused(
      await sync(feed.url, { cursor: end!.cursor }),
      'InvalidFeed',
      'the same `next_cursor` twice',
    );
  });

  test('empty ones, by new cursors', async () => {
    const feed = await serve((_, response, nth) =>
      json(response, page([], { has_more: true, next_cursor: String(nth) })),
    );
    expectRefused(await sync(feed.url, { limits: { pages: 20 } }), 'TooLarge', '20 pages');
    expect(feed.asked).toHaveLength(20);
  });

  test('of ever new documents', async () => {
    const feed = await serve((_, response, nth) =>
      json(
        response,
        page([doc(`a${nth}`), doc(`b${nth}`)], { has_more: true, next_cursor: String(nth) }),
      ),
    );
    const synced = await sync(feed.url, { limits: { documents: 9 } });
    expectRefused(synced, 'TooLarge', 'more than 9 documents');
    expect(feed.asked).toHaveLength(5);
  });

  test('the same id on another page', async () => {
    const feed = await pages(
      page([doc('a')], { has_more: true, next_cursor: '2' }),
      page([doc('a')]),
    );
    expectRefused(await sync(feed.url), 'InvalidFeed', 'the document a twice');
  });

  test('410 to a cursor of its own, 304 that nobody asked for', async () => {
    for (const [status, words] of [
      [410, 'status 410'],
      [304, 'status 304'],
    ] as const) {
      const feed = await serve((_, response, nth) => {
        if (nth > 1) response.writeHead(status).end();
        else json(response, page([doc('a')], { has_more: true, next_cursor: '2' }));
      });
      expectRefused(await sync(feed.url), 'InvalidFeed', words);
    }
  });

  test('a text to a cursor, and a text where JSON was', async () => {
    const feed = await serve((_, response, nth) => {
      if (nth === 1) json(response, page([doc('a')], { has_more: true, next_cursor: '2' }));
      else if (nth === 3) json(response, page([doc('a')]));
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('down for maintenance');
    });
    expectRefused(await sync(feed.url), 'InvalidFeed', 'plain text for a request with a cursor');
    const { end } = await sync(feed.url);
    expectRefused(
      await sync(feed.url, { cursor: end!.cursor }),
      'InvalidFeed',
      'JSON in the previous sync',
    );
  });

  test('410 from the beginning, and 410 after it', async () => {
    const feed = await serve((_, response, nth) => {
      if (nth === 1) json(response, page([], { next_cursor: 'kept' }));
      else response.writeHead(410).end();
    });
    const { end } = await sync(feed.url);
    expectRefused(await sync(feed.url, { cursor: end!.cursor }), 'NotFound', '410');
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, 'kept', null]);
  });
});

describe('too much', () => {
  /** As much as is taken, and never an end. */
  const endless = (response: ServerResponse, piece: string): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  };

  test.each([
    ['a text', 20, '"', 'text'.repeat(16_000)],
    ['white space', 2, '', ' '.repeat(64_000)],
  ])('a page of 1 GB, of %s, is cut at %d MiB', async (_, mib, beginning, piece) => {
    let sent = 0;
    const feed = await serve((__, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 ** 30 });
      response.write(`{"documents":[${beginning}`);
      endless(response, piece);
      response.on('close', () => (sent = response.socket?.bytesWritten ?? 0));
    });
    const before = process.memoryUsage().rss;
    // 20 MiB is the limit that is promised.
    const lowered = mib < 20 && { limits: { pageBytes: mib * 1024 * 1024 } };
    expectRefused(await sync(feed.url, { ...lowered }), 'TooLarge', `${mib} MiB`);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect(feed.asked).toHaveLength(1);
    expect(sent).toBeLessThan(40 * 1024 * 1024);
  });

  test('of what is no document', async () => {
    const { url } = await pages(page([], { next_cursor: null }), {});
    expect((await sync(url)).refused).toBeUndefined();
    const large = await pages({ ...page([]), more: 'x'.repeat(70_000) });
    expectRefused(await sync(large.url), 'TooLarge', 'outside of `documents`');
  });

  test('of parts and depth, whose values would take a hundred times their bytes', async () => {
    const wide = `{"documents":[{"id":"a","text":"x","more":[${'[],'.repeat(1_000_000)}[]]}],"has_more":false}`;
    const deep = `{"documents":[{"id":"a","text":"x","more":${'['.repeat(1_000_000)}`;
    const before = process.memoryUsage().rss;
    expectRefused(await sync((await text(wide)).url), 'TooLarge', 'members in documents');
    expectRefused(await sync((await text(deep)).url), 'TooLarge', 'deep');
    expectRefused(await sync((await text('['.repeat(1_000_000))).url), 'TooLarge', 'deep');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('an answer that is none', () => {
  test.each([
    [401, 'Unauthorized', 1],
    [403, 'Unauthorized', 1],
    [404, 'NotFound', 1],
    [301, 'Redirected', 1],
    [307, 'Redirected', 1],
    [204, 'InvalidFeed', 1],
    [400, 'InvalidFeed', 1],
    [429, 'RateLimited', 4],
    [500, 'NotAnswering', 4],
    [503, 'NotAnswering', 4],
  ])('status %d: %s, after %d requests', async (status, reason, tries) => {
    const feed = await serve(
      (_, response) => void response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(),
    );
    expectRefused(await sync(feed.url), reason, `status ${status}`);
    expect(feed.asked).toHaveLength(tries);
  });

  test('that is mended is not noticed', async () => {
    const feed = await serve((_, response, nth) => {
      if (nth === 1) response.writeHead(503, { 'retry-after': '0' }).end();
      else if (nth === 2) response.destroy();
      else if (nth === 3) response.writeHead(429).end();
      else json(response, page([doc('a')]));
    });
    expect((await sync(feed.url)).told).toHaveLength(1);
    expect(feed.asked).toHaveLength(4);
  });

  test('Retry-After is waited for, and no longer than is allowed', async () => {
    const feed = await serve((_, response, nth) => {
      if (nth === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else if (nth === 2) response.writeHead(429, { 'retry-after': '3600' }).end();
      else json(response, page([]));
    });
    const time = holdTime();
    const synced = sync(feed.url, { times: { retryMaxMs: 1_200 } });
    for (const pauseMs of [1_000, 1_200]) {
      await time.armed(pauseMs);
      const before = feed.asked.length;
      await time.advance(pauseMs - 1);
      expect(feed.asked).toHaveLength(before);
      await time.advance(1);
    }
    expect((await synced).refused).toBeUndefined();
    expect(feed.asked).toHaveLength(3);
  });

  test('Retry-After with a date is waited for as the same number of seconds', async () => {
    const headers = {
      date: 'Wed, 21 Oct 2026 07:28:00 GMT',
      'retry-after': 'Wed, 21 Oct 2026 07:28:40 GMT',
    };
    const feed = await serve((_, response, nth) => {
      if (nth === 1) response.writeHead(503, headers).end();
      else json(response, page([]));
    });
    const time = holdTime();
    const synced = sync(feed.url, { times: { retryMaxMs: 60_000 } });
    await time.armed(40_000);
    await time.advance(40_000);
    expect((await synced).refused).toBeUndefined();
    expect(feed.asked).toHaveLength(2);
  });

  test('headers that do not come, a body that does not end, one that breaks off', async () => {
    const silent = await serve(() => undefined);
    const time = holdTime();
    const synced = sync(silent.url, { times: { headersMs: 20_000 } });
    for (let tries = 1; tries <= 4; tries += 1) {
      await until(`request ${tries}`, () => silent.asked.length >= tries);
      await time.advance(20_000);
      if (tries === 4) break;
      await until('a pause', () => (time.waiting()[0] ?? Infinity) < 20_000);
      await time.advance(time.waiting()[0]!);
    }
    expectRefused(await synced, 'NotAnswering', 'within 20 s');
    expect(silent.asked).toHaveLength(4);
    time.release();
    const slow = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"documents":[');
    });
    expectRefused(await sync(slow.url, { times: { pageMs: 20 } }), 'NotAnswering', 'within 0.02 s');
    const broken = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"documents":[');
      setImmediate(() => response.destroy());
    });
    expectRefused(await sync(broken.url), 'NotAnswering', 'closed the connection in the middle');
  });

  test('a name that is nowhere, a port that nobody has, an address that may not be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const closed = await sync(`http://127.0.0.1:${port}/`);
    expectRefused(closed, 'NotAnswering', 'refused the connection');
    expectRefused(await sync('http://169.254.169.254/feed'), 'InvalidUrl', 'address');
    expectRefused(await sync('http://10.0.0.1/feed'), 'InvalidUrl', 'address');
  });
});

test('a sync that is given up ends at once, with the reason of that', async () => {
  const control = new AbortController();
  const feed = await serve(() => control.abort(new Error('canceled')));
  await expect(sync(feed.url, { signal: control.signal })).rejects.toThrow('canceled');
  expect(feed.asked).toHaveLength(1);
});
