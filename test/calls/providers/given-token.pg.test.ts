import { beforeAll, expect, test } from 'vitest';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';

/** Tokens of carriers in requests: stored in the provider's own Secret, used, and never shown. */

const PATH = '/v1/telephony_providers';
const ACCOUNT = { type: 'twilio', account_id: 'AC00000000000000000000000000000001' };

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const create = (json: object): Promise<Reply> =>
  tenant.call('POST', PATH, { json: { ...ACCOUNT, ...json } });
const patch = ({ body }: Reply, json: object): Promise<Reply> =>
  tenant.call('PATCH', `${PATH}/${body.id}`, { json });
const secretOf = ({ body }: Reply) =>
  tenant.api.engine.store.get('Secret', {
    namespace: tenant.namespace,
    name: `${String(body.id).replace('_', '-')}-key`,
  });
const tokensIn = async (made: Reply): Promise<unknown> =>
  Object.values((await secretOf(made))?.spec['data'] ?? {});

test('a given token is in a Secret, makes the provider ready, and no answer has it', async () => {
  const made = await create({ auth_token: 'token-1' });
  expect(made).toMatchObject({ status: 201, body: { ready: true } });
  expect(await tokensIn(made)).toEqual(['token-1']);
  const { body: lines } = await tenant.call('GET', `/v1/audit_log?target=${made.body.id}`);
  const list = await tenant.call('GET', PATH);
  for (const place of [made.body, list.body, lines]) {
    expect(JSON.stringify(place)).not.toContain('token-1');
  }
  expect(await patch(made, { auth_token: 'token-2' })).toMatchObject({ status: 200 });
  expect(await tokensIn(made)).toEqual(['token-2']);
  await tenant.call('DELETE', `${PATH}/${made.body.id}`);
  expect(await secretOf(made)).toBeUndefined();
});

test('a new receiver needs the token again', async () => {
  const made = await create({ auth_token: 'token-1' });
  for (const json of [{ api_url: 'https://carrier.example.com' }, { type: 'plivo' }]) {
    expect(await patch(made, json)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/auth_token', code: 'required' }] },
    });
  }
  const both = { api_url: 'https://carrier.example.com', auth_token: 'token-2' };
  expect(await patch(made, both)).toMatchObject({ status: 200, body: { ready: true } });
});

test('a provider without a token is refused, and its token cannot be removed', async () => {
  expect(await create({})).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/auth_token', code: 'required' }] },
  });
  const made = await create({ auth_token: 'token-1' });
  expect((await patch(made, { auth_token: null })).status).toBe(422);
  expect(await tokensIn(made)).toEqual(['token-1']);
});

test('the token of another Secret replaces the own one', async () => {
  const made = await create({ auth_token: 'token-1' });
  const { namespace, api } = tenant;
  const labels = { 'parley.dev/allow': 'true' };
  await api.engine.store.apply(
    { kind: 'Secret', namespace, name: 'mine', labels, spec: { data: { token: 'token-m' } } },
    { fieldManager: 'kubectl' },
  );
  const ref = { name: 'mine', key: 'token' };
  expect(await patch(made, { auth_token_secret_ref: ref })).toMatchObject({ status: 200 });
  expect(await secretOf(made)).toBeUndefined();
});
