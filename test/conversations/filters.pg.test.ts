import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createParleyClient, ok } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { conversationsIn } from '../../src/conversations/record/list-conversations.sql.ts';
import { createCall } from '../roles/api/api-setup.ts';
import { pass, startConversationFixture, type ConversationFixture } from './conversation-setup.ts';

/** Conversations, escalations and calls are found by what hangs on them, and changed after the fact. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

/** Ids in the order of the answer. */
async function found(query: string, path = '/v1/conversations'): Promise<string[]> {
  const { status, body } = await fixture.call('GET', `${path}?limit=100&${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data.map(({ id }: { id: string }) => id);
}
const refused = async (query: string): Promise<string[]> => {
  const { body } = await fixture.call('GET', `/v1/conversations?${query}`);
  return [body.code, body.detail];
};
const patch = (id: string, json: unknown) =>
  fixture.call('PATCH', `/v1/conversations/${id}`, { json });

describe('metadata.KEY', () => {
  test('finds exactly that, newest first, and of several pairs all', async () => {
    const one = await fixture.start({ metadata: { crm: '1', plan: 'gold' } });
    const two = await fixture.start({ metadata: { crm: '2', plan: 'gold' } });
    await fixture.start({ metadata: { crm: '10', plan: 'gol' } });
    expect(await found('metadata.plan=gold')).toEqual([two, one]);
    expect(await found('metadata.crm=1')).toEqual([one]);
    expect(await found('metadata.crm=1&metadata.plan=gold')).toEqual([one]);
    expect(await found('metadata.crm=1&metadata.plan=silver')).toEqual([]);
    expect(await found('metadata.crm=2&status=active&metadata.plan=gold')).toEqual([two]);
  });

  test('whatever characters key and value have', async () => {
    const metadata = { 'a.b/c 1': 'x=y&z', 'ü💬': '', "'": '"\\' };
    const id = await fixture.start({ metadata });
    for (const [key, value] of Object.entries(metadata)) {
      const query = `${encodeURIComponent(`metadata.${key}`)}=${encodeURIComponent(value)}`;
      expect([key, await found(query)]).toEqual([key, [id]]);
    }
    expect(await found('metadata.*=x')).toEqual([]);
  });

  test('the typed client sends them', async () => {
    const id = await fixture.start({ metadata: { 'my key': 'a&b' } });
    const parley = createParleyClient({ baseUrl: fixture.url, apiKey: fixture.key });
    const query = { 'metadata.my key': 'a&b', agent_version: 1 };
    const { data } = await ok(parley.GET('/v1/conversations', { params: { query } }));
    expect(data.map((one) => one.id)).toEqual([id]);
    for await (const one of parley.list('/v1/conversations', { query })) expect(one.id).toBe(id);
  });

  test('pages', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await fixture.start({ metadata: { set: 'paged' } }));
    const seen = [];
    let cursor = '';
    do {
      const { body } = await fixture.call(
        'GET',
        `/v1/conversations?metadata.set=paged&limit=2${cursor}`,
      );
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(ids.toReversed());
  });

  test('not of another namespace, nor of what was erased', async () => {
    const id = await fixture.start({ metadata: { mine: 'yes' } });
    expect(await found('metadata.mine=yes')).toEqual([id]);
    const call = createCall(fixture.url, await fixture.newKey('other'));
    expect((await call('GET', '/v1/conversations?metadata.mine=yes')).body.data).toEqual([]);
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect(await found('metadata.mine=yes')).toEqual([]);
    const { rows } = await fixture.engine.pool.query(
      'select from conversation_metadata where conversation_id = $1',
      [toUuid('conv', id)],
    );
    expect(rows).toEqual([]);
  });

  test.each([
    ['metadata.=x', 'unknown_parameter'],
    ['metadata=x', 'unknown_parameter'],
    ['metadata.__proto__=x', 'unknown_parameter'],
    ['metadata.a=1&metadata.a=2', 'invalid_parameter'],
    ['metadata.a=%00', 'invalid_parameter'],
    ['metadata.%00=a', 'invalid_parameter'],
    [Array.from({ length: 11 }, (_, i) => `metadata.k${i}=1`).join('&'), 'invalid_parameter'],
    [`metadata.a=${'x'.repeat(1_025)}`, 'invalid_parameter'],
    [`metadata.${'k'.repeat(129)}=a`, 'invalid_parameter'],
  ])('%s is 400', async (query, code) => {
    expect((await refused(query))[0]).toBe(code);
  });

  test('of many conversations it reads those it finds', async () => {
    const { pool } = fixture.engine;
    await pool.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, metadata,
                                  max_duration_sec, silence_timeout_sec)
       select parley_uuid_v7(), 'default', $1, 1, 'chat', 'active',
              jsonb_build_object('source', 'web') ||
                case when n % 10000 = 7 then '{"order": "rare"}' else '{}' end::jsonb, 60, 60
         from generate_series(1, 30000) n`,
      [toUuid('agt', fixture.agentId)],
    );
    await pool.query('analyze conversations, conversation_metadata');
    for (const metadata of [
      { order: 'rare' },
      { source: 'web' },
      { source: 'web', order: 'rare' },
      { order: 'none' },
    ]) {
      const { from, where, values } = conversationsIn({
        namespace: 'default',
        limit: 21,
        metadata,
      });
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: object }] }>(
        `explain (analyze, buffers, format json) select c.id from ${from} where ${where}
          order by c.id desc limit 21`,
        values,
      );
      const plan = rows[0]!['QUERY PLAN'][0].Plan as Record<string, number>;
      const read = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
      expect([metadata, read]).toEqual([metadata, expect.any(Number)]);
      expect(read).toBeLessThan(200);
    }
  });
});

test('by call, its numbers, version and end', async () => {
  await fixture.start({}); // Of no call.
  const json = { agent_id: fixture.agentId, to: '+442071838750', from: '+442071838751' };
  const made = await fixture.call('POST', '/v1/calls', {
    json: { ...json, simulated: { turns: [{ text: 'Hi' }] } },
  });
  const { conversation_id: id, ended_at } = await fixture.engine.eventually(async () => {
    const { body } = await fixture.call('GET', `/v1/calls/${made.body.id}`);
    return body.status === 'completed' && body;
  });
  expect(await found(`call_id=${made.body.id}`)).toEqual([id]);
  expect(await found('to=%2B442071838750')).toEqual([id]);
  expect(await found('from=%2B442071838750')).toEqual([]);
  expect(await found('from=%2B442071838751&to=%2B442071838750')).toEqual([id]);
  expect(await found('from=%2B442071838751', '/v1/calls')).toEqual([made.body.id]);
  expect(await found('to=%2B442071838751', '/v1/calls')).toEqual([]);
  expect((await refused('from=+442071838751'))[1]).toContain('%2B');
  expect(
    await found(`ended_after=${ended_at - 5}&ended_before=${ended_at + 5}&channel=voice`),
  ).toEqual([id]);
  expect(await found(`ended_after=${ended_at + 60}`)).toEqual([]);
  expect(await found('agent_version=2')).toEqual([]);
  expect(await found('agent_version=1&channel=voice')).toEqual([id]);
  expect((await refused('agent_version=0'))[0]).toBe('invalid_parameter');
});

describe('PATCH', () => {
  test('what was changed is found as it is now, and told in events from then on', async () => {
    const id = await fixture.start({ user_id: 'u-1', metadata: { a: '1', b: '2' } });
    const { status, body } = await patch(id, { user_id: 'u-2', metadata: { b: null, c: '3' } });
    expect([status, body.user_id, body.metadata]).toEqual([200, 'u-2', { a: '1', c: '3' }]);
    expect(await fixture.read(id)).toMatchObject(body);
    expect(await found('metadata.b=2')).toEqual([]);
    expect(await found('metadata.c=3&metadata.a=1&user_id=u-2')).toEqual([id]);
    await fixture.end(id);
    const [started, ended] = await fixture.events(id);
    expect(started!.data).toMatchObject({ user_id: 'u-1', metadata: { a: '1', b: '2' } });
    expect(ended!.data).toMatchObject({ user_id: 'u-2', metadata: { a: '1', c: '3' } });
  });

  test('in every status; null removes; of an erased one 404', async () => {
    const id = await fixture.start({ user_id: 'u', metadata: { a: '1' } });
    await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
    expect((await patch(id, { metadata: { a: '2' } })).body.status).toBe('escalated');
    await fixture.end(id);
    expect((await patch(id, {})).body).toMatchObject({ user_id: 'u', metadata: { a: '2' } });
    expect((await patch(id, { user_id: null, metadata: null })).body).toMatchObject({
      status: 'ended',
      user_id: null,
      metadata: {},
    });
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect((await patch(id, { user_id: 'u' })).status).toBe(404);
  });

  test('a turn under way goes on', async () => {
    const id = await fixture.start();
    const [said, changed] = await Promise.all([
      fixture.say(id, 'How long does delivery take?'),
      patch(id, { metadata: { while: 'thinking' } }),
    ]);
    expect([said.status, changed.status]).toEqual([200, 200]);
    expect(await fixture.read(id)).toMatchObject({
      turn_count: 2,
      metadata: { while: 'thinking' },
    });
  });

  test.each([
    [{ user_id: '' }, '/user_id'],
    [{ metadata: { a: 1 } }, '/metadata/a'],
    [{ status: 'ended' }, '/status'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, ''])) },
      '/metadata',
    ],
  ])('%j is 422', async (json, pointer) => {
    const { status, body } = await patch(await fixture.start(), json);
    expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  });
});

describe('escalations', () => {
  const accept = (esc: string, id: string) =>
    fixture.call('POST', `/v1/escalations/${esc}/accept`, {
      json: { accepted_by: { id, name: 'Kim' } },
    });
  const escalate = async (id: string): Promise<string> =>
    (await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} })).body.id;
  const list = (query: string) => found(query, '/v1/escalations');

  test('are found by time and by who accepted', async () => {
    const id = await fixture.start();
    const esc = await escalate(id);
    await accept(esc, 'op-77');
    const mine = `conversation_id=${id}`;
    const { created } = (await fixture.call('GET', `/v1/escalations/${esc}`)).body;
    expect(await list('accepted_by=op-77')).toEqual([esc]);
    expect(await list('accepted_by=op-78')).toEqual([]);
    expect(await list(`${mine}&created_after=${created}&created_before=${created + 1}`)).toEqual([
      esc,
    ]);
    expect(await list(`${mine}&created_before=${created}`)).toEqual([]);
    expect(await list(`${mine}&finished_after=0`)).toEqual([]);
    const { body } = await fixture.call('POST', `/v1/escalations/${esc}/complete`, { json: {} });
    const at = body.finished_at;
    expect(await list(`finished_after=${at}&finished_before=${at + 1}&${mine}`)).toEqual([esc]);
    expect(await list(`finished_before=${at}&${mine}`)).toEqual([]);
  });

  test('the summary is renewed when somebody accepts and when they are done', async () => {
    const id = await fixture.start();
    const esc = await escalate(id);
    const summary = async () => (await fixture.call('GET', `/v1/escalations/${esc}`)).body.summary;
    const requested = await summary();
    await fixture.say(id, 'How long does delivery take?');
    expect(await summary()).toBe(requested);
    await pass(fixture, id, 20);
    const { body } = await accept(esc, 'op');
    expect(await summary()).toBe(body.summary);
    expect(body.summary).toContain('Kim took over after 20 seconds');
    const done = await fixture.call('POST', `/v1/escalations/${esc}/complete`, { json: {} });
    expect(await summary()).toBe(done.body.summary);
    const event = (await fixture.events(id)).find(({ type }) => type === 'escalation.requested');
    expect(event!.data.summary).toBe(requested);
  });

  test('and when the conversation ends under a human', async () => {
    const id = await fixture.start();
    const esc = await escalate(id);
    const { body } = await accept(esc, 'op');
    await fixture.say(id, 'It is all in vain, I hate it!');
    await fixture.end(id);
    const read = await fixture.call('GET', `/v1/escalations/${esc}`);
    expect(read.body.status).toBe('completed');
    expect(read.body.summary).not.toBe(body.summary);
  });
});
