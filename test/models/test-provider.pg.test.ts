import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { startStubModel, type StubModel } from './stub-model.ts';

/** Tests of a model provider: one real request, and what came back, before and after it is saved. */

let tenant: Tenant;
let stub: StubModel;
let other: StubModel;
beforeAll(async () => {
  tenant = await newTenant();
  stub = await startStubModel({ models: ['m-2', 'm-1', 'm-2'] });
  other = await startStubModel();
});
afterAll(async () => {
  await stub?.stop();
  await other?.stop();
});
beforeEach(() => {
  stub.reset();
  other.reset();
});

const CHAT = { default_model: 'm-1' };
const testNew = (json: object, tested = tenant): Promise<Reply> =>
  tested.call('POST', '/v1/model_providers/test', { json: { base_url: stub.url, ...json } });
const create = (json: object = {}): Promise<Reply> =>
  tenant.call('POST', '/v1/model_providers', { json: { base_url: stub.url, chat: CHAT, ...json } });
const testSaved = ({ body }: Reply, json?: object, tested = tenant): Promise<Reply> =>
  tested.call('POST', `/v1/model_providers/${body.id}/test`, json ? { json } : {});
const keysSentTo = ({ requests }: StubModel) =>
  requests.map(({ headers }) => headers.authorization);

describe('before it is saved', () => {
  test('a provider that answers is shown with its answer, its models and its times', async () => {
    stub.script({ text: 'OK' });
    const reply = await testNew({ api_key: 'sk-1', chat: CHAT, query: { 'api-version': '1' } });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        ok: true,
        checked: 'chat',
        model: 'm-1',
        text: 'OK',
        latency_ms: expect.any(Number),
        first_token_ms: expect.any(Number),
        models: ['m-1', 'm-2'],
        error: null,
      },
    });
    expect(stub.requests).toMatchObject([
      {
        path: '/v1/chat/completions?api-version=1',
        headers: { authorization: 'Bearer sk-1' },
        body: { model: 'm-1' },
      },
    ]);
    expect((await tenant.call('GET', '/v1/model_providers')).body.data).toEqual([]);
  });

  test.each([
    [401, 'model_unauthorized', 'rejected the key'],
    [404, 'model_refused', 'does not know the model "m-1"'],
  ])('the cause of %s is in the answer, without the key', async (status, code, message) => {
    stub.answer({ status, body: '{"error":{"message":"the key sk-1 is wrong"}}' });
    const reply = await testNew({ api_key: 'sk-1', chat: CHAT });
    expect(reply).toMatchObject({
      status: 200,
      body: { ok: false, checked: 'chat', model: 'm-1', text: null, first_token_ms: null },
    });
    expect(reply.body.error).toEqual({ code, message: expect.stringContaining(message) });
    expect(reply.text).not.toContain('sk-1');
  });

  test('without a default model only the list is requested', async () => {
    const reply = await testNew({});
    expect(reply.body).toMatchObject({ ok: true, checked: 'models', model: null, text: null });
    expect(reply.body.models).toEqual(['m-1', 'm-2']);
    expect(stub.requests).toEqual([]);
  });

  test('a list with other things than models is no failure, and text that is no list is one', async () => {
    const lists = await startListServer();
    onTestFinished(() => lists.stop());
    lists.answer('{"data":[{"id":"m-1"},{"id":7},null,{"id":"' + 'x'.repeat(129) + '"}]}');
    const listed = await testNew({ base_url: lists.url });
    expect(listed.body).toMatchObject({ ok: true, models: ['m-1'] });
    for (const answer of ['{"data":{}}', '<html>', '[]']) {
      lists.answer(answer);
      const { body } = await testNew({ base_url: lists.url });
      expect(body).toMatchObject({ ok: false, models: null });
      expect(body.error.code).toBe('model_invalid_answer');
    }
    lists.answer(undefined);
    const { body } = await testNew({ base_url: lists.url });
    expect(body.error).toMatchObject({ code: 'model_refused' });
    expect(body.error.message).toContain('has no list of models');
  });

  test('a model that does not answer in time is a cause too', async () => {
    stub.answer({ hang: 'before_headers' });
    const timeouts = { first_token_ms: 100, total_ms: 100 };
    const { body } = await testNew({ chat: { ...CHAT, timeouts } });
    expect(body).toMatchObject({ ok: false, error: { code: 'model_timeout' } });
  });

  test('a server that nobody runs is a cause too', async () => {
    const gone = await startStubModel();
    await gone.stop();
    for (const json of [{}, { chat: CHAT }]) {
      const { body } = await testNew({ base_url: gone.url, ...json });
      expect(body).toMatchObject({ ok: false, models: null, error: { code: 'model_unreachable' } });
    }
  });

  test.each([
    [{ base_url: 'http://10.0.0.1/v1' }, '/base_url'],
    [{ base_url: 1 }, '/base_url'],
    [{ api_key_secret_ref: { name: 'a', key: 'b' } }, '/api_key_secret_ref'],
    [{ api_key: 'sk 1' }, '/api_key'],
    [{ model: 'm' }, '/model'],
  ])('%j is refused at %s', async (json, pointer) => {
    const reply = await testNew(json);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    expect(stub.requests).toEqual([]);
  });
});

describe('a saved provider', () => {
  test('is tested with its own key, with changes that are not saved', async () => {
    const made = await create({ api_key: 'sk-1' });
    expect((await testSaved(made)).body).toMatchObject({ ok: true, model: 'm-1' });
    const changed = await testSaved(made, { chat: { default_model: 'm-2' } });
    expect(changed.body).toMatchObject({ ok: true, model: 'm-2' });
    const rotated = await testSaved(made, { api_key: 'sk-2' });
    expect(rotated.body).toMatchObject({ ok: true, model: 'm-1' });
    const without = await testSaved(made, { api_key: null });
    expect(without.body).toMatchObject({ ok: true });
    const sent = ['Bearer sk-1', 'Bearer sk-1', 'Bearer sk-2', undefined];
    expect(keysSentTo(stub)).toEqual(sent);
    const { body } = await tenant.call('GET', `/v1/model_providers/${made.body.id}`);
    expect(body).toMatchObject({ chat: CHAT, updated: made.body.updated });
  });

  test('sends its key to no other origin, but a new key to a new one', async () => {
    const made = await create({ api_key: 'sk-1' });
    const moved = await testSaved(made, { base_url: other.url });
    expect(moved).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/api_key', code: 'required' }] },
    });
    const both = await testSaved(made, { base_url: other.url, api_key: 'sk-2' });
    expect(both.body).toMatchObject({ ok: true });
    expect(keysSentTo(other)).toEqual(['Bearer sk-2']);
  });

  test('without a key is tested at any address', async () => {
    const made = await create();
    const moved = await testSaved(made, { base_url: other.url });
    expect(moved.body).toMatchObject({ ok: true });
    const none = await testSaved(made, { base_url: null });
    expect(none).toMatchObject({ status: 422, body: { errors: [{ pointer: '/base_url' }] } });
  });

  test('whose Secret is missing says so', async () => {
    const made = await create({ api_key_secret_ref: { name: 'nowhere', key: 'key' } });
    const { body } = await testSaved(made);
    expect(body).toMatchObject({ ok: false, error: { code: 'model_refused' } });
    expect(body.error.message).toContain('Secret nowhere does not exist');
    const now = await testSaved(made, { api_key: 'sk-1' });
    expect(now.body).toMatchObject({ ok: true });
  });

  test('of another namespace is not found, and nothing is sent', async () => {
    const made = await create({ api_key: 'sk-1' });
    expect((await testSaved(made, {}, await newTenant())).status).toBe(404);
    expect(stub.requests).toEqual([]);
  });
});

test('a key without the scope write tests nothing', async () => {
  const made = await create();
  const key = await tenant.newKey(['read', 'publish', 'keys']);
  for (const path of [`/v1/model_providers/${made.body.id}/test`, '/v1/model_providers/test']) {
    const reply = await tenant.call('POST', path, { key, json: { base_url: stub.url } });
    expect(reply.status).toBe(403);
  }
  expect(stub.requests).toEqual([]);
});

/** A server whose list of models is any text; `undefined` stands for 404. */
async function startListServer() {
  let text: string | undefined;
  const server = createServer((_, response) => {
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text ?? '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    answer: (next: string | undefined): void => {
      text = next;
    },
    stop: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
