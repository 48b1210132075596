import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releaseEscalationRow } from '../../../src/conversations/escalations/escalations.sql.ts';
import { toUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { pass, startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** Exactly one person has a conversation at any time, whoever vanishes, is late, or passes it on. */
let fixture: ConversationFixture;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  fixture = await startConversationFixture({ delivery: true });
});
afterAll(async () => {
  await fixture?.stop();
  await receiver?.close();
});

const KIM = { id: 'op-1', name: 'Kim' };
const LEE = { id: 'op-2', name: 'Lee' };

const act = (esc: string, what: string, json?: unknown): Promise<Reply> =>
  fixture.call('POST', `/v1/escalations/${esc}/${what}`, json === undefined ? {} : { json });
const accept = (esc: string, accepted_by = KIM, heartbeat_sec?: number): Promise<Reply> =>
  act(esc, 'accept', { accepted_by, ...(heartbeat_sec && { heartbeat_sec }) });
const read = async (esc: string): Promise<Reply['body']> =>
  (await fixture.call('GET', `/v1/escalations/${esc}`)).body;
const becomes = (esc: string, status: string): Promise<Reply['body']> =>
  fixture.engine.eventually(async () => {
    const escalation = await read(esc);
    return escalation.status === status ? escalation : undefined;
  });
const texts = async (id: string): Promise<string[]> =>
  (await fixture.turns(id)).map(({ role, text }) => `${role}: ${text}`);

async function escalated(
  fields: Record<string, unknown> = {},
  of: Record<string, unknown> = {},
): Promise<{ id: string; esc: string }> {
  const id = await fixture.start(of);
  const { status, body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, {
    json: fields,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return { id, esc: body.id };
}

describe('a person who vanishes', () => {
  test('loses the conversation to whoever accepts it next, and can say nothing more in it', async () => {
    const { id, esc } = await escalated({ reason: 'VIP' });
    const taken = (await accept(esc, KIM, 30)).body;
    expect(taken).toMatchObject({ heartbeat_sec: 30, accepted_by: KIM });
    expect([29, 30, 31]).toContain(taken.heartbeat_due_at - taken.accepted_at);
    await act(esc, 'messages', { text: 'Kim here', by: KIM.id });

    await pass(fixture, id, 31);
    const open = await becomes(esc, 'requested');
    expect(open).toMatchObject({
      reason: 'VIP',
      accepted_by: null,
      accepted_at: null,
      heartbeat_sec: null,
      heartbeat_due_at: null,
      wait_sec: null,
    });
    expect([299, 300, 301]).toContain(open.times_out_at - open.requested_at);
    expect((await texts(id)).at(-1)).toBe(
      'system: Kim has left. Somebody else has been asked to take over.',
    );
    const { type, data } = (await fixture.events(id)).at(-1)!;
    expect(type).toBe('escalation.requested');
    expect(data).toMatchObject({ escalation_id: esc, reason: 'VIP', released_by: KIM });
    // The agent stays silent.
    expect((await fixture.say(id, 'When are you open?')).body.turns).toHaveLength(1);

    expect((await accept(esc, LEE)).status).toBe(200);
    for (const [what, json] of [
      ['messages', { text: 'I am back', by: KIM.id }],
      ['heartbeat', { by: KIM.id }],
      ['release', { by: KIM.id }],
      ['complete', { by: KIM.id }],
    ] as const) {
      const { status, body } = await act(esc, what, json);
      expect({ what, status, code: body.code, detail: body.detail }).toEqual({
        what,
        status: 409,
        code: 'already_accepted',
        detail: 'Lee has accepted the escalation.',
      });
    }
    expect((await act(esc, 'messages', { text: 'Lee here', by: LEE.id })).status).toBe(200);
    expect((await act(esc, 'complete', { by: LEE.id })).body.status).toBe('completed');
  });

  test('does not, who says to be there, or something else', async () => {
    const { id, esc } = await escalated();
    await accept(esc, KIM, 30);
    await pass(fixture, id, 20);
    const kept = (await act(esc, 'heartbeat', { by: KIM.id })).body;
    await pass(fixture, id, 20);
    expect((await act(esc, 'messages', { text: 'One moment' })).status).toBe(200);
    await pass(fixture, id, 20);
    await fixture.say(id, 'Thanks');
    const { status, accepted_by, heartbeat_due_at } = await read(esc);
    expect({ status, accepted_by }).toEqual({ status: 'accepted', accepted_by: KIM });
    expect(heartbeat_due_at).toBeGreaterThanOrEqual(kept.heartbeat_due_at - 40);
  });

  test('is waited for without an end by whoever asked for no heartbeat', async () => {
    const { id, esc } = await escalated();
    const { body } = await accept(esc);
    expect(body).toMatchObject({ heartbeat_sec: null, heartbeat_due_at: null });
    await pass(fixture, id, 200);
    expect((await act(esc, 'heartbeat')).body.heartbeat_due_at).toBeNull();
    expect((await read(esc)).status).toBe('accepted');
  });

  test('nobody takes over either: the agent goes on after as long a wait as at first', async () => {
    const { id, esc } = await escalated();
    await accept(esc, KIM, 5);
    await pass(fixture, id, 6);
    await becomes(esc, 'requested');
    await pass(fixture, id, 301);
    await becomes(esc, 'timed_out');
    expect((await fixture.say(id, 'When are you open?')).body.turns).toHaveLength(2);
    expect(await fixture.read(id)).toMatchObject({ status: 'active' });
  });

  test('is looked at once more when it is taken from them: who has been heard of since keeps it', async () => {
    const change = { team: null, summary: '', isDue: true };
    for (const heartbeat of [30, undefined]) {
      const { esc } = await escalated();
      await accept(esc, KIM, heartbeat);
      const taken = await releaseEscalationRow(fixture.engine.pool, toUuid('esc', esc)!, change);
      expect(taken).toBeUndefined();
      expect((await read(esc)).accepted_by).toEqual(KIM);
    }
  });

  test('and comes back at that very moment: has it or has it not, and it stays so', async () => {
    const time = holdTime();
    await time.armed(1_000); // The reaper waits for it.
    const overdue = async (): Promise<string> => {
      const { id, esc } = await escalated();
      await accept(esc, KIM, 60);
      await pass(fixture, id, 61);
      return esc;
    };
    const back = await Promise.all(Array.from({ length: 8 }, overdue));
    const gone = await overdue();
    const [, ...beats] = await Promise.all([
      time.advance(1_000),
      ...back.map((esc) => act(esc, 'heartbeat', { by: KIM.id })),
    ]);
    // The reaper runs now, or one second after a run that had already begun.
    await until('the reaper', async () => {
      await time.advance(1_000);
      return (await read(gone)).status === 'requested';
    });
    for (const [at, { status: beat }] of beats.entries()) {
      const { status, accepted_by } = await read(back[at]!);
      expect([beat, status, accepted_by]).toEqual(
        beat === 200 ? [200, 'accepted', KIM] : [409, 'requested', null],
      );
    }
  });
});

describe('passed on', () => {
  test('to another team, which finds it by its label', async () => {
    const { id, esc } = await escalated({ team: 'first line' });
    await accept(esc);
    await fixture.engine.pool.query(`update escalations set summary = 'of before' where id = $1`, [
      toUuid('esc', esc),
    ]);
    const { status, body } = await act(esc, 'release', { by: KIM.id, team: 'lawyers' });
    expect(body.summary).toBe('The user said nothing.');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'requested', team: 'lawyers', accepted_by: null },
    });
    const { data } = (await fixture.events(id)).at(-1)!;
    expect(data).toMatchObject({ team: 'lawyers', released_by: KIM });
    const found = await fixture.call('GET', '/v1/escalations?team=lawyers&status=requested');
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([esc]);
    expect((await fixture.call('GET', '/v1/escalations?team=first%20line')).body.data).toEqual([]);
    expect((await act(esc, 'release')).body.code).toBe('escalation_not_accepted');
    await fixture.end(id);
    expect((await act(esc, 'release')).body.code).toBe('escalation_closed');
  });

  test('to the same team where none is named', async () => {
    const { id, esc } = await escalated({ team: 'billing' });
    await accept(esc);
    const { body } = await act(esc, 'release', { by: KIM.id });
    expect(body).toMatchObject({ status: 'requested', team: 'billing' });
    expect((await fixture.events(id)).at(-1)!.data).toMatchObject({ team: 'billing' });
    const found = await fixture.call('GET', '/v1/escalations?team=billing&status=requested');
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([esc]);
  });

  test('by two at once, while a third completes: one of them did it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, esc } = await escalated();
      await accept(esc);
      const replies = await Promise.all([
        act(esc, 'release'),
        act(esc, 'complete'),
        act(esc, 'release'),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      const turns = await texts(id);
      expect(turns.filter((turn) => turn.includes('has left'))).toHaveLength(1);
    }
  });

  test('twenty accept it again at once: one wins', async () => {
    const { esc } = await escalated();
    await accept(esc);
    await act(esc, 'release');
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => accept(esc, { id: `op-${at}`, name: `Op ${at}` }, 60)),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('who is asked', () => {
  test('when nobody of the first team comes, the next one; then the agent goes on', async () => {
    const agent_id = await fixture.newAgent({
      escalation: { team: 'first line', fallback_team: 'second line', timeout_sec: 60 },
    });
    const { id, esc } = await escalated({ reason: 'refund' }, { agent_id });
    expect(await read(esc)).toMatchObject({ team: 'first line' });
    await pass(fixture, id, 61);
    await becomes(esc, 'timed_out');
    const { data } = (await fixture.events(id)).at(-1)!;
    expect(data).toMatchObject({ team: 'second line', reason: 'refund' });
    expect(data.escalation_id).not.toBe(esc);
    expect((await texts(id)).at(-1)).toMatch(/Nobody is free yet/);
    expect((await fixture.read(id)).status).toBe('escalated');
    const next = await read(data.escalation_id);
    expect([59, 60, 61]).toContain(next.times_out_at - next.requested_at);
    await pass(fixture, id, 61);
    await becomes(next.id, 'timed_out');
    expect((await fixture.read(id)).status).toBe('active');
    expect(
      (await fixture.events(id)).filter(({ type }) => type === 'escalation.requested'),
    ).toHaveLength(2);
  });

  test('a rule may name its own team, and the words of REST go before the agent’s', async () => {
    const rules = [
      { when: 'keyword', keywords: ['lawyer'], team: 'legal' },
      { when: 'user_request' },
    ];
    const agent_id = await fixture.newAgent({ escalation: { rules, team: 'everybody' } });
    const byRule = await fixture.start({ agent_id });
    await fixture.say(byRule, 'My lawyer will write to you');
    const byUser = await fixture.start({ agent_id });
    await fixture.say(byUser, 'Let me talk to a human');
    const teamOf = async (id: string) => (await fixture.events(id)).at(-1)!.data.team;
    expect([await teamOf(byRule), await teamOf(byUser)]).toEqual(['legal', 'everybody']);
    const { esc } = await escalated({ team: 'sales' }, { agent_id });
    expect((await read(esc)).team).toBe('sales');
  });
});

describe('rules', () => {
  test('mood: so many messages in a bad mood in a row', async () => {
    const rules = [{ when: 'mood', count: 2, reason: 'angry' }];
    const id = await fixture.start({ agent_id: await fixture.newAgent({ escalation: { rules } }) });
    const statuses: string[] = [];
    for (const text of [
      'This is useless',
      'How long does delivery take?',
      'That is wrong, your answer is terrible',
      'You are an idiot',
    ]) {
      statuses.push((await fixture.say(id, text)).body.conversation.status);
    }
    expect(statuses).toEqual(['active', 'active', 'active', 'escalated']);
    expect((await fixture.events(id)).at(-1)!.data.reason).toBe('angry');
  });

  test('turn_limit: at that message of the user, once', async () => {
    const rules = [{ when: 'turn_limit', count: 3 }];
    const id = await fixture.start({ agent_id: await fixture.newAgent({ escalation: { rules } }) });
    const statusAfter = async (): Promise<string> =>
      (await fixture.say(id, 'How long does delivery take?')).body.conversation.status;
    expect([await statusAfter(), await statusAfter(), await statusAfter()]).toEqual([
      'active',
      'active',
      'escalated',
    ]);
    const { escalation_id: esc, reason } = (await fixture.events(id)).at(-1)!.data;
    expect(reason).toBe('turn_limit');
    await act(esc, 'decline');
    expect(await statusAfter()).toBe('active');
  });

  test.each([
    [{ rules: [{ when: 'turn_limit' }] }, '/escalation/rules/0/count'],
    [{ rules: [{ when: 'mood', count: 11 }] }, '/escalation/rules/0/count'],
    [{ team: '' }, '/escalation/team'],
    [{ fallback_team: 'x'.repeat(65) }, '/escalation/fallback_team'],
  ])('%j is refused with its place', async (escalation, pointer) => {
    const { status, body } = await fixture.call('POST', '/v1/agents', {
      json: { prompt: 'x', escalation },
    });
    expect([status, body.errors?.[0].pointer]).toEqual([422, pointer]);
  });

  test.each(['Kim\nAgent: Pay here', 'Kim\u2028', 'Kim\u202e', 'Kim\u2066', 'K\u0000'])(
    'a person by the name %j is refused, for users read it',
    async (name) => {
      const { esc } = await escalated();
      const { status, body } = await act(esc, 'accept', { accepted_by: { id: 'p_1', name } });
      expect([status, body.errors?.[0].pointer]).toEqual([422, '/accepted_by/name']);
      expect((await read(esc)).status).toBe('requested');
    },
  );

  test.each([0, 4, 3_601, 1.5, 'x'])('a heartbeat_sec of %j is refused', async (heartbeat_sec) => {
    const { esc } = await escalated();
    const { status, body } = await act(esc, 'accept', { accepted_by: KIM, heartbeat_sec });
    expect([status, body.errors?.[0].pointer]).toEqual([422, '/heartbeat_sec']);
    expect((await read(esc)).status).toBe('requested');
  });
});

test('three people, from the question to the end, with all the events', async () => {
  const agent_id = await fixture.newAgent({
    escalation: { rules: [{ when: 'user_request', reason: 'asked' }], team: 'support' },
  });
  const { status } = await fixture.call('POST', '/v1/webhooks', {
    json: { url: receiver.url, event_types: ['conversation.*', 'escalation.*'] },
  });
  expect(status).toBe(201);
  // Dora asks, and wants a person.
  const id = await fixture.start({ agent_id, user_id: 'dora' });
  await fixture.say(id, 'How long does delivery take?');
  await fixture.say(id, 'I want to talk to a human');
  const { escalation_id: esc } = (await fixture.events(id)).at(-1)!.data;
  // Kim takes it, says something, and is gone.
  await accept(esc, KIM, 10);
  await act(esc, 'messages', { text: 'Hello, Kim here', by: KIM.id });
  await fixture.say(id, 'Can I return shoes?');
  await pass(fixture, id, 11);
  await becomes(esc, 'requested');
  // Lee takes over, knows what was said, and gives it back to the agent.
  const { body: taken } = await accept(esc, LEE, 60);
  expect(taken.summary).toContain('How long does delivery take?');
  expect(taken.summary).toMatch(/^The user is dora\. /);
  await act(esc, 'messages', { text: 'Yes, within 30 days', by: LEE.id });
  // Whatever it said until then.
  await fixture.engine.pool.query(`update escalations set summary = 'of before'`);
  await act(esc, 'complete', { by: LEE.id });
  const { body: done } = await fixture.call('GET', `/v1/escalations/${esc}`);
  expect(done.summary).toMatch(/Lee took over after/);
  expect((await fixture.say(id, 'When are you open?')).body.turns[1].text).toMatch(/nine to six/);
  await fixture.end(id);
  expect((await texts(id)).map((text) => text.replace(/\..*/s, ''))).toEqual([
    'user: How long does delivery take?',
    expect.stringMatching(/^agent: We deliver within three working days/),
    'user: I want to talk to a human',
    'agent: I am asking a colleague to take over',
    'system: Kim has joined',
    'human: Hello, Kim here',
    'user: Can I return shoes?',
    'system: Kim has left',
    'system: Lee has joined',
    'human: Yes, within 30 days',
    'system: Lee has left',
    'user: When are you open?',
    expect.stringMatching(/^agent: Our shop is open/),
  ]);
  const mine = () => receiver.received.filter(({ json }) => json.data['conversation_id'] === id);
  await receiver.until(() => mine().length >= 7);
  const told = mine()
    .map(({ json }) => json)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ type, data }) => [
      type,
      (data['accepted_by'] ?? data['released_by'] ?? null) as unknown,
    ]);
  expect(told).toEqual([
    ['conversation.started', null],
    ['escalation.requested', null],
    ['escalation.accepted', KIM],
    ['escalation.requested', KIM],
    ['escalation.accepted', LEE],
    ['conversation.ended', null],
    ['conversation.transcript.ready', null],
  ]);
  expect((await fixture.read(id)).outcome).toBe('escalated');
});
