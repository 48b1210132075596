import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { onRequest, respond } from '../../platform/egress/servers.ts';
import { at, receiver, stopAll } from '../../platform/egress/harness.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';

/** Secrets of tools in requests: stored in the agent's own Secret, used, and never shown. */

const SIGNING = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = 'https://other.example.com/act';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** A service that keeps the head of each request. */
async function service(): Promise<{ url: string; seen: string[] }> {
  onTestFinished(stopAll);
  const seen: string[] = [];
  const server = await receiver((socket) =>
    onRequest(socket, (request) => {
      seen.push(request);
      socket.write(respond('200 OK', '{}', 'content-type: application/json\r\n'));
    }),
  );
  return { url: at(server, '/act'), seen };
}

const tool = (json: object) => ({ type: 'webhook', name: 'act', ...json });
const create = (tools: object[], headers = {}): Promise<Reply> =>
  tenant.call('POST', '/v1/agents', { json: { prompt: 'Sell.', tools }, headers });
const patch = ({ body }: Reply, tools: object[]): Promise<Reply> =>
  tenant.call('PATCH', `/v1/agents/${body.id}`, { json: { tools } });
const callOnce = ({ body }: Reply, json: object): Promise<Reply> =>
  tenant.call('POST', `/v1/agents/${body.id}/tool_calls`, { json: { tool: tool(json) } });
const secretNameOf = ({ body }: Reply): string => `${String(body.id).replace('_', '-')}-key`;
const secretOf = (made: Reply) =>
  tenant.api.engine.store.get('Secret', { namespace: tenant.namespace, name: secretNameOf(made) });
const valuesIn = async (made: Reply): Promise<string[]> =>
  Object.values((await secretOf(made))?.spec['data'] as Record<string, string>).toSorted();
async function givenRows(): Promise<number> {
  const { rows } = await tenant.api.engine.pool.query<{ n: number }>(
    'select count(*)::int as n from given_secrets where namespace = $1',
    [tenant.namespace],
  );
  return rows[0]!.n; // An aggregate has one row.
}

test('a new agent keeps both secrets of a tool in its own Secret, and no answer has them', async () => {
  const { url } = await service();
  const made = await create([tool({ url, secret: 'tok-1', signing_secret: SIGNING })]);
  const [shown] = made.body.tools;
  const name = secretNameOf(made);
  const key = expect.stringMatching(/^key-[0-9a-f]{12}$/);
  expect(made.status).toBe(201);
  expect(shown).toMatchObject({ secret_ref: { name, key }, signing_secret_ref: { name, key } });
  expect(shown.secret_ref.key).not.toBe(shown.signing_secret_ref.key);
  expect(await secretOf(made)).toMatchObject({
    metadata: { labels: { 'parley.dev/allow': 'true', 'parley.dev/owner': made.body.id } },
  });
  expect(await valuesIn(made)).toEqual(['tok-1', SIGNING].toSorted());
  expect(await givenRows()).toBe(0);
  const { body: lines } = await tenant.call('GET', `/v1/audit_log?target=${made.body.id}`);
  const { body: versions } = await tenant.call('GET', `/v1/agents/${made.body.id}/versions`);
  for (const place of [made.body, lines, versions]) {
    expect(JSON.stringify(place)).not.toMatch(/tok-1|whsec_/);
  }
});

test('a call of the saved tool carries the token and the signatures', async () => {
  const { url, seen } = await service();
  const made = await create([tool({ url, secret: 'tok-1', signing_secret: SIGNING })]);
  const { secret_ref, signing_secret_ref } = made.body.tools[0];
  const called = await callOnce(made, { url, secret_ref, signing_secret_ref });
  expect(called.body).toMatchObject({ ok: true });
  expect(seen[0]).toMatch(/authorization: Bearer tok-1\r\n/);
  expect(seen[0]).toMatch(/webhook-signature: v1,/);
});

test('a tool can be tried with a secret before it is saved', async () => {
  const { url, seen } = await service();
  const made = await create([]);
  const called = await callOnce(made, { url, secret: 'tok-2' });
  expect(called.body).toMatchObject({
    ok: true,
    request: { headers: { authorization: '[hidden]' } },
  });
  expect(seen[0]).toMatch(/authorization: Bearer tok-2\r\n/);
  expect(await secretOf(made)).toBeUndefined();
});

test('a repeated request makes one agent with one secret', async () => {
  const tools = [tool({ url: OTHER, secret: 'tok-1' })];
  const once = { 'idempotency-key': 'tool' };
  const made = await create(tools, once);
  expect((await create(tools, once)).body).toEqual(made.body);
  expect(await valuesIn(made)).toEqual(['tok-1']);
});

describe('a change', () => {
  test('of one secret keeps the others, also those of earlier versions', async () => {
    const made = await create([
      tool({ url: OTHER, secret: 'tok-1' }),
      tool({ name: 'b', url: OTHER, secret: 'tok-b' }),
    ]);
    const [, second] = made.body.tools;
    const changed = await patch(made, [tool({ url: OTHER, secret: 'tok-2' }), second]);
    expect(changed).toMatchObject({ status: 200, body: { ready: true } });
    expect(await valuesIn(made)).toEqual(['tok-1', 'tok-2', 'tok-b']);
  });

  test('of the address within its origin keeps the secret', async () => {
    const made = await create([tool({ url: OTHER, secret: 'tok-1' })]);
    const [shown] = made.body.tools;
    const changed = await patch(made, [{ ...shown, url: `${OTHER}/2` }]);
    expect(changed).toMatchObject({ status: 200, body: { ready: true } });
  });

  test('of the origin needs the secret again, and so does another tool that names it', async () => {
    const made = await create([tool({ url: OTHER, secret: 'tok-1', signing_secret: SIGNING })]);
    const [shown] = made.body.tools;
    const mine = 'https://mine.example.com/act';
    const { signing_secret_ref: _, ...bearer } = shown;
    const { secret_ref, ...signing } = shown;
    const refusedAt = (pointer: string) => ({
      status: 422,
      body: { errors: [{ pointer, code: 'required' }] },
    });
    expect(await patch(made, [{ ...bearer, url: mine }])).toMatchObject(
      refusedAt('/tools/0/secret'),
    );
    expect(await patch(made, [{ ...signing, url: mine }])).toMatchObject(
      refusedAt('/tools/0/signing_secret'),
    );
    expect(await patch(made, [shown, tool({ name: 'b', url: mine, secret_ref })])).toMatchObject(
      refusedAt('/tools/1/secret'),
    );
    // A signing secret must not be sent as a bearer token.
    expect(await patch(made, [{ ...shown, secret_ref: shown.signing_secret_ref }])).toMatchObject(
      refusedAt('/tools/0/secret'),
    );
    expect(await callOnce(made, { url: mine, secret_ref })).toMatchObject(
      refusedAt('/tool/secret'),
    );
    const again = await patch(made, [tool({ url: mine, secret: 'tok-2' })]);
    expect(again).toMatchObject({ status: 200, body: { ready: true } });
  });

  test('with a secret and a reference is refused, and stores nothing', async () => {
    const made = await create([]);
    const both = tool({ url: OTHER, secret: 'tok-1', secret_ref: { name: 'mine', key: 'key' } });
    expect(await patch(made, [both])).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/tools/0/secret', code: 'invalid_value' }] },
    });
    const unknown = { type: 'handoff', name: 'to', agent: 'nobody' };
    const refused = await patch(made, [tool({ url: OTHER, secret: 'tok-1' }), unknown]);
    expect(refused.status).toBe(422);
    expect(await givenRows()).toBe(0);
  });
});

test('a secret must fit into a header, and the key of signatures must be one', async () => {
  for (const [field, value] of [
    ['secret', 'two words'],
    ['secret', ''],
    ['signing_secret', 'tok-1'],
  ] as const) {
    expect(await create([tool({ url: OTHER, [field]: value })])).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: `/tools/0/${field}` }] },
    });
  }
});

test('the Secret is deleted with the agent, and another agent may not use it', async () => {
  const made = await create([tool({ url: OTHER, secret: 'tok-1' })]);
  const { secret_ref } = made.body.tools[0];
  const thief = await create([tool({ url: OTHER, secret_ref })]);
  expect(thief.body).toMatchObject({ ready: false, status: { reason: 'SecretNotAllowed' } });
  await tenant.call('DELETE', `/v1/agents/${made.body.id}`);
  await tenant.api.engine.eventually(async () => (await secretOf(made)) === undefined);
});
