import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits, type Quotas } from '../../../src/config.ts';
import type { Condition } from '../../../src/platform/resources/resource-store.ts';
import type { Operator } from '../../../src/roles/operator/run.ts';
import {
  createCall,
  startApi,
  type Api,
  type Call,
  type Reply,
} from '../../roles/api/api-setup.ts';
import { describeKind } from '../../roles/each-store.ts';

/** Quotas of a namespace, for REST and for all other managers (contract/limits.md#quotas). */
const limitsOf = (quotas: Quotas): Limits => ({
  ...DEFAULT_LIMITS,
  quotas: { ...DEFAULT_LIMITS.quotas, ...quotas },
});
const limits = limitsOf({
  agents: 3,
  webhook_endpoints: 3,
  knowledge_sources: 3,
  model_providers: 3,
  telephony_providers: 3,
  knowledge_bytes: 100,
});

const KINDS = [
  {
    kind: 'Agent',
    quota: 'agents',
    path: '/v1/agents',
    spec: { prompt: 'help' },
    json: (name: string): object => ({ name, prompt: 'help' }),
  },
  {
    kind: 'WebhookEndpoint',
    quota: 'webhook_endpoints',
    path: '/v1/webhooks',
    spec: { url: 'http://127.0.0.1:9/hook' },
    json: (): object => ({ url: 'http://127.0.0.1:9/hook' }),
  },
  {
    kind: 'KnowledgeSource',
    quota: 'knowledge_sources',
    path: '/v1/knowledge/sources',
    spec: { type: 'file' },
    json: (name: string): object => ({ name, type: 'file' }),
  },
  {
    kind: 'ModelProvider',
    quota: 'model_providers',
    path: '/v1/model_providers',
    spec: { baseUrl: 'http://127.0.0.1:1/v1' },
    json: (name: string): object => ({ name, base_url: 'http://127.0.0.1:1/v1' }),
  },
  {
    kind: 'TelephonyProvider',
    quota: 'telephony_providers',
    path: '/v1/telephony_providers',
    spec: {
      type: 'twilio',
      accountId: 'AC1',
      authTokenSecretRef: { name: 'carrier', key: 'token' },
    },
    json: (name: string): object => ({
      name,
      type: 'twilio',
      account_id: 'AC1',
      auth_token_secret_ref: { name: 'carrier', key: 'token' },
    }),
  },
] as const;

const statusesOf = (replies: Reply[]): number[] =>
  replies.map(({ status }) => status).sort((a, b) => a - b);

describeKind((storeName) => {
  // Quotas count per namespace, so the tests share one API and each has its own namespace.
  let api: Api;
  let operator: Operator;

  beforeAll(async () => {
    api = await startApi({ limits, storeName, operator: false, projectionWaitMs: 8_000 });
    operator = await api.engine.startOperator({ limits, quotaRetryMs: 300 });
  }, 120_000);
  afterAll(() => api.stop());

  /** Creates a namespace and the helpers of a test. */
  async function newNamespace() {
    const namespace = `quota-${randomBytes(4).toString('hex')}`;
    const call: Call = createCall(api.url, await api.newKey(namespace));
    return {
      namespace,
      call,
      create: (path: string, json: object): Promise<Reply> => call('POST', path, { json }),
      used: async (quota: string): Promise<object> =>
        (await call('GET', '/v1/usage')).body.quotas[quota],
      declare: (kind: string, name: string, spec: Record<string, unknown>): Promise<unknown> =>
        api.engine.store.apply({ kind, namespace, name, spec }, { fieldManager: 'kubectl' }),
      conditionOf: (kind: string, name: string, type: string, status: string) =>
        api.engine.eventually(async () => {
          const object = await api.engine.store.get(kind, { namespace, name });
          const conditions = (object?.status['conditions'] ?? []) as Condition[];
          return conditions.find((one) => one.type === type && one.status === status);
        }),
    };
  }
  const refusals = async (quota: string): Promise<number> => {
    const line = new RegExp(`^parley_quota_refused_total\\{quota="${quota}"\\} (\\d+)$`, 'm');
    return Number(line.exec(await api.engine.metrics.render())?.[1] ?? 0);
  };

  describe('one too many is 409 with the figures and the setting; room is made by deleting', () => {
    test.each(KINDS)('$kind', async ({ quota, path, json }) => {
      const { namespace, call, create, used } = await newNamespace();
      const refusedBefore = await refusals(quota);
      const first = await create(path, json('one'));
      for (const name of ['two', 'three'])
        expect((await create(path, json(name))).status).toBe(201);
      expect(await used(quota)).toEqual({ limit: 3, used: 3 });
      const over = await create(path, json('four'));
      expect(over).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
      expect(over.body.detail).toContain(
        `The namespace has 3 of at most 3 ${quota.replaceAll('_', ' ')} (PARLEY_QUOTA_${quota.toUpperCase()})`,
      );
      // Another namespace has its own quota.
      const key = await api.newKey(`${namespace}-other`);
      expect((await call('POST', path, { key, json: json('one') })).status).toBe(201);
      await call('DELETE', `${path}/${first.body.id}`);
      expect((await create(path, json('four'))).status).toBe(201);
      expect(await refusals(quota)).toBe(refusedBefore + 1);
    });
  });

  // A refusal after the declaration arrives only when the API stops waiting, so the kinds wait in parallel.
  describe('of many at once exactly as many get in as there is room, and nothing is left of the others', () => {
    test.concurrent.each(KINDS)('$kind', async ({ kind, quota, path, json }) => {
      const { namespace, create, used } = await newNamespace();
      await create(path, json('first'));
      const names = Array.from({ length: 5 }, (_, i) => `at-once-${i}`);
      const replies = await Promise.all(names.map((name) => create(path, json(name))));
      const statuses = statusesOf(replies);
      expect(statuses).toEqual([201, 201, 409, 409, 409]);
      expect(await used(quota)).toEqual({ limit: 3, used: 3 });
      const declared = await api.engine.store.list(kind, namespace);
      expect(declared).toHaveLength(3);
    });
  });

  describe('a manifest beyond it is not accepted, evicts nothing, and comes in force when there is room', () => {
    test.concurrent.each(KINDS)('$kind', async ({ kind, quota, spec }) => {
      const { namespace, used, declare, conditionOf } = await newNamespace();
      for (const name of ['one', 'two', 'three']) {
        await declare(kind, name, spec);
        await conditionOf(kind, name, 'Accepted', 'True');
      }
      await declare(kind, 'four', spec);
      const refused = await conditionOf(kind, 'four', 'Accepted', 'False');
      expect(refused).toMatchObject({ reason: 'QuotaExceeded' });
      expect(refused.message).toContain(`has 3 of at most 3 `);
      expect(await conditionOf(kind, 'four', 'Stalled', 'True')).toBeDefined();
      // The existing objects stay active, and can be changed.
      await declare(kind, 'one', { ...spec, metadata: { changed: 'yes' } });
      const changed = await api.engine.settled(kind, 'one', namespace);
      expect(changed.status).toMatchObject({ observedGeneration: 2 });
      await conditionOf(kind, 'one', 'Accepted', 'True');
      await api.engine.store.delete(kind, { namespace, name: 'two' });
      await conditionOf(kind, 'four', 'Accepted', 'True');
      expect(await used(quota)).toEqual({ limit: 3, used: 3 });
    });
  });

  describe('bytes of knowledge', () => {
    const path = '/v1/knowledge/sources';
    const text = (bytes: number): string => 'word '.repeat(bytes / 5);

    test('a text or an upload beyond them is 409, a smaller one is not', async () => {
      const { call, create, used } = await newNamespace();
      const upload = (id: string, bytes: number): Promise<Reply> =>
        call('PUT', `${path}/${id}/content`, {
          body: text(bytes),
          headers: { 'content-type': 'text/plain' },
        });
      const { body: file } = await create(path, { name: 'file', type: 'file' });
      expect((await upload(file.id, 60)).status).toBe(202);
      const over = await create(path, { name: 'long', type: 'text', text: text(50) });
      expect(over).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
      expect(over.body.detail).toContain(
        'The namespace has 60 of at most 100 bytes of knowledge (PARLEY_QUOTA_KNOWLEDGE_BYTES)',
      );
      const short = await create(path, { name: 'short', type: 'text', text: text(40) });
      expect(short.status).toBe(201);
      expect(await used('knowledge_bytes')).toEqual({ limit: 100, used: 100 });
      expect((await upload(file.id, 65)).body.code).toBe('quota_exceeded');
      const id = String(short.body.id);
      const longer = await call('PATCH', `${path}/${id}`, { json: { text: text(45) } });
      expect(longer.body.code).toBe('quota_exceeded');
      expect((await call('PATCH', `${path}/${id}`, { json: { text: text(5) } })).status).toBe(200);
      expect((await upload(file.id, 65)).status).toBe(202);
      expect(await used('knowledge_bytes')).toEqual({ limit: 100, used: 70 });
      expect((await call('POST', `${path}/${file.id}/sync`)).status).toBe(202);
    });

    test('of uploads at once no more get in than there is room', async () => {
      const { namespace, call, create, used } = await newNamespace();
      const sources = await Promise.all(
        ['a', 'b', 'c'].map((name) => create(path, { name, type: 'file' })),
      );
      const key = await api.newKey(namespace);
      const replies = await Promise.all(
        sources.map(({ body }, i) =>
          call('PUT', `${path}/${body.id}/content`, {
            ...(i > 1 && { key }), // A key may have two concurrent uploads.
            body: text(40),
            headers: { 'content-type': 'text/plain' },
          }),
        ),
      );
      expect(statusesOf(replies)).toEqual([202, 202, 409]);
      expect(await used('knowledge_bytes')).toEqual({ limit: 100, used: 80 });
    });

    test('a manifest that grows beyond them is not accepted, and what was indexed is found', async () => {
      const { call, declare, conditionOf } = await newNamespace();
      await declare('KnowledgeSource', 'notes', { type: 'text', text: 'the parrot is green' });
      await conditionOf('KnowledgeSource', 'notes', 'Accepted', 'True');
      await declare('KnowledgeSource', 'notes', { type: 'text', text: text(150) });
      const refused = await conditionOf('KnowledgeSource', 'notes', 'Accepted', 'False');
      expect(refused).toMatchObject({ reason: 'QuotaExceeded' });
      const { body } = await call('GET', `${path}?name=notes`);
      expect(body.data[0]).toMatchObject({ ready: false, status: 'ready', documents: 1 });
      expect(body.data[0].status_message).toContain('PARLEY_QUOTA_KNOWLEDGE_BYTES');
      const { body: found } = await call('GET', '/v1/knowledge/search?q=green%20parrot');
      expect(found.data).toHaveLength(1);
      await declare('KnowledgeSource', 'notes', { type: 'text', text: text(50) });
      await conditionOf('KnowledgeSource', 'notes', 'Accepted', 'True');
    });
  });

  // Must be the last test of the file: the operator keeps the lowered quotas.
  test('a quota that is lowered refuses what is new and nothing else', async () => {
    const { namespace, used, declare, conditionOf } = await newNamespace();
    const ofEachKind = (act: (kind: (typeof KINDS)[number]) => Promise<void>): Promise<unknown> =>
      Promise.all(KINDS.map(act));
    await ofEachKind(async ({ kind, spec }) => {
      for (const name of ['one', 'two', 'three']) await declare(kind, name, spec);
      for (const name of ['one', 'two', 'three']) await conditionOf(kind, name, 'Accepted', 'True');
    });
    await operator.stop();
    const lowered = Object.fromEntries(KINDS.map(({ quota }) => [quota, 1]));
    operator = await api.engine.startOperator({ limits: limitsOf(lowered) });
    await ofEachKind(async ({ kind, quota, spec }) => {
      await declare(kind, 'three', { ...spec, metadata: { changed: 'yes' } });
      const changed = await api.engine.settled(kind, 'three', namespace);
      expect(changed.status).toMatchObject({ observedGeneration: 2 });
      await conditionOf(kind, 'three', 'Accepted', 'True');
      await declare(kind, 'four', spec);
      const { reason, message } = await conditionOf(kind, 'four', 'Accepted', 'False');
      expect([kind, reason, message.includes('of at most 1 ')]).toEqual([
        kind,
        'QuotaExceeded',
        true,
      ]);
      expect(await used(quota)).toMatchObject({ used: 3 });
    });
  });
});

test('0 is no quota', async () => {
  const none = limitsOf({ agents: 0, knowledge_bytes: 0, api_keys: 0 });
  const api = await startApi({ limits: none, operator: false });
  await api.engine.startOperator({ limits: none });
  const { body } = await api.call('GET', '/v1/usage');
  expect(body.quotas).toMatchObject({
    agents: { limit: null, used: 0 },
    knowledge_bytes: { limit: null, used: 0 },
    api_keys: { limit: null, used: 1 },
    webhook_endpoints: { limit: 100, used: 0 },
  });
  await api.stop();
});
