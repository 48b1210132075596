import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  echo,
  scriptedResponder,
  type Script,
} from '../../conversations/turns/scripted-responder.ts';
import { passTime, until } from '../passing-time.ts';
import { dialled, type Dialled } from './dialled.ts';
import type { Phone } from './phone.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';

/** A human is requested in a telephone call, and the agent declares whom to ring. */

const PEOPLE = '+442079460000';
const ESCALATION = { telephone: { to: PEOPLE }, timeout_sec: 1, rules: [{ when: 'user_request' }] };

const responder = scriptedResponder();
let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture({ responder }, { agent: { escalation: ESCALATION } });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

const SENTENCE = 'I am putting you through.';
const handOver: Script = async ({ emitToken }) => {
  emitToken(SENTENCE);
  return { text: SENTENCE, handover: { reason: 'user_request' } };
};

type Call = { id: string; conversation_id: string };

async function onThePhone(): Promise<{ phone: Phone; call: Call }> {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  return { phone, call: await phones.callWhen(phone.sid, { status: 'in_progress' }) };
}

/** Returns a call in which a human was requested and is being rung. */
async function rung(): Promise<{ phone: Phone; call: Call; dial: Dialled }> {
  const { phone, call } = await onThePhone();
  responder.play(handOver);
  phone.say('A person, please.');
  await phone.hears(SENTENCE);
  const { verbs } = await phone.handedOff();
  return { phone, call, dial: dialled(phones.carrier, phone.sid, verbs) };
}

async function escalationsOf({ conversation_id: id }: Call) {
  const { data } = await phones.read(`/v1/escalations?conversation_id=${id}`);
  return data;
}

test('a person is rung after the agent’s sentence, and has taken over when they pick up', async () => {
  const { phone, call, dial } = await rung();
  expect(dial.to).toBe(PEOPLE);
  expect(await escalationsOf(call)).toMatchObject([{ status: 'requested', accepted_by: null }]);
  await dial.pickUp();
  expect(await escalationsOf(call)).toMatchObject([
    {
      status: 'completed',
      accepted_by: { id: PEOPLE, name: PEOPLE },
      wait_sec: expect.any(Number),
    },
  ]);
  expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
    ended_reason: 'transferred',
    outcome: 'escalated',
  });
  await dial.over('completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
  expect(await phones.events(call)).toEqual([
    'conversation.started',
    'escalation.requested',
    'escalation.accepted',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
});

test('nobody picks up: the caller is told, people are still asked, and what they write is said', async () => {
  const { phone, call, dial } = await rung();
  const { verbs } = await dial.over('no-answer');
  const again = await phones.carrier.connect(phone.sid, verbs);
  await again.hears('Please stay on the line');
  const [escalation] = await escalationsOf(call);
  expect(escalation).toMatchObject({ status: 'requested' });
  const by = { id: 'ada', name: 'Ada' };
  const accepted = await phones.api.call('POST', `/v1/escalations/${escalation.id}/accept`, {
    json: { accepted_by: by },
  });
  expect(accepted.status).toBe(200);
  const written = await phones.api.call('POST', `/v1/escalations/${escalation.id}/messages`, {
    json: { text: 'Ada here, sorry for the wait.', by: by.id },
  });
  expect(written.status).toBe(200);
  await again.hears('Ada here');
  await again.hangUp();
  expect(await escalationsOf(call)).toMatchObject([{ status: 'completed', accepted_by: by }]);
});

test('an escalation does not time out while the number rings', async () => {
  const { phone, call, dial } = await rung();
  // The escalation's own timeout is one second.
  const [escalation] = await escalationsOf(call);
  // Two minutes until the carrier rings, and five seconds of ringing, in whole seconds.
  expect([125, 126]).toContain(escalation.times_out_at - escalation.requested_at);
  await dial.over('busy', 'completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'user_hangup' });
  expect(await escalationsOf(call)).toMatchObject([{ status: 'canceled' }]);
});

test('who asks for a person by the API has them rung too', async () => {
  const { phone, call } = await onThePhone();
  const path = `/v1/conversations/${call.conversation_id}/escalate`;
  expect((await phones.api.call('POST', path, { json: { reason: 'vip' } })).status).toBe(201);
  const { verbs } = await phone.handedOff();
  const dial = dialled(phones.carrier, phone.sid, verbs);
  await dial.pickUp();
  await dial.over('completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
});

test('a chat rings nobody', async () => {
  responder.play(handOver);
  const started = await phones.api.call('POST', '/v1/conversations', {
    json: { agent_id: phones.agentId },
  });
  const path = `/v1/conversations/${started.body.id}`;
  await phones.api.call('POST', `${path}/messages`, { json: { text: 'A person, please.' } });
  expect(await phones.read(path)).toMatchObject({ status: 'escalated' });
  const { data } = await phones.read(`/v1/escalations?conversation_id=${started.body.id}`);
  expect(data).toMatchObject([{ status: 'requested' }]);
});

test('outside the hours, and where the number may not be called, nobody is rung', async () => {
  const closed = {
    time_zone: 'UTC',
    open: [{ days: ['mon'], from: '00:00', to: '00:01' }],
    closed_on: [],
  };
  await withEscalation({ ...ESCALATION, hours: closed }, async () => {
    const { phone, call } = await onThePhone();
    await phones.api.call('POST', `/v1/conversations/${call.conversation_id}/escalate`, {
      json: {},
    });
    await staysHere(phone, call);
  });
  await withEscalation(
    { ...ESCALATION, hours: null, telephone: { to: '+4930123456' } },
    async () => {
      const { phone, call } = await onThePhone();
      responder.play(handOver);
      phone.say('A person, please.');
      await phone.hears(SENTENCE);
      await staysHere(phone, call);
    },
  );
});

/** Checks that the line stays open and the escalation proceeds as on other channels. */
async function staysHere(phone: Phone, call: Call): Promise<void> {
  await until('the escalation', async () => (await escalationsOf(call)).length >= 1);
  expect(await phones.callWhen(phone.sid)).toMatchObject({ status: 'in_progress', transfer: null });
  expect(phone.frames.some(({ frame }) => frame['type'] === 'end')).toBe(false);
  await phone.hangUp();
}

async function withEscalation(escalation: object, act: () => Promise<void>): Promise<void> {
  const path = `/v1/agents/${phones.agentId}`;
  expect((await phones.api.call('PATCH', path, { json: { escalation } })).status).toBe(200);
  responder.play(echo);
  await act();
}
