import { afterEach, beforeEach, expect, test } from 'vitest';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { startReceiver, type Receiver } from '../receiver.ts';

/** A key with `write` does not read what an endpoint signs with, nor the values of its headers. */
let tenant: Tenant;
let writer: string;
let elsewhere: Receiver;

beforeEach(async () => {
  tenant = await newTenant();
  writer = await tenant.newKey(['read', 'write']);
  elsewhere = await startReceiver();
});
afterEach(() => elsewhere?.close());

const headers = { 'x-api-key': 'SECRET-HEADER' };
const patch = (id: string, json: object, key: string) =>
  tenant.call('PATCH', `/v1/webhooks/${id}`, { key, json });
const declare = (path: string, json: object) => tenant.call('POST', path, { key: writer, json });

const URL_THERE = 'https://rx.example.com/in';

async function endpoint() {
  const json = { url: URL_THERE, headers };
  const { body } = await tenant.call('POST', '/v1/webhooks', { json });
  return body;
}

const feed = (secrets: object) => ({
  type: 'integration',
  integration: { url: elsewhere.url, ...secrets },
});
const tool = (secrets: object) => ({
  prompt: 'Help.',
  publish_policy: 'manual',
  tools: [{ name: 'order', type: 'webhook', description: 'x', url: elsewhere.url, ...secrets }],
});
const carrier = { type: 'twilio', account_id: 'AC1' };

test.each<[string, string, (ref: { name: string; key: string }) => object]>([
  ['the token of a feed', '/v1/knowledge/sources', (ref) => feed({ secret_ref: ref })],
  ['the signature of a feed', '/v1/knowledge/sources', (ref) => feed({ signing_secret_ref: ref })],
  ['the token of a tool', '/v1/agents', (ref) => tool({ secret_ref: ref })],
  ['the signature of a tool', '/v1/agents', (ref) => tool({ signing_secret_ref: ref })],
  [
    'the key of a model provider',
    '/v1/model_providers',
    (ref) => ({ base_url: elsewhere.url, api_key_secret_ref: ref }),
  ],
  [
    'the token of a telephony provider',
    '/v1/telephony_providers',
    (ref) => ({ ...carrier, api_url: elsewhere.url, auth_token_secret_ref: ref }),
  ],
])('%s is no Secret of an endpoint', async (_, path, fields) => {
  const { name } = await endpoint();
  for (const key of ['secret', 'headers']) {
    const made = await declare(path, fields({ name: `${name}-signing`, key }));
    expect(made.body).toMatchObject({ ready: false });
    expect(made.body.status_message).toContain('belongs to a webhook endpoint');
  }
  expect(elsewhere.received).toEqual([]);
});

test('the headers of an endpoint are no Secret of another', async () => {
  const { name } = await endpoint();
  const store = tenant.api.engine.store;
  const spec = { url: elsewhere.url, headersFrom: { secretRef: { name: `${name}-signing` } } };
  const place = { namespace: tenant.namespace, name: 'thief' };
  await store.apply({ kind: 'WebhookEndpoint', ...place, spec }, { fieldManager: 'kubectl' });
  await tenant.api.engine.eventually(async () => {
    const { body } = await tenant.call('GET', '/v1/webhooks');
    const thief = body.data.find((one: { name: string }) => one.name === 'thief');
    return thief?.status_message.includes('belongs to a webhook endpoint');
  });
});

test.each([
  ['host', 'https://rx2.example.com/in'],
  ['port', 'https://rx.example.com:8443/in'],
  ['scheme', 'http://127.0.0.1/in', 'https://127.0.0.1/in'],
])(
  'another %s receives no headers and signatures unless the key has `keys`',
  async (_, url, from = URL_THERE) => {
    const json = { url: from, headers };
    const { body } = await tenant.call('POST', '/v1/webhooks', { json });
    const refused = await patch(body.id, { url, description: 'moved' }, writer);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: 'missing_scope' });
    expect(refused.body.detail).toContain('the `keys` scope: the new `url` has a different origin');
    const now = await tenant.call('GET', `/v1/webhooks/${body.id}`);
    expect(now.body).toMatchObject({ url: from, description: null, header_names: ['x-api-key'] });
    const moved = await patch(body.id, { url }, await tenant.newKey(['write', 'keys']));
    expect(moved.status).toBe(200);
    expect(moved.body).toMatchObject({ url, header_names: ['x-api-key'] });
  },
);

test.each(['https://rx.example.com/other?a=b', 'https://RX.example.com:443/in'])(
  '%s is the same origin, which `write` may set',
  async (url) => {
    const { id } = await endpoint();
    expect((await patch(id, { url }, writer)).status).toBe(200);
  },
);

test('a signature of events that were never sent is shown to keys with `keys` alone', async () => {
  const { id } = await endpoint();
  const show = (key: string) =>
    tenant.call('POST', `/v1/webhooks/${id}/test`, { key, json: { dry_run: true } });
  const refused = await show(writer);
  expect(refused.status).toBe(403);
  expect(refused.text).not.toMatch(/signature"/);
  expect((await show(await tenant.newKey(['write', 'keys']))).status).toBe(200);
});
