import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEndpoints, type Endpoints } from '../../src/models/find-endpoint.ts';
import {
  CHANNELS,
  createListener,
  type Listener,
} from '../../src/platform/postgres/notifications.ts';
import type { Condition, Resource } from '../../src/platform/resources/resource-store.ts';
import { startApi, type Api, type Reply, PATIENT_MS } from '../roles/api/api-setup.ts';
import { describeKind } from '../roles/each-store.ts';
import { startProviderStub, type ProviderStub } from './provider-stub.ts';

/** Providers of models by REST and by manifest, their keys, and agents that name them. */

describeKind((storeName) => {
  let api: Api;
  let stub: ProviderStub;
  let endpoints: Endpoints;
  let listener: Listener;
  let n = 0;
  beforeAll(async () => {
    stub = await startProviderStub();
    api = await startApi({ storeName, operator: false, projectionWaitMs: PATIENT_MS });
    await api.engine.startOperator({ probes: { retryMs: 100, everyMs: 400, answerMs: 2_000 } });
    const { pool, sealer, log, databaseUrl } = api.engine;
    // A clock that stands still: only what is told of can be found.
    endpoints = createEndpoints({ pool, sealer, settings: undefined, nowMs: () => 0 });
    const channels = { [CHANNELS.projected]: endpoints.look };
    listener = createListener({ databaseUrl, channels, log });
    await listener.start();
  });
  beforeEach(() => stub.answer(() => 200));
  afterAll(async () => {
    await listener?.stop();
    await api?.stop();
    await stub?.stop();
  });

  const newName = (): string => `p${(n += 1)}`;
  const create = (json: object, key = api.key): Promise<Reply> =>
    api.call('POST', '/v1/model_providers', { key, json });
  const read = async (id: string) => (await api.call('GET', `/v1/model_providers/${id}`)).body;
  const { eventually } = {
    eventually: <T>(check: () => Promise<T | undefined | false>) => api.engine.eventually(check),
  };
  const declare = (kind: string, name: string, spec: Record<string, unknown>) =>
    api.engine.store.apply({ kind, namespace: 'default', name, spec }, { fieldManager: 'kubectl' });
  const secret = (name: string, key: string, labels = { 'parley.dev/allow': 'true' }) =>
    api.engine.cluster
      ? api.engine.cluster.kubectlApply({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, labels },
          stringData: { key },
        })
      : api.engine.store.apply(
          { kind: 'Secret', namespace: 'default', name, spec: { data: { key } }, labels },
          { fieldManager: 'kubectl' },
        );
  const conditionOf = (kind: string, name: string, type: string, reason: string) =>
    eventually(async () => {
      const object: Resource | undefined = await api.engine.store.get(kind, {
        namespace: 'default',
        name,
      });
      const conditions = (object?.status['conditions'] ?? []) as Condition[];
      return conditions.find((one) => one.type === type && one.reason === reason);
    });

  describe('by REST', () => {
    test('is made, ready as soon as it answers, read, listed, changed and deleted', async () => {
      const name = newName();
      const chat = { default_model: 'm-1', timeouts: { total_ms: 60_000 } };
      const made = await create({ name, base_url: stub.baseUrl, chat, metadata: { a: 'b' } });
      expect(made).toMatchObject({
        status: 201,
        body: {
          id: expect.stringMatching(/^mp_/),
          name,
          base_url: stub.baseUrl,
          api_key_secret_ref: null,
          api_key_header: null,
          chat,
          headers: {},
          query: {},
          metadata: { a: 'b' },
          managed_by: 'api',
          ready: true,
        },
      });
      const path = `/v1/model_providers/${made.body.id}`;
      expect(made.headers.get('location')).toBe(path);
      expect((await api.call('GET', path)).body).toEqual(made.body);
      const listed = await api.call('GET', `/v1/model_providers?name=${name}&ready=true`);
      expect(listed.body.data).toEqual([made.body]);
      const etag = made.headers.get('etag')!;
      const patched = await api.call('PATCH', path, {
        json: { chat: { default_model: 'm-2' }, metadata: null },
        headers: { 'if-match': etag },
      });
      expect(patched).toMatchObject({
        status: 200,
        body: { chat: { default_model: 'm-2', timeouts: { total_ms: 60_000 } }, metadata: {} },
      });
      const stale = { json: {}, headers: { 'if-match': etag } };
      expect((await api.call('PATCH', path, stale)).status).toBe(412);
      expect(await endpoints.find('default', name)).toMatchObject({ defaultModel: 'm-2' });
      expect((await api.call('DELETE', path)).status).toBe(204);
      expect((await api.call('GET', path)).status).toBe(404);
      await eventually(async () => (await endpoints.find('default', name)) === undefined);
    });

    const refused: [object, string][] = [
      [{ base_url: 'http://10.0.0.1/v1' }, '/base_url'],
      [{ base_url: 'http://169.254.169.254/v1' }, '/base_url'],
      [{ base_url: 'https://models.internal/v1' }, '/base_url'],
      [{ base_url: 'http://models.example/v1' }, '/base_url'],
      [{ base_url: 'https://m.example/v1?a=b' }, '/base_url'],
      [{ base_url: 'https://m.example/v1', name: 'default' }, '/name'],
      [{ base_url: 'https://m.example/v1', headers: { Authorization: 'x' } }, '/headers'],
      ...Object.entries({
        chat: { default_model: 'a', models: ['b'] },
        speech: { default_model: 'a', default_voice: 'v', models: ['b'] },
        transcription: { default_model: 'a', models: ['b'] },
      }).map(([use, models]): [object, string] => [
        { base_url: 'https://m.example/v1', [use]: models },
        `/${use}/default_model`,
      ]),
    ];
    // They are refused before the store is asked.
    test.each(storeName === 'postgres' ? refused : refused.slice(0, 1))(
      '%j is 422 at %s',
      async (json, pointer) => {
        const reply = await create(json);
        expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
        expect(reply.body.errors).toEqual([expect.objectContaining({ pointer })]);
      },
    );

    test('what it speaks and hears with is found by who asks it', async () => {
      const name = newName();
      const speech = { default_model: 'tts-1', default_voice: 'alloy' };
      const transcription = { default_model: 'whisper-1', models: ['whisper-1', 'other'] };
      const json = { name, base_url: stub.baseUrl, speech, transcription };
      const made = await create(json);
      expect(made).toMatchObject({ status: 201, body: { speech, transcription, chat: null } });
      expect(await endpoints.find('default', name)).toMatchObject({
        speech: { defaultModel: 'tts-1', defaultVoice: 'alloy', allowedModels: [] },
        transcription: { defaultModel: 'whisper-1', allowedModels: ['whisper-1', 'other'] },
      });
      const path = `/v1/model_providers/${made.body.id}`;
      const patched = await api.call('PATCH', path, {
        json: { speech: { default_voice: 'nova' }, transcription: null },
      });
      expect(patched.body).toMatchObject({
        speech: { default_model: 'tts-1', default_voice: 'nova' },
        transcription: null,
      });
      const { body: lines } = await api.call('GET', `/v1/audit_log?target=${made.body.id}`);
      const updated = lines.data.find(
        ({ action }: { action: string }) => action === 'model_provider.updated',
      );
      expect(updated.after).toMatchObject({ speech: patched.body.speech });
    });

    test('an address inside is no change either, and neither is another name', async () => {
      const { body } = await create({ base_url: stub.baseUrl });
      const path = `/v1/model_providers/${body.id}`;
      for (const json of [{ base_url: 'http://10.0.0.1/v1' }, { name: 'other' }]) {
        expect((await api.call('PATCH', path, { json })).status).toBe(422);
      }
      expect(await read(body.id)).toEqual(body);
    });

    test("of another namespace is nobody's", async () => {
      const key = await api.newKey('tenant');
      const { body } = await create({ base_url: stub.baseUrl }, key);
      const path = `/v1/model_providers/${body.id}`;
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const json = method === 'PATCH' ? { json: {} } : {};
        expect((await api.call(method, path, json)).status).toBe(404);
      }
      const { body: listed } = await api.call('GET', `/v1/model_providers?name=${body.name}`);
      expect(listed.data).toEqual([]);
      expect(await endpoints.find('default', body.name)).toBeUndefined();
      expect(await endpoints.find('tenant', body.name)).toBeDefined();
    });

    test('of a manifest is changed and deleted there', async () => {
      const name = newName();
      await declare('ModelProvider', name, { baseUrl: stub.baseUrl });
      await conditionOf('ModelProvider', name, 'Ready', 'Answering');
      const { body } = await api.call('GET', `/v1/model_providers?name=${name}`);
      expect(body.data).toMatchObject([{ managed_by: 'kubernetes' }]);
      const path = `/v1/model_providers/${body.data[0].id}`;
      const patch = { json: { base_url: 'https://m.example/v1' } };
      for (const reply of [await api.call('PATCH', path, patch), await api.call('DELETE', path)]) {
        expect(reply).toMatchObject({ status: 409, body: { code: 'managed_elsewhere' } });
      }
    });
  });

  describe('the key', () => {
    const takes = (key: string) =>
      stub.answer(({ authorization }) => (authorization === `Bearer ${key}` ? 200 : 401));

    test('comes from a labelled Secret, is used when it changes, and is shown nowhere', async () => {
      const name = newName();
      takes('sk-first');
      const ref = { name, key: 'key' };
      const { body } = await create({
        name,
        base_url: stub.baseUrl,
        api_key_secret_ref: ref,
      });
      expect(body).toMatchObject({ ready: false, api_key_secret_ref: ref });
      expect(await endpoints.find('default', name)).toBeUndefined();
      await secret(name, 'sk-first\n');
      await conditionOf('ModelProvider', name, 'Ready', 'Answering');
      await eventually(async () => (await endpoints.find('default', name))?.apiKey === 'sk-first');

      takes('sk-second');
      await conditionOf('ModelProvider', name, 'Ready', 'Unauthorized');
      expect(await read(body.id)).toMatchObject({ ready: false });
      await secret(name, 'sk-second');
      await conditionOf('ModelProvider', name, 'Ready', 'Answering');
      const uses = async (key: string) => (await endpoints.find('default', name))?.apiKey === key;
      await eventually(() => uses('sk-second'));

      const object = await api.engine.store.get('ModelProvider', { namespace: 'default', name });
      const { rows } = await api.engine.pool.query(
        `select m.*, encode(m.api_key, 'escape') as bytes from model_providers m where name = $1`,
        [name],
      );
      const { body: lines } = await api.call('GET', `/v1/audit_log?target=${body.id}`);
      expect(lines.data).toHaveLength(1);
      for (const shown of [object, rows, lines, await read(body.id)]) {
        expect(JSON.stringify(shown)).not.toContain('sk-');
      }
    });

    test('of a request is copied into a Secret of its own, which goes with the provider', async () => {
      takes('sk-given');
      const made = await create({ base_url: stub.baseUrl, api_key: 'sk-given' });
      expect(made.status).toBe(201);
      await eventually(async () => (await read(made.body.id)).ready);
      const { name, key } = made.body.api_key_secret_ref;
      const place = { namespace: 'default', name };
      const own = await api.engine.store.get('Secret', place);
      expect(own?.spec).toEqual({ data: { [key]: 'sk-given' } });
      takes('sk-next');
      const path = `/v1/model_providers/${made.body.id}`;
      await api.call('PATCH', path, { json: { api_key: 'sk-next' } });
      await eventually(async () => {
        const { spec } = (await api.engine.store.get('Secret', place)) ?? {};
        return Object.values(spec?.['data'] ?? {}).join() === 'sk-next';
      });
      expect((await api.call('DELETE', path)).status).toBe(204);
      await eventually(async () => (await api.engine.store.get('Secret', place)) === undefined);
    });

    test('of a Secret without the label is not read, and says so', async () => {
      const name = newName();
      await secret(name, 'sk-1', {} as { 'parley.dev/allow': string });
      const apiKeySecretRef = { name, key: 'key' };
      await declare('ModelProvider', name, { baseUrl: stub.baseUrl, apiKeySecretRef });
      await conditionOf('ModelProvider', name, 'ResolvedRefs', 'SecretNotAllowed');
      expect(await endpoints.find('default', name)).toBeUndefined();
    });

    test('that no header can carry is refused', async () => {
      const name = newName();
      await secret(name, 'two\nlines');
      const apiKeySecretRef = { name, key: 'key' };
      await declare('ModelProvider', name, { baseUrl: stub.baseUrl, apiKeySecretRef });
      await conditionOf('ModelProvider', name, 'ResolvedRefs', 'InvalidSecret');
    });

    test('never goes to an address that is refused, and what was in force stays', async () => {
      const name = newName();
      await secret(name, 'sk-1');
      const apiKeySecretRef = { name, key: 'key' };
      await declare('ModelProvider', name, { baseUrl: stub.baseUrl, apiKeySecretRef });
      await conditionOf('ModelProvider', name, 'Ready', 'Answering');
      await declare('ModelProvider', name, { baseUrl: 'http://10.0.0.1/v1', apiKeySecretRef });
      await conditionOf('ModelProvider', name, 'Accepted', 'InvalidUrl');
      expect(await endpoints.find('default', name)).toMatchObject({
        baseUrl: stub.baseUrl,
        apiKey: 'sk-1',
      });
    });
  });

  test('one called default is refused', async () => {
    await declare('ModelProvider', 'default', { baseUrl: stub.baseUrl });
    await conditionOf('ModelProvider', 'default', 'Accepted', 'ReservedName');
  });

  test('one that falls silent is not ready, and is again when it speaks', async () => {
    const name = newName();
    await declare('ModelProvider', name, { baseUrl: stub.baseUrl });
    await conditionOf('ModelProvider', name, 'Ready', 'Answering');
    stub.answer(() => 'silence');
    await conditionOf('ModelProvider', name, 'Ready', 'NotAnswering');
    expect(await endpoints.find('default', name)).toBeDefined();
    stub.answer(() => 200);
    await conditionOf('ModelProvider', name, 'Ready', 'Answering');
  });

  describe('an agent', () => {
    const agent = (model: object): Promise<Reply> =>
      api.call('POST', '/v1/agents', { json: { prompt: 'Be kind.', model } });

    test('of a request that names one of nobody, or of others, is 422 at its place', async () => {
      const foreign = newName();
      await create({ name: foreign, base_url: stub.baseUrl }, await api.newKey('tenant2'));
      const own = newName();
      await create({ name: own, base_url: stub.baseUrl });
      for (const [model, pointer] of [
        [{ provider: 'nobody' }, '/model/provider'],
        [{ provider: foreign }, '/model/provider'],
        [{ provider: 'default' }, '/model/provider'],
        [
          { provider: own, fallback: [{ name: 'm' }, { provider: 'nobody' }] },
          '/model/fallback/1/provider',
        ],
      ] as const) {
        const reply = await agent(model);
        expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
        expect(reply.body.errors).toMatchObject([{ pointer, code: 'unknown_provider' }]);
      }
      const made = await agent({ provider: own, fallback: [{ name: 'm' }] });
      expect(made).toMatchObject({ status: 201, body: { ready: true } });
      expect(made.body.status_message).toBe('version 1 is live');
      const path = `/v1/agents/${made.body.id}`;
      const patch = { json: { model: { provider: 'nobody' } } };
      expect((await api.call('PATCH', path, patch)).status).toBe(422);
      const none = { json: { model: { name: 'm', provider: null, fallback: null } } };
      expect(await api.call('PATCH', path, none)).toMatchObject({ status: 200 });
    });

    test('may name one that does not answer', async () => {
      const name = newName();
      stub.answer(() => 500);
      await create({ name, base_url: stub.baseUrl });
      expect(await agent({ provider: name })).toMatchObject({ status: 201, body: { ready: true } });
    });

    test('of a manifest keeps what is live while one is missing, and goes on when it comes', async () => {
      const name = newName();
      await declare('Agent', name, { prompt: 'one' });
      await conditionOf('Agent', name, 'Ready', 'Published');
      await declare('Agent', name, { prompt: 'two', model: { fallback: [{ provider: name }] } });
      const missing = await conditionOf('Agent', name, 'ResolvedRefs', 'ModelProviderNotFound');
      expect(missing.message).toContain(name);
      expect(
        await conditionOf('Agent', name, 'Reconciling', 'ModelProviderNotFound'),
      ).toBeDefined();
      const { status } = (await api.engine.store.get('Agent', { namespace: 'default', name }))!;
      expect(status['activeVersion']).toBe(1);
      await declare('ModelProvider', name, { baseUrl: stub.baseUrl });
      await eventually(async () => {
        const now = await api.engine.store.get('Agent', { namespace: 'default', name });
        return now?.status['activeVersion'] === 2;
      });
    });
  });
});
