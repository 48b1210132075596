import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { startConversationFixture, type ConversationFixture } from './conversation-setup.ts';
import { scriptedResponder } from './turns/scripted-responder.ts';
import { holdTime } from '../clock.ts';
import { openSse } from './turns/sse.ts';

/** Test conversations of any version make no events and no figures (contract/conversations.md#test-conversations). */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const post = (path: string, json: unknown = {}): Promise<Reply> =>
  fixture.call('POST', path, { json });
const begin = (json: object): Promise<Reply> => post('/v1/conversations', json);

/** Whose second version waits to be published. */
async function agentWithDraft(): Promise<string> {
  const id = await fixture.newAgent({ prompt: 'First.', first_message: 'I am the first.' });
  const json = { publish_policy: 'manual', first_message: 'I am the second.' };
  const { body } = await fixture.call('PATCH', `/v1/agents/${id}`, { json });
  expect(body).toMatchObject({ active_version: 1, latest_version: 2 });
  return id;
}

test('a test talks with any version there is, also of an agent of which nothing is live', async () => {
  const draft = { prompt: 'Help.', publish_policy: 'manual', first_message: 'Not live yet.' };
  const { body: agent } = await post('/v1/agents', draft);
  expect(agent).toMatchObject({ active_version: null, latest_version: 1 });
  const { status, body } = await begin({ agent_id: agent.id, agent_version: 1, test: true });
  expect([status, body.agent_version, body.test]).toEqual([201, 1, true]);
  expect((await fixture.turns(body.id))[0]).toMatchObject({ text: 'Not live yet.' });
  expect((await fixture.say(body.id, 'Hello')).body.turns).toHaveLength(2);

  const id = await agentWithDraft();
  const texts = [];
  for (const agent_version of [1, 2, undefined]) {
    const { body: started } = await begin({ agent_id: id, agent_version, test: true });
    texts.push((await fixture.turns(started.id))[0]!['text']);
  }
  expect(texts).toEqual(['I am the first.', 'I am the second.', 'I am the first.']);
});

test('without a test only what was live is talked with, and what is not there by nobody', async () => {
  const id = await agentWithDraft();
  const refused = async (json: object): Promise<unknown[]> => {
    const { status, body } = await begin({ agent_id: id, ...json });
    return [status, body.code];
  };
  expect(await refused({ agent_version: 2 })).toEqual([422, 'unknown_version']);
  expect(await refused({ agent_version: 2, test: false })).toEqual([422, 'unknown_version']);
  expect(await refused({ agent_version: 3, test: true })).toEqual([422, 'unknown_version']);
  expect(await refused({ agent_version: 0 })).toEqual([422, 'invalid_body']);
  const never = await begin({ agent_id: id, agent_version: 2 });
  expect(never.body.detail).toMatch(/never been live.*"test": true/);
  const foreign = await fixture.newKey('other');
  const json = { agent_id: id, agent_version: 1, test: true };
  const { body } = await fixture.call('POST', '/v1/conversations', { json, key: foreign });
  expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/agent_id' }] });
  // The second goes live: now the first is one that was, and may still be named.
  await post(`/v1/agents/${id}/publish`);
  const { body: first } = await begin({ agent_id: id, agent_version: 1 });
  expect(first).toMatchObject({ agent_version: 1, test: false });
  expect((await begin({ agent_id: id })).body.agent_version).toBe(2);

  const draft = { prompt: 'Help.', publish_policy: 'manual' };
  const { body: agent } = await post('/v1/agents', draft);
  const { body: nothing } = await begin({ agent_id: agent.id, test: true });
  expect([nothing.code, nothing.detail]).toEqual([
    'not_published',
    expect.stringContaining('`agent_version`'),
  ]);
});

/** Everything that tells of a conversation: a question without an answer, people, ends, an erasure. */
async function liveThrough(
  about: Record<string, unknown>,
): Promise<{ ids: string[]; escalations: string[] }> {
  const start = () => fixture.start(about);
  const [handed, declined, late, open, erased] = await Promise.all(
    Array.from({ length: 5 }, start),
  );
  const ids = [handed!, declined!, late!, open!, erased!];
  const accepted = { accepted_by: { id: 'op-1', name: 'Kim' } };
  await fixture.say(handed!, 'How long does delivery take?');
  await fixture.say(handed!, 'Do you sell submarines?');
  await fixture.say(handed!, 'I want to talk to a human');
  const [asked] = await escalationsOf(handed!);
  await post(`/v1/escalations/${asked}/accept`, accepted);
  await post(`/v1/escalations/${asked}/messages`, { text: 'Here is Kim.' });
  await post(`/v1/escalations/${asked}/complete`);
  await post(`/v1/conversations/${handed}/feedback`, { csat: 5 });
  await fixture.end(handed!);
  const { body: second } = await post(`/v1/conversations/${declined}/escalate`);
  await post(`/v1/escalations/${second.id}/decline`);
  await fixture.end(declined!);
  await fixture.engine.pool.query(
    `update conversations set expires_at = clock_timestamp() where id = $1`,
    [toUuid('conv', late!)],
  );
  await fixture.engine.eventually(async () => (await fixture.read(late!)).summary);
  await post(`/v1/conversations/${open}/escalate`);
  await post(`/v1/conversations/${erased}/escalate`);
  await fixture.call('DELETE', `/v1/conversations/${erased}`);
  const all = await Promise.all(ids.slice(0, 4).map(escalationsOf));
  return { ids, escalations: all.flat() };
}

const escalationsOf = async (id: string): Promise<string[]> => {
  const { body } = await fixture.call('GET', `/v1/escalations?test=true&conversation_id=${id}`);
  return body.data.map((one: { id: string }) => one.id);
};

/** What is stored and counted of events, gaps and conversations. */
async function figures(agentId: string): Promise<Record<string, unknown>> {
  const { rows } = await fixture.engine.pool.query<Record<string, number>>(
    `select (select count(*) from events)::int as events,
            (select count(*) from knowledge_gaps)::int as gaps`,
  );
  const metrics = await (await fetch(`${fixture.url}/metrics`)).text();
  const counted = metrics
    .split('\n')
    .filter((line) => /^parley_(conversation|escalation|knowledge_gap|events)/.test(line));
  const { body } = await fixture.call('GET', `/v1/agents/${agentId}/stats`);
  const { to: _, from: __, ...stats } = body;
  return { ...rows[0], counted, stats };
}

test('a test makes no event and no gap, and is in no figure; any other is', async () => {
  const agentId = await fixture.newAgent();
  const before = await figures(agentId);
  const { ids } = await liveThrough({ agent_id: agentId, test: true });
  expect(await figures(agentId)).toEqual(before);
  const { rows } = await fixture.engine.pool.query(
    'select from delivery_queue where conversation_id = any($1)',
    [ids.map((id) => toUuid('conv', id))],
  );
  expect(rows).toEqual([]);

  await liveThrough({ agent_id: agentId });
  const { events, gaps, counted, stats } = await figures(agentId);
  expect(events).toBeGreaterThan(Number(before['events']) + 15);
  expect(gaps).toBe(Number(before['gaps']) + 1);
  expect(stats).toMatchObject({ conversations: 5, escalations: 4, gaps: 1, csat_count: 1 });
  expect(counted).not.toEqual(before['counted']);
});

test('it is as any other besides: turns, knowledge, people, an outcome, a summary', async () => {
  const id = await fixture.start({ test: true });
  const { body } = await fixture.say(id, 'How long does delivery take?');
  expect(body.turns[1].retrieval.chunks).toHaveLength(1);
  expect(body.conversation.test).toBe(true);
  await fixture.say(id, 'Do you sell submarines?');
  const { body: asked } = await post(`/v1/conversations/${id}/escalate`, { reason: 'To try' });
  expect(asked).toMatchObject({ test: true, status: 'requested' });
  await post(`/v1/escalations/${asked.id}/accept`, { accepted_by: { id: 'op', name: 'Kim' } });
  await fixture.end(id);
  expect(await fixture.read(id)).toMatchObject({
    test: true,
    outcome: 'escalated',
    summary: expect.stringContaining('submarines'),
  });
  expect((await fixture.call('GET', `/v1/escalations/${asked.id}`)).body.test).toBe(true);
});

test('one that is read says by which activation its version was live, and a draft by none', async () => {
  const id = await agentWithDraft();
  const first = await fixture.start({ agent_id: id });
  const draft = await fixture.start({ agent_id: id, agent_version: 2, test: true });
  const activationOf = async (one: string) => (await fixture.read(one))['activation'];
  expect(await activationOf(first)).toMatchObject({ action: 'published', to_version: 1 });
  expect(await activationOf(draft)).toBeNull();
  await post(`/v1/agents/${id}/publish`);
  const second = await fixture.start({ agent_id: id });
  await post(`/v1/agents/${id}/rollback`, { version: 1, reason: 'It was rude' });
  const back = await fixture.start({ agent_id: id });
  const { body } = await fixture.call('GET', `/v1/agents/${id}/activations`);
  const [rolledBack, published, begun] = body.data;
  expect(rolledBack).toMatchObject({ action: 'rolled_back', reason: 'It was rude' });
  const all = [];
  for (const one of [first, draft, second, back]) all.push(await activationOf(one));
  expect(all).toEqual([begun, null, published, rolledBack]);
  const list = await fixture.call('GET', `/v1/conversations?agent_id=${id}`);
  expect(list.body.data[0]).not.toHaveProperty('activation');
});

test('lists, and all in lines, have it with test=true alone, beside the others', async () => {
  const agent_id = await fixture.newAgent();
  const real = await fixture.start({ agent_id });
  const tried = await fixture.start({ agent_id, test: true });
  for (const id of [real, tried]) await post(`/v1/conversations/${id}/escalate`);
  const list = async (path: string, accept?: string): Promise<unknown[]> => {
    const headers = accept === undefined ? {} : { accept };
    const { status, text } = await fixture.call('GET', path, { headers });
    expect(status).toBe(200);
    const data: { id: string; conversation_id?: string }[] =
      accept === undefined
        ? JSON.parse(text).data
        : text
            .trim()
            .split('\n')
            .map((line: string) => JSON.parse(line));
    return data.map(({ id, conversation_id = id }) => conversation_id);
  };
  const of = `agent_id=${agent_id}`;
  for (const path of [`/v1/conversations?${of}`, `/v1/escalations?${of}`]) {
    expect([path, await list(path)]).toEqual([path, [real]]);
    expect([path, await list(`${path}&test=false`)]).toEqual([path, [real]]);
    expect([path, await list(`${path}&test=true`)]).toEqual([path, [tried, real]]);
  }
  const lines = 'application/x-ndjson';
  expect(await list(`/v1/conversations?${of}`, lines)).toEqual([real]);
  expect(await list(`/v1/conversations?${of}&test=true`, lines)).toEqual([tried, real]);
});

test('who follows it is told at once, though there is no event', async () => {
  const id = await fixture.start({ test: true });
  holdTime(); // Nobody polls.
  const url = `${fixture.url}/v1/conversations/${id}/events`;
  const reader = await openSse(url, { key: fixture.key });
  await reader.next();
  const toldOf = async (act: () => Promise<Reply>): Promise<unknown> => {
    const { body } = await act();
    await reader.next();
    await reader.next();
    return body.id;
  };
  const asked = await toldOf(() => post(`/v1/conversations/${id}/escalate`));
  const accepted_by = { id: 'op', name: 'Kim' };
  await post(`/v1/escalations/${String(asked)}/accept`, { accepted_by });
  expect(await reader.next()).toMatchObject({ data: { text: 'Kim has joined.' } });
  expect(await reader.next()).toMatchObject({ data: { status: 'escalated' } });
  await fixture.end(id);
  expect(await reader.rest()).toMatchObject([{ event: 'conversation', data: { status: 'ended' } }]);
});

test('a reply that fails in a test raises no alarm', async () => {
  const responder = scriptedResponder();
  const failing = await startConversationFixture({ responder });
  try {
    const error = { code: 'model_timeout', detail: 'it took too long' };
    responder.play(async () => ({ text: 'Sorry.', error }));
    const failures = async (about: object): Promise<number> => {
      const { body } = await failing.say(await failing.start({ ...about }), 'Hello');
      expect(body.turns[1].error.code).toBe('model_timeout');
      const { values } = await failing.engine.metrics.turnErrors.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    expect(await failures({ test: true })).toBe(0);
    expect(await failures({})).toBe(1);
  } finally {
    await failing.stop();
  }
});
