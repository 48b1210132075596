import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IncomingHttpHeaders } from 'node:http';
import { newEndpointSecret } from '../../../src/platform/egress/signature.ts';
import { startApi, type Api, type Call, PATIENT_MS } from '../../roles/api/api-setup.ts';
import { newNamespace } from '../own-namespace.ts';
import { awaitCondition } from '../../agents/agents.ts';
import { OFTEN } from '../syncs/site.ts';
import { createDocuments, createFeed } from './example.ts';
import { json, listening, page, serve, stopFeeds } from './feed-harness.ts';

/** Feeds as their owners see them: declared, read by the real runner, found, changed and read again. */

let api: Api;
let namespace: string;
let call: Call;
beforeAll(async () => {
  // An API of its own, because its operator looks for syncs often; with the fetchers that every operator has.
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS });
  await api.engine.startOperator({ syncTimes: OFTEN });
});
afterAll(() => api?.stop());
beforeEach(async () => {
  ({ namespace, call } = await newNamespace(api));
});
afterEach(stopFeeds);

const SOURCES = '/v1/knowledge/sources';
const REFS = {
  secret_ref: { name: 'help-feed', key: 'token' },
  signing_secret_ref: { name: 'help-feed', key: 'signing' },
};

const create = (integration: object, fields: object = {}) =>
  call('POST', SOURCES, { json: { type: 'integration', integration, ...fields } });
const read = async (id: string) => (await call('GET', `${SOURCES}/${id}`)).body;
const settled = (id: string) =>
  api.engine.eventually(
    async () => {
      const source = await read(id);
      return source.sync === null && source.status !== 'pending' && source;
    },
    () => read(id),
  );
async function sync(id: string) {
  expect((await call('POST', `${SOURCES}/${id}/sync`)).status).toBe(202);
  return settled(id);
}
const find = async (q: string): Promise<string[]> => {
  const { body } = await call('GET', `/v1/knowledge/search?q=${encodeURIComponent(q)}`);
  return body.data.map(({ text }: { text: string }) => text);
};
async function declareSecret(data: Record<string, string>, isAllowed = true): Promise<void> {
  await api.engine.store.apply(
    {
      kind: 'Secret',
      namespace,
      name: 'help-feed',
      labels: isAllowed ? { 'parley.dev/allow': 'true' } : {},
      spec: { data },
    },
    { fieldManager: 'kubectl' },
  );
}

test('the example is read, found, changed and read again: exactly what changed is touched', async () => {
  const signing = newEndpointSecret();
  await declareSecret({ token: 'tok_1\n', signing: `${signing}\n` });
  const documents = createDocuments();
  documents.set('returns', {
    markdown: '# Returns\n\nSend it back within thirty days.',
    title: 'R',
  });
  documents.set('tents', {
    text: 'Tents have a warranty of five years.',
    url: 'https://h.example/t',
  });
  documents.set('boots', { html: '<h1>Boots</h1><p>Boots are waxed twice a year.</p>' });
  const feed = createFeed({ documents, secret: signing, token: 'tok_1', pageSize: 2 });
  const url = `${await listening(feed)}/feed`;
  const { status, body } = await create({ url, ...REFS });
  expect(status).toBe(201);
  const first = await settled(body.id);
  expect(first).toMatchObject({ status: 'ready', ready: true, documents: 3 });
  expect(first.integration).toEqual({ url, ...REFS });
  expect(first.last_sync).toMatchObject({ added: 3, updated: 0, removed: 0, failed: 0 });
  expect(await find('warranty of tents')).toEqual(['Tents have a warranty of five years.']);
  expect((await find('boots waxed')).join(' ')).toContain('Boots are waxed twice a year.');

  const rows = async () => {
    const { rows: all } = await api.engine.pool.query<{ path: string; row: string }>(
      `select d.path, d.xmin::text || ' ' || c.xmin::text as row from knowledge_documents d
         join knowledge_chunks c on c.document_id = d.id where d.namespace = $1 order by d.path`,
      [namespace],
    );
    return new Map(all.map(({ path, row }) => [path, row]));
  };
  const before = await rows();
  documents.set('tents', { text: 'Tents have a warranty of seven years.' });
  documents.remove('boots');
  const second = await sync(body.id);
  expect(second.last_sync).toMatchObject({ documents: 2, added: 0, updated: 1, removed: 1 });
  expect(await find('warranty of tents')).toEqual(['Tents have a warranty of seven years.']);
  expect(await find('boots waxed')).toEqual([]);
  const after = await rows();
  expect(after.get('returns')).toBe(before.get('returns'));
  expect((await sync(body.id)).last_sync).toMatchObject({ added: 0, updated: 0, removed: 0 });
  expect(await rows()).toEqual(after);
});

test('a feed that begins to lie changes nothing of what is found, and says why', async () => {
  let answer: unknown = page([{ id: 'a', text: 'Apples are red.' }]);
  const feed = await serve((_, response) => json(response, answer));
  const { body } = await create({ url: feed.url });
  await settled(body.id);
  answer = page([{ id: 'b', text: 'Bananas.' }], { has_more: true });
  const source = await sync(body.id);
  expect(source.status_message).toContain('`has_more: true` without a `next_cursor`');
  expect(source).toMatchObject({ documents: 1 });
  expect(await find('apples')).toEqual(['Apples are red.']);
  expect(await find('bananas')).toEqual([]);
});

describe('Secrets', () => {
  test('that are missing or not allowed are a condition, and it heals by itself', async () => {
    const asked: IncomingHttpHeaders[] = [];
    const feed = await serve(({ headers }, response) => {
      asked.push(headers);
      json(response, page([{ id: 'a', text: 'Apples are red.' }]));
    });
    const { body } = await create({ url: feed.url, ...REFS }, { name: 'help' });
    const source = { kind: 'KnowledgeSource', namespace, name: 'help' };
    const is = (reason: string) =>
      awaitCondition(api.engine, source, { type: 'ResolvedRefs', status: 'False', reason });
    await is('SecretNotFound');
    await declareSecret({ token: 'tok_1', signing: 'no secret' }, false);
    await is('SecretNotAllowed');
    await declareSecret({ token: 'tok_1', signing: 'no secret' });
    await is('InvalidSecret');
    expect(asked).toEqual([]);
    await declareSecret({ token: 'tok_1', signing: newEndpointSecret() });
    await awaitCondition(api.engine, source, { type: 'Ready', status: 'True' });
    expect(await read(body.id)).toMatchObject({ status: 'ready', documents: 1 });
    // One that changes is used by the next request.
    await declareSecret({ token: 'tok_2', signing: newEndpointSecret() });
    await sync(body.id);
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer tok_1',
      'Bearer tok_2',
    ]);
    expect(asked[1]?.['user-agent']).toMatch(/^parley\/\d/);
  });
});

describe('REST', () => {
  test.each([
    [{ url: 'http://10.0.0.7/feed' }, '/integration/url', 'not public'],
    [{ url: 'http://help.example.com/feed' }, '/integration/url', 'https'],
    [{ url: 'https://help.example.com/?cursor=1' }, '/integration/url', 'parameter "cursor"'],
    [
      { url: 'https://help.example.com/', headers: { 'X-API-Key': 'k' } },
      '/integration/headers',
      'secret_ref',
    ],
  ])('refuses %j', async (integration, pointer, words) => {
    const { status, body } = await create(integration);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer, detail: expect.stringContaining(words) }]);
  });

  test('changes a feed: PATCH is checked too, and another address is read from its beginning', async () => {
    const cursors: (string | null)[] = [];
    const feed = await serve(({ cursor }, response) => {
      cursors.push(cursor);
      json(response, page([{ id: 'a', text: 'Apples are red.' }], { next_cursor: 'c1' }));
    });
    const { body } = await create({ url: feed.url, headers: { 'x-team': 'a' } });
    await settled(body.id);
    const patch = (integration: object) =>
      call('PATCH', `${SOURCES}/${body.id}`, { json: { integration } });
    expect((await patch({ url: 'http://169.254.169.254/' })).status).toBe(422);
    expect((await patch({ headers: { authorization: 'Bearer k' } })).status).toBe(422);
    const changed = await patch({ url: `${feed.url}?v=2`, headers: null });
    expect(changed.status).toBe(200);
    await api.engine.eventually(async () => cursors.length > 1);
    await settled(body.id);
    expect((await read(body.id)).integration).toEqual({ url: `${feed.url}?v=2` });
    await sync(body.id);
    expect(cursors).toEqual([null, null, 'c1']);
  });
});
