import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findApiKey } from '../../src/access/api-keys.sql.ts';
import { makeSignInToken } from '../../src/access/sign-in.ts';
import { runApi } from '../../src/roles/api/run.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { createCall, startApi, type Api } from '../roles/api/api-setup.ts';
import { cookieOf, createSignIn, type SignIn } from './browser.ts';

/** Signing in, the rights of a session, and the name of its acts (contract/sessions.md). */

let api: Api;
let signIn: SignIn;
beforeAll(async () => {
  api = await startApi();
  signIn = createSignIn(api);
});
afterAll(() => api.stop());

const post = (json: object, headers: Record<string, string> = {}): Promise<Reply> =>
  api.call('POST', '/v1/sessions', { key: null, json, headers });

describe('POST /v1/sessions', () => {
  test('exchanges an API key for a cookie, which works', async () => {
    const reply = await post({ api_key: api.key, name: ' Ada Lovelace ' });
    expect(reply).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^ses_/),
        name: 'Ada Lovelace',
        scopes: ['read', 'write', 'publish', 'replay', 'keys'],
        namespace: 'default',
      },
    });
    const cookie = cookieOf(reply);
    const me = await api.call('GET', '/v1/me', { key: null, headers: { cookie } });
    expect(me).toMatchObject({
      status: 200,
      body: {
        actor: 'session:Ada Lovelace',
        name: 'Ada Lovelace',
        namespace: 'default',
        session: { id: reply.body.id },
        api_key: { id: reply.body.api_key_id },
      },
    });
  });

  test('its cookie makes an agent, whose history has the name', async () => {
    const { ask } = await signIn({ name: 'Grace' });
    const made = await ask('POST', '/v1/agents', { json: { prompt: 'x' } });
    expect(made.status).toBe(201);
    const { body } = await ask('GET', `/v1/agents/${made.body.id}/activations`);
    expect(body.data).toMatchObject([{ actor: 'session:Grace' }]);
  });

  test.each([
    ['no credential', { name: 'Ada' }, ''],
    ['two', { api_key: 'x', sign_in_token: 'y', name: 'Ada' }, ''],
    ['a key and no name', { api_key: 'x' }, '/name'],
    ['an empty name', { api_key: 'x', name: '  ' }, '/name'],
    ['a long name', { api_key: 'x', name: 'a'.repeat(65) }, '/name'],
    ['a name of two lines', { api_key: 'x', name: 'Ada\nfile' }, '/name'],
    ['a name that writes backwards', { api_key: 'x', name: 'Ada\u202emada' }, '/name'],
    ['a name with nothing in it', { api_key: 'x', name: 'A\u200bda' }, '/name'],
    ['a password', { api_key: 'x', name: 'Ada', password: 'y' }, '/password'],
  ])('%s is 422', async (_, json, pointer) => {
    const { status, body, headers } = await post(json);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_body' });
    const pointers = body.errors.map((error: { pointer: string }) => error.pointer);
    expect([...new Set(pointers)]).toEqual([pointer]);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('a key that is unknown, was deleted or ran out is 401, and sets nothing', async () => {
    const revoked = await api.newKey('default', ['read']);
    const expired = await api.newKey('default', ['read']);
    const change = (key: string, what: string) =>
      api.engine.pool.query(`update api_keys set ${what} where prefix = $1`, [key.slice(0, 15)]);
    await change(revoked, 'revoked_at = clock_timestamp()');
    await change(expired, `expires_at = clock_timestamp() - interval '1 second'`);
    for (const key of ['parley_unknown', revoked, expired]) {
      const { status, body, headers } = await post({ api_key: key, name: 'Ada' });
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'unauthorized' });
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test('with an Idempotency-Key is another session: no cookie is kept', async () => {
    const headers = { 'idempotency-key': 'once' };
    const json = { api_key: api.key, name: 'Ada' };
    const [first, second] = [await post(json, headers), await post(json, headers)];
    expect(second.headers.get('idempotency-replayed')).toBeNull();
    expect(second.body.id).not.toBe(first.body.id);
    const { rows } = await api.engine.pool.query('select from idempotency_marks');
    expect(rows).toEqual([]);
  });

  test('of one key there are a thousand at most', async () => {
    const key = await api.newKey('crowd');
    await api.engine.pool.query(
      `insert into sessions (id, namespace, api_key_id, name, expires_at)
       select gen_random_uuid(), 'crowd', id, 'x', clock_timestamp() + interval '1 hour'
         from api_keys, generate_series(1, 1000) where prefix = $1`,
      [key.slice(0, 15)],
    );
    const full = await post({ api_key: key, name: 'Ada' });
    expect(full).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
    await api.engine.pool.query(
      `update sessions set last_seen_at = last_seen_at - interval '1 hour' where id in
         (select id from sessions where namespace = 'crowd' limit 1)`,
    );
    expect((await post({ api_key: key, name: 'Ada' })).status).toBe(201);
  });
});

test('wrong credentials are counted as wrong keys are: then 429, and a right one is taken', async () => {
  const engine = api.engine;
  const options = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: false };
  const { url, stop } = await runApi({ ...engine, ...options, rateLimit: 5 });
  try {
    const call = createCall(url, api.key);
    const send = (json: object) => call('POST', '/v1/sessions', { key: null, json });
    const wrong: number[] = [];
    for (const json of [{ api_key: 'parley_wrong', name: 'x' }, { sign_in_token: 'wrong' }]) {
      for (let i = 0; i < 4; i += 1) wrong.push((await send(json)).status);
    }
    expect(wrong).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await call('GET', '/v1/agents', { key: 'parley_wrong' })).status).toBe(429);
    expect((await send({ api_key: api.key, name: 'Ada' })).status).toBe(201);
  } finally {
    await stop();
  }
});

describe('a link that signs in', () => {
  const link = async (apiKey = api.key): Promise<string> => {
    const key = (await findApiKey(api.engine.pool, apiKey))!;
    const of = { namespace: key.namespace, keyId: key.id, name: 'ada' };
    return makeSignInToken(api.engine, of);
  };

  test('does so once, under its own name, or another', async () => {
    const token = await link();
    expect(token).toMatch(/^[0-9a-z]{26}$/);
    const first = await post({ sign_in_token: token });
    expect(first).toMatchObject({ status: 201, body: { name: 'ada' } });
    expect(await post({ sign_in_token: token })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    });
    const other = await post({ sign_in_token: await link(), name: 'Grace' });
    expect(other.body.name).toBe('Grace');
  });

  test('of several at once one is signed in', async () => {
    const token = await link();
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => post({ sign_in_token: token })),
    );
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(7);
  });

  test('is no use after a day, nor when its key is gone', async () => {
    const old = await link();
    await api.engine.pool.query(
      `update sign_in_tokens set expires_at = expires_at - interval '1 day' where used_at is null`,
    );
    expect((await post({ sign_in_token: old })).status).toBe(401);
    const key = await api.newKey('gone');
    const token = await link(key);
    await api.engine.pool.query(
      `update api_keys set revoked_at = clock_timestamp() where namespace = 'gone'`,
    );
    expect((await post({ sign_in_token: token })).status).toBe(401);
  });
});

describe('what a session may do', () => {
  test('is what its key may, and GET /v1/me says so whatever that is', async () => {
    for (const scopes of [['read'], ['write'], ['keys']] as const) {
      const apiKey = await api.newKey('default', scopes);
      const { ask } = await signIn({ apiKey });
      const { status, body } = await ask('GET', '/v1/me');
      expect({ status, scopes: body.scopes }).toEqual({ status: 200, scopes });
      expect((await ask('GET', '/v1/agents')).status).toBe(scopes[0] === 'read' ? 200 : 403);
      const byKey = await api.call('GET', '/v1/me', { key: apiKey });
      expect(byKey.body).toMatchObject({ name: null, session: null, scopes });
      expect(byKey.body.actor).toBe(`api:${byKey.body.api_key.id}`);
    }
  });

  test('sees its own session and no other, unless it may manage keys', async () => {
    const reader = await signIn({ apiKey: await api.newKey('default', ['read']), name: 'Reader' });
    const manager = await signIn({ apiKey: await api.newKey('default', ['keys']) });
    const own = `/v1/sessions/${reader.id}`;
    const others = `/v1/sessions/${manager.id}`;
    expect((await reader.ask('GET', own)).body.name).toBe('Reader');
    for (const [method, path] of [
      ['GET', others],
      ['DELETE', others],
      ['GET', '/v1/sessions'],
    ] as const) {
      const { status, body } = await reader.ask(method, path);
      expect({ method, path, status, code: body.code }).toMatchObject({
        status: 403,
        code: 'missing_scope',
      });
    }
    const { body } = await manager.ask('GET', '/v1/sessions?limit=100');
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining([reader.id, manager.id]));
    expect((await manager.ask('DELETE', own)).status).toBe(204);
    expect((await manager.ask('DELETE', own)).status).toBe(404);
    expect((await reader.ask('GET', '/v1/me')).status).toBe(401);
    // Their own is theirs whatever they may do.
    const again = await signIn({ apiKey: await api.newKey('default', ['read']) });
    expect((await again.ask('DELETE', `/v1/sessions/${again.id}`)).status).toBe(204);
  });

  test('stays in its namespace', async () => {
    const key = await api.newKey('elsewhere');
    const foreign = await signIn({ apiKey: key });
    const here = await signIn();
    for (const method of ['GET', 'DELETE']) {
      expect((await foreign.ask(method, `/v1/sessions/${here.id}`)).status).toBe(404);
    }
    const { body } = await foreign.ask('GET', '/v1/sessions');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([foreign.id]);
    expect((await foreign.ask('GET', '/v1/agents')).body.data).toEqual([]);
    expect((await here.ask('GET', '/v1/me')).status).toBe(200);
  });

  test('is counted as its key is, whoever it is', async () => {
    const { ask } = await signIn({ name: 'Counted' });
    const agent = await ask('POST', '/v1/agents', { json: { prompt: 'x' } });
    expect(agent.status).toBe(201);
    const hook = await ask('POST', '/v1/webhooks', { json: { url: 'https://example.com/x' } });
    const since = Math.floor(Date.now() / 1_000) - 60;
    await ask('POST', `${hook.headers.get('location')}/replay`, { json: { since } });
    const { rows } = await api.engine.pool.query<{ actor: string }>('select actor from jobs');
    expect(rows).toEqual([{ actor: expect.stringMatching(/^api:key_/) }]);
  });
});

describe('whose name the acts have', () => {
  test('is the session that did them, with its key behind it', async () => {
    const { id, ask } = await signIn({ name: 'Ada "}, file' });
    const actor = 'session:Ada "}, file';
    const { body: agent } = await ask('POST', '/v1/agents', { json: { prompt: 'one' } });
    await ask('PATCH', `/v1/agents/${agent.id}`, { json: { prompt: 'two' } });
    await ask('POST', `/v1/agents/${agent.id}/rollback`, { json: { reason: 'tired' } });
    const { body: history } = await ask('GET', `/v1/agents/${agent.id}/activations`);
    expect(history.data.map((line: { actor: string }) => line.actor)).toEqual([
      actor,
      actor,
      actor,
    ]);
    const { body: events } = await ask('GET', `/v1/events?agent_id=${agent.id}`);
    expect(events.data.map((event: { data: { actor: string } }) => event.data.actor)).toEqual([
      actor,
      actor,
      actor,
    ]);
    const { body: log } = await ask('GET', `/v1/audit_log?actor=${encodeURIComponent(actor)}`);
    type Line = { action: string; session_id: string; target: string; after: object };
    const lines = log.data as Line[];
    expect(lines.map(({ action }) => action)).toEqual([
      'agent.rolled_back',
      'agent.updated',
      'agent.created',
      'session.created',
    ]);
    expect(lines.map((line) => line.session_id)).toEqual(lines.map(() => id));
    expect(lines.at(-1)).toMatchObject({
      target: id,
      after: { name: 'Ada "}, file', api_key_id: expect.stringMatching(/^key_/) },
    });
    await ask('DELETE', `/v1/sessions/${id}`);
    const ended = await api.call('GET', `/v1/audit_log?target=${id}&action=session.ended`);
    expect(ended.body.data).toMatchObject([{ actor, detail: { reason: 'signed_out' } }]);
  });
});

test('tokens are nowhere but in the cookie: not in the database, not in a log, not in an answer', async () => {
  const reply = await post({ api_key: api.key, name: 'Ada' });
  const token = cookieOf(reply).split('=')[1]!;
  const link = 'abcdefghjkmnpqrstvwxyz0123';
  await post({ sign_in_token: link });
  expect(reply.text).not.toContain(token);
  const headers = { cookie: cookieOf(reply), 'idempotency-key': 'kept', origin: api.url };
  await api.call('POST', '/v1/agents', { key: null, headers, json: { prompt: 'x' } });
  const { pool } = api.engine;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const hashed = createHash('sha256').update(token).digest('hex');
  const holders: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from "${name}" t`);
    const all = rows.map(({ text }) => text).join('\n');
    const hidden = Buffer.from(token).toString('hex');
    expect({ name, has: [token, hidden, link].filter((one) => all.includes(one)) }).toEqual({
      name,
      has: [],
    });
    if (all.includes(hashed)) holders.push(name);
  }
  expect(holders).toEqual(['session_tokens']);
});
