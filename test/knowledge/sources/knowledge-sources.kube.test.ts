import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { listStaleSources } from '../../../src/knowledge/sources/knowledge-source.reconciler.ts';
import { awaitCondition, type ReportedCondition } from '../../agents/agents.ts';
import { describeKind } from '../../roles/each-store.ts';
import {
  startApi,
  withoutRequestId,
  type Api,
  type Call,
  type Reply,
} from '../../roles/api/api-setup.ts';
import { newNamespace } from '../own-namespace.ts';

const SOURCES = '/v1/knowledge/sources';
const TEXT = '# Hours\n\nWe open at nine.\n\n# Parking\n\nThere are four places behind the house.';

describeKind((storeName) => {
  let api: Api;
  let namespace: string;
  let call: Call;
  beforeAll(async () => {
    api = await startApi({ storeName });
  });
  afterAll(() => api?.stop());
  beforeEach(async () => {
    ({ namespace, call } = await newNamespace(api));
  });

  const keyOf = (kind = 'KnowledgeSource', name = 'handbook') => ({ kind, namespace, name });
  const declare = (spec: Record<string, unknown>) =>
    api.engine.store.apply({ ...keyOf(), spec }, { fieldManager: 'kubectl' });
  const settled = (): Promise<Resource> =>
    api.engine.settled('KnowledgeSource', 'handbook', namespace);
  const condition = (type: string, expected: Partial<ReportedCondition>) =>
    awaitCondition(api.engine, keyOf(), { type, ...expected });
  const create = async (json: Record<string, unknown>): Promise<Reply['body']> => {
    const { status, body } = await call('POST', SOURCES, { json });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  const upload = (id: string, body: string | Buffer, type = 'text/markdown', query = '') =>
    call('PUT', `${SOURCES}/${id}/content${query}`, { body, headers: { 'content-type': type } });
  const find = async (q: string): Promise<string[]> => {
    const { body } = await call('GET', `/v1/knowledge/search?q=${encodeURIComponent(q)}`);
    return body.data.map((hit: { text: string }) => hit.text);
  };
  /** Data of all events of one type, oldest first. */
  const syncs = async (): Promise<Reply['body'][]> => {
    const { body } = await call('GET', '/v1/events?type=knowledge.source.synced&limit=100');
    return body.data.map((event: Reply['body']) => event.data).toReversed();
  };
  const counts = { documents: 1, added: 0, updated: 0, removed: 0, failed: 0 };

  describe('a text', () => {
    test('declared by REST can be found when that is answered, with one event', async () => {
      const body = await create({ type: 'text', name: 'handbook', text: TEXT });
      expect(body).toMatchObject({
        name: 'handbook',
        type: 'text',
        text: TEXT,
        website: null,
        managed_by: 'api',
        ready: true,
        status: 'ready',
        status_message: '2 passages indexed',
        documents: 1,
        chunks: 2,
        last_sync: { ...counts, added: 1 },
      });
      expect(await find('When do you open?')).toEqual(['We open at nine.']);
      expect(await syncs()).toEqual([
        {
          source_id: body.id,
          source_type: 'text',
          name: 'handbook',
          status: 'ready',
          ...counts,
          added: 1,
          duration_sec: expect.any(Number),
        },
      ]);
      const { body: documents } = await call('GET', `${SOURCES}/${body.id}/documents`);
      expect(documents.data).toMatchObject([
        { source_id: body.id, path: 'text', title: 'Hours', chunks: 2 },
      ]);
    });

    test('declared by kubectl is shown by REST, and its status says so', async () => {
      await declare({ type: 'text', text: TEXT });
      await condition('Ready', { status: 'True', reason: 'Synced' });
      const { status, metadata } = await settled();
      expect(status).toMatchObject({ documents: 1, chunks: 2 });
      expect(Date.parse(String(status['lastSyncTime']))).not.toBeNaN();
      expect(metadata.annotations['parley.dev/id']).toBe(status['sourceId']);
      const { body } = await call('GET', `${SOURCES}/${String(status['sourceId'])}`);
      expect(body).toMatchObject({ name: 'handbook', managed_by: 'kubernetes', text: TEXT });
      const refused = await call('DELETE', `${SOURCES}/${body.id}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'managed_elsewhere' } });
    });

    test('that changes is indexed anew, and one that does not makes no event', async () => {
      const { id } = await create({ type: 'text', name: 'handbook', text: TEXT });
      const changed = await call('PATCH', `${SOURCES}/${id}`, {
        json: { text: 'We open at ten.' },
      });
      expect(changed).toMatchObject({ status: 200, body: { ready: true, chunks: 1 } });
      expect(await find('When do you open?')).toEqual(['We open at ten.']);
      expect(await find('parking places')).toEqual([]);
      await call('PATCH', `${SOURCES}/${id}`, { json: { text: 'We open at ten.' } });
      const again = await call('PATCH', `${SOURCES}/${id}`, { json: { metadata: { a: 'b' } } });
      expect(again).toMatchObject({ status: 200, body: { metadata: { a: 'b' }, ready: true } });
      expect(await syncs()).toMatchObject([
        { ...counts, added: 1 },
        { ...counts, updated: 1 },
      ]);
    });

    test('from a ConfigMap waits for it, follows it, and outlives it', async () => {
      const configMap = keyOf('ConfigMap', 'texts');
      const say = (text: string) =>
        api.engine.store.apply(
          { ...configMap, spec: { data: { handbook: text } } },
          { fieldManager: 'kubectl' },
        );
      const configMapKeyRef = { name: 'texts', key: 'handbook' };
      await declare({ type: 'text', textFrom: { configMapKeyRef } });
      await condition('ResolvedRefs', { status: 'False', reason: 'ConfigMapNotFound' });
      const { body } = await call('GET', `${SOURCES}?name=handbook`);
      expect(body.data).toMatchObject([{ status: 'pending', ready: false }]);
      await say('We open at nine.');
      await condition('Ready', { status: 'True' });
      expect(await find('open')).toEqual(['We open at nine.']);
      await say('We open at ten.');
      await api.engine.eventually(async () => (await find('open'))[0] === 'We open at ten.');
      await api.engine.store.delete('ConfigMap', configMap);
      await condition('ResolvedRefs', { status: 'False', reason: 'ConfigMapNotFound' });
      expect(await find('open')).toEqual(['We open at ten.']);
      const { sourceId } = (await settled()).status;
      const { body: shown } = await call('GET', `${SOURCES}/${String(sourceId)}`);
      expect(shown).toMatchObject({ text: 'We open at ten.', ready: false });
      expect(await syncs()).toHaveLength(2);
    });

    test('synced by request makes an event with nothing new', async () => {
      const { id } = await create({ type: 'text', text: TEXT });
      const { status, body } = await call('POST', `${SOURCES}/${id}/sync`);
      expect({ status, body }).toMatchObject({ status: 202, body: { ready: true, chunks: 2 } });
      expect(await syncs()).toMatchObject([{ ...counts, added: 1 }, counts]);
      expect(await find('When do you open?')).toHaveLength(1);
    });
  });

  describe('a file', () => {
    test('waits for its content, is found as soon as that is uploaded, and its object follows', async () => {
      const { id, ...body } = await create({ type: 'file', name: 'handbook' });
      expect(body).toMatchObject({ status: 'pending', ready: false, documents: 0, text: null });
      await condition('Ready', { status: 'False', reason: 'Pending' });
      const empty = await call('POST', `${SOURCES}/${id}/sync`);
      expect(empty).toMatchObject({ status: 409, body: { code: 'no_content' } });
      const { status, body: uploaded } = await upload(
        id,
        TEXT,
        'text/markdown; charset=utf-8',
        '?file_name=a.md',
      );
      expect({ status, uploaded }).toMatchObject({
        status: 202,
        uploaded: { status: 'ready', ready: true, documents: 1, chunks: 2 },
      });
      expect(await find('When do you open?')).toEqual(['We open at nine.']);
      expect(await syncs()).toMatchObject([{ ...counts, source_type: 'file', added: 1 }]);
    });

    test('that was uploaded is shown by its object once another operator takes over', async () => {
      // An API of its own, because its operator stops.
      const own = await startApi({ storeName, operator: false });
      const key = { kind: 'KnowledgeSource', namespace: 'default', name: 'handbook' };
      onTestFinished(own.stop);
      const operator = await own.engine.startOperator();
      call = own.call;
      const { id } = await create({ type: 'file', name: 'handbook' });
      await awaitCondition(own.engine, key, { type: 'Ready', reason: 'Pending' });
      await upload(id, TEXT);
      expect(await listStaleSources(own.engine)).toMatchObject([
        { namespace: 'default', name: 'handbook' },
      ]);
      await operator.stop();
      await own.engine.startOperator();
      await awaitCondition(own.engine, key, { type: 'Ready', status: 'True' });
      const { status } = await own.engine.settled('KnowledgeSource', 'handbook');
      expect(status).toMatchObject({ documents: 1, chunks: 2 });
      expect(await syncs()).toHaveLength(1);
    });

    test('takes another content in the place of the first', async () => {
      const { id } = await create({ type: 'file' });
      await upload(id, 'We open at nine.', 'text/plain', '?file_name=a.txt');
      await upload(id, 'We close at six.', 'text/plain', '?file_name=b.txt');
      await upload(id, 'We close at seven.', 'text/plain', '?file_name=b.txt');
      expect(await find('open')).toEqual([]);
      expect(await find('close')).toEqual(['We close at seven.']);
      expect(await syncs()).toMatchObject([
        { ...counts, added: 1 },
        { ...counts, added: 1, removed: 1 },
        { ...counts, updated: 1 },
      ]);
      const { body } = await call('GET', `${SOURCES}/${id}/documents`);
      expect(body.data).toMatchObject([{ path: 'b.txt', title: 'b.txt', bytes: 18 }]);
      expect(await call('POST', `${SOURCES}/${id}/sync`)).toMatchObject({ status: 202 });
      // A search that has looked up a place must not find another passage there.
      const { rows } = await api.engine.pool.query(
        'select position from knowledge_chunks where source_id = $1',
        [toUuid('ks', id)],
      );
      expect(rows).toEqual([{ position: 3 }]);
    });

    test('keeps what it has through a change of its declaration', async () => {
      const { id } = await create({ type: 'file' });
      await upload(id, 'We open at nine.', 'text/plain');
      const { body } = await call('PATCH', `${SOURCES}/${id}`, { json: { metadata: { a: 'b' } } });
      expect(body).toMatchObject({ ready: true, status: 'ready', documents: 1, chunks: 1 });
      expect(await find('open')).toEqual(['We open at nine.']);
    });

    test('refuses what is no text, too much or nothing', async () => {
      const { id } = await create({ type: 'file' });
      const cases: [string, string | Buffer, number, string][] = [
        ['application/pdf', '%PDF-1.7', 422, 'invalid_body'],
        ['application/msword', 'We open at nine.', 415, 'unsupported_media_type'],
        ['text/plain; charset=latin1', 'x', 415, 'unsupported_media_type'],
        ['text/plain', Buffer.from([0x66, 0xfc, 0x72]), 422, 'invalid_body'],
        ['text/plain', String.raw`{\rtf1 We open at nine.}`, 415, 'unsupported_media_type'],
        ['text/plain', '', 422, 'invalid_body'],
        ['text/plain', Buffer.alloc(20 * 1024 * 1024 + 1, 'x'), 413, 'body_too_large'],
      ];
      for (const [type, body, status, code] of cases) {
        expect(await upload(id, body, type)).toMatchObject({ status, body: { code } });
      }
      const named = await upload(id, 'We open.', 'text/plain', '?file_name=prices.pdf');
      expect(named).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      const word = await upload(id, 'We open.', 'application/msword');
      expect(word.body.detail).toMatch(/Parley accepts text, Markdown, CSV, HTML, PDF/);
      expect(await syncs()).toEqual([]);
    });
  });

  test('is found no more once it is deleted, and nothing of it is left', async () => {
    const { id } = await create({ type: 'text', text: TEXT });
    expect(await call('DELETE', `${SOURCES}/${id}`)).toMatchObject({ status: 204 });
    expect(await find('open')).toEqual([]);
    const owner = { chunks: 'owner_id', postings: 'owner_id', lexemes: 'owner_id' };
    for (const [table, column] of Object.entries({ ...owner, documents: 'source_id' })) {
      const { rows } = await api.engine.pool.query(
        `select from knowledge_${table} where ${column} = $1`,
        [toUuid('ks', id)],
      );
      expect({ table, rows: rows.length }).toEqual({ table, rows: 0 });
    }
    expect(await call('GET', `${SOURCES}/${id}`)).toMatchObject({ status: 404 });
    expect(await call('POST', `${SOURCES}/${id}/sync`)).toMatchObject({ status: 404 });
    expect(await upload(id, 'x')).toMatchObject({ status: 404 });
  });

  test('declared again under its name has its id again, and its text is indexed', async () => {
    await declare({ type: 'text', text: TEXT });
    await condition('Ready', { status: 'True' });
    const { sourceId } = (await settled()).status;
    await api.engine.store.delete('KnowledgeSource', keyOf());
    await api.engine.eventually(async () => (await find('open')).length === 0);
    await declare({ type: 'text', text: TEXT });
    await condition('Ready', { status: 'True' });
    expect((await settled()).status).toMatchObject({ sourceId, documents: 1 });
    expect(await find('open')).toHaveLength(1);
    expect(await syncs()).toHaveLength(2);
  });

  test('that becomes one of another type loses what it had', async () => {
    await declare({ type: 'text', text: TEXT });
    await condition('Ready', { status: 'True' });
    await declare({ type: 'file' });
    await condition('Ready', { status: 'False', reason: 'Pending' });
    expect(await find('open')).toEqual([]);
    expect((await settled()).status).toMatchObject({ documents: 0, chunks: 0 });
  });

  describe('an agent', () => {
    const ready = (expected: Partial<ReportedCondition>) =>
      awaitCondition(api.engine, keyOf('Agent', 'a'), { type: 'Ready', ...expected });

    test('that names a source that does not exist is held until it does', async () => {
      const spec = { prompt: 'p', knowledge: { sourceNames: ['handbook'] } };
      await api.engine.declareAgent('a', spec, 'kubectl', namespace);
      await ready({ status: 'False', reason: 'KnowledgeSourceNotFound' });
      await awaitCondition(api.engine, keyOf('Agent', 'a'), {
        type: 'ResolvedRefs',
        status: 'False',
        message: 'KnowledgeSource "handbook" does not exist in this namespace',
      });
      await declare({ type: 'text', text: TEXT });
      await ready({ status: 'True' });
    });

    test('stays live when its source is deleted, and finds nothing there', async () => {
      const { id } = await create({ type: 'text', name: 'handbook', text: TEXT });
      const { body: agent } = await call('POST', '/v1/agents', {
        json: { name: 'a', prompt: 'p', knowledge: { source_ids: [id] } },
      });
      expect(agent).toMatchObject({ ready: true, active_version: 1 });
      const search = async () => {
        const path = `/v1/knowledge/search?q=open&agent_id=${agent.id}`;
        return (await call('GET', path)).body.data;
      };
      expect(await search()).toHaveLength(1);
      await call('DELETE', `${SOURCES}/${id}`);
      await ready({ status: 'False', reason: 'KnowledgeSourceNotFound' });
      expect(await search()).toEqual([]);
      const { body } = await call('GET', `/v1/agents/${agent.id}`);
      expect(body).toMatchObject({ active_version: 1, ready: false });
    });
  });

  describe('by REST', () => {
    test('a list has filters and no texts; one has its text and its tag', async () => {
      const { id } = await create({ type: 'text', name: 'one', text: 'x' });
      await create({ type: 'file', name: 'two' });
      const names = async (query: string): Promise<string[]> => {
        const { body } = await call('GET', `${SOURCES}${query}`);
        return body.data.map((source: { name: string }) => source.name);
      };
      expect(await names('')).toEqual(['two', 'one']);
      expect(await names('?type=text')).toEqual(['one']);
      expect(await names('?status=pending')).toEqual(['two']);
      expect(await names('?name=one')).toEqual(['one']);
      const { body } = await call('GET', `${SOURCES}?limit=1`);
      expect(body.data[0]).not.toHaveProperty('text');
      expect(await names(`?limit=1&cursor=${body.next_cursor}`)).toEqual(['one']);
      const { headers } = await call('GET', `${SOURCES}/${id}`);
      const stale = { 'if-match': headers.get('etag')! };
      const json = { text: 'y' };
      const path = `${SOURCES}/${id}`;
      expect(await call('PATCH', path, { json, headers: stale })).toMatchObject({ status: 200 });
      expect(await call('PATCH', path, { json, headers: stale })).toMatchObject({ status: 412 });
      expect(await call('DELETE', path, { headers: stale })).toMatchObject({ status: 412 });
    });

    test('a mistake is refused at its place', async () => {
      const website = { url: 'https://a.example/' };
      for (const [json, pointer] of [
        [{ type: 'text' }, '/text'],
        [{ type: 'file', text: 'x' }, '/text'],
        [{ type: 'text', text: 'x', website }, '/website'],
        [{ type: 'text', text: 'x', schedule: '@daily' }, '/schedule'],
        [{ text: 'x' }, '/type'],
        [{ type: 'text', text: 'x', text_from: {} }, '/text_from'],
      ] as const) {
        const { status, body } = await call('POST', SOURCES, { json });
        expect({ status, ...body }).toMatchObject({ status: 422, errors: [{ pointer }] });
      }
    });

    test('a name is taken once, and neither name nor type ever changes', async () => {
      const { id } = await create({ type: 'file', name: 'one' });
      const taken = await call('POST', SOURCES, { json: { type: 'file', name: 'one' } });
      expect(taken).toMatchObject({ status: 409, body: { code: 'name_taken' } });
      const made = await create({ type: 'file' });
      expect(made.name).toMatch(/^source-[0-9a-f]{8}$/);
      for (const json of [{ name: 'two' }, { type: 'text' }]) {
        expect(await call('PATCH', `${SOURCES}/${id}`, { json })).toMatchObject({ status: 422 });
      }
    });

    test("another namespace's source is answered like none at all", async () => {
      const { id } = await create({ type: 'text', text: TEXT });
      const other = await api.newKey(`${namespace}-other`);
      const none = `${SOURCES}/ks_01jd0000000000000000000000`;
      for (const [method, path, options] of [
        ['GET', '', {}],
        ['PATCH', '', { json: { metadata: {} } }],
        ['DELETE', '', {}],
        ['POST', '/sync', {}],
        ['GET', '/documents', {}],
        ['PUT', '/content', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ] as const) {
        const foreign = await call(method, `${SOURCES}/${id}${path}`, { key: other, ...options });
        const missing = await call(method, `${none}${path}`, { key: other, ...options });
        expect(withoutRequestId(foreign)).toEqual(withoutRequestId(missing));
        expect(foreign.status).toBe(404);
      }
      const { body } = await call('GET', '/v1/knowledge/search?q=open', { key: other });
      expect(body.data).toEqual([]);
    });
  });
});
