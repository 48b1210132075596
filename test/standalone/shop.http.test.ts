import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';

/** The shop of examples/, as the tools of examples/shop-assistant.yaml call it. */
const FILE = path.resolve(import.meta.dirname, '../../examples/shop.mjs');
type CreateShop = (options?: { secret?: string }) => Server;

let server: Server;
afterEach(async () => {
  server.close();
  await once(server, 'close');
});

async function openShop(options?: { secret?: string }): Promise<string> {
  const { createShop } = (await import(pathToFileURL(FILE).href)) as { createShop: CreateShop };
  server = createShop(options);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { connection: 'close', ...headers },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('it knows its orders and no others', async () => {
  const url = `${await openShop()}/orders/status`;
  expect(await post(url, '{"order":"t-1002"}')).toMatchObject({
    status: 200,
    body: { order: 'T-1002', status: 'on its way' },
  });
  expect((await post(url, '{"order":"constructor"}')).status).toBe(404);
});

test('a return is started once for a call, and only of what was delivered', async () => {
  const url = `${await openShop()}/returns`;
  const ask = '{"order":"T-1001","reason":"too small"}';
  const first = await post(url, ask, { 'parley-tool-call-id': 'call_1' });
  expect(first).toMatchObject({ status: 201, body: { return: 'R-5001', reason: 'too small' } });
  const again = await post(url, ask, { 'parley-tool-call-id': 'call_1' });
  expect(again).toEqual({ status: 200, body: first.body });
  const other = await post(url, ask, { 'parley-tool-call-id': 'call_2' });
  expect(other.body['return']).toBe('R-5002');
  expect((await post(url, '{"order":"T-1003","reason":"x"}')).status).toBe(409);
});

test('with a secret it takes what is signed and nothing else', async () => {
  const secret = 'whsec_of_the_shop';
  const url = `${await openShop({ secret })}/orders/status`;
  const body = '{"order":"T-1001"}';
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  expect((await post(url, body, { 'parley-signature': signature })).status).toBe(200);
  expect((await post(url, body)).status).toBe(401);
  expect((await post(url, `${body} `, { 'parley-signature': signature })).status).toBe(401);
});

test.each([
  ['no JSON', '/returns', '{', 400],
  ['a list', '/returns', '[]', 400],
  ['another path', '/constructor', '{}', 404],
  ['too much', '/returns', 'x'.repeat(70_000), 413],
])('%s is refused in words', async (_, at, body, status) => {
  const answer = await post((await openShop()) + at, body);
  expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
});
