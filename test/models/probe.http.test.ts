import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressClient, type EgressClient } from '../../src/platform/egress/client.ts';
import { endpointOf } from '../../src/models/model-endpoint.ts';
import type { ModelProviderSpec } from '../../src/models/model-provider.ts';
import type { ModelEndpoint } from '../../src/models/model.ts';
import { createProber, type ProberOptions } from '../../src/models/prober.ts';
import { startProviderStub, type ProviderStub } from './provider-stub.ts';

/** Whether a provider answers, how it is asked, and how often. */

let stub: ProviderStub;
let egress: EgressClient;
let nowMs: number;
beforeAll(async () => {
  stub = await startProviderStub();
  egress = createEgressClient({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
});
beforeEach(() => {
  nowMs = 0;
  stub.asked.length = 0;
  stub.answer(() => 200);
});
afterAll(async () => {
  await stub.stop();
  await egress.stop();
});

const KEY = 'sk-very-secret';
const key = { namespace: 'default', name: 'acme' };
const proberWith = (options: ProberOptions = {}) =>
  createProber({ egress, nowMs: () => nowMs }, { answerMs: 5_000, waitMs: 5_000, ...options });
const endpoint = (spec: Partial<ModelProviderSpec> = {}, apiKey: string | undefined = KEY) =>
  endpointOf('acme', { baseUrl: stub.baseUrl, ...spec }, apiKey);
const look = async (of: ModelEndpoint = endpoint(), options: ProberOptions = {}) =>
  (await proberWith(options).ask(key, of)).found;

test.each([200, 204, 400, 404, 405, 429])('HTTP %i is an answer', async (status) => {
  stub.answer(() => status);
  expect(await look()).toEqual({
    ready: true,
    reason: 'Answering',
    message: 'the provider responds',
  });
});

test.each([
  [401, 'Unauthorized', 'HTTP 401'],
  [403, 'Unauthorized', 'HTTP 403'],
  [302, 'NotAnswering', 'redirect (HTTP 302)'],
  [500, 'NotAnswering', 'HTTP 500'],
  [503, 'NotAnswering', 'HTTP 503'],
  ['silence', 'NotAnswering', 'within 100 ms'],
] as const)('%s is %s', async (status, reason, words) => {
  stub.answer(() => status);
  const found = await look(endpoint(), status === 'silence' ? { answerMs: 100 } : {});
  expect(found).toEqual({ ready: false, reason, message: expect.stringContaining(words) });
});

test('nobody there, or not allowed, is no answer, and nothing of it says key or address', async () => {
  for (const baseUrl of ['http://127.0.0.1:1/v1', 'http://169.254.169.254/v1']) {
    const found = await look(endpoint({ baseUrl }));
    expect(found).toMatchObject({ ready: false, reason: 'NotAnswering' });
    expect(found?.message).not.toMatch(/secret|127\.0|169\.254/);
  }
});

describe('it is asked', () => {
  test.each([
    ['authorization', { authorization: `Bearer ${KEY}` }],
    ['api-key', { 'api-key': KEY }],
    ['x-api-key', { 'x-api-key': KEY }],
  ] as const)('with its key in %s, and in no other header', async (apiKeyHeader, headers) => {
    await look(endpoint({ apiKeyHeader }));
    expect(stub.asked).toMatchObject([{ path: '/v1/models', headers }]);
    expect(JSON.stringify(stub.asked).split(KEY)).toHaveLength(2);
  });

  test('without a key where it has none, and with what else is declared', async () => {
    const spec = {
      organization: 'org-1',
      project: 'proj-1',
      headers: { 'x-team': 'support' },
      query: { 'api-version': '2024-10-21', a: 'b&c' },
    };
    await look(endpointOf('acme', { baseUrl: stub.baseUrl, ...spec }, undefined));
    const [{ path, headers } = { path: '', headers: {} }] = stub.asked;
    expect(path).toBe('/v1/models?api-version=2024-10-21&a=b%26c');
    expect(headers).toMatchObject({
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
      'x-team': 'support',
    });
    expect(headers.authorization).toBeUndefined();
  });
});

describe('it is asked again', () => {
  test('after five minutes while it answers, and not before', async () => {
    const prober = proberWith();
    expect(await prober.ask(key, endpoint())).toMatchObject({ againInMs: 300_000 });
    nowMs = 299_999;
    await prober.ask(key, endpoint());
    expect(stub.asked).toHaveLength(1);
    nowMs = 300_000;
    await prober.ask(key, endpoint());
    expect(stub.asked).toHaveLength(2);
  });

  test('after 15 s when it does not, then ever less often', async () => {
    stub.answer(() => 500);
    const prober = proberWith();
    const pauses: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      const { againInMs } = await prober.ask(key, endpoint());
      pauses.push(againInMs);
      nowMs += againInMs;
    }
    expect(pauses).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000]);
    stub.answer(() => 200);
    expect(await prober.ask(key, endpoint())).toMatchObject({ found: { ready: true } });
  });

  test('at once when its key or address is another, or it was forgotten', async () => {
    const prober = proberWith();
    await prober.ask(key, endpoint());
    await prober.ask(key, endpoint({}, 'another'));
    expect(stub.asked).toHaveLength(2);
    prober.forget(key);
    await prober.ask(key, endpoint({}, 'another'));
    expect(stub.asked).toHaveLength(3);
  });
});

test('one that is silent is not waited for, and found out beside', async () => {
  stub.answer(() => 'silence');
  const prober = proberWith({ answerMs: 200, waitMs: 20 });
  expect(await prober.ask(key, endpoint())).toEqual({ found: undefined, againInMs: 20 });
  const other = { namespace: 'other', name: 'acme' };
  stub.answer(() => 200);
  const finds = async (of: typeof key): Promise<void> => {
    while ((await prober.ask(of, endpoint())).found === undefined);
  };
  await finds(other);
  expect((await prober.ask(other, endpoint())).found).toMatchObject({ ready: true });
  await finds(key);
  expect((await prober.ask(key, endpoint())).found).toMatchObject({ reason: 'NotAnswering' });
  // Once, however often it was asked after.
  expect(stub.asked).toHaveLength(2);
});
