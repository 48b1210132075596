import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import type { Condition } from '../../src/platform/resources/resource-store.ts';
import { KINDS as ALL_KINDS } from '../../src/roles/kinds.ts';
import { createCall, PATIENT_MS, startApi, type Api } from './api/api-setup.ts';

/** Life cycle of each kind on a Kubernetes API, by REST and by kubectl. The kinds' own tests run there at night. */

type Row = {
  kind: string;
  path: string;
  /** Returns the body of a request that creates an object of the kind. */
  json: (name: string) => object;
  /** Body of a PATCH request, which responses repeat. */
  change: Record<string, unknown>;
  spec: Record<string, unknown>;
  changedSpec: Record<string, unknown>;
};

const KINDS: Row[] = [
  {
    kind: 'Agent',
    path: '/v1/agents',
    json: (name) => ({ name, prompt: 'one' }),
    change: { prompt: 'two' },
    spec: { prompt: 'one' },
    changedSpec: { prompt: 'two' },
  },
  {
    kind: 'WebhookEndpoint',
    path: '/v1/webhooks',
    json: () => ({ url: 'http://127.0.0.1:9/one' }),
    change: { url: 'http://127.0.0.1:9/two' },
    spec: { url: 'http://127.0.0.1:9/one' },
    changedSpec: { url: 'http://127.0.0.1:9/two' },
  },
  {
    kind: 'KnowledgeSource',
    path: '/v1/knowledge/sources',
    json: (name) => ({ name, type: 'text', text: 'one' }),
    change: { text: 'two' },
    spec: { type: 'text', text: 'one' },
    changedSpec: { type: 'text', text: 'two' },
  },
  {
    kind: 'ModelProvider',
    path: '/v1/model_providers',
    json: (name) => ({ name, base_url: 'http://127.0.0.1:1/one' }),
    change: { base_url: 'http://127.0.0.1:1/two' },
    spec: { baseUrl: 'http://127.0.0.1:1/one' },
    changedSpec: { baseUrl: 'http://127.0.0.1:1/two' },
  },
  {
    kind: 'TelephonyProvider',
    path: '/v1/telephony_providers',
    json: (name) => ({
      name,
      type: 'twilio',
      account_id: 'AC1',
      auth_token_secret_ref: { name: 'carrier', key: 'token' },
    }),
    change: { account_id: 'AC2' },
    spec: {
      type: 'twilio',
      accountId: 'AC1',
      authTokenSecretRef: { name: 'carrier', key: 'token' },
    },
    changedSpec: {
      type: 'twilio',
      accountId: 'AC2',
      authTokenSecretRef: { name: 'carrier', key: 'token' },
    },
  },
];

test('there is a row for each kind', () => {
  expect(KINDS.map(({ kind }) => kind).sort()).toEqual(ALL_KINDS.map(({ kind }) => kind).sort());
});

const binaries = await findKubeBinaries();

(binaries ? describe : describe.skip)('on a Kubernetes API', () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ storeName: 'kubernetes', projectionWaitMs: PATIENT_MS });
  }, 120_000);
  afterAll(async () => api?.stop());

  /** Creates a namespace for one test, with a key and the reads that a test needs. */
  async function newNamespace(kind: string, path: string) {
    const namespace = `kinds-${randomBytes(4).toString('hex')}`;
    const call = createCall(api.url, await api.newKey(namespace));
    const place = (name: string) => ({ namespace, name });
    return {
      call,
      objects: () => api.engine.store.list(kind, namespace),
      apply: (name: string, spec: Record<string, unknown>) =>
        api.engine.cluster!.kubectlApply({
          apiVersion: 'parley.dev/v1alpha1',
          kind,
          metadata: place(name),
          spec,
        }),
      remove: (name: string) => api.engine.store.delete(kind, place(name)),
      listed: async (): Promise<Record<string, unknown>[]> => (await call('GET', path)).body.data,
    };
  }

  test.each(KINDS)('$kind by REST', async ({ kind, path, json, change, changedSpec }) => {
    const { call, objects, listed } = await newNamespace(kind, path);
    const made = await call('POST', path, { json: json('mine') });
    expect(made).toMatchObject({ status: 201, body: { managed_by: 'api' } });
    const its = `${path}/${made.body.id}`;
    expect((await call('PATCH', its, { json: change })).body).toMatchObject(change);
    expect(await objects()).toMatchObject([{ spec: changedSpec }]);
    expect((await call('GET', its)).body).toMatchObject(change);
    expect(await listed()).toMatchObject([{ id: made.body.id }]);
    expect((await call('DELETE', its)).status).toBe(204);
    await api.engine.eventually(async () => (await objects()).length === 0);
    expect(await listed()).toEqual([]);
  });

  test.each(KINDS)('$kind by kubectl', async ({ kind, path, spec, change, changedSpec }) => {
    const { call, objects, apply, remove, listed } = await newNamespace(kind, path);
    await apply('theirs', spec);
    const [found] = await api.engine.eventually(async () => {
      const all = await listed();
      return all.length === 1 && all;
    });
    expect(found).toMatchObject({ name: 'theirs', managed_by: 'kubernetes' });
    const its = `${path}/${String(found!['id'])}`;
    expect(await call('PATCH', its, { json: change })).toMatchObject({
      status: 409,
      body: { code: 'managed_elsewhere' },
    });
    await apply('theirs', changedSpec);
    const isChanged = async (): Promise<boolean> => {
      const body = (await call('GET', its)).body as Record<string, unknown>;
      return Object.entries(change).every(([key, value]) => body[key] === value);
    };
    await api.engine.eventually(isChanged);
    await api.engine.eventually(async () => {
      const conditions = (await objects())[0]?.status['conditions'] as Condition[] | undefined;
      return conditions?.some(({ type, status }) => type === 'Accepted' && status === 'True');
    });
    await remove('theirs');
    await api.engine.eventually(async () => (await call('GET', its)).status === 404);
    expect(await listed()).toEqual([]);
  });
});
