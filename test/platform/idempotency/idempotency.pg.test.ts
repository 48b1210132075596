import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { forgetOldMarks } from '../../../src/platform/idempotency/idempotency.ts';
import { startApi, type Api, type Call, type Reply } from '../../roles/api/api-setup.ts';
import {
  anotherApi,
  breakMarks,
  expectReplay,
  newEndpoint,
  newKey,
  postTo,
  QUIET,
} from './idempotency-setup.ts';

/** `Idempotency-Key` (contract/idempotency.md#keys). */

let api: Api;
/** A second API with its own connections, like another process. */
let other: Awaited<ReturnType<typeof anotherApi>>;
let endpoint: string;

beforeAll(async () => {
  api = await startApi({ log: QUIET });
  other = await anotherApi(api);
  endpoint = await newEndpoint(api);
});

afterAll(async () => {
  await other.stop();
  await api.stop();
});

const post = (path: string, key: string, json?: unknown, call = api.call): Promise<Reply> =>
  postTo(call)(path, key, json);

const countRows = async (table: string): Promise<number> => {
  const { rows } = await api.engine.pool.query<{ n: number }>(`select count(*) n from ${table}`);
  return rows[0]!.n;
};

describe('the same request again', () => {
  const requests: [string, () => [path: string, json?: unknown]][] = [
    ['creating an agent', () => ['/v1/agents', { prompt: 'Be brief.' }]],
    ['creating an endpoint', () => ['/v1/webhooks', { url: 'https://example.com/new' }]],
    ['sending a test event', () => [`${endpoint}/test`]],
    ['making an API key', () => ['/v1/api_keys', { name: 'mine', scopes: ['read'] }]],
  ];

  test.each(requests)('%s is answered the same, and nothing is made', async (_, request) => {
    const key = newKey();
    const [path, json] = request();
    const first = await post(path, key, json);
    expect(first.status).toBeGreaterThanOrEqual(201);
    expect(first.status).toBeLessThan(300);
    const tables = ['agents', 'webhook_endpoints', 'events', 'delivery_queue', 'api_keys'];
    const before = await Promise.all(tables.map(countRows));
    expectReplay(await post(path, key, json), first);
    expectReplay(await post(path, key, json, other.call), first);
    expect(await Promise.all(tables.map(countRows))).toEqual(before);
  });

  test('replaying an event makes its deliveries once', async () => {
    const sent = await post(`${endpoint}/test`, newKey());
    const path = `/v1/events/${sent.body.event_id}/replay`;
    const key = newKey();
    const first = await post(path, key);
    expect(first.status).toBe(202);
    expect(first.body.delivery_ids).toHaveLength(1);
    expectReplay(await post(path, key), first);
  });

  test('a key without the scope is refused before its body is read, and each time anew', async () => {
    const reader = await api.newKey('default', ['read']);
    const asReader: Call = (method, path, options) =>
      api.call(method, path, { key: reader, ...options });
    const key = newKey();
    for (const prompt of ['x', 'another']) {
      const refused = await post('/v1/agents', key, { prompt }, asReader);
      expect([refused.status, refused.headers.get('idempotency-replayed')]).toEqual([403, null]);
    }
  });

  test('a refusal is an answer too', async () => {
    const refusals: [number, string, unknown][] = [
      [404, `/v1/agents/${'agt_'.padEnd(30, '0')}/publish`, {}],
      [422, '/v1/agents', { prompt: 1 }],
      [400, '/v1/agents?no=1', { prompt: 'x' }],
    ];
    for (const [status, path, json] of refusals) {
      const key = newKey();
      const first = await post(path, key, json);
      expect(first.status).toBe(status);
      expectReplay(await post(path, key, json), first);
    }
    const text = { headers: { 'idempotency-key': newKey() }, body: 'x' };
    const wrongType = await api.call('POST', '/v1/agents', text);
    expect(wrongType.status).toBe(415);
    expectReplay(await api.call('POST', '/v1/agents', text), wrongType);
  });

  test('what was refused stays refused, though it would work by now', async () => {
    const name = `late-${Date.now()}`;
    await api.call('POST', '/v1/agents', { json: { prompt: 'x', name } });
    const key = newKey();
    const first = await post('/v1/agents', key, { prompt: 'x', name });
    expect(first.body.code).toBe('name_taken');
    const [agent] = (await api.call('GET', `/v1/agents?name=${name}`)).body.data;
    await api.call('DELETE', `/v1/agents/${agent.id}`);
    expectReplay(await post('/v1/agents', key, { prompt: 'x', name }), first);
  });

  test('survives a restart', async () => {
    const key = newKey();
    const one = await anotherApi(api);
    const first = await post(`${endpoint}/test`, key, undefined, one.call);
    await one.stop();
    const two = await anotherApi(api);
    expectReplay(await post(`${endpoint}/test`, key, undefined, two.call), first);
    await two.stop();
  });

  test('other methods do not look at the header', async () => {
    const headers = { 'idempotency-key': newKey() };
    for (const expected of [200, 200]) {
      const reply = await api.call('GET', endpoint, { headers });
      expect(reply.status).toBe(expected);
      expect(reply.headers.get('idempotency-replayed')).toBeNull();
    }
    expect((await api.call('GET', endpoint, { headers: { 'idempotency-key': '' } })).status).toBe(
      200,
    );
  });
});

describe('another request with the same key', () => {
  test('another body is 422, if only by a space, and changes nothing', async () => {
    const key = newKey();
    const first = await post('/v1/agents', key, { prompt: 'one' });
    const before = await countRows('agents');
    const two = await post('/v1/agents', key, { prompt: 'two' });
    expect([two.status, two.body.code]).toEqual([422, 'idempotency_key_reused']);
    const spaced = await api.call('POST', '/v1/agents', {
      headers: { 'idempotency-key': key, 'content-type': 'application/json' },
      body: '{"prompt": "one"}',
    });
    expect(spaced.body.code).toBe('idempotency_key_reused');
    expect(await countRows('agents')).toBe(before);
    expectReplay(await post('/v1/agents', key, { prompt: 'one' }), first);
  });

  test('another query is another request', async () => {
    const key = newKey();
    expect((await post('/v1/agents', key, { prompt: 'x' })).status).toBe(201);
    const reply = await post('/v1/agents?x=1', key, { prompt: 'x' });
    expect(reply.body.code).toBe('idempotency_key_reused');
  });

  test('each API key and each path has its own', async () => {
    const key = newKey();
    const first = await post(`${endpoint}/test`, key);
    const stranger = await api.newKey('default');
    const asStranger: Call = (method, path, options) =>
      api.call(method, path, { key: stranger, ...options });
    const theirs = await post(`${endpoint}/test`, key, undefined, asStranger);
    const elsewhere = await post(`${await newEndpoint(api)}/test`, key);
    const events = [first, theirs, elsewhere].map(({ status, body }) => {
      expect(status).toBe(202);
      return body.event_id;
    });
    expect(new Set(events).size).toBe(3);
  });

  test.each([
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a letter that is not ASCII', 'é'],
    ['a control character', 'a\tb'],
  ])('%s is no key: 400', async (_, key) => {
    const reply = await post('/v1/agents', key, { prompt: 'x' });
    expect([reply.status, reply.body.code]).toEqual([400, 'malformed_request']);
  });

  test('255 characters of all kinds are one', async () => {
    const kinds = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join('');
    const key = (newUuid() + kinds).padEnd(255, 'x');
    const first = await post(`${endpoint}/test`, key);
    expect(first.status).toBe(202);
    expectReplay(await post(`${endpoint}/test`, key), first);
  });
});

/** Locks a table. Writers wait until `release` is called. */
async function hold(
  table: string,
): Promise<{ waiting: (n: number) => Promise<unknown>; release: () => Promise<void> }> {
  const client = await api.engine.pool.connect();
  await client.query(`begin; lock table ${table} in exclusive mode`);
  return {
    waiting: (n) =>
      api.engine.eventually(async () => {
        const { rows } = await api.engine.pool.query<{ n: number }>(
          `select count(*) n from pg_locks where not granted and relation = $1::regclass`,
          [table],
        );
        return rows[0]!.n === n;
      }),
    release: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

const setMarks = (set: string): Promise<unknown> =>
  api.engine.pool.query(`update idempotency_marks set ${set} where answer is null`);

describe('while the first runs', () => {
  test('409 that says to come back, from every process; then the same answer', async () => {
    const key = newKey();
    const held = await hold('delivery_queue');
    const running = post(`${endpoint}/test`, key);
    await held.waiting(1);
    for (const call of [api.call, other.call]) {
      const reply = await post(`${endpoint}/test`, key, undefined, call);
      expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_in_progress']);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    const wrong = await post(`${endpoint}/test`, key, { type: 'agent.published' });
    expect(wrong.body.code).toBe('idempotency_key_reused');
    await held.release();
    const first = await running;
    expect(first.status).toBe(202);
    expectReplay(await post(`${endpoint}/test`, key), first);
  });

  test('an unfinished mark holds for 60 s by the clock of the database, and then no more', async () => {
    const key = newKey();
    const held = await hold('delivery_queue');
    const running = post(`${endpoint}/test`, key);
    await held.waiting(1);
    await setMarks(`claimed_at = now() - interval '59 seconds'`);
    expect((await post(`${endpoint}/test`, key)).status).toBe(409);
    await setMarks(`claimed_at = now() - interval '61 seconds'`);
    const taking = post(`${endpoint}/test`, key, undefined, other.call);
    await held.waiting(2);
    const before = await countRows('events');
    await held.release();

    // Both were about to commit. The one that lost its mark cannot.
    const [late, taken] = await Promise.all([running, taking]);
    expect(taken.status).toBe(202);
    expect([late.status, late.body.code]).toEqual([409, 'idempotency_in_progress']);
    expect(await countRows('events')).toBe(before + 1);
    expectReplay(await post(`${endpoint}/test`, key), taken);
  });

  test('F-31: of 50 at once one is done; the others get its answer or 409', async () => {
    const key = newKey();
    const before = await countRows('events');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post(`${endpoint}/test`, key, undefined, i % 2 === 0 ? api.call : other.call),
      ),
    );
    expect(await countRows('events')).toBe(before + 1);
    const done = replies.filter(({ status }) => status === 202);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const first = done.filter(({ headers }) => headers.get('idempotency-replayed') === null);
    expect(first).toHaveLength(1);
    for (const { status, body } of replies) {
      if (status !== 202) expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
    }
  });

  test('F-31: of 50 creates at once there is one agent', async () => {
    const key = newKey();
    const before = await countRows('resources');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        post('/v1/agents', key, { prompt: 'x' }, i % 2 === 0 ? api.call : other.call),
      ),
    );
    expect(await countRows('resources')).toBe(before + 1);
    expect(new Set(replies.filter((r) => r.status === 201).map((r) => r.text)).size).toBe(1);
    for (const { status } of replies) expect([201, 409]).toContain(status);
  });
});

describe('what is not kept', () => {
  test('a failure of ours: a repeat does it', async () => {
    const key = newKey();
    await api.engine.pool.query('alter table delivery_queue rename to gone');
    const failed = await post(`${endpoint}/test`, key);
    await api.engine.pool.query('alter table gone rename to delivery_queue');
    expect(failed.status).toBe(500);
    const before = await countRows('events');
    const first = await post(`${endpoint}/test`, key);
    expect(first.status).toBe(202);
    expect(await countRows('events')).toBe(before + 1);
    expectReplay(await post(`${endpoint}/test`, key), first);
  });

  test('a wrong API key', async () => {
    const key = newKey();
    const headers = { 'idempotency-key': key };
    for (const wrong of [null, 'parley_wrong']) {
      const reply = await api.call('POST', `${endpoint}/test`, { headers, key: wrong });
      expect(reply.status).toBe(401);
    }
    expect((await post(`${endpoint}/test`, key)).status).toBe(202);
  });

  test('anything after 24 hours', async () => {
    const key = newKey();
    const first = await post(`${endpoint}/test`, key);
    const age = (text: string): Promise<unknown> =>
      api.engine.pool.query(`update idempotency_marks set started_at = now() - interval '${text}'`);
    await age('23 hours 59 minutes');
    expectReplay(await post(`${endpoint}/test`, key), first);
    await age('24 hours 1 second');
    const anew = await post(`${endpoint}/test`, key, { type: 'agent.rolled_back' });
    expect(anew.headers.get('idempotency-replayed')).toBeNull();
    expect(anew.status).toBe(202);
    expectReplay(await post(`${endpoint}/test`, key, { type: 'agent.rolled_back' }), anew);
  });

  test('marks of a day ago are removed, younger ones stay', async () => {
    const key = newKey();
    const first = await post(`${endpoint}/test`, key);
    await api.engine.pool.query(
      `insert into idempotency_marks
         (api_key_id, place_hash, token, request, planned_id, started_at)
       select gen_random_uuid(), '\\x00', gen_random_uuid(), '\\x00', gen_random_uuid(),
              now() - interval '25 hours' from generate_series(1, 2500)`,
    );
    expect(await forgetOldMarks(api.engine)).toBe(true);
    while (await forgetOldMarks(api.engine));
    const { rows } = await api.engine.pool.query<{ n: number }>(
      `select count(*) n from idempotency_marks where started_at < now() - interval '24 hours'`,
    );
    expect(rows[0]!.n).toBe(0);
    expectReplay(await post(`${endpoint}/test`, key), first);
  });
});

test('what is kept is sealed: neither the answer nor the request can be read', async () => {
  const key = newKey();
  const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;
  const words = 'wordsofsomebody';
  const json = { url: 'https://example.com', secret, description: words };
  const { body } = await post('/v1/webhooks', key, json);
  const { rows } = await api.engine.pool.query<{ text: string }>(
    `select m::text || encode(answer, 'escape') || encode(request, 'escape') as text
       from idempotency_marks m where answer is not null`,
  );
  const text = rows.map((row) => row.text).join();
  expect(text.length).toBeGreaterThan(0);
  for (const hidden of [secret, body.id, words, key]) {
    expect(text).not.toContain(hidden);
    expect(text).not.toContain(Buffer.from(String(hidden)).toString('hex'));
  }
});

test('the answer is committed with the change: without the one there is not the other', async () => {
  const key = newKey();
  const before = await countRows('events');
  const mended = await breakMarks(api);
  expect((await post(`${endpoint}/test`, key)).status).toBe(500);
  expect(await countRows('events')).toBe(before);
  await mended();
  const first = await post(`${endpoint}/test`, key);
  expect(first.status).toBe(202);
  expect(await countRows('events')).toBe(before + 1);
});

test('what is said in a conversation is forgotten when that is erased; a repeat does nothing', async () => {
  const agent = await api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
  const [create, say] = [newKey(), newKey()];
  const json = { agent_id: agent.body.id };
  const { body } = await post('/v1/conversations', create, json);
  const path = `/v1/conversations/${body.id}`;
  const words = { text: 'my number is 4711' };
  const said = await post(`${path}/messages`, say, words);
  expectReplay(await post(`${path}/messages`, say, words), said);
  const kept = `select 1 from idempotency_marks where length(answer) > 0`;
  const before = (await api.engine.pool.query(kept)).rowCount!;
  expect((await api.call('DELETE', path)).status).toBe(204);
  expect((await api.engine.pool.query(kept)).rowCount).toBe(before - 2);
  const conversations = await countRows('conversations');
  for (const again of [
    await post(`${path}/messages`, say, words),
    await post('/v1/conversations', create, json),
  ]) {
    expect([again.status, again.text.includes('4711')]).toEqual([404, false]);
  }
  expect(await countRows('conversations')).toBe(conversations);
});
