import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { startProviderStub, type ProviderStub } from './provider-stub.ts';

/** Keys of model providers in requests: stored in a Secret of Parley's own, used, and never shown. */

let tenant: Tenant;
let stub: ProviderStub;
let other: ProviderStub;
beforeAll(async () => {
  tenant = await newTenant();
  stub = await startProviderStub();
  other = await startProviderStub();
});
afterAll(async () => {
  await stub?.stop();
  await other?.stop();
});
beforeEach(() => takes('sk-first'));

/** Makes the provider answer only requests with this key. */
const takes = (key: string | undefined): void => {
  const header = key === undefined ? undefined : `Bearer ${key}`;
  stub.answer(({ authorization }) => (authorization === header ? 200 : 401));
};
const create = (json: object, headers = {}): Promise<Reply> =>
  tenant.call('POST', '/v1/model_providers', {
    json: { base_url: stub.baseUrl, ...json },
    headers,
  });
const pathOf = ({ body }: Reply): string => `/v1/model_providers/${body.id}`;
const patch = (made: Reply, json: object, headers = {}): Promise<Reply> =>
  tenant.call('PATCH', pathOf(made), { json, headers });
const secretNameOf = ({ body }: Reply): string => `${String(body.id).replace('_', '-')}-key`;
const secretOf = (made: Reply) =>
  tenant.api.engine.store.get('Secret', { namespace: tenant.namespace, name: secretNameOf(made) });
/** Waits until the operator's probe has found that the provider accepts the key. */
const isReady = (made: Reply): Promise<unknown> =>
  tenant.api.engine.eventually(async () => (await tenant.call('GET', pathOf(made))).body.ready);
/** Keys that the operator has not copied yet, of the whole namespace. */
async function givenKeys(): Promise<string[]> {
  const { rows } = await tenant.api.engine.pool.query<{ id: string }>(
    'select object_id as id from given_secrets where namespace = $1',
    [tenant.namespace],
  );
  return rows.map(({ id }) => id);
}
const keyIn = async (made: Reply): Promise<unknown> =>
  Object.values((await secretOf(made))?.spec['data'] ?? {});

test('the key of a new provider is in a Secret, is used, and no answer has it', async () => {
  const made = await create({ api_key: 'sk-first' });
  const ref = { name: secretNameOf(made), key: expect.stringMatching(/^key-[0-9a-f]{12}$/) };
  expect(made).toMatchObject({ status: 201, body: { api_key_secret_ref: ref } });
  await isReady(made);
  const { id, api_key_secret_ref: shown } = made.body;
  expect(await secretOf(made)).toMatchObject({
    metadata: { labels: { 'parley.dev/allow': 'true', 'parley.dev/owner': id } },
    spec: { data: { [shown.key]: 'sk-first' } },
  });
  expect(await givenKeys()).toEqual([]);
  const { body: lines } = await tenant.call('GET', `/v1/audit_log?target=${id}`);
  expect(lines.data).toMatchObject([{ action: 'model_provider.created' }]);
  const { rows } = await tenant.api.engine.pool.query(
    `select to_jsonb(m) || jsonb_build_object('bytes', encode(api_key, 'escape')) as row
       from model_providers m where id = $1
     union all select to_jsonb(r) from resources r where namespace = $2`,
    [toUuid('mp', id), tenant.namespace],
  );
  const list = await tenant.call('GET', '/v1/model_providers');
  for (const place of [made.body, list.body, lines, rows]) {
    expect(JSON.stringify(place)).not.toContain('sk-first');
  }
});

test('a repeated request makes one provider with one key', async () => {
  const once = { 'idempotency-key': 'connect' };
  const made = await create({ api_key: 'sk-first' }, once);
  const again = await create({ api_key: 'sk-first' }, once);
  expect(again.body).toEqual(made.body);
  expect(await keyIn(made)).toEqual(['sk-first']);
  const differs = await create({ api_key: 'sk-second' }, once);
  expect(differs).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
});

describe('a change', () => {
  test('of the key replaces it, and the entity tag', async () => {
    const made = await create({ api_key: 'sk-first', chat: { default_model: 'm-1' } });
    takes('sk-second');
    const etag = made.headers.get('etag')!;
    const changed = await patch(made, { api_key: 'sk-second' }, { 'if-match': etag });
    expect(changed).toMatchObject({ status: 200, body: { chat: { default_model: 'm-1' } } });
    await isReady(made);
    expect(await keyIn(made)).toEqual(['sk-second']);
    const stale = await patch(made, { api_key: 'sk-third' }, { 'if-match': etag });
    expect(stale.status).toBe(412);
    expect(await givenKeys()).toEqual([]);
    expect(await keyIn(made)).toEqual(['sk-second']);
  });

  test('to no key deletes the Secret', async () => {
    const made = await create({ api_key: 'sk-first' });
    takes(undefined);
    const changed = await patch(made, { api_key: null });
    expect(changed).toMatchObject({ status: 200, body: { api_key_secret_ref: null } });
    expect(await secretOf(made)).toBeUndefined();
  });

  test('to the key of another Secret deletes the own one', async () => {
    const made = await create({ api_key: 'sk-first' });
    const { namespace, api } = tenant;
    const labels = { 'parley.dev/allow': 'true' };
    await api.engine.store.apply(
      { kind: 'Secret', namespace, name: 'mine', labels, spec: { data: { key: 'sk-mine' } } },
      { fieldManager: 'kubectl' },
    );
    takes('sk-mine');
    await patch(made, { api_key_secret_ref: { name: 'mine', key: 'key' } });
    expect(await secretOf(made)).toBeUndefined();
  });

  test('of the address within its origin keeps the key', async () => {
    const made = await create({ api_key: 'sk-first' });
    const base_url = stub.baseUrl.replace('/v1', '/v2');
    const changed = await patch(made, { base_url });
    expect(changed).toMatchObject({ status: 200, body: { base_url } });
    await isReady(made);
  });

  test('of the origin needs the key again, because the new one would receive it', async () => {
    const made = await create({ api_key: 'sk-first' });
    const asked = other.asked.length;
    const moved = await patch(made, { base_url: other.baseUrl });
    expect(moved).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/api_key', code: 'required' }] },
    });
    expect(other.asked).toHaveLength(asked);
    const both = await patch(made, { base_url: other.baseUrl, api_key: 'sk-other' });
    expect(both).toMatchObject({ status: 200, body: { base_url: other.baseUrl } });
    await isReady(made);
    const sent = other.asked.slice(asked).map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set(['Bearer sk-other']));
  });

  test('of the origin of a provider without a key is free', async () => {
    takes(undefined);
    const made = await create({});
    const moved = await patch(made, { base_url: other.baseUrl });
    expect(moved).toMatchObject({ status: 200, body: { base_url: other.baseUrl } });
  });
});

test('a deleted provider leaves no key', async () => {
  const made = await create({ name: 'again', api_key: 'sk-first' });
  expect((await tenant.call('DELETE', pathOf(made))).status).toBe(204);
  expect(await secretOf(made)).toBeUndefined();
  takes('sk-second');
  const next = await create({ name: 'again', api_key: 'sk-second' });
  expect(next.status).toBe(201);
  await isReady(next);
  expect(secretNameOf(next)).not.toBe(secretNameOf(made));
});

describe('refused', () => {
  test.each([
    ['beside a reference', { api_key: 'sk-first', api_key_secret_ref: { name: 'a', key: 'b' } }],
    ['empty', { api_key: '' }],
    ['with a space', { api_key: 'sk first' }],
    ['null in a new provider', { api_key: null }],
    ['too long', { api_key: 'k'.repeat(4097) }],
  ])('is a key that is %s', async (_, json) => {
    const reply = await create(json);
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    const pointers = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(new Set(pointers)).toEqual(new Set(['/api_key']));
    expect(await givenKeys()).toEqual([]);
  });

  test('is a taken name, and its key is forgotten', async () => {
    await create({ name: 'taken' });
    const reply = await create({ name: 'taken', api_key: 'sk-first' });
    expect(reply).toMatchObject({ status: 409, body: { code: 'name_taken' } });
    expect(await givenKeys()).toEqual([]);
  });

  test('is the key of a provider that a manifest declares', async () => {
    const { namespace, api } = tenant;
    const spec = { baseUrl: stub.baseUrl };
    const provider = { kind: 'ModelProvider', namespace, name: 'theirs', spec };
    await api.engine.store.apply(provider, { fieldManager: 'kubectl' });
    await api.engine.settled('ModelProvider', 'theirs', namespace);
    const { body } = await tenant.call('GET', '/v1/model_providers?name=theirs');
    const path = `/v1/model_providers/${body.data[0].id}`;
    const reply = await tenant.call('PATCH', path, { json: { api_key: 'sk-first' } });
    expect(reply).toMatchObject({ status: 409, body: { code: 'managed_elsewhere' } });
    expect(reply.body.errors).toMatchObject([{ pointer: '/api_key' }]);
    expect(await givenKeys()).toEqual([]);
  });

  test('is the Secret of another provider', async () => {
    const made = await create({ api_key: 'sk-first' });
    const thief = await create({ api_key_secret_ref: made.body.api_key_secret_ref });
    expect(thief.body).toMatchObject({ ready: false });
    expect(thief.body.status_message).toContain(`belongs to ${made.body.id}`);
  });

  test('is a key for a provider of another namespace', async () => {
    const made = await create({ api_key: 'sk-first' });
    const stranger = await newTenant();
    const reply = await stranger.call('PATCH', pathOf(made), { json: { api_key: 'sk-other' } });
    expect(reply.status).toBe(404);
    expect(await keyIn(made)).toEqual(['sk-first']);
  });

  test('is a caller without the scope write', async () => {
    const made = await create({ api_key: 'sk-first' });
    const key = await tenant.newKey(['read', 'keys', 'publish']);
    for (const [method, path] of [
      ['POST', '/v1/model_providers'],
      ['PATCH', pathOf(made)],
    ] as const) {
      const json = { base_url: stub.baseUrl, api_key: 'sk-other' };
      expect((await tenant.call(method, path, { json, key })).status).toBe(403);
    }
  });
});
