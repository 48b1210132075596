import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { runApi } from '../../src/roles/api/run.ts';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import { createTakeTurn } from '../../src/conversations/turns/take-turn.ts';
import { toUuid } from '../../src/ids.ts';
import { readCall } from '../../src/calls/calls.sql.ts';
import { doStep } from '../../src/calls/do-step.ts';
import { simulated } from '../../src/calls/transports/simulated.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { FIRST_MESSAGE, startCallFixture, TO, type CallFixture } from './calls-setup.ts';
import { addPools, meanwhile, passTime, until } from './passing-time.ts';

/** Calls by REST, with the simulated provider and the API's own player. */

let fixture: CallFixture;
beforeEach(async () => {
  fixture = await startCallFixture();
  passTime();
});

const idOf = (made: Reply): string => toUuid('call', made.body.id)!;

async function minutesUntilDue(made: Reply): Promise<number> {
  const { rows } = await fixture.api.engine.pool.query<{ minutes: number }>(
    `select round(extract(epoch from due_at - clock_timestamp()) / 60)::int as minutes
       from calls where id = $1`,
    [idOf(made)],
  );
  return rows[0]!.minutes;
}

/** Makes the next step due, as if its delay had passed. */
async function comesDue(made: Reply): Promise<void> {
  await fixture.api.engine.pool.query('update calls set due_at = now() where id = $1', [
    idOf(made),
  ]);
}

describe('a call that is answered', () => {
  test('is a conversation by voice with what the script says, and ends when the user hangs up', async () => {
    const made = await fixture.place({ user_id: 'u1', variables: { a: 1 }, metadata: { b: '2' } }, [
      { text: 'What is this?' },
      { text: 'Goodbye then.' },
    ]);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      status: 'queued',
      conversation_id: null,
      direction: 'outbound',
    });

    const call = await fixture.callWhen(made, 'completed');
    expect(call).toMatchObject({
      ended_reason: 'user_hangup',
      agent_id: fixture.agentId,
      to: TO,
      from: null,
      provider: 'simulated',
      provider_call_id: expect.stringMatching(/^sim_/),
      duration_sec: expect.any(Number),
      metadata: { b: '2' },
    });
    const conversation = await fixture.read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({
      call_id: call.id,
      channel: 'voice',
      status: 'ended',
      ended_reason: 'user_hangup',
      user_id: 'u1',
      variables: { a: 1 },
      metadata: { b: '2' },
    });
    expect(await fixture.saidIn(call)).toEqual(['agent', 'user', 'agent', 'user', 'agent']);
    expect(await fixture.userTurnsOf(call)).toEqual(['What is this?', 'Goodbye then.']);
    expect((await fixture.eventsOf(call)).filter((type) => /started|ended/.test(type))).toEqual([
      'conversation.ended',
      'conversation.started',
    ]);
  });

  test('waits as long as the script says, from the turn before', async () => {
    const made = await fixture.place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 60_000 }], {
      ring_ms: 60_000,
    });
    await fixture.callWhen(made, 'ringing');
    expect(await minutesUntilDue(made)).toBe(1);
    await comesDue(made);
    const call = await fixture.callWhen(made, 'in_progress');
    await until('the first turn', async () => (await fixture.userTurnsOf(call)).length >= 1);
    expect(await minutesUntilDue(made)).toBe(1);
    await comesDue(made);
    await fixture.callWhen(made, 'completed');
    expect(await fixture.userTurnsOf(call)).toEqual(['One.', 'Two.']);
  });

  test('stays open without a script, is talked to by messages, and is ended by us', async () => {
    const made = await fixture.api.call('POST', '/v1/calls', {
      json: { agent_id: fixture.agentId, to: TO },
    });
    const call = await fixture.callWhen(made, 'in_progress');
    expect(call).toMatchObject({ ended_at: null, duration_sec: null, ended_reason: null });
    const said = await fixture.api.call(
      'POST',
      `/v1/conversations/${call.conversation_id}/messages`,
      {
        json: { text: 'Hello?' },
      },
    );
    expect(said.status).toBe(200);
    const ended = await fixture.end(call.id);
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'completed', ended_reason: 'api' },
    });
    const conversation = await fixture.read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({ status: 'ended', ended_reason: 'api' });
    expect(await fixture.end(call.id)).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  });

  test('lasts from the answer, not from the request', async () => {
    const made = await fixture.api.call('POST', '/v1/calls', {
      json: { agent_id: fixture.agentId, to: TO },
    });
    const { id } = await fixture.callWhen(made, 'in_progress');
    await fixture.api.engine.pool.query(
      `update calls set created_at = created_at - interval '1 hour',
                        answered_at = answered_at - interval '10 minutes'
        where id = $1`,
      [toUuid('call', id)],
    );
    const { duration_sec } = (await fixture.end(id)).body;
    expect(Math.round(duration_sec / 60)).toBe(10);
  });

  test('ends when its conversation is ended by other means', async () => {
    const made = await fixture.api.call('POST', '/v1/calls', {
      json: { agent_id: fixture.agentId, to: TO },
    });
    const { conversation_id } = await fixture.callWhen(made, 'in_progress');
    await fixture.api.call('POST', `/v1/conversations/${conversation_id}/end`, { json: {} });
    const call = await fixture.callWhen(made, 'completed');
    expect(call.ended_reason).toBe('api');
  });

  test('ends when its time is over', async () => {
    const made = await fixture.api.call('POST', '/v1/calls', {
      json: { agent_id: fixture.agentId, to: TO },
    });
    const { conversation_id } = await fixture.callWhen(made, 'in_progress');
    await fixture.api.engine.pool.query(
      `update conversations set expires_at = clock_timestamp() where id = $1`,
      [toUuid('conv', conversation_id)],
    );
    expect(await fixture.callWhen(made, 'completed')).toMatchObject({
      ended_reason: 'silence_timeout',
    });
  });

  test('goes on when a human is asked for: what the user says is kept for them', async () => {
    const made = await fixture.place({}, [
      { text: 'I want to talk to a human, please.' },
      { text: 'Is anybody there?' },
    ]);
    const call = await fixture.callWhen(made, 'completed');
    expect(await fixture.userTurnsOf(call)).toHaveLength(2);
    expect((await fixture.saidIn(call)).at(-1)).not.toBe('agent');
    expect(await fixture.eventsOf(call)).toContain('escalation.requested');
  });

  test('keeps nothing of its script once it has ended', async () => {
    const made = await fixture.place({}, [{ text: 'A secret of mine.' }]);
    await fixture.callWhen(made, 'completed');
    const { rows } = await fixture.api.engine.pool.query(
      'select calls::text as text from calls where id = $1',
      [idOf(made)],
    );
    expect(rows[0].text).not.toContain('secret');
  });
});

describe('a call that is not answered', () => {
  test.each([
    ['busy', 'busy', 'busy'],
    ['no_answer', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'dial_failed'],
  ])('%s: is over without a conversation', async (answer, status, ended_reason) => {
    const made = await fixture.place({}, [{ text: 'never said' }], { answer, ring_ms: 10 });
    const call = await fixture.callWhen(made, status);
    expect(call).toMatchObject({
      ended_reason,
      conversation_id: null,
      answered_at: null,
      duration_sec: null,
      ended_at: expect.any(Number),
    });
    expect((await fixture.read('/v1/conversations')).data).toEqual([]);
  });

  test('by a machine: leaves the first message, with that outcome', async () => {
    const made = await fixture.place({}, [{ text: 'never said' }], { answer: 'voicemail' });
    const call = await fixture.callWhen(made, 'completed');
    expect(call.ended_reason).toBe('voicemail');
    expect(await fixture.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
      ended_reason: 'voicemail',
    });
    const { turns } = await fixture.transcriptOf(call);
    expect(turns.map(({ text }) => text)).toEqual([FIRST_MESSAGE]);
  });

  test('rings until it is canceled, once', async () => {
    const made = await fixture.place({}, [], { ring_ms: 60_000 });
    await fixture.callWhen(made, 'ringing');
    expect(await fixture.end(made.body.id)).toMatchObject({
      status: 200,
      body: { status: 'canceled', ended_reason: 'canceled', conversation_id: null },
    });
    expect(await fixture.end(made.body.id)).toMatchObject({
      status: 409,
      body: { code: 'call_ended' },
    });
  });

  test('of three who cancel it at once one does', async () => {
    const made = await fixture.place({}, [], { ring_ms: 60_000 });
    await fixture.callWhen(made, 'ringing');
    const { pool } = fixture.api.engine;
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select 1 from calls where id = $1 for update', [idOf(made)]);
    const replies = Array.from({ length: 3 }, () => fixture.end(made.body.id));
    // All three requests have read that it rings, and wait to change it.
    await until('all to wait', async () => {
      const { rows } = await pool.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'update calls%'`,
      );
      return rows[0]!.waiting === 3;
    });
    await client.query('commit');
    client.release();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  test('fails when the agent has gone meanwhile', async () => {
    const made = await fixture.place({}, [], { ring_ms: 60_000 });
    await fixture.callWhen(made, 'ringing');
    const deleted = await fixture.api.call('DELETE', `/v1/agents/${fixture.agentId}`);
    expect(deleted.status).toBe(204);
    await comesDue(made);
    expect(await fixture.callWhen(made, 'failed')).toMatchObject({
      ended_reason: 'platform_error',
    });
  });

  test('is not placed hours after it was asked for', async () => {
    const made = await fixture.place({}, [], { ring_ms: 60_000 });
    await fixture.callWhen(made, 'ringing');
    // Simulates that every process was away that long. The lease keeps the player from the call until the check.
    await fixture.api.engine.pool.query(
      `update calls set due_at = now() - interval '11 minutes', lease_until = now() + interval '1 h'
        where id = $1`,
      [idOf(made)],
    );
    expect(await fixture.callWhen(made, 'failed')).toMatchObject({
      ended_reason: 'platform_error',
    });
  });
});

/** More calls than two processes can play concurrently: 8 each. */
const CALLS = process.env['PARLEY_NIGHTLY'] ? 100 : 20;

test('two processes play many calls, and no turn twice', async () => {
  const second = await runApi({
    ...fixture.api.engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  const removePools = addPools(second.conversations.batchPool);
  const turns = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text, after_ms: 20 }));
  const made = await Promise.all(Array.from({ length: CALLS }, () => fixture.place({}, turns)));
  for (const one of made) {
    const call = await fixture.callWhen(one, 'completed');
    expect(await fixture.userTurnsOf(call)).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
  }
  const { rows } = await fixture.api.engine.pool.query(
    `select type, count(*)::int as count, count(distinct conversation_id)::int as of
       from events
      where namespace = $1 and type in ('conversation.started', 'conversation.ended')
      group by 1 order by 1`,
    [fixture.namespace],
  );
  expect(rows).toEqual([
    { type: 'conversation.ended', count: CALLS, of: CALLS },
    { type: 'conversation.started', count: CALLS, of: CALLS },
  ]);
  await meanwhile(second.stop());
  removePools();
});

test('a process that was too slow for its lease does not play a turn again', async () => {
  const made = await fixture.place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 60_000 }]);
  const call = await fixture.callWhen(made, 'in_progress');
  await until('the first turn', async () => (await fixture.userTurnsOf(call)).length >= 1);
  const conversations = {
    ...fixture.api.engine,
    batchPool: fixture.api.engine.pool,
    announce: () => undefined,
    changed: () => undefined,
    judge: () => undefined,
    nowMs: Date.now,
    baseUrl: () => fixture.api.url,
  };
  const deps = {
    ...conversations,
    takeTurn: createTakeTurn({
      ...conversations,
      clockMs: Date.now,
      respond: createExtractiveResponder({ nowMs: Date.now }),
    }),
  };
  const stored = await readCall(fixture.api.engine.pool, {
    namespace: fixture.namespace,
    id: toUuid('call', call.id)!,
  });
  await doStep(deps, {
    call: { ...stored!, step: 2, leaseToken: randomUUID(), providerOptions: {} },
    transport: simulated,
    due: { event: { type: 'heard', text: 'One.' }, nextAfterMs: 0 },
  });
  expect(await fixture.userTurnsOf(call)).toEqual(['One.']);
});
