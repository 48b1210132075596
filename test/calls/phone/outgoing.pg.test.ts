import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { toUuid } from '../../../src/ids.ts';
import { until } from '../../until.ts';
import {
  GREETING,
  NUMBER,
  OTHER_NUMBER,
  PROVIDER,
  startPhoneFixture,
  type PhoneFixture,
} from './phone-setup.ts';

/** Outbound calls. */

const TO = '+447400123456';

let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startPhoneFixture({ responder: scriptedResponder() });
});
afterAll(() => phones?.stop());
/** Every test begins without live calls and with the provider as first declared. */
beforeEach(async () => {
  phones.carrier.onPlace = undefined;
  const { data } = await phones.read('/v1/calls?limit=100');
  const live = data.filter(
    ({ ended_at: endedAt }: { ended_at: number | null }) => endedAt === null,
  );
  for (const { id } of live) await phones.api.call('POST', `/v1/calls/${id}/end`);
  phones.carrier.placed.length = 0;
  phones.carrier.hungUp.length = 0;
});

const place = (fields: object = {}): Promise<Reply> =>
  phones.api.call('POST', '/v1/calls', {
    json: { agent_id: phones.agentId, provider: 'carrier', to: TO, ...fields },
  });

const patch = async (fields: object): Promise<void> => {
  const { data } = await phones.read('/v1/telephony_providers');
  const path = `/v1/telephony_providers/${data[0].id}`;
  expect(await phones.api.call('PATCH', path, { json: fields })).toMatchObject({ status: 200 });
};

/** Resets every changed field: a merge patch keeps the fields that it does not name. */
const restore = () =>
  patch({
    outbound: {
      ...PROVIDER.outbound,
      voicemail_message: null,
      max_concurrent_calls: null,
      max_calls_per_minute: null,
    },
  });

const status = (sid: string, id: string, CallStatus: string) =>
  phones.carrier.post(`/v1/telephony/twilio/status?call=${id}`, {
    AccountSid: PROVIDER.account_id,
    CallSid: sid,
    CallStatus,
  });

test('it is dialled once, with what the carrier is to ask, and its conversation begins with the answer', async () => {
  const made = await place({
    user_id: 'u_7',
    variables: { name: 'Ana' },
    metadata: { order: '4711' },
  });
  expect(made).toMatchObject({
    status: 201,
    body: { status: 'queued', from: NUMBER, to: TO, provider: 'carrier' },
  });
  const { sid, verbs } = await phones.carrier.pickUp();
  expect(phones.carrier.placed).toMatchObject([
    {
      From: NUMBER,
      To: TO,
      Timeout: '5',
      Url: `${phones.api.url}/v1/telephony/twilio/voice?call=${made.body.id}`,
      StatusCallback: `${phones.api.url}/v1/telephony/twilio/status?call=${made.body.id}`,
    },
  ]);
  const phone = await phones.carrier.connect(sid, verbs);
  await phone.hears(GREETING);
  phone.say('Who is it?');
  await phone.hears('You said: Who is it?');
  const call = await phones.callWhen(sid, { status: 'in_progress' });
  expect(call).toMatchObject({ id: made.body.id, direction: 'outbound' });
  expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
    user_id: 'u_7',
    metadata: { order: '4711' },
    call_id: made.body.id,
    channel: 'voice',
  });
  await phone.hangUp();
  await phones.callWhen(sid, { status: 'completed', ended_reason: 'user_hangup' });
  expect(phones.carrier.placed).toHaveLength(1);
});

test.each([
  ['busy', 'busy', 'busy'],
  ['no-answer', 'no_answer', 'no_answer'],
  ['failed', 'failed', 'dial_failed'],
  ['canceled', 'canceled', 'canceled'],
])('the carrier says %s', async (said, wanted, reason) => {
  const { body } = await place();
  const sid = await until('it to be placed', () => phones.carrier.placed[0]?.['CallSid']);
  await status(sid, body.id, 'ringing');
  await status(sid, body.id, said);
  expect(await phones.callWhen(sid, { status: wanted })).toMatchObject({
    ended_reason: reason,
    conversation_id: null,
  });
});

describe('a machine answers', () => {
  afterEach(restore);

  test('and is left the message of the provider', async () => {
    await patch({
      outbound: { ...PROVIDER.outbound, voicemail_message: 'The shop called. Please call back.' },
    });
    await place();
    const { sid, verbs } = await phones.carrier.pickUp({ AnsweredBy: 'machine_end_beep' });
    expect(phones.carrier.placed[0]).toMatchObject({ MachineDetection: 'DetectMessageEnd' });
    expect(verbs).toMatchObject([
      { name: 'Say', text: 'The shop called. Please call back.' },
      { name: 'Hangup' },
    ]);
    const call = await phones.callWhen(sid, { status: 'completed' });
    expect(call).toMatchObject({ ended_reason: 'voicemail' });
    expect(await phones.transcript(call)).toEqual(['agent: The shop called. Please call back.']);
    expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
    });
  });

  const MESSAGE = 'The shop called. Please call back.';
  const declareMessage = () =>
    patch({ outbound: { ...PROVIDER.outbound, voicemail_message: MESSAGE } });
  const found = (sid: string, id: string, AnsweredBy: string) =>
    phones.carrier.post(`/v1/telephony/twilio/status?call=${id}`, {
      AccountSid: PROVIDER.account_id,
      CallSid: sid,
      AnsweredBy,
      MachineDetectionDuration: '2400',
    });

  test('that is found while the agent speaks: the line is closed, and the message is said', async () => {
    await declareMessage();
    const { body } = await place();
    const { sid, verbs } = await phones.carrier.pickUp();
    expect(phones.carrier.placed[0]).toMatchObject({
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: `${phones.api.url}/v1/telephony/twilio/status?call=${body.id}`,
    });
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    const told = await found(sid, body.id, 'machine_end_beep');
    expect([told.status, told.verbs]).toEqual([200, []]);
    const left = await phone.handedOff();
    expect(left.verbs).toMatchObject([{ name: 'Say', text: MESSAGE }, { name: 'Hangup' }]);
    const call = await phones.callWhen(sid, { status: 'completed', ended_reason: 'voicemail' });
    expect(await phones.transcript(call)).toEqual([`agent: ${GREETING}`, `agent: ${MESSAGE}`]);
    expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
      ended_reason: 'voicemail',
    });
    // Repeated and late reports change nothing.
    await found(sid, body.id, 'machine_end_beep');
    await status(sid, body.id, 'completed');
    expect(await phones.transcript(call)).toEqual([`agent: ${GREETING}`, `agent: ${MESSAGE}`]);
  });

  test('that hangs up before the message was said is left none', async () => {
    await declareMessage();
    const { body } = await place();
    const { sid, verbs } = await phones.carrier.pickUp();
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    await found(sid, body.id, 'machine_end_other');
    await status(sid, body.id, 'completed');
    const call = await phones.callWhen(sid, { status: 'completed', ended_reason: 'voicemail' });
    expect(await phones.transcript(call)).toEqual([`agent: ${GREETING}`]);
    expect(await phones.read(`/v1/conversations/${call.conversation_id}`)).toMatchObject({
      outcome: 'voicemail',
    });
  });

  test.each(['human', 'unknown'])('and one that is %s is talked to', async (answeredBy) => {
    await declareMessage();
    const { body } = await place();
    const { sid, verbs } = await phones.carrier.pickUp();
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    await found(sid, body.id, answeredBy);
    phone.say('Hello?');
    await phone.hears('You said: Hello?');
    await phone.hangUp();
    await phones.callWhen(sid, { status: 'completed', ended_reason: 'user_hangup' });
  });

  test('and hears nothing where there is no message', async () => {
    await place();
    const { sid, verbs } = await phones.carrier.pickUp({ AnsweredBy: 'machine_start' });
    expect(verbs.map(({ name }) => name)).toEqual(['Hangup']);
    await phones.callWhen(sid, { status: 'completed', ended_reason: 'voicemail' });
  });
});

test('a carrier that refuses fails the call; one that is away is asked again, and dials once', async () => {
  phones.carrier.onPlace = (response) => {
    const body = JSON.stringify({ code: 21211, message: 'Invalid To number' });
    response.writeHead(400, { 'content-type': 'application/json' }).end(body);
  };
  const refused = await place();
  const seen = async (id: string, wanted: string) =>
    until(wanted, async () => {
      const call = await phones.read(`/v1/calls/${id}`);
      return call.status === wanted && call;
    });
  expect(await seen(refused.body.id, 'failed')).toMatchObject({ ended_reason: 'dial_failed' });

  let tries = 0;
  phones.carrier.onPlace = (response) => {
    tries += 1;
    if (tries > 1) phones.carrier.onPlace = undefined;
    response.writeHead(503).end();
  };
  const late = await place();
  await seen(late.body.id, 'ringing');
  expect(tries).toBe(2);
  expect(phones.carrier.placed).toHaveLength(1);
});

test('a process that was killed as it dialled: the carrier is asked before it is dialled again', async () => {
  // The carrier has dialed, and its answer was lost.
  phones.carrier.onPlace = (response) => {
    const call = { From: NUMBER, To: TO, CallSid: 'CA-lost', at: new Date().toUTCString() };
    phones.carrier.placed.push(call);
    response.destroy();
  };
  const { body } = await place();
  const call = await until('it to be found', async () => {
    const read = await phones.read(`/v1/calls/${body.id}`);
    return read.status === 'ringing' && read;
  });
  expect(call.provider_call_id).toBe('CA-lost');
  expect(phones.carrier.placed).toHaveLength(1);
});

test('a call whose carrier tells nothing more is given up', async () => {
  const { body } = await place();
  await until('it to ring', () => phones.carrier.placed.length >= 1);
  await until(
    'it to be noted',
    async () => (await phones.read(`/v1/calls/${body.id}`)).status === 'ringing',
  );
  const { pool } = phones.api.engine;
  await pool.query('update calls set line_until = clock_timestamp() where id = $1', [
    toUuid('call', body.id),
  ]);
  await until(
    'the end',
    async () => (await phones.read(`/v1/calls/${body.id}`)).status === 'failed',
  );
  await until('the carrier to be told', () => phones.carrier.hungUp.length >= 1);
});

describe('what is refused before anybody is rung', () => {
  afterEach(restore);

  const problem = (pointer: string, code: string) => ({
    status: 422,
    body: { errors: [{ pointer, code }] },
  });

  test.each([
    ['a country that is not declared', { to: '+4915112345678' }, '/to', 'country_not_allowed'],
    [
      'a number of the same code in another country',
      { to: '+447624123456' },
      '/to',
      'country_not_allowed',
    ],
    ['a number that costs whoever calls it', { to: '+449098790000' }, '/to', 'premium_rate'],
    ['a personal number', { to: '+447012345678' }, '/to', 'number_type_not_allowed'],
    ['a number that is none', { to: '+4412' }, '/to', 'invalid_number'],
    ['a provider that nobody declared', { provider: 'nobody' }, '/provider', 'unknown_provider'],
    [
      'a number to call from that is not its own',
      { from: OTHER_NUMBER },
      '/from',
      'unknown_number',
    ],
    [
      'a call that is said to have come in',
      { direction: 'inbound', from: TO },
      '/direction',
      'not_simulated',
    ],
  ])('%s', async (_, fields, pointer, code) => {
    const before = await phones.read('/v1/calls');
    expect(await place(fields)).toMatchObject(problem(pointer, code));
    expect(phones.carrier.placed).toEqual([]);
    expect(await phones.read('/v1/calls')).toEqual(before);
  });

  test('a script for a call that is none of a script', async () => {
    expect(await place({ simulated: {} })).toMatchObject(problem('/simulated', 'invalid_value'));
  });

  test('a provider that calls nobody', async () => {
    await patch({ outbound: null });
    expect(await place()).toMatchObject(problem('/provider', 'outbound_not_allowed'));
  });

  test('more at once, and more a minute, than is declared; a repeat with its key rings once', async () => {
    // Makes the calls placed before too old to count.
    await phones.api.engine.pool.query(
      `update calls set created_at = created_at - interval '1 minute'`,
    );
    await patch({
      outbound: { ...PROVIDER.outbound, max_concurrent_calls: 2, max_calls_per_minute: 3 },
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => place()));
    const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, 429, 429, 429]);
    expect(answers.find((answer) => answer.status === 429)?.body).toMatchObject({
      code: 'too_many_in_flight',
    });
    await until('both to be placed', () => phones.carrier.placed.length >= 2);
    for (const { body } of answers.filter((answer) => answer.status === 201)) {
      expect(await phones.api.call('POST', `/v1/calls/${body.id}/end`)).toMatchObject({
        status: 200,
      });
    }
    const json = { agent_id: phones.agentId, provider: 'carrier', to: TO };
    const once = () =>
      phones.api.call('POST', '/v1/calls', { json, headers: { 'idempotency-key': 'k' } });
    const [first, again] = [await once(), await once()];
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect(await place()).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    await until('the third to be placed', () => phones.carrier.placed.length >= 3);
  });
});
