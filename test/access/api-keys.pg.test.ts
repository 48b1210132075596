import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/platform/http/authorize.ts';
import { newId, toUuid } from '../../src/ids.ts';
import { recordAudit } from '../../src/audit/audit-log.sql.ts';
import { startApi, type Api, type Call, type Reply } from '../roles/api/api-setup.ts';

/** API keys (contract/api-keys.md), their scopes, and the audit log. */

let api: Api;
beforeAll(async () => {
  api = await startApi({ operator: false });
});
afterAll(() => api.stop());

let namespaces = 0;
/** A namespace of the test's own, with one key that may do everything. */
let namespace: string;
let root: string;
beforeEach(async () => {
  namespace = `team-${(namespaces += 1)}`;
  root = await api.newKey(namespace);
});

const as =
  (key: string): Call =>
  (method, path, options) =>
    api.call(method, path, { key, ...options });

const create = (json: object, key = root): Promise<Reply> =>
  as(key)('POST', '/v1/api_keys', { json });

async function newKey(name: string, scopes: Scope[]): Promise<{ id: string; key: string }> {
  const { status, body } = await create({ name, scopes });
  expect(status).toBe(201);
  return body;
}

const list = async (key = root): Promise<{ id: string; name: string }[]> =>
  (await as(key)('GET', '/v1/api_keys?limit=100')).body.data;

/** Id of the key that a namespace begins with. */
const onlyKey = async (): Promise<string> => (await list())[0]!.id;

/** The status of a request with the key. */
const tried = async (key: string, path = '/v1/agents'): Promise<number> =>
  (await as(key)('GET', path)).status;

const statusesOf = (replies: Reply[]): number[] =>
  replies.map(({ status }) => status).sort((a, b) => a - b);

describe('create', () => {
  test('answers the key once, with Location; reads and lists never show it', async () => {
    const { status, headers, body } = await create({ name: 'CI', scopes: ['write', 'read'] });
    expect(status).toBe(201);
    const { key, ...shown } = body;
    expect(key).toMatch(/^parley_[A-Za-z0-9_-]{40}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      created: expect.any(Number),
      name: 'CI',
      scopes: ['read', 'write'],
      prefix: key.slice(0, 15),
      last_used_at: null,
      expires_at: null,
    });
    expect(headers.get('location')).toBe(`/v1/api_keys/${body.id}`);
    expect((await as(root)('GET', headers.get('location')!)).body).toEqual(shown);
    const { text } = await as(root)('GET', '/v1/api_keys');
    expect(text).toContain(body.id);
    expect(text).not.toContain(key);
  });

  test('the new key works at once, as far as its scopes go, in its namespace', async () => {
    const { key } = await newKey('reader', ['read']);
    expect(await tried(key)).toBe(200);
    expect((await as(key)('POST', '/v1/agents', { json: { prompt: 'x' } })).status).toBe(403);
    expect(await tried(key, '/v1/api_keys')).toBe(403);
    const { rows } = await api.engine.pool.query(
      `select namespace from api_keys where name = 'reader' and namespace = $1`,
      [namespace],
    );
    expect(rows).toHaveLength(1);
  });

  test('with no more scopes than the caller has: 422 that says so, and no key', async () => {
    const { key } = await newKey('keeper', ['keys', 'read']);
    const before = (await list()).map(({ id }) => id);
    const { status, body } = await create({ name: 'more', scopes: ['read', 'publish'] }, key);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      {
        pointer: '/scopes',
        code: 'too_many_scopes',
        detail: expect.stringMatching(/only have scopes that your own key has.*publish/),
      },
    ]);
    expect((await list()).map(({ id }) => id)).toEqual(before);
    expect((await create({ name: 'same', scopes: ['keys', 'read'] }, key)).status).toBe(201);
  });

  test.each([
    [{ scopes: ['read'] }, '/name'],
    [{ name: '', scopes: ['read'] }, '/name'],
    [{ name: 'x'.repeat(101), scopes: ['read'] }, '/name'],
    [{ name: '\u202eevil\n{"fake": 1}', scopes: ['read'] }, '/name'],
    [{ name: 'x' }, '/scopes'],
    [{ name: 'x', scopes: [] }, '/scopes'],
    [{ name: 'x', scopes: ['admin'] }, '/scopes/0'],
    [{ name: 'x', scopes: ['read'], namespace: 'other' }, '/namespace'],
    [{ name: 'x', scopes: ['read'], key: 'parley_mine' }, '/key'],
  ])('%j is 422', async (json, pointer) => {
    const { status, body } = await create(json);
    expect(status).toBe(422);
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer]);
  });
});

describe('list', () => {
  test('newest first, in pages, of the own namespace only', async () => {
    for (const name of ['a', 'b', 'c']) await newKey(name, ['read']);
    await create({ name: 'theirs', scopes: ['read'] }, await api.newKey('somebody'));
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await as(root)('GET', `/v1/api_keys?limit=2${at}`);
      expect(body.data.length).toBeLessThanOrEqual(2);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(['c', 'b', 'a', '']);
  });

  test('another namespace has no such key', async () => {
    const { id } = await newKey('mine', ['read']);
    const stranger = as(await api.newKey('strangers'));
    for (const [method, path] of [
      ['GET', `/v1/api_keys/${id}`],
      ['DELETE', `/v1/api_keys/${id}`],
      ['POST', `/v1/api_keys/${id}/rotate`],
    ] as const) {
      const foreign = await stranger(method, path);
      const missing = await stranger(method, path.replace(id, newId('key')));
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    }
    expect((await list()).map((key) => key.id)).toContain(id);
  });
});

describe('delete', () => {
  // How soon it stops in other processes: revoked-keys.pg.test.ts.
  test('the key stops, and is gone', async () => {
    const { id, key } = await newKey('short', ['read']);
    expect(await tried(key)).toBe(200);
    expect((await as(root)('DELETE', `/v1/api_keys/${id}`)).status).toBe(204);
    expect(await tried(key)).toBe(401);
    expect((await list()).map((row) => row.id)).not.toContain(id);
    for (const method of ['GET', 'DELETE']) {
      expect((await as(root)(method, `/v1/api_keys/${id}`)).status).toBe(404);
    }
  });

  test('the last key that may manage keys stays: 409', async () => {
    const id = await onlyKey();
    const { id: keeper } = await newKey('keeper', ['keys']);
    await newKey('reader', ['read']);
    expect((await as(root)('DELETE', `/v1/api_keys/${keeper}`)).status).toBe(204);
    const { status, body } = await as(root)('DELETE', `/v1/api_keys/${id}`);
    expect([status, body.code]).toEqual([409, 'last_key']);
    expect(await tried(root)).toBe(200);
  });

  test('one that runs out by itself does not count as another', async () => {
    const id = await onlyKey();
    const { body } = await as(root)('POST', `/v1/api_keys/${id}/rotate`);
    const refused = await as(root)('DELETE', `/v1/api_keys/${body.id}`);
    expect(refused.body.code).toBe('last_key');
    expect((await as(body.key)('DELETE', `/v1/api_keys/${id}`)).status).toBe(204);
  });

  test('of two that delete the last two at once, one is refused', async () => {
    const first = await onlyKey();
    for (let round = 0; round < 10; round += 1) {
      const two = await newKey('second', ['keys']);
      const three = await newKey('third', ['keys']);
      const replies = await Promise.all([
        as(root)('DELETE', `/v1/api_keys/${two.id}`),
        as(root)('DELETE', `/v1/api_keys/${three.id}`),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([204, 204]);
    }
    const other = await newKey('other', ['keys']);
    const replies = await Promise.all([
      as(other.key)('DELETE', `/v1/api_keys/${other.id}`),
      as(root)('DELETE', `/v1/api_keys/${first}`),
    ]);
    expect(statusesOf(replies)).toEqual([204, 409]);
  });

  test('of two that delete each other, one is gone before it can', async () => {
    const first = await onlyKey();
    const other = await newKey('other', ['keys']);
    const replies = await Promise.all([
      as(other.key)('DELETE', `/v1/api_keys/${first}`),
      as(root)('DELETE', `/v1/api_keys/${other.id}`),
    ]);
    expect(statusesOf(replies)).toEqual([204, 401]);
  });
});

describe('rotate', () => {
  const rotate = (id: string, json?: object, key = root): Promise<Reply> =>
    as(key)('POST', `/v1/api_keys/${id}/rotate`, json ? { json } : {});

  test('a new key of the same name and scopes; the old one works for a day', async () => {
    const old = await newKey('job', ['read', 'replay']);
    const { status, headers, body } = await rotate(old.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'job', scopes: ['read', 'replay'], expires_at: null });
    expect(body.key).not.toBe(old.key);
    expect(body.id).not.toBe(old.id);
    expect(headers.get('location')).toBe(`/v1/api_keys/${body.id}`);
    expect([await tried(old.key), await tried(body.key)]).toEqual([200, 200]);
    const shown = (await as(root)('GET', `/v1/api_keys/${old.id}`)).body;
    const { rows } = await api.engine.pool.query(
      'select $1::float8 - extract(epoch from now()) between 86_340 and 86_400 as is',
      [shown.expires_at],
    );
    expect(rows).toEqual([{ is: true }]);
  });

  test('without an overlap the old key stops', async () => {
    const old = await newKey('job', ['read']);
    expect(await tried(old.key)).toBe(200);
    const { body } = await rotate(old.id, { overlap_sec: 0 });
    expect(await tried(old.key)).toBe(401);
    expect(await tried(body.key)).toBe(200);
    expect((await list()).map(({ id }) => id)).not.toContain(old.id);
  });

  test('the old key ends when the overlap does, by the clock of the database', async () => {
    const old = await newKey('job', ['read']);
    await rotate(old.id, { overlap_sec: 604_800 });
    const travel = (text: string): Promise<unknown> =>
      api.engine.pool.query(
        `update api_keys set expires_at = now() + interval '${text}' where id = $1`,
        [toUuid('key', old.id)],
      );
    await travel('10 seconds');
    expect(await tried(old.key)).toBe(200);
    await travel('-1 second');
    await api.engine.eventually(async () => (await tried(old.key)) === 401);
    expect((await rotate(old.id)).status).toBe(404);
  });

  test.each([-1, 604_801, 1.5, '60', null])('an overlap of %j is 422', async (overlap_sec) => {
    const { id } = await newKey('job', ['read']);
    expect((await rotate(id, { overlap_sec })).status).toBe(422);
    expect((await as(root)('GET', `/v1/api_keys/${id}`)).body.expires_at).toBeNull();
  });

  test('once: of many at the same time one makes a key, the others are 409', async () => {
    const { id } = await newKey('job', ['read']);
    const replies = await Promise.all(Array.from({ length: 5 }, () => rotate(id)));
    expect(statusesOf(replies)).toEqual([201, 409, 409, 409, 409]);
    const jobs = (await list()).filter(({ name }) => name === 'job');
    expect(jobs).toHaveLength(2);
  });

  test('a key that may only manage keys cannot make itself one that may more', async () => {
    const strong = await newKey('strong', ['read', 'publish', 'keys']);
    const keeper = await newKey('keeper', ['keys', 'read']);
    const { status, body } = await rotate(strong.id, undefined, keeper.key);
    expect([status, body.code]).toEqual([403, 'missing_scope']);
    expect(body.detail).toContain('publish');
    expect((await rotate(keeper.id, undefined, keeper.key)).status).toBe(201);
  });
});

describe('last_used_at', () => {
  test('is there soon after the first use, and written once a minute at most', async () => {
    const { id, key } = await newKey('used', ['read']);
    const usedAt = async (): Promise<number | null> => {
      const { rows } = await api.engine.pool.query<{ at: number | null }>(
        'select last_used_at as at from api_keys where id = $1',
        [toUuid('key', id)],
      );
      return rows[0]!.at;
    };
    await tried(key);
    const first = await api.engine.eventually(async () => (await usedAt()) ?? undefined);
    const { last_used_at } = (await as(root)('GET', `/v1/api_keys/${id}`)).body;
    expect(last_used_at).toBe(Math.floor(first / 1_000));
    for (let i = 0; i < 5; i += 1) await tried(key);
    // Another key's first use is written by the same writer, after anything noted before it.
    const witness = await newKey('witness', ['read']);
    await tried(witness.key);
    await api.engine.eventually(async () => {
      const { body } = await as(root)('GET', `/v1/api_keys/${witness.id}`);
      return body.last_used_at !== null;
    });
    expect(await usedAt()).toBe(first);
  });
});

describe('the audit log', () => {
  const read = async (query = '', key = root) =>
    (await as(key)('GET', `/v1/audit_log${query}`)).body;

  test('has a line for every act on keys, newest first, and none for what was refused', async () => {
    const mine = await onlyKey();
    const made = await newKey('job', ['read']);
    const rotated = await as(root)('POST', `/v1/api_keys/${made.id}/rotate`, {
      json: { overlap_sec: 60 },
    });
    await as(root)('DELETE', `/v1/api_keys/${made.id}`);
    await create({ name: '', scopes: ['read'] });
    await as(root)('DELETE', `/v1/api_keys/${mine}`);
    const { data } = await read();
    const detail = { name: 'job', scopes: ['read'], prefix: made.key.slice(0, 15) };
    const expires = { expires_at: expect.any(Number) };
    const rotation = { ...detail, new_key: rotated.body.id, overlap_sec: 60 };
    expect(data).toEqual(
      [
        ['api_key.deleted', detail, { ...detail, ...expires }, null],
        ['api_key.rotated', rotation, { expires_at: null }, expires],
        ['api_key.created', detail, null, { ...detail, expires_at: null }],
      ].map(([action, more, before, after]) => ({
        id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
        created: expect.any(Number),
        actor: `api:${mine}`,
        session_id: null,
        action,
        target: made.id,
        before,
        after,
        detail: more,
        outcome: 'done',
        address: '127.0.0.1',
        user_agent: 'node',
        request_id: expect.stringMatching(/^req_/),
      })),
    );
    expect(data[1].request_id).toBe(rotated.headers.get('request-id'));
    expect(JSON.stringify(data)).not.toContain(made.key);
  });

  test('is found by action, actor and time, in pages; of the own namespace, with the scope keys', async () => {
    const { pool } = api.engine;
    const lines = [
      ['api:key_1', 'api_key.created'],
      ['api:key_2', 'webhook.secret_rotated'],
      ['api:key_1', 'webhook.secret_rotated'],
      ['api:key_2', 'conversation.erased'],
    ] as const;
    for (const [actor, action] of lines) {
      await recordAudit(pool, { namespace, actor }, { action, target: 'x' });
    }
    const theirs = { namespace: 'other', actor: 'cli' };
    await recordAudit(pool, theirs, { action: 'api_key.deleted', target: 'x' });
    const found = async (query: string): Promise<number[]> => {
      const { data } = await read(query);
      const indices = data.map((line: { actor: string; action: string }) =>
        lines.findIndex(([actor, action]) => actor === line.actor && action === line.action),
      );
      return indices.sort(); // Of one millisecond, which has no order.
    };
    expect(await found('')).toEqual([0, 1, 2, 3]);
    expect(await found('?action=webhook.secret_rotated')).toEqual([1, 2]);
    expect(await found('?actor=api:key_1')).toEqual([0, 2]);
    expect(await found('?actor=api:key_2&action=conversation.erased')).toEqual([3]);
    const now = Math.floor(Date.now() / 1_000);
    expect(await found(`?created_after=${now - 60}&created_before=${now + 60}`)).toHaveLength(4);
    expect(await found(`?created_after=${now + 60}`)).toEqual([]);
    expect(await found(`?created_before=${now - 60}`)).toEqual([]);
    const first = await read('?limit=3');
    const rest = await read(`?limit=3&cursor=${first.next_cursor}`);
    expect([...first.data, ...rest.data]).toEqual((await read()).data);
    const reader = await api.newKey(namespace, ['read', 'write', 'publish', 'replay']);
    expect(await tried(reader, '/v1/audit_log')).toBe(403);
  });

  test('a line goes with its act: what is rolled back leaves none', async () => {
    const client = await api.engine.pool.connect();
    await client.query('begin');
    await recordAudit(
      client,
      { namespace, actor: 'cli' },
      { action: 'api_key.deleted', target: 'x' },
    );
    await client.query('rollback');
    client.release();
    expect((await read()).data).toEqual([]);
  });
});
