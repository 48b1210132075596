import { afterEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool } from '../../../src/platform/postgres/pool.ts';
import { createCall, startApi, type Api } from './api-setup.ts';
import { holdTime } from '../../clock.ts';
import { runApi } from '../../../src/roles/api/run.ts';
import { startFaultProxy } from '../../platform/fault-proxy.ts';

let stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
});

async function start(options: Parameters<typeof startApi>[0]): Promise<Api> {
  const api = await startApi(options);
  stops.push(api.stop);
  return api;
}

test('with the database away every route is 503 with Retry-After, and it recovers by itself', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const api = await start({});
  const line = await startFaultProxy(api.engine.databaseUrl);
  stops.push(line.stop);
  const databaseUrl = line.through(api.engine.databaseUrl);
  const pool = createPool(databaseUrl, { log });
  stops.push(() => pool.end());
  const behind = await runApi({
    ...api.engine,
    pool,
    log,
    databaseUrl,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  stops.push(behind.stop);
  const call = createCall(behind.url, api.key);
  expect((await call('GET', '/v1/agents')).status).toBe(200);

  line.refuse();
  for (const [method, path] of [
    ['GET', '/v1/agents'],
    ['POST', '/v1/webhooks/we_00000000000000000000000000/test'],
    ['DELETE', '/v1/agents/agt_00000000000000000000000000'],
  ] as const) {
    const { status, headers, body, text } = await call(method, path);
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/);
  }
  expect((await call('GET', '/readyz')).status).toBe(503);
  expect((await call('GET', '/healthz')).status).toBe(200);
  expect((await call('GET', '/v1/openapi.json')).status).toBe(200);

  line.accept();
  expect((await call('GET', '/v1/agents')).status).toBe(200);
  expect((await call('GET', '/readyz')).status).toBe(200);
  expect(lines.join('')).not.toContain(api.key);
});

test('what breaks inside is 500, shows nothing and is in the log with its stack', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const api = await start({ operator: false, log });
  await api.engine.pool.query('alter table agents rename column ready to was_ready');
  const { status, text, headers } = await api.call('GET', '/v1/agents');
  expect(status).toBe(500);
  expect(text).not.toMatch(/column|ready|\.ts/);
  const logged = lines.find((line) => line.includes('"request failed"'));
  expect(logged).toContain(headers.get('request-id')!);
  expect(logged).toContain('agents.sql.ts');
});

test('without an operator a write is answered when two seconds are over', async () => {
  const api = await start({ operator: false });
  const time = holdTime();
  let isAnswered = false;
  const asked = api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
  void asked.then(() => (isAnswered = true));
  await time.armed(100); // The API checks every 100 ms.
  await time.advance(1_900);
  await time.armed(100);
  expect(isAnswered).toBe(false);
  await time.advance(100);
  expect((await asked).status).toBe(202);
});

test('without an operator a write is 202, whole and not ready, and ready once there is one', async () => {
  const api = await start({ operator: false });
  const json = { prompt: 'x', display_name: 'Waits' };
  const [agent, webhook] = await Promise.all([
    api.call('POST', '/v1/agents', { json }),
    api.call('POST', '/v1/webhooks', { json: { url: 'https://example.com/' } }),
  ]);
  expect(agent.status).toBe(202);
  expect(agent.body).toMatchObject({ ...json, name: 'waits', ready: false, active_version: null });
  expect(agent.body.status).toMatchObject({ ready: false });
  expect(webhook.status).toBe(202);
  expect(webhook.body).toMatchObject({ ready: false, secret: expect.stringMatching(/^whsec_/) });

  await api.engine.startOperator();
  const later = await api.engine.eventually(async () => {
    const reply = await api.call('GET', `/v1/agents/${agent.body.id}`);
    return reply.body.ready === true && reply.body;
  });
  expect(later).toMatchObject({ id: agent.body.id, active_version: 1 });
});

test('the log has a line for each request and nothing that anybody said', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const api = await start({ log });
  const json = { prompt: 'the customer is Ada Lovelace', metadata: { note: 'canary-note' } };
  const { headers } = await api.call('POST', '/v1/agents', { json });
  const secret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
  await api.call('POST', '/v1/webhooks', { json: { url: 'https://example.com/', secret } });
  await api.call('GET', '/v1/events?type=canary-query');
  await api.call('POST', '/v1/agents', { json: { ...json, unknown_canary: 1 } });
  await api.call('GET', '/healthz');
  const text = lines.join('');
  expect(text).toContain(headers.get('request-id')!);
  expect(text).toContain('"path":"/v1/agents"');
  for (const canary of [api.key, secret, 'Lovelace', 'canary', 'authorization', 'healthz']) {
    expect(text).not.toContain(canary);
  }
});
