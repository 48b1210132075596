import { afterEach, describe, expect, test } from 'vitest';
import {
  newEndpointSecret,
  signBody,
  verifyStandard,
} from '../../../src/platform/egress/signature.ts';
import { fromUuid } from '../../../src/ids.ts';
import { json, page, pages, serve, SOURCE_ID, stopFeeds, sync } from './feed-harness.ts';

/** A feed that keeps to docs/integrations.md, read over HTTP. */

afterEach(stopFeeds);

const doc = (id: string, more: object = {}) => ({ id, markdown: `# ${id}\n\nOf ${id}.`, ...more });

describe('a document', () => {
  test('is told with all that it has', async () => {
    const { url } = await pages(
      page([
        {
          id: 'kb/1',
          title: 'Returns',
          url: 'https://help.example.com/1',
          language: 'de-AT',
          text: 'Wir nehmen alles zurück.',
          updated_at: '2026-01-31T12:00:00Z',
          votes: 12,
        },
        doc('kb/2', { title: null, url: null, language: null, updated_at: null, text: null }),
      ]),
    );
    const { told, found, end } = await sync(url);
    expect(told).toEqual([
      {
        kind: 'document',
        path: 'kb/1',
        title: 'Returns',
        text: 'Wir nehmen alles zurück.',
        url: 'https://help.example.com/1',
        language: 'de',
        validators: { etag: null, lastModified: '2026-01-31T12:00:00Z' },
      },
      {
        kind: 'document',
        path: 'kb/2',
        title: 'kb/2',
        text: '# kb/2\n\nOf kb/2.',
        url: null,
        language: null,
        validators: { etag: null, lastModified: null },
      },
    ]);
    expect(found).toBe(2);
    expect(end?.unseen).toBe('remove');
  });

  test('that is deleted, or has no text any more, goes', async () => {
    const { url } = await pages(
      page([
        { id: 'a', deleted: true },
        { id: 'b', text: ' \n' },
      ]),
    );
    const { told } = await sync(url);
    expect(told.map(({ kind, path }) => [kind, path])).toEqual([
      ['skipped', 'a'],
      ['skipped', 'b'],
    ]);
  });
});

describe('a request', () => {
  test('carries what was declared, and ours before it', async () => {
    const feed = await pages(page([]));
    const headers = { 'X-Tenant': 'blue', Accept: 'application/vnd.help+json' };
    await sync(feed.url, { integration: { headers }, secrets: () => ({ bearer: 'tok_1' }) });
    const [asked] = feed.asked;
    expect(asked?.target).toBe('/feed');
    expect(asked?.headers).toMatchObject({
      accept: 'application/vnd.help+json',
      'user-agent': 'parley/test',
      'x-tenant': 'blue',
      authorization: 'Bearer tok_1',
      'parley-source-id': fromUuid('ks', SOURCE_ID),
    });
    expect(asked?.headers).not.toHaveProperty('webhook-signature');
  });

  test('is signed over its path and query, so that nobody changes the cursor', async () => {
    const signing = newEndpointSecret();
    const feed = await pages(page([doc('a')], { has_more: true, next_cursor: 'a&b=ü' }), page([]));
    await sync(`${feed.url}?space=help%20desk`, { secrets: () => ({ signing }) });
    const [first, second] = feed.asked;
    expect(first?.target).toBe('/feed?space=help%20desk');
    expect(second?.target).toBe('/feed?space=help%20desk&cursor=a%26b%3D%C3%BC');
    expect(second?.cursor).toBe('a&b=ü');
    const ids = [first, second].map((asked) => {
      const { headers, target } = asked!;
      const message = {
        id: String(headers['webhook-id']),
        timestampSec: Number(headers['webhook-timestamp']),
        body: Buffer.from(target),
      };
      const given = String(headers['webhook-signature']);
      expect(verifyStandard(signing, message, given)).toBe(true);
      const other = Buffer.from(target.replace('help', 'hr'));
      expect(verifyStandard(signing, { ...message, body: other }, given)).toBe(false);
      expect(headers['parley-signature']).toBe(signBody(signing, Buffer.from(target)));
      return message.id;
    });
    expect(ids[0]).toMatch(/^req_/);
    expect(new Set(ids).size).toBe(2);
  });

  test('has the Secrets of the moment: one that changes is used by the next page', async () => {
    const feed = await pages(page([doc('a')], { has_more: true, next_cursor: '2' }), page([]));
    let asked = 0;
    await sync(feed.url, { secrets: () => ({ bearer: `tok_${(asked += 1)}` }) });
    expect(feed.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer tok_1',
      'Bearer tok_2',
    ]);
  });
});

describe('pages', () => {
  test('are asked for until there are no more', async () => {
    const feed = await pages(
      page([doc('a'), doc('b')], { has_more: true, next_cursor: '2' }),
      page([], { has_more: true, next_cursor: '3' }),
      page([doc('c')]),
    );
    const counts: number[] = [];
    const onTold = (told: { kind: string; count?: number }): void => {
      if (told.kind === 'found') counts.push(told.count!);
    };
    const { told, end } = await sync(feed.url, { onTold });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, '2', '3']);
    expect(told.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    expect(counts).toEqual([2, 2, 3]);
    expect(end?.unseen).toBe('remove');
  });

  test('a cursor after the last page is kept: the next sync is told of changes alone', async () => {
    const feed = await pages(
      page([doc('a')], { next_cursor: 'c1' }),
      page([doc('b'), { id: 'a', deleted: true }], { next_cursor: 'c2' }),
      page([], { next_cursor: 'c2' }),
    );
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    const third = await sync(feed.url, { cursor: second.end!.cursor });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, 'c1', 'c2']);
    expect([first, second, third].map(({ end }) => end?.unseen)).toEqual([
      'remove',
      'keep',
      'keep',
    ]);
    expect(second.told.map(({ kind }) => kind)).toEqual(['document', 'skipped']);
  });

  test('without one each sync reads everything', async () => {
    const feed = await pages(page([doc('a')]));
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, null]);
    expect(second.end?.unseen).toBe('remove');
  });

  test('410 to a kept cursor: from the beginning, and what is not told of goes', async () => {
    const feed = await serve(({ cursor }, response) => {
      if (cursor === 'old') response.writeHead(410).end();
      else json(response, page([doc('a')], { next_cursor: 'old' }));
    });
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, 'old', null]);
    expect(second.end?.unseen).toBe('remove');
    expect(second.told).toHaveLength(1);
  });

  test('of another address begin at the beginning', async () => {
    const feed = await pages(page([doc('a')], { next_cursor: 'c1' }));
    const first = await sync(feed.url);
    const second = await sync(`${feed.url}?v=2`, { cursor: first.end!.cursor });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, null]);
    expect(second.end?.unseen).toBe('remove');
  });

  test('one document that cannot be read keeps the cursor where it was', async () => {
    const feed = await pages(
      page([doc('a')], { next_cursor: 'c1' }),
      page([doc('b'), { id: 'c', text: 7 }], { next_cursor: 'c2' }),
      page([], { next_cursor: 'c3' }),
    );
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    expect(second.told[1]).toEqual({
      kind: 'failed',
      path: 'c',
      reason: '`text` must be a string',
    });
    await sync(feed.url, { cursor: second.end!.cursor });
    expect(feed.asked.map(({ cursor }) => cursor)).toEqual([null, 'c1', 'c1']);
  });
});

describe('304', () => {
  test('of the first page says that nothing has changed', async () => {
    const feed = await serve(({ headers }, response) => {
      if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
      else json(response, page([doc('a')]), { etag: '"v1"' });
    });
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    expect(second).toMatchObject({ told: [], end: { unseen: 'keep', cursor: first.end!.cursor } });
    expect(feed.asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
  });

  test('is not asked for by the tag of another page', async () => {
    const feed = await serve((_, response) =>
      json(response, page([], { next_cursor: 'c1' }), { etag: '"v1"' }),
    );
    const first = await sync(feed.url);
    const second = await sync(feed.url, { cursor: first.end!.cursor });
    await sync(feed.url, { cursor: second.end!.cursor });
    const tags = feed.asked.map(({ cursor, headers }) => [cursor, headers['if-none-match']]);
    expect(tags).toEqual([
      [null, undefined],
      ['c1', undefined],
      ['c1', '"v1"'],
    ]);
  });

  test('is not asked for while a document of that page could not be read', async () => {
    const feed = await serve((_, response) =>
      json(response, page([{ id: 'a' }]), { etag: '"v1"' }),
    );
    const first = await sync(feed.url);
    await sync(feed.url, { cursor: first.end!.cursor });
    expect(feed.asked[1]?.headers).not.toHaveProperty('if-none-match');
  });
});

test.each(['text/markdown; charset=utf-8', 'text/plain'])('%s is one document', async (type) => {
  const feed = await serve((_, response) =>
    response.writeHead(200, { 'content-type': type }).end('\uFEFF# Opening hours\n\nNine to six.'),
  );
  const { told, end } = await sync(`${feed.url}/hours.md?v=1`);
  expect(told).toEqual([
    {
      kind: 'document',
      path: 'hours.md',
      title: 'hours.md',
      text: '# Opening hours\n\nNine to six.',
      url: null,
      language: null,
      validators: { etag: null, lastModified: null },
    },
  ]);
  expect(end?.unseen).toBe('remove');
});
