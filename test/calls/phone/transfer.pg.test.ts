import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { echo, hesitate, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { passTime, until, type PassingTime } from '../passing-time.ts';
import { dialled, type Dialled } from './dialled.ts';
import type { Phone } from './phone.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';
import { ACCOUNT } from './account.ts';

/** Transfers to another number: the ringing, the events, and the return of the caller. */

const responder = scriptedResponder();
let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture({ responder });
});
let time: PassingTime;
beforeEach(() => {
  time = passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

const TO = '+442079460000';

type Call = { id: string; conversation_id: string };

const ask = (call: Pick<Call, 'id'>, to = TO) =>
  phones.api.call('POST', `/v1/calls/${call.id}/transfer`, { json: { to } });

async function onThePhone(): Promise<{ phone: Phone; call: Call }> {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  return { phone, call: await phones.callWhen(phone.sid, { status: 'in_progress' }) };
}

/** Returns a call whose other number is ringing. */
async function ringing(): Promise<{ phone: Phone; call: Call; dial: Dialled }> {
  const { phone, call } = await onThePhone();
  expect((await ask(call)).status).toBe(202);
  const { verbs } = await phone.handedOff();
  return { phone, call, dial: dialled(phones.carrier, phone.sid, verbs) };
}

const conversationOf = ({ conversation_id: id }: Call) => phones.read(`/v1/conversations/${id}`);

test('a person picks up: the conversation ends with it, and the call with the two of them', async () => {
  const { phone, call } = await onThePhone();
  const asked = await ask(call);
  expect([asked.status, asked.body]).toMatchObject([
    202,
    { status: 'transferring', transfer: { to: TO, status: 'requested' } },
  ]);
  const { verbs } = await phone.handedOff();
  const dial = dialled(phones.carrier, phone.sid, verbs);
  expect(dial).toMatchObject({ to: TO, attributes: { callerId: NUMBER, timeout: '5' } });
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'transferring',
    transfer: { to: TO, status: 'ringing' },
  });
  await dial.pickUp();
  expect(await conversationOf(call)).toMatchObject({
    status: 'ended',
    ended_reason: 'transferred',
    outcome: 'escalated',
  });
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'in_progress',
    transfer: { status: 'answered' },
    ended_at: null,
  });
  const { verbs: last } = await dial.over('completed');
  expect(last).toMatchObject([{ name: 'Hangup' }]);
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'completed',
    ended_reason: 'transferred',
  });
  expect(await phones.transcript(call)).toEqual([
    `agent: ${GREETING}`,
    'system: The call is being transferred to another number.',
  ]);
  expect(await phones.events(call)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
});

test('what is being said is said to its end before the line is closed', async () => {
  const rest = Promise.withResolvers<void>();
  responder.play(async ({ emitToken }) => {
    emitToken('One moment, ');
    await rest.promise;
    emitToken('I put you through.');
    return { text: 'One moment, I put you through.' };
  });
  const { phone, call } = await onThePhone();
  phone.say('A person, please.');
  await until('the first words', () => phone.heard.at(-1) === 'One moment, ');
  await ask(call);
  rest.resolve();
  await phone.hears('I put you through.');
  // Thirty characters take two seconds.
  await time.pass(1_500);
  expect(phone.frames.some(({ frame }) => frame['type'] === 'end')).toBe(false);
  await phone.handedOff();
  expect(await phones.transcript(call)).toContain('agent: One moment, I put you through.');
  await phone.hangUp();
});

test('what goes on for ever is cut, and the number is rung', async () => {
  responder.play(hesitate);
  const { phone, call } = await onThePhone();
  phone.say('Tell me all of it.');
  await until('the first words', () => phone.heard.at(-1) === 'Well, ');
  await ask(call);
  await time.pass(9_500);
  expect(phone.frames.some(({ frame }) => frame['type'] === 'end')).toBe(false);
  const { verbs } = await phone.handedOff();
  expect(dialled(phones.carrier, phone.sid, verbs).to).toBe(TO);
  await until('the turn to be cut', async () =>
    (await phones.transcript(call)).includes('agent: Well,  (interrupted)'),
  );
});

test.each([
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
])('%s: the caller is back with the agent, who knows it', async (dialStatus, status) => {
  const { phone, call, dial } = await ringing();
  const { verbs } = await dial.over(dialStatus);
  const again = await phones.carrier.connect(phone.sid, verbs);
  await again.hears('nobody answered there');
  again.say('Then you, please.');
  await again.hears('You said: Then you, please.');
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'in_progress',
    conversation_id: call.conversation_id,
    transfer: { to: TO, status },
  });
  expect(await phones.transcript(call)).toEqual([
    `agent: ${GREETING}`,
    'system: The call is being transferred to another number.',
    'agent: I am sorry, nobody answered there. How else can I help you?',
    'user: Then you, please.',
    'agent: You said: Then you, please.',
  ]);
  // Another transfer, to a different number.
  expect((await ask(call, '+442079460001')).status).toBe(202);
  const other = dialled(phones.carrier, phone.sid, (await again.handedOff()).verbs);
  expect(other.to).toBe('+442079460001');
  await other.pickUp();
  await other.over('completed', 'completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
});

test('the same number again changes nothing, another one waits for the first', async () => {
  const { phone, call, dial } = await ringing();
  expect(await ask(call)).toMatchObject({ status: 202, body: { transfer: { status: 'ringing' } } });
  expect(await ask(call, '+442079460001')).toMatchObject({
    status: 409,
    body: { code: 'call_transferring' },
  });
  await dial.pickUp();
  expect(await ask(call)).toMatchObject({ status: 409, body: { code: 'call_not_connected' } });
  await dial.over('completed');
  expect(await ask(call)).toMatchObject({ status: 409, body: { code: 'call_ended' } });
  expect((await phones.transcript(call)).filter((turn) => turn.startsWith('system'))).toHaveLength(
    1,
  );
  await phone.closed;
});

test.each([
  ['+4930123456', 'country_not_allowed'],
  ['+449098790000', 'premium_rate'],
  ['020 7946 0000', 'invalid_format'],
  ['+441234567', 'invalid_number'],
])('%s is not rung: %s', async (to, code) => {
  const { phone, call } = await onThePhone();
  const refused = await ask(call, to);
  expect(refused.status).toBe(422);
  expect(refused.body.errors).toMatchObject([{ pointer: '/to', code }]);
  expect(await phones.callWhen(phone.sid)).toMatchObject({ status: 'in_progress', transfer: null });
  await phone.hangUp();
});

test('a call that nobody has answered, and one without a telephone, goes nowhere', async () => {
  const { sid } = await phones.carrier.ring(NUMBER);
  const unanswered = await phones.callWhen(sid, { status: 'ringing' });
  expect(await ask(unanswered)).toMatchObject({
    status: 409,
    body: { code: 'call_not_connected' },
  });
  const json = { agent_id: phones.agentId, to: TO, simulated: { hang_up: false } };
  const simulated = await phones.api.call('POST', '/v1/calls', { json });
  expect(await ask(simulated.body)).toMatchObject({
    status: 409,
    body: { code: 'call_not_connected', detail: expect.stringContaining('simulated') },
  });
});

test('a caller who does not wait ends the call, and nobody is transferred', async () => {
  const { phone, call, dial } = await ringing();
  await dial.over('no-answer', 'completed');
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'completed',
    ended_reason: 'user_hangup',
    transfer: { status: 'canceled' },
  });
  expect(await conversationOf(call)).toMatchObject({ ended_reason: 'user_hangup' });
});

test('a call that is ended while it rings is ended at the carrier too', async () => {
  const { phone, call } = await ringing();
  expect((await phones.api.call('POST', `/v1/calls/${call.id}/end`)).status).toBe(200);
  expect(phones.carrier.hungUp).toContain(phone.sid);
  expect(await phones.callWhen(phone.sid)).toMatchObject({
    status: 'completed',
    ended_reason: 'api',
  });
});

test('two who talk are over when somebody ends the call, and when the carrier says that the caller has gone', async () => {
  const first = await ringing();
  await first.dial.pickUp();
  expect((await phones.api.call('POST', `/v1/calls/${first.call.id}/end`)).status).toBe(200);
  expect(phones.carrier.hungUp).toContain(first.phone.sid);
  expect(await phones.callWhen(first.phone.sid)).toMatchObject({
    status: 'completed',
    ended_reason: 'api',
    transfer: { status: 'answered' },
  });
  const second = await ringing();
  await second.dial.pickUp();
  const over = { AccountSid: ACCOUNT, CallSid: second.phone.sid, CallStatus: 'completed' };
  await phones.carrier.post(`/v1/telephony/twilio/status?call=${second.call.id}`, over);
  await phones.callWhen(second.phone.sid, { status: 'completed', ended_reason: 'transferred' });
  expect((await second.dial.over('completed', 'completed')).verbs).toMatchObject([
    { name: 'Hangup' },
  ]);
});

test('what is told twice, late or in another order changes nothing', async () => {
  const { phone, call, dial } = await ringing();
  const socketOver = {
    AccountSid: ACCOUNT,
    CallSid: phone.sid,
    SessionStatus: 'ended',
    CallStatus: 'in-progress',
  };
  const first = `/v1/telephony/twilio/voice?call=${call.id}`;
  // The answer was lost: the repeated request gets the same instruction to ring the number.
  expect(
    dialled(phones.carrier, phone.sid, (await phones.carrier.post(first, socketOver)).verbs).to,
  ).toBe(TO);
  const { verbs } = await dial.over('busy');
  // This answer was lost too.
  const { verbs: twice } = await dial.over('busy');
  expect(twice).toMatchObject([{ name: 'Connect' }]);
  await expect(phones.carrier.connect(phone.sid, verbs).then(({ closed }) => closed)).resolves.toBe(
    1008,
  );
  const again = await phones.carrier.connect(phone.sid, twice);
  await again.hears('nobody answered there');
  // Late requests: from the socket before the transfer, and from a number that no longer rings.
  expect((await phones.carrier.post(first, socketOver)).verbs).toEqual([]);
  await dial.pickUp();
  await dial.over('completed');
  again.say('Still there?');
  await again.hears('You said: Still there?');
  expect(await conversationOf(call)).toMatchObject({ status: 'active' });
  // A pick-up that belongs to another call changes nothing.
  await ask(call);
  const other = dialled(phones.carrier, phone.sid, (await again.handedOff()).verbs);
  await other.pickUp({ ParentCallSid: 'CA0' });
  expect(await conversationOf(call)).toMatchObject({ status: 'active' });
  await other.pickUp();
  await other.pickUp();
  await other.over('completed');
  await other.over('completed');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
  expect((await phones.events(call)).filter((type) => type === 'conversation.ended')).toHaveLength(
    1,
  );
});

test('nobody tells of a pick-up: who is connected after the ringing talks, until their carrier says otherwise', async () => {
  const { phone, call } = await ringing();
  phones.carrier.statuses.set(phone.sid, 'in-progress');
  await timePasses(call.id);
  await phones.callWhen(phone.sid, { status: 'in_progress' });
  expect(await conversationOf(call)).toMatchObject({ ended_reason: 'transferred' });
  await timePasses(call.id);
  await until('another look', async () => (await lineUntil(call.id)) > 30_000);
  expect(phones.carrier.hungUp).not.toContain(phone.sid);
  phones.carrier.statuses.set(phone.sid, 'completed');
  await timePasses(call.id);
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'transferred' });
});

/** Lets the lease of the line run out. */
async function timePasses(id: string): Promise<void> {
  const text = `update calls set line_until = clock_timestamp() where id = $1`;
  await phones.api.engine.pool.query(text, [toUuid('call', id)]);
}

/** Returns the time until the lease runs out, in ms. */
async function lineUntil(id: string): Promise<number> {
  const { rows } = await phones.api.engine.pool.query<{ ms: number }>(
    `select extract(epoch from line_until - clock_timestamp())::float8 * 1000 as ms from calls where id = $1`,
    [toUuid('call', id)],
  );
  return rows[0]!.ms;
}
