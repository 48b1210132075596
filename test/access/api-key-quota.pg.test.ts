import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/config.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';

/** Quota of API keys in a namespace (contract/limits.md#quotas). */
let api: Api;

beforeAll(async () => {
  const quotas = { ...DEFAULT_LIMITS.quotas, api_keys: 3 };
  api = await startApi({ operator: false, limits: { ...DEFAULT_LIMITS, quotas } });
});
afterAll(() => api.stop());

test('of many at once exactly as many are made as there is room; a rotation needs none', async () => {
  const key = await api.newKey('one');
  const post = (path: string, json?: object): Promise<Reply> =>
    api.call('POST', path, { key, ...(json && { json }) });
  const made = await Promise.all(
    [1, 2, 3, 4].map((i) => post('/v1/api_keys', { name: `key ${i}`, scopes: ['read'] })),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(2);
  const refused = made.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, 'quota_exceeded']);
    expect(body.detail).toContain('has 3 of at most 3 API keys (PARLEY_QUOTA_API_KEYS)');
  }
  // A chain of rotations makes three that end, and no more.
  let { id } = made.find(({ status }) => status === 201)!.body;
  for (let i = 0; i < 3; i += 1) {
    const { status, body } = await post(`/v1/api_keys/${id}/rotate`);
    expect(status).toBe(201);
    ({ id } = body);
  }
  expect((await post(`/v1/api_keys/${id}/rotate`)).body.code).toBe('quota_exceeded');
  expect((await api.call('DELETE', `/v1/api_keys/${id}`, { key })).status).toBe(204);
  expect((await post('/v1/api_keys', { name: 'new', scopes: ['read'] })).status).toBe(201);
  const { body } = await api.call('GET', '/v1/usage', { key });
  expect(body.quotas.api_keys).toEqual({ limit: 3, used: 3 });
});
