import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startRole, type Parley } from '../roles/parley-process.ts';

/** The API dies when a declared thing is written and its line of the audit log is not settled. */

const KEY = `parley_${'k'.repeat(30)}`;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: Client;
let operator: Parley;
let url: string;
beforeEach(async () => {
  database = await createTestDatabase();
  admin = new Client(database.url);
  await admin.connect();
  operator = await startRole('operator', { databaseUrl: database.url, env: {} });
});
afterEach(async () => {
  await operator.stop();
  await admin.end();
  await database.drop();
});

async function startApi(failpoints: string): Promise<Parley> {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  const env = { PARLEY_PORT: port, PARLEY_API_KEY: KEY, PARLEY_FAILPOINTS: failpoints };
  return startRole('api', { databaseUrl: database.url, env });
}

const ask = (method: string, path: string, json?: unknown, headers = {}): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });

async function lines(): Promise<{ outcome: string; target: string; action: string }[]> {
  const { rows } = await admin.query<{ outcome: string; target: string; action: string }>(
    `select outcome, target, action from audit_log where action = 'agent.created'`,
  );
  return rows;
}

test('F-06: the line stays as unknown, and the repeat of the request settles it', async () => {
  const once = { 'idempotency-key': 'once' };
  const agent = { prompt: 'You sell bicycles.' };
  const dying = await startApi('audit.settling=kill');
  await expect(ask('POST', '/v1/agents', agent, once)).rejects.toThrow();
  expect(await lines()).toMatchObject([{ outcome: 'unknown' }]);
  await dying.kill();
  const api = await startApi('');
  await admin.query(`update idempotency_marks set claimed_at = '-infinity'`);
  const answer = await ask('POST', '/v1/agents', agent, once);
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  expect(await lines()).toEqual([{ outcome: 'done', target: id, action: 'agent.created' }]);
  await api.stop();
});
