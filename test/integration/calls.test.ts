import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runApi } from '../../src/api/run.ts';
import { createExtractiveResponder } from '../../src/conversation/extractive-responder.ts';
import { createTakeTurn } from '../../src/conversation/take-turn.ts';
import { toUuid } from '../../src/events/ids.ts';
import { readCall } from '../../src/store/calls.ts';
import { doStep } from '../../src/telephony/do-step.ts';
import { simulated } from '../../src/telephony/simulated.ts';
import { startApi, withoutRequestId, type Api, type Reply } from './api-setup.ts';

/** Calls by REST, carried by the simulated provider and played by the API as it runs. */

const FIRST_MESSAGE = 'Hello, this is the shop.';
const TO = '+442071838750';

let api: Api;
let agentId: string;

beforeEach(async () => {
  api = await startApi();
  agentId = await publishAgent('support', {
    first_message: FIRST_MESSAGE,
    escalation: { rules: [{ when: 'user_request' }] },
  });
});
afterEach(() => api.stop());

describe('a call that is answered', () => {
  test('is a conversation by voice with what the script says, and ends when the user hangs up', async () => {
    const made = await place({ user_id: 'u1', variables: { a: 1 }, metadata: { b: '2' } }, [
      { text: 'What is this?' },
      { text: 'Goodbye then.' },
    ]);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ status: 'queued', conversation_id: null, direction: 'outbound' });

    const call = await callWhen(made, 'completed');
    expect(call).toMatchObject({
      ended_reason: 'user_hangup',
      agent_id: agentId,
      to: TO,
      from: null,
      provider: 'simulated',
      provider_call_id: expect.stringMatching(/^sim_/),
      duration_sec: expect.any(Number),
      metadata: { b: '2' },
    });
    const conversation = await read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({
      call_id: call.id,
      channel: 'voice',
      status: 'ended',
      ended_reason: 'user_hangup',
      user_id: 'u1',
      variables: { a: 1 },
      metadata: { b: '2' },
    });
    expect(await saidIn(call)).toEqual(['agent', 'user', 'agent', 'user', 'agent']);
    expect(await userTurnsOf(call)).toEqual(['What is this?', 'Goodbye then.']);
    expect((await eventsOf(call)).filter((type) => /started|ended/.test(type))).toEqual([
      'conversation.ended',
      'conversation.started',
    ]);
  });

  test('waits as long as the script says, from the turn before', async () => {
    const made = await place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 700 }], {
      ring_ms: 300,
    });
    const call = await callWhen(made, 'completed');
    expect((call.answered_at - call.created) * 1_000).toBeGreaterThanOrEqual(0);
    const turns = (await transcriptOf(call)).turns.filter(({ role }) => role === 'user');
    const [one, two] = turns.map(({ started_at_ms }) => started_at_ms);
    expect(two! - one!).toBeGreaterThanOrEqual(700);
  });

  test('stays open without a script, is talked to by messages, and is ended by us', async () => {
    const made = await api.call('POST', '/v1/calls', { json: { agent_id: agentId, to: TO } });
    const call = await callWhen(made, 'in_progress');
    expect(call).toMatchObject({ ended_at: null, duration_sec: null, ended_reason: null });
    const said = await api.call('POST', `/v1/conversations/${call.conversation_id}/messages`, {
      json: { text: 'Hello?' },
    });
    expect(said.status).toBe(200);
    const ended = await end(call.id);
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'completed', ended_reason: 'agent_hangup' },
    });
    const conversation = await read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
    expect(await end(call.id)).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  });

  test('ends when its conversation is ended by other means', async () => {
    const made = await api.call('POST', '/v1/calls', { json: { agent_id: agentId, to: TO } });
    const { conversation_id } = await callWhen(made, 'in_progress');
    await api.call('POST', `/v1/conversations/${conversation_id}/end`, { json: {} });
    const call = await callWhen(made, 'completed');
    expect(call.ended_reason).toBe('user_ended');
  });

  test('ends when its time is over', async () => {
    const made = await api.call('POST', '/v1/calls', { json: { agent_id: agentId, to: TO } });
    await callWhen(made, 'in_progress');
    await api.engine.pool.query(`update conversations set expires_at = clock_timestamp()`);
    expect(await callWhen(made, 'completed')).toMatchObject({ ended_reason: 'silence_timeout' });
  });

  test('goes on when a human is asked for: what the user says is kept for them', async () => {
    const made = await place({}, [
      { text: 'I want to talk to a human, please.' },
      { text: 'Is anybody there?' },
    ]);
    const call = await callWhen(made, 'completed');
    expect(await userTurnsOf(call)).toHaveLength(2);
    expect((await saidIn(call)).at(-1)).not.toBe('agent');
    expect(await eventsOf(call)).toContain('escalation.requested');
  });

  test('keeps nothing of its script once it has ended', async () => {
    const made = await place({}, [{ text: 'A secret of mine.' }]);
    await callWhen(made, 'completed');
    const { rows } = await api.engine.pool.query('select calls::text as text from calls');
    expect(rows[0].text).not.toContain('secret');
  });
});

describe('a call that is not answered', () => {
  test.each([
    ['busy', 'busy', 'busy'],
    ['no_answer', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'dial_failed'],
  ])('%s: is over without a conversation', async (answer, status, ended_reason) => {
    const made = await place({}, [{ text: 'never said' }], { answer, ring_ms: 10 });
    const call = await callWhen(made, status);
    expect(call).toMatchObject({
      ended_reason,
      conversation_id: null,
      answered_at: null,
      duration_sec: null,
      ended_at: expect.any(Number),
    });
    expect((await read('/v1/conversations')).data).toEqual([]);
  });

  test('by a machine: leaves the first message, with that outcome', async () => {
    const made = await place({}, [{ text: 'never said' }], { answer: 'voicemail' });
    const call = await callWhen(made, 'completed');
    expect(call.ended_reason).toBe('voicemail');
    expect(await read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
      ended_reason: 'voicemail',
    });
    const { turns } = await transcriptOf(call);
    expect(turns.map(({ text }) => text)).toEqual([FIRST_MESSAGE]);
  });

  test('rings until it is canceled, once', async () => {
    const made = await place({}, [], { ring_ms: 60_000 });
    await callWhen(made, 'ringing');
    expect(await end(made.body.id)).toMatchObject({
      status: 200,
      body: { status: 'canceled', ended_reason: 'canceled', conversation_id: null },
    });
    expect(await end(made.body.id)).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  });

  test('fails when the agent has gone meanwhile', async () => {
    const made = await place({}, [], { ring_ms: 500 });
    await callWhen(made, 'ringing');
    const deleted = await api.call('DELETE', `/v1/agents/${agentId}`);
    expect(deleted.status).toBe(204);
    expect(await callWhen(made, 'failed')).toMatchObject({ ended_reason: 'platform_error' });
  });

  test('is not placed hours after it was asked for', async () => {
    const made = await place({}, [], { ring_ms: 60_000 });
    await callWhen(made, 'ringing');
    // As if every process had been away for so long; nobody takes it before we look.
    await api.engine.pool.query(
      `update calls set due_at = now() - interval '11 minutes', lease_until = now() + interval '1 h'`,
    );
    expect(await callWhen(made, 'failed')).toMatchObject({ ended_reason: 'platform_error' });
  });
});

test('two processes play many calls, and no turn twice', async () => {
  const second = await runApi({
    ...api.engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  const turns = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text, after_ms: 20 }));
  const made = await Promise.all(Array.from({ length: 30 }, () => place({}, turns)));
  for (const one of made) {
    const call = await callWhen(one, 'completed');
    expect(await userTurnsOf(call)).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
  }
  const { rows } = await api.engine.pool.query(
    `select type, count(*)::int as count, count(distinct conversation_id)::int as of
       from events where type in ('conversation.started', 'conversation.ended') group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { type: 'conversation.ended', count: 30, of: 30 },
    { type: 'conversation.started', count: 30, of: 30 },
  ]);
  await second.stop();
});

test('a process that was too slow for its lease does not play a turn again', async () => {
  const made = await place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 60_000 }]);
  const call = await callWhen(made, 'in_progress');
  await api.engine.eventually(async () => (await userTurnsOf(call)).length === 1);
  const conversations = {
    ...api.engine,
    announce: () => undefined,
    nowMs: Date.now,
    baseUrl: () => api.url,
  };
  const deps = {
    ...conversations,
    takeTurn: createTakeTurn({
      ...conversations,
      clockMs: Date.now,
      respond: createExtractiveResponder({ nowMs: Date.now }),
    }),
  };
  const stored = await readCall(api.engine.pool, {
    namespace: 'default',
    id: toUuid('call', call.id)!,
  });
  await doStep(deps, {
    call: { ...stored!, step: 2, leaseToken: randomUUID(), providerOptions: {} },
    provider: simulated,
    due: { event: { type: 'heard', text: 'One.' }, nextAfterMs: 0 },
  });
  expect(await userTurnsOf(call)).toEqual(['One.']);
});

describe('what is refused', () => {
  test.each([
    ['no agent', { agent_id: undefined }, '/agent_id'],
    ['no such agent', { agent_id: 'agt_01m0000000000000000000000z' }, '/agent_id'],
    ['nobody to call', { to: undefined }, '/to'],
    ['nobody who calls', { direction: 'inbound', to: TO }, '/from'],
    ['a number without country', { to: '02071838750' }, '/to'],
    ['a number that begins with 0', { to: '+0123' }, '/to'],
    ['another provider', { provider: 'twilio' }, '/provider'],
    ['too long a wait', { simulated: { ring_ms: 60_001 } }, '/simulated/ring_ms'],
    ['a silent turn', { simulated: { turns: [{ text: ' ' }] } }, '/simulated/turns/0/text'],
    ['an unknown field', { simulated: { x: 1 } }, '/simulated/x'],
  ])('%s', async (_, change, pointer) => {
    const json = { agent_id: agentId, to: TO, ...change };
    const reply = await api.call('POST', '/v1/calls', { json });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    expect(reply.body.errors).toMatchObject([{ pointer }]);
  });

  test('a provider is refused with the names of those there are', async () => {
    const json = { agent_id: agentId, to: TO, provider: 'twilio' };
    const { body } = await api.call('POST', '/v1/calls', { json });
    expect(body.errors[0].detail).toContain('simulated');
  });

  test('more than a thousand turns', async () => {
    const turns = Array.from({ length: 1_001 }, () => ({ text: 'a' }));
    expect(await place({}, turns)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/simulated/turns', code: 'too_many' }] },
    });
  });

  test('an agent that was never published', async () => {
    const agent_id = await publishAgent('draft', { publish_policy: 'manual' });
    const reply = await api.call('POST', '/v1/calls', { json: { agent_id, to: TO } });
    expect(reply).toMatchObject({ status: 409, body: { code: 'not_published' } });
  });

  test("another namespace's agent and call are as if there were none", async () => {
    const key = await api.newKey('other');
    const foreign = await api.call('POST', '/v1/calls', { key, json: { agent_id: agentId, to: TO } });
    expect(foreign).toMatchObject({ status: 422, body: { errors: [{ pointer: '/agent_id' }] } });

    const { body: call } = await place({}, []);
    const missing = 'call_01m0000000000000000000000z';
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/end'],
    ] as const) {
      const own = await api.call(method, `/v1/calls/${missing}${path}`);
      const theirs = await api.call(method, `/v1/calls/${call.id}${path}`, { key });
      expect(own.status).toBe(404);
      expect(withoutRequestId(theirs)).toEqual(withoutRequestId(own));
    }
    expect((await api.call('GET', '/v1/calls', { key })).body.data).toEqual([]);
  });
});

describe('the list', () => {
  test('has the newest first, in pages, by each filter', async () => {
    const ringing = { ring_ms: 60_000 };
    const first = await place({}, [], ringing);
    const inbound = { direction: 'inbound', from: TO, to: undefined };
    const second = await place(inbound, [], ringing);
    const third = await place({}, [], { answer: 'busy' });
    await callWhen(first, 'ringing');
    await callWhen(second, 'ringing');
    await callWhen(third, 'busy');
    const [a, b, c] = [first, second, third].map(({ body }) => body.id as string);
    const idsOf = async (query: string): Promise<string[]> =>
      (await read(`/v1/calls${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await idsOf('')).toEqual([c, b, a]);
    expect(await idsOf('?status=ringing')).toEqual([b, a]);
    expect(await idsOf('?direction=inbound')).toEqual([b]);
    expect(await idsOf(`?agent_id=${agentId}`)).toEqual([c, b, a]);
    expect(await idsOf('?agent_id=agt_01m0000000000000000000000z')).toEqual([]);
    expect(await idsOf(`?created_after=${first.body.created + 3_600}`)).toEqual([]);
    expect(await idsOf(`?created_before=${first.body.created + 3_600}`)).toEqual([c, b, a]);
    const page = await read('/v1/calls?limit=2');
    expect(page.has_more).toBe(true);
    expect(await idsOf(`?limit=2&cursor=${page.next_cursor}`)).toEqual([a]);
    const answered = await callWhen(await place({}, [{ text: 'Hi.' }]), 'completed');
    expect(await idsOf(`?conversation_id=${answered.conversation_id}`)).toEqual([answered.id]);
    for (const wrong of ['?status=over', '?direction=up', '?created_after=x', '?x=1']) {
      expect(await api.call('GET', `/v1/calls${wrong}`)).toMatchObject({ status: 400 });
    }
  });
});

test('the same Idempotency-Key rings once', async () => {
  const request = {
    headers: { 'idempotency-key': 'once' },
    json: { agent_id: agentId, to: TO, simulated: { ring_ms: 60_000 } },
  };
  const first = await api.call('POST', '/v1/calls', request);
  const again = await api.call('POST', '/v1/calls', request);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect((await read('/v1/calls')).data).toHaveLength(1);
});

async function publishAgent(name: string, fields: object): Promise<string> {
  const json = { name, prompt: 'Be kind.', ...fields };
  const made = await api.call('POST', '/v1/agents', { json });
  expect(made.status).toBe(201);
  return made.body.id;
}

function place(
  fields: object,
  turns: { text: string; after_ms?: number }[],
  script: object = {},
): Promise<Reply> {
  const json = { agent_id: agentId, to: TO, ...fields, simulated: { ...script, turns } };
  return api.call('POST', '/v1/calls', { json });
}

function end(id: string): Promise<Reply> {
  return api.call('POST', `/v1/calls/${id}/end`);
}

async function read(path: string): Promise<Reply['body']> {
  const reply = await api.call('GET', path);
  expect(reply.status).toBe(200);
  return reply.body;
}

/** The call once it has the status. */
function callWhen(made: Reply, status: string): Promise<Reply['body']> {
  const path = `/v1/calls/${made.body.id}`;
  return api.engine.eventually(
    async () => {
      const call = await read(path);
      return call.status === status && call;
    },
    () => read(path),
  );
}

type Turn = { role: string; text: string; started_at_ms: number };

function transcriptOf(call: { conversation_id: string }): Promise<{ turns: Turn[] }> {
  return read(`/v1/conversations/${call.conversation_id}/transcript`);
}

async function saidIn(call: { conversation_id: string }): Promise<string[]> {
  return (await transcriptOf(call)).turns.map(({ role }) => role);
}

async function userTurnsOf(call: { conversation_id: string }): Promise<string[]> {
  const { turns } = await transcriptOf(call);
  return turns.filter(({ role }) => role === 'user').map(({ text }) => text);
}

/** Types, newest first. */
async function eventsOf(call: { conversation_id: string }): Promise<string[]> {
  const { data } = await read(`/v1/events?conversation_id=${call.conversation_id}`);
  return data.map(({ type }: { type: string }) => type);
}
