import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { at, receiver, stopAll } from '../../platform/egress/harness.ts';
import { onRequest, respond } from '../../platform/egress/servers.ts';

/** The author of a tool calls it once, with sample arguments and without a conversation. */

let tenant: Tenant;
let agentId: string;
beforeAll(async () => {
  tenant = await newTenant();
  const { body } = await tenant.call('POST', '/v1/agents', { json: { prompt: 'Sell.' } });
  agentId = body.id;
});
afterEach(stopAll);

const json = (value: unknown, { status = '200 OK', headers = '' } = {}): string =>
  respond(status, JSON.stringify(value), `content-type: application/json\r\n${headers}`);

/** A service that writes this answer to each request. */
async function service(answer: (request: string) => string) {
  const seen: string[] = [];
  const server = await receiver((socket) =>
    onRequest(socket, (request) => {
      seen.push(request);
      socket.write(answer(request));
    }),
  );
  return { url: at(server, '/act'), seen };
}

const orderId = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

function callOnce(
  tool: object,
  args?: object,
  {
    of = agentId,
    ...options
  }: { of?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const body = { tool: { type: 'webhook', name: 'act', ...tool }, arguments: args };
  return tenant.call('POST', `/v1/agents/${of}/tool_calls`, { json: body, ...options });
}

test('sends what a conversation would send, and returns what the model would read', async () => {
  const { url, seen } = await service(() => json({ state: 'sent' }));
  const tool = { url, parameters: orderId, method: 'PUT', headers: { 'X-Shop': 'a' } };
  const { status, body } = await callOnce(tool, { id: 'A-1' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    status: 200,
    error: null,
    body: { state: 'sent' },
    escalate: null,
    result: '{"ok":true,"status":200,"body":{"state":"sent"}}',
    duration_ms: expect.any(Number),
    request: { method: 'PUT', url, body: '{"id":"A-1"}' },
  });
  const [request = ''] = seen;
  expect(request).toMatch(/^PUT \/act HTTP\/1\.1\r\n/);
  expect(request.endsWith('\r\n\r\n{"id":"A-1"}')).toBe(true);
  const { headers } = body.request;
  expect(headers).toMatchObject({
    'x-shop': 'a',
    'parley-test': 'true',
    'parley-agent-id': agentId,
    'parley-tool-call-id': expect.stringMatching(/^tool_/),
  });
  for (const [name, value] of Object.entries(headers)) {
    expect(request).toContain(`\r\n${name}: ${value as string}\r\n`);
  }
  expect(request).not.toMatch(/parley-(conversation-id|agent-version)/);
});

test('puts the arguments of a GET into the query, and calls a tool without parameters without any', async () => {
  const { url, seen } = await service(() => json([]));
  const get = await callOnce({ url, parameters: orderId, method: 'GET' }, { id: 'A 1' });
  expect(get.body.request).toMatchObject({ method: 'GET', url: `${url}?id=A+1`, body: null });
  const without = await callOnce({ url });
  expect(without.body.request).toMatchObject({ method: 'POST', url, body: '{}' });
  expect(seen.map((request) => request.split('\r\n')[0])).toEqual([
    'GET /act?id=A+1 HTTP/1.1',
    'POST /act HTTP/1.1',
  ]);
});

test.each([
  [
    'a status other than 2xx',
    json({ why: 'shipped' }, { status: '409 Conflict' }),
    { status: 409, error: 'the tool answered with status 409', body: { why: 'shipped' } },
  ],
  [
    'a page instead of data',
    respond('200 OK', '<p>', 'content-type: text/html\r\n'),
    {
      status: 200,
      error: expect.stringContaining('must answer with JSON or plain text'),
      body: null,
    },
  ],
])('reports %s as a failure that the model reads', async (_, answer, failure) => {
  const { url } = await service(() => answer);
  const { status, body } = await callOnce({ url });
  expect([status, body.ok]).toEqual([200, false]);
  expect(body).toMatchObject({ ...failure, result: expect.stringMatching(/^{"ok":false/) });
});

test('reports a service that cannot be reached, and one that asks for a human', async () => {
  const gone = await callOnce({ url: 'http://127.0.0.1:1/' });
  expect(gone.body).toMatchObject({ ok: false, status: null, body: null, escalate: null });
  const { url } = await service(() => json({}, { headers: 'parley-escalate: too angry\r\n' }));
  expect((await callOnce({ url })).body).toMatchObject({ ok: true, escalate: 'too angry' });
});

describe('with Secrets', () => {
  const signing = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const secret_ref = { name: 'shop', key: 'token' };
  const signing_secret_ref = { name: 'shop', key: 'signing' };

  /** An agent whose saved tools name the Secret. */
  async function agentWith(tool: object): Promise<string> {
    const { engine } = tenant.api;
    const { namespace } = tenant;
    const labels = { 'parley.dev/allow': 'true' };
    const spec = { data: { token: 'tok-1', signing } };
    await engine.store.apply(
      { kind: 'Secret', namespace, name: 'shop', labels, spec },
      { fieldManager: 'kubectl' },
    );
    const tools = [{ type: 'webhook', name: 'saved', ...tool }];
    const made = await tenant.call('POST', '/v1/agents', { json: { prompt: 'Sell.', tools } });
    await engine.settled('Agent', made.body.name, namespace);
    return made.body.id;
  }

  test('authenticates and signs, and shows neither Secret nor signature', async () => {
    const { url, seen } = await service((request) => json({ got: request }));
    const refs = { secret_ref, signing_secret_ref };
    const of = await agentWith({ url, ...refs });
    const { body, text } = await callOnce({ url, ...refs }, undefined, { of });
    expect(seen[0]).toContain('\r\nauthorization: Bearer tok-1\r\n');
    expect(seen[0]).toMatch(/\r\nparley-signature: [0-9a-f]{64}\r\n/);
    expect(body.request.headers).toMatchObject({
      authorization: '[hidden]',
      'parley-signature': '[hidden]',
      'webhook-signature': '[hidden]',
    });
    expect(body.ok).toBe(true);
    expect(text).not.toContain('tok-1');
    expect(text).not.toContain(signing);
  });

  test.each([
    ['that no saved tool of the agent names', { secret_ref: { name: 'shop', key: 'other' } }],
    ['of another agent', { secret_ref }],
  ])('fails without a request for a Secret %s', async (what, refs) => {
    const { url, seen } = await service(() => json({}));
    const owner = await agentWith({ url, secret_ref });
    const of = what === 'of another agent' ? agentId : owner;
    const { body } = await callOnce({ url, ...refs }, undefined, { of });
    expect(body).toMatchObject({ ok: false, status: null, request: null });
    expect(body.error).toContain('of Secret "shop" does not exist, or Parley may not use it');
    expect(seen).toEqual([]);
  });
});

describe('refuses, without a request,', () => {
  const url = 'http://127.0.0.1:1/';

  test.each([
    [
      'arguments that the schema refuses',
      { url, parameters: orderId },
      '/arguments',
      'invalid_value',
    ],
    ['a tool without a URL', {}, '/tool/url', 'required'],
    ['an address that tools may not call', { url: 'http://10.0.0.1/' }, '/tool/url', 'invalid_url'],
    [
      'a schema that is none',
      { url, parameters: { type: 'array' } },
      '/tool/parameters/type',
      'invalid_value',
    ],
    ['a field that no tool has', { url, verb: 'GET' }, '/tool/verb', 'unknown_field'],
  ])('%s', async (_, tool, pointer, code) => {
    const { status, body } = await callOnce(tool);
    expect(status).toBe(422);
    expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  test('a type that acts inside a conversation', async () => {
    const { status, body } = await callOnce({ type: 'end_call' });
    expect([status, body.code]).toEqual([422, 'unsupported_type']);
  });

  test('an agent of another namespace, and a key that may not write', async () => {
    const other = await newTenant();
    expect((await callOnce({ url }, {}, { key: other.key })).status).toBe(404);
    const reader = await tenant.newKey(['read', 'publish', 'replay', 'keys']);
    expect((await callOnce({ url }, {}, { key: reader })).status).toBe(403);
    const writer = await tenant.newKey(['write']);
    expect((await callOnce({ url }, {}, { key: writer })).status).toBe(200);
  });
});

test('calls once for requests with the same idempotency key', async () => {
  const { url, seen } = await service(() => json({ n: seen.length }));
  const headers = { 'idempotency-key': `once-${agentId}` };
  const [first, second] = [
    await callOnce({ url }, {}, { headers }),
    await callOnce({ url }, {}, { headers }),
  ];
  expect(second.body).toEqual(first.body);
  expect(seen).toHaveLength(1);
});

test('limits the calls of a namespace that are in progress, and ends them when the caller leaves', async () => {
  const ended: Promise<void>[] = [];
  const all = Promise.withResolvers<void>();
  const server = await receiver((socket) =>
    onRequest(socket, () => {
      ended.push(new Promise((resolve) => void socket.once('close', () => resolve())));
      if (ended.length === 32) all.resolve();
    }),
  );
  const leaving = new AbortController();
  // Longer than the test may take, so that only the caller ends the calls.
  const tool = { type: 'webhook', name: 'act', url: at(server), timeout_ms: 60_000 };
  const calls = Array.from({ length: 32 }, () =>
    fetch(`${tenant.api.url}/v1/agents/${agentId}/tool_calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool }),
      signal: leaving.signal,
    }).catch(() => undefined),
  );
  await all.promise;
  const full = await callOnce({ url: at(server) });
  expect([full.status, full.body.code]).toEqual([429, 'too_many_in_flight']);
  expect(full.headers.get('retry-after')).toBe('2');
  leaving.abort();
  await Promise.all([...calls, ...ended]);
});
