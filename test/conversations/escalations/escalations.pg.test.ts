import { beforeAll, describe, expect, test } from 'vitest';
import { createCall, type Reply } from '../../roles/api/api-setup.ts';
import { shareConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

const KIM = { id: 'op-1', name: 'Kim' };

async function escalated(
  fields: Record<string, unknown> = {},
): Promise<{ id: string; esc: string }> {
  const id = await fixture.start();
  const { status, body, headers } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, {
    json: fields,
  });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/escalations/${body.id}`);
  return { id, esc: body.id };
}

const act = (esc: string, what: string, json?: unknown): Promise<Reply> =>
  fixture.call('POST', `/v1/escalations/${esc}/${what}`, json === undefined ? {} : { json });
const accept = (esc: string, by = KIM) => act(esc, 'accept', { accepted_by: by });

test('asked for in a turn: the event has the reason and what was said so far', async () => {
  const agent_id = await fixture.newAgent({
    escalation: { rules: [{ when: 'user_request', reason: 'The customer asked' }] },
  });
  const id = await fixture.start({ agent_id });
  await fixture.say(id, 'How long does delivery take?');
  const { body } = await fixture.say(id, 'Let me talk to a human');
  expect(body.turns[1].text).toMatch(/colleague/);
  expect(body.conversation.status).toBe('escalated');
  const { type, data } = (await fixture.events(id)).at(-1)!;
  expect(type).toBe('escalation.requested');
  expect(Object.keys(data)).toEqual([
    'escalation_id',
    'conversation_id',
    'agent_id',
    'reason',
    'summary',
    'channel',
  ]);
  expect(data).toMatchObject({
    conversation_id: id,
    agent_id,
    reason: 'The customer asked',
    summary: expect.stringContaining('How long does delivery take?'),
  });
  const read = await fixture.call('GET', `/v1/escalations/${data.escalation_id}`);
  expect(read.body).toMatchObject({ status: 'requested', wait_sec: null, accepted_by: null });
});

test.each([
  ['I have been charged twice. I want to talk to a person'],
  ['My line is dead and I lost a client, get me a human.'],
  ['I will call my lawyer'],
])('the note, the event and the summary quote what the user said: %s', async (text) => {
  const rules = [{ when: 'user_request' }, { when: 'keyword', keywords: ['lawyer'] }];
  const agent_id = await fixture.newAgent({ escalation: { rules } });
  const id = await fixture.start({ agent_id });
  await fixture.say(id, text);
  const { type, data } = (await fixture.events(id)).at(-1)!;
  expect([type, data['summary']]).toEqual(['escalation.requested', `The user said “${text}”.`]);
  const path = `/v1/escalations/${data['escalation_id']}`;
  expect((await fixture.call('GET', path)).body.summary).toBe(data['summary']);
  const { body } = await accept(data['escalation_id']);
  expect(body.summary).toContain(`“${text}”`);
  expect((await fixture.end(id)).body.summary).toContain(`“${text}”`);
});

test('a human accepts, speaks, and hands back', async () => {
  const { id, esc } = await escalated({ reason: 'VIP' });
  const silent = await fixture.say(id, 'Is anybody there?');
  expect(silent.body.turns.map(({ role }: { role: string }) => role)).toEqual(['user']);
  expect((await act(esc, 'messages', { text: 'x' })).body.code).toBe('escalation_not_accepted');
  expect((await act(esc, 'complete')).body.code).toBe('escalation_not_accepted');

  const accepted = await accept(esc);
  expect(accepted.body).toMatchObject({ status: 'accepted', accepted_by: KIM, reason: 'VIP' });
  const event = (await fixture.events(id)).at(-1)!;
  expect(event.type).toBe('escalation.accepted');
  expect(event.data).toEqual({
    escalation_id: esc,
    conversation_id: id,
    agent_id: fixture.agentId,
    accepted_by: KIM,
    wait_sec: accepted.body.wait_sec,
    channel: 'chat',
  });

  const said = await act(esc, 'messages', { text: 'Kim here' });
  expect(said.body.turns).toMatchObject([{ role: 'human', text: 'Kim here' }]);
  expect((await fixture.say(id, 'Thanks')).body.turns).toHaveLength(1);
  expect((await act(esc, 'complete')).body.status).toBe('completed');
  expect((await act(esc, 'messages', { text: 'again' })).body.code).toBe('escalation_closed');
  expect((await fixture.say(id, 'When are you open?')).body.turns).toHaveLength(2);
  expect((await fixture.end(id)).body.outcome).toBe('escalated');
  const roles = (await fixture.turns(id)).map(({ role }) => role);
  expect(roles).toEqual('system user system human user system user agent'.split(' '));
});

test('twenty accept at once: one wins, the others learn who', async () => {
  const { id, esc } = await escalated();
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => accept(esc, { id: `op-${i}`, name: `Op ${i}` })),
  );
  const winners = replies.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  const { name } = winners[0]!.body.accepted_by;
  for (const { status, body } of replies.filter((reply) => reply !== winners[0])) {
    expect([status, body.code, body.detail]).toEqual([
      409,
      'already_accepted',
      `${name} has accepted the escalation.`,
    ]);
  }
  const { body } = await fixture.call('GET', `/v1/escalations/${esc}`);
  expect(body.accepted_by).toEqual(winners[0]!.body.accepted_by);
  expect(
    (await fixture.eventTypes(id)).filter((type) => type === 'escalation.accepted'),
  ).toHaveLength(1);
});

test('declined: the agent goes on, and it cannot be accepted any more', async () => {
  const { id, esc } = await escalated();
  expect((await act(esc, 'decline')).body.status).toBe('declined');
  expect((await accept(esc)).body.code).toBe('escalation_closed');
  expect((await fixture.read(id)).status).toBe('active');
  expect((await fixture.say(id, 'When are you open?')).body.turns).toHaveLength(2);
});

test('one at a time', async () => {
  const { id, esc } = await escalated();
  const again = () => fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
  expect((await again()).body.code).toBe('already_escalated');
  await act(esc, 'decline');
  expect((await again()).status).toBe(201);
  const many = await Promise.all([again(), again()]);
  expect(many.map(({ status }) => status)).toEqual([409, 409]);
});

test('the end closes it: nobody is waited for, and who was there has done it', async () => {
  const [waiting, taken] = [await escalated(), await escalated()];
  await accept(taken.esc);
  await Promise.all([fixture.end(waiting.id), fixture.end(taken.id)]);
  const status = async (esc: string) =>
    (await fixture.call('GET', `/v1/escalations/${esc}`)).body.status;
  expect(await status(waiting.esc)).toBe('canceled');
  expect(await status(taken.esc)).toBe('completed');
  expect((await accept(waiting.esc)).body.code).toBe('escalation_closed');
});

test('an accept and an end at once never contradict each other', async () => {
  for (let i = 0; i < 10; i += 1) {
    const { id, esc } = await escalated();
    const [accepted, ended] = await Promise.all([accept(esc), fixture.end(id)]);
    expect(ended.status).toBe(200);
    expect(ended.body.outcome === 'escalated').toBe(accepted.status === 200);
  }
});

describe('the rules', () => {
  test.each([
    [{ when: 'keyword', keywords: ['lawyer'] }, ['My LAWYER will call.'], 'keyword'],
    [
      { when: 'keyword', keywords: ['sue'], reason: 'Legal' },
      ['I have an issue.', 'I will sue!'],
      'Legal',
    ],
    [{ when: 'low_confidence', count: 2 }, ['Is it velvet?', 'Is it purple?'], 'low_confidence'],
  ])('%j', async (rule, messages, reason) => {
    const agent_id = await fixture.newAgent({ escalation: { rules: [rule] } });
    const id = await fixture.start({ agent_id });
    const statuses = [];
    for (const text of messages)
      statuses.push((await fixture.say(id, text)).body.conversation.status);
    expect(statuses).toEqual([...messages.slice(1).map(() => 'active'), 'escalated']);
    const { body } = await fixture.call('GET', `/v1/escalations?conversation_id=${id}`);
    expect(body.data[0].reason).toBe(reason);
  });
});

test('the list is filtered, and shows only what is of the namespace', async () => {
  const { id, esc } = await escalated();
  const list = async (query: string, call = fixture.call): Promise<string[]> =>
    (await call('GET', `/v1/escalations?limit=100&${query}`)).body.data.map(
      (one: { id: string }) => one.id,
    );
  expect(await list(`conversation_id=${id}`)).toEqual([esc]);
  expect(await list('status=requested')).toContain(esc);
  expect(await list('status=completed')).not.toContain(esc);
  expect(await list(`agent_id=${fixture.agentId}`)).toContain(esc);
  const foreign = createCall(fixture.url, await fixture.newKey('other'));
  expect(await list('', foreign)).toEqual([]);
  for (const [method, path, json] of [
    ['GET', '', undefined],
    ['POST', '/accept', { accepted_by: KIM }],
    ['POST', '/decline', undefined],
    ['POST', '/complete', undefined],
    ['POST', '/messages', { text: 'x' }],
  ] as const) {
    const options = json === undefined ? {} : { json };
    expect((await foreign(method, `/v1/escalations/${esc}${path}`, options)).status).toBe(404);
  }
  const { body } = await fixture.call('GET', `/v1/escalations/${esc}`);
  expect(body.status).toBe('requested');
});
