import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  aborted,
  echo,
  hesitate,
  scriptedResponder,
} from '../../conversations/turns/scripted-responder.ts';
import { passTime, until, type PassingTime } from '../passing-time.ts';
import { GREETING, NUMBER, startPhoneFixture, type PhoneFixture } from './phone-setup.ts';
import { CALLER } from './stand-in-carrier.ts';
import { answerInMarkdown, MARKDOWN, WORDS } from '../../voice/playout/markdown-answer.ts';

/** Incoming calls by ConversationRelay. */

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

test('a call is greeted, held and told of, from the first ring to the end', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is Tide 500?');
  await phone.hears('You said: How much is Tide 500?');
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  expect(call).toMatchObject({
    agent_id: phones.agentId,
    direction: 'inbound',
    from: CALLER,
    to: NUMBER,
    provider: 'carrier',
    ended_at: null,
  });
  await phone.hangUp();
  const ended = await phones.callWhen(phone.sid, { status: 'completed' });
  expect(ended).toMatchObject({ ended_reason: 'user_hangup', duration_sec: expect.any(Number) });
  expect(await phones.transcript(ended)).toEqual([
    `agent: ${GREETING}`,
    'user: How much is Tide 500?',
    'agent: You said: How much is Tide 500?',
  ]);
  expect(await phones.events(ended)).toEqual([
    'conversation.started',
    'conversation.ended',
    'conversation.transcript.ready',
  ]);
});

test('a caller whose number is hidden has none, though the network sends one', async () => {
  const phone = await phones.carrier.call(NUMBER, { From: '+266696687' });
  await phone.hears(GREETING);
  expect(await phones.callWhen(phone.sid, { status: 'in_progress' })).toMatchObject({ from: null });
  await phone.hangUp();
});

test('the words of a reply are said as they come', async () => {
  const rest = Promise.withResolvers<void>();
  responder.play(async ({ emitToken }) => {
    emitToken('It costs ');
    await rest.promise;
    emitToken('forty pounds.');
    return { text: 'It costs forty pounds.' };
  });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is it?');
  await until('the first words', () => phone.heard.at(-1) === 'It costs ');
  rest.resolve();
  expect(await phone.hears('forty')).toBe('It costs forty pounds.');
  await phone.hangUp();
});

test('who speaks into a reply stops it, and the transcript keeps what was heard', async () => {
  responder.play(hesitate);
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is it?');
  await until('the reply to begin', () => phone.heard.at(-1) === 'Well, ');
  phone.interrupt('');
  responder.play(echo);
  phone.say('Never mind.');
  await phone.hears('You said: Never mind.');
  const call = await phones.callWhen(phone.sid);
  expect((await phones.transcript(call)).slice(1)).toEqual([
    'user: How much is it?',
    'agent:  (interrupted)',
    'user: Never mind.',
    'agent: You said: Never mind.',
  ]);
  await phone.hangUp();
});

test('queued is not played: a reply that was whole before the user spoke is cut to what was heard', async () => {
  responder.play(async ({ emitToken }) => {
    const text = 'It costs forty pounds. It takes two days. Shall I order it?';
    emitToken(text);
    return { text };
  });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is it?');
  await phone.hears('Shall I order it?');
  phone.interrupt('It costs forty pounds. It takes');
  const call = await phones.callWhen(phone.sid);
  await until('the turn to be cut', async () =>
    (await phones.transcript(call)).includes(
      'agent: It costs forty pounds. It takes (interrupted)',
    ),
  );
  // The model's next input also has the heard part only.
  responder.play(async ({ readHistory }) => ({
    text: (await readHistory(10)).map(({ text }) => text).join(' | '),
  }));
  phone.say('Two days?');
  expect(await phone.hears('|')).toBe(
    `${GREETING} | How much is it? | It costs forty pounds. It takes`,
  );
  await phone.hangUp();
});

test('a reply in Markdown is said as words, and the transcript keeps it as it is written', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  responder.play(answerInMarkdown);
  phone.say('How long does it take?');
  const heard = await phone.hears('Pay when it comes');
  expect(
    heard
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ).toEqual(WORDS);
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toContain(`agent: ${MARKDOWN}`);
  responder.play(echo);
  phone.interrupt('Delivery takes four days and you');
  await until('the turn to be cut', async () =>
    (await phones.transcript(call)).includes(
      'agent: **Delivery** takes *four* days and you (interrupted)',
    ),
  );
  await phone.hangUp();
});

test('nothing of an interrupted reply is said after it was interrupted', async () => {
  responder.play(async ({ emitToken, signal }) => {
    emitToken('One. ');
    await aborted(signal);
    emitToken('Two.');
    return { text: 'One. Two.' };
  });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('Count.');
  await until('the reply to begin', () => phone.heard.at(-1) === 'One. ');
  phone.interrupt('One.');
  responder.play(echo);
  phone.say('Stop.');
  await phone.hears('You said: Stop.');
  expect(phone.heard.join('')).not.toContain('Two');
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toContain('agent: One. (interrupted)');
  await phone.hangUp();
});

test('who says “mhm” into a reply interrupts nothing, and is no turn', async () => {
  const rest = Promise.withResolvers<void>();
  responder.play(async ({ emitToken }) => {
    emitToken('It costs forty pounds and takes two days. ');
    await rest.promise;
    emitToken('Shall I order it?');
    return { text: 'It costs forty pounds and takes two days. Shall I order it?' };
  });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('How much is it?');
  await until('the first words', () => phone.heard.at(-1)?.startsWith('It costs'));
  phone.say('mhm');
  rest.resolve();
  await phone.hears('Shall I order it?');
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toEqual([
    `agent: ${GREETING}`,
    'user: How much is it?',
    'agent: It costs forty pounds and takes two days. Shall I order it?',
  ]);
  await phone.hangUp();
});

test('keys are what the user says with them', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.press('4711#');
  await phone.hears('You said: 4711');
  await phone.hangUp();
});

test('a person who takes over is heard, and the call ends as they end it', async () => {
  responder.play(async () => ({ text: 'I get somebody.', handover: { reason: 'user_request' } }));
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('A person, please.');
  await phone.hears('I get somebody.');
  const call = await phones.callWhen(phone.sid);
  const { data } = await phones.read(`/v1/escalations?conversation_id=${call.conversation_id}`);
  const path = `/v1/escalations/${data[0].id}`;
  const ana = { accepted_by: { id: 'u_1', name: 'Ana' } };
  expect(await phones.api.call('POST', `${path}/accept`, { json: ana })).toMatchObject({
    status: 200,
  });
  const text = 'Ana here, what can I do?';
  const said = await phones.api.call('POST', `${path}/messages`, { json: { text } });
  expect(said.status).toBe(200);
  await phone.hears(text);
  phone.say('Where is my order?');
  await until('the words to be stored', async () =>
    (await phones.transcript(call)).includes('user: Where is my order?'),
  );
  expect(
    await phones.api.call('POST', `/v1/conversations/${call.conversation_id}/end`),
  ).toMatchObject({ status: 200 });
  expect(await phone.closed).toBe(1000);
  await phones.callWhen(phone.sid, { status: 'completed' });
});

test('an agent that says goodbye is heard to the end before it hangs up', async () => {
  responder.play(async ({ emitToken }) => {
    emitToken('Goodbye.');
    return { text: 'Goodbye.', ends: 'agent_hangup' };
  });
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  phone.say('That was all.');
  await phone.hears('Goodbye.');
  // Eight characters take half a second.
  await time.pass(400);
  expect(phone.frames.at(-1)!.frame).not.toEqual({ type: 'end' });
  await phone.closed;
  expect(phone.frames.at(-1)!.frame).toEqual({ type: 'end' });
  expect(await phones.callWhen(phone.sid, { status: 'completed' })).toMatchObject({
    ended_reason: 'agent_hangup',
  });
});

test('who ends the call by the API hangs up', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const call = await phones.callWhen(phone.sid, { status: 'in_progress' });
  expect(await phones.api.call('POST', `/v1/calls/${call.id}/end`)).toMatchObject({ status: 200 });
  await phone.closed;
  expect(phones.carrier.hungUp).toContain(phone.sid);
});

test('the end of a call that is reported where calls come in ends that call, and is no new one', async () => {
  const phone = await phones.carrier.call(NUMBER);
  await phone.hears(GREETING);
  const ending = { CallStatus: 'completed' };
  expect(await phones.carrier.ring(NUMBER, { ...ending, CallSid: phone.sid })).toMatchObject({
    status: 200,
    verbs: [],
  });
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'user_hangup' });
  const before = await phones.read('/v1/calls?limit=100');
  await phones.carrier.ring(NUMBER, ending);
  expect(await phones.read('/v1/calls?limit=100')).toEqual(before);
});
