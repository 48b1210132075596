import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runApi } from '../../src/roles/api/run.ts';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import { createTakeTurn } from '../../src/conversations/turns/take-turn.ts';
import { toUuid } from '../../src/ids.ts';
import { readCall } from '../../src/calls/calls.sql.ts';
import { doStep } from '../../src/calls/do-step.ts';
import { simulated } from '../../src/calls/providers/simulated.ts';
import { FIRST_MESSAGE, startCallLab, TO, type CallLab } from './calls-setup.ts';

/** Calls by REST, carried by the simulated provider and played by the API as it runs. */

let lab: CallLab;
beforeEach(async () => {
  lab = await startCallLab();
});
afterEach(() => lab.api.stop());

describe('a call that is answered', () => {
  test('is a conversation by voice with what the script says, and ends when the user hangs up', async () => {
    const made = await lab.place({ user_id: 'u1', variables: { a: 1 }, metadata: { b: '2' } }, [
      { text: 'What is this?' },
      { text: 'Goodbye then.' },
    ]);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      status: 'queued',
      conversation_id: null,
      direction: 'outbound',
    });

    const call = await lab.callWhen(made, 'completed');
    expect(call).toMatchObject({
      ended_reason: 'user_hangup',
      agent_id: lab.agentId,
      to: TO,
      from: null,
      provider: 'simulated',
      provider_call_id: expect.stringMatching(/^sim_/),
      duration_sec: expect.any(Number),
      metadata: { b: '2' },
    });
    const conversation = await lab.read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({
      call_id: call.id,
      channel: 'voice',
      status: 'ended',
      ended_reason: 'user_hangup',
      user_id: 'u1',
      variables: { a: 1 },
      metadata: { b: '2' },
    });
    expect(await lab.saidIn(call)).toEqual(['agent', 'user', 'agent', 'user', 'agent']);
    expect(await lab.userTurnsOf(call)).toEqual(['What is this?', 'Goodbye then.']);
    expect((await lab.eventsOf(call)).filter((type) => /started|ended/.test(type))).toEqual([
      'conversation.ended',
      'conversation.started',
    ]);
  });

  test('waits as long as the script says, from the turn before', async () => {
    const made = await lab.place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 700 }], {
      ring_ms: 300,
    });
    const call = await lab.callWhen(made, 'completed');
    expect((call.answered_at - call.created) * 1_000).toBeGreaterThanOrEqual(0);
    const turns = (await lab.transcriptOf(call)).turns.filter(({ role }) => role === 'user');
    const [one, two] = turns.map(({ started_at_ms }) => started_at_ms);
    expect(two! - one!).toBeGreaterThanOrEqual(700);
  });

  test('stays open without a script, is talked to by messages, and is ended by us', async () => {
    const made = await lab.api.call('POST', '/v1/calls', {
      json: { agent_id: lab.agentId, to: TO },
    });
    const call = await lab.callWhen(made, 'in_progress');
    expect(call).toMatchObject({ ended_at: null, duration_sec: null, ended_reason: null });
    const said = await lab.api.call('POST', `/v1/conversations/${call.conversation_id}/messages`, {
      json: { text: 'Hello?' },
    });
    expect(said.status).toBe(200);
    const ended = await lab.end(call.id);
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'completed', ended_reason: 'agent_hangup' },
    });
    const conversation = await lab.read(`/v1/conversations/${call.conversation_id}`);
    expect(conversation).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
    expect(await lab.end(call.id)).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  });

  test('ends when its conversation is ended by other means', async () => {
    const made = await lab.api.call('POST', '/v1/calls', {
      json: { agent_id: lab.agentId, to: TO },
    });
    const { conversation_id } = await lab.callWhen(made, 'in_progress');
    await lab.api.call('POST', `/v1/conversations/${conversation_id}/end`, { json: {} });
    const call = await lab.callWhen(made, 'completed');
    expect(call.ended_reason).toBe('user_ended');
  });

  test('ends when its time is over', async () => {
    const made = await lab.api.call('POST', '/v1/calls', {
      json: { agent_id: lab.agentId, to: TO },
    });
    await lab.callWhen(made, 'in_progress');
    await lab.api.engine.pool.query(`update conversations set expires_at = clock_timestamp()`);
    expect(await lab.callWhen(made, 'completed')).toMatchObject({
      ended_reason: 'silence_timeout',
    });
  });

  test('goes on when a human is asked for: what the user says is kept for them', async () => {
    const made = await lab.place({}, [
      { text: 'I want to talk to a human, please.' },
      { text: 'Is anybody there?' },
    ]);
    const call = await lab.callWhen(made, 'completed');
    expect(await lab.userTurnsOf(call)).toHaveLength(2);
    expect((await lab.saidIn(call)).at(-1)).not.toBe('agent');
    expect(await lab.eventsOf(call)).toContain('escalation.requested');
  });

  test('keeps nothing of its script once it has ended', async () => {
    const made = await lab.place({}, [{ text: 'A secret of mine.' }]);
    await lab.callWhen(made, 'completed');
    const { rows } = await lab.api.engine.pool.query('select calls::text as text from calls');
    expect(rows[0].text).not.toContain('secret');
  });
});

describe('a call that is not answered', () => {
  test.each([
    ['busy', 'busy', 'busy'],
    ['no_answer', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'dial_failed'],
  ])('%s: is over without a conversation', async (answer, status, ended_reason) => {
    const made = await lab.place({}, [{ text: 'never said' }], { answer, ring_ms: 10 });
    const call = await lab.callWhen(made, status);
    expect(call).toMatchObject({
      ended_reason,
      conversation_id: null,
      answered_at: null,
      duration_sec: null,
      ended_at: expect.any(Number),
    });
    expect((await lab.read('/v1/conversations')).data).toEqual([]);
  });

  test('by a machine: leaves the first message, with that outcome', async () => {
    const made = await lab.place({}, [{ text: 'never said' }], { answer: 'voicemail' });
    const call = await lab.callWhen(made, 'completed');
    expect(call.ended_reason).toBe('voicemail');
    expect(await lab.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
      ended_reason: 'voicemail',
    });
    const { turns } = await lab.transcriptOf(call);
    expect(turns.map(({ text }) => text)).toEqual([FIRST_MESSAGE]);
  });

  test('rings until it is canceled, once', async () => {
    const made = await lab.place({}, [], { ring_ms: 60_000 });
    await lab.callWhen(made, 'ringing');
    expect(await lab.end(made.body.id)).toMatchObject({
      status: 200,
      body: { status: 'canceled', ended_reason: 'canceled', conversation_id: null },
    });
    expect(await lab.end(made.body.id)).toMatchObject({
      status: 409,
      body: { code: 'call_ended' },
    });
  });

  test('fails when the agent has gone meanwhile', async () => {
    const made = await lab.place({}, [], { ring_ms: 500 });
    await lab.callWhen(made, 'ringing');
    const deleted = await lab.api.call('DELETE', `/v1/agents/${lab.agentId}`);
    expect(deleted.status).toBe(204);
    expect(await lab.callWhen(made, 'failed')).toMatchObject({ ended_reason: 'platform_error' });
  });

  test('is not placed hours after it was asked for', async () => {
    const made = await lab.place({}, [], { ring_ms: 60_000 });
    await lab.callWhen(made, 'ringing');
    // As if every process had been away for so long; nobody takes it before we look.
    await lab.api.engine.pool.query(
      `update calls set due_at = now() - interval '11 minutes', lease_until = now() + interval '1 h'`,
    );
    expect(await lab.callWhen(made, 'failed')).toMatchObject({ ended_reason: 'platform_error' });
  });
});

test('two processes play many calls, and no turn twice', async () => {
  const second = await runApi({
    ...lab.api.engine,
    host: '127.0.0.1',
    port: 0,
    fallbackToFreePort: false,
    serveHealth: true,
    rateLimit: 0,
  });
  const turns = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text, after_ms: 20 }));
  const made = await Promise.all(Array.from({ length: 30 }, () => lab.place({}, turns)));
  for (const one of made) {
    const call = await lab.callWhen(one, 'completed');
    expect(await lab.userTurnsOf(call)).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
  }
  const { rows } = await lab.api.engine.pool.query(
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
  const made = await lab.place({}, [{ text: 'One.' }, { text: 'Two.', after_ms: 60_000 }]);
  const call = await lab.callWhen(made, 'in_progress');
  await lab.api.engine.eventually(async () => (await lab.userTurnsOf(call)).length === 1);
  const conversations = {
    ...lab.api.engine,
    announce: () => undefined,
    nowMs: Date.now,
    baseUrl: () => lab.api.url,
  };
  const deps = {
    ...conversations,
    takeTurn: createTakeTurn({
      ...conversations,
      clockMs: Date.now,
      respond: createExtractiveResponder({ nowMs: Date.now }),
    }),
  };
  const stored = await readCall(lab.api.engine.pool, {
    namespace: 'default',
    id: toUuid('call', call.id)!,
  });
  await doStep(deps, {
    call: { ...stored!, step: 2, leaseToken: randomUUID(), providerOptions: {} },
    provider: simulated,
    due: { event: { type: 'heard', text: 'One.' }, nextAfterMs: 0 },
  });
  expect(await lab.userTurnsOf(call)).toEqual(['One.']);
});
