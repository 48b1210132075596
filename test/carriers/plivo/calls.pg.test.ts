import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { passTime, until } from '../../calls/passing-time.ts';
import { GREETING, NUMBER } from '../../calls/phone/phone-setup.ts';
import { CALLER } from '../../calls/phone/stand-in-carrier.ts';
import { digitsOf, startPlivoFixture, type PlivoFixture, type Ringing } from './plivo-setup.ts';

/** Numbers at Plivo: its XML, its forms, its REST API, and sound in both directions over its audio streaming. */

const TO = '+447400123456';
const PERSON = '+442079460000';

const responder = scriptedResponder();
let phones: PlivoFixture;
beforeAll(async () => {
  phones = await startPlivoFixture({ responder });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
  phones.plivo.onPlace = undefined;
  phones.plivo.placed.length = 0;
  phones.plivo.hungUp.length = 0;
});
afterAll(() => phones?.stop());

const transfer = ({ id }: { id: string }): Promise<Reply> =>
  phones.api.call('POST', `/v1/calls/${id}/transfer`, { json: { to: PERSON } });
const statusOf = async ({ id }: { id: string }): Promise<string> =>
  (await phones.read(`/v1/calls/${id}`)).transfer.status;

describe('a call that comes in', () => {
  test('opens a stream both ways, in µ-law, and asks what is next behind it', async () => {
    const { id, status, verbs } = await phones.ring();
    const call = await phones.callWhen(id, { status: 'ringing' });
    expect(call).toMatchObject({ direction: 'inbound', from: CALLER, to: NUMBER });
    expect([status, verbs]).toMatchObject([
      200,
      [
        {
          name: 'Stream',
          attributes: { bidirectional: 'true', contentType: 'audio/x-mulaw;rate=8000' },
          text: `${phones.api.url.replace('http', 'ws')}/v1/telephony/plivo/media`,
        },
        {
          name: 'Redirect',
          text: `${phones.api.url}/v1/telephony/plivo/voice?call=${call.id}&stream=1`,
        },
      ],
    ]);
  });

  test('is greeted, heard, answered and interrupted, hears keys, and is hung up', async () => {
    const phone = await phones.call();
    expect(phone.protocol).toBe('audio.plivo.com');
    await phone.heardWhole(GREETING);
    await phone.say('How much is Tide 500?');
    await phone.heardWhole('You said: How much is Tide 500?');
    const rest = ['It is a long story.', 'It goes on for a while, and then some more of it comes.'];
    responder.play(async ({ emitToken }) => {
      const text = [...rest, ...Array(5).fill(rest[1])].join(' ');
      emitToken(text);
      return { text };
    });
    await phone.say('Tell me more.');
    await phone.hears(rest[1]!);
    responder.play(echo);
    await phone.say('Stop, please!', 0.9);
    await phone.heardWhole('You said: Stop, please!');
    const events = phone.raw.map(({ event }) => event);
    expect(events.filter((event) => event === 'clearAudio')).toHaveLength(1);
    expect(new Set(events)).toEqual(new Set(['playAudio', 'checkpoint', 'clearAudio']));
    for (const digit of '42#') phone.press(digit);
    await phone.heardWhole('You said: 42');
    await phone.hangUp(phones.hangupUrl);
    const ended = await phones.callWhen(phone.id, { status: 'completed' });
    expect(ended).toMatchObject({ ended_reason: 'user_hangup' });
    const [greeting, asked, answered, more, told, ...after] = await phones.transcript(ended);
    expect([greeting, asked, answered, more]).toEqual([
      `agent: ${GREETING}`,
      'user: How much is Tide 500?',
      'agent: You said: How much is Tide 500?',
      'user: Tell me more.',
    ]);
    expect(told).toMatch(/^agent: It is a long story\. .*\(interrupted\)$/);
    expect(after).toEqual([
      'user: Stop, please!',
      'agent: You said: Stop, please!',
      'user: 42',
      'agent: You said: 42',
    ]);
  });

  test('whose stream breaks goes on in another one', async () => {
    const phone = await phones.call();
    await phone.heardWhole(GREETING);
    const { verbs, ...posted } = await phone.cut();
    expect(verbs[1]!.text).toContain('&stream=2');
    const form = { CallUUID: phone.id, From: digitsOf(CALLER), To: digitsOf(NUMBER) };
    const again = await phones.connect({ ...posted, verbs, id: phone.id, form });
    await again.say('Are you there?');
    await again.heardWhole('You said: Are you there?');
    await again.hangUp(phones.hangupUrl);
    await phones.callWhen(phone.id, { status: 'completed' });
  });

  test('whose end is reported where calls come in ends, as Plivo does without a hangup URL', async () => {
    const phone = await phones.call();
    await phone.heardWhole(GREETING);
    expect(await phone.hangUp(phones.answerUrl)).toMatchObject({ status: 200, verbs: [] });
    await phones.callWhen(phone.id, { status: 'completed', ended_reason: 'user_hangup' });
  });

  test('is hung up by the API', async () => {
    const phone = await phones.call();
    await phone.heardWhole(GREETING);
    const { id } = await phones.callWhen(phone.id, { status: 'in_progress' });
    expect(await phones.api.call('POST', `/v1/calls/${id}/end`)).toMatchObject({ status: 200 });
    expect((await phone.redirected()).verbs).toMatchObject([{ name: 'Hangup' }]);
    expect(phones.plivo.hungUp).toEqual([phone.id]);
  });

  test('is given to another number: who picks up is reported, and the caller hangs up after them', async () => {
    const phone = await phones.call();
    await phone.heardWhole(GREETING);
    const call = await phones.callWhen(phone.id, { status: 'in_progress' });
    expect(await transfer(call)).toMatchObject({ status: 202 });
    const [dial] = (await phone.redirected()).verbs;
    expect(dial).toMatchObject({
      name: 'Dial',
      attributes: { callerId: digitsOf(NUMBER) },
      inside: [{ name: 'Number', text: digitsOf(PERSON) }],
    });
    const { action = '', callbackUrl = '' } = dial!.attributes;
    const picked = { Event: 'DialAnswer', DialAction: 'answer', CallUUID: phone.id };
    await phones.plivo.post(callbackUrl, { ...picked, DialALegUUID: 'another' });
    expect(await phones.read(`/v1/calls/${call.id}`)).toMatchObject({ status: 'transferring' });
    await phones.plivo.post(callbackUrl, { ...picked, DialALegUUID: phone.id });
    const isAnswered = async () => (await statusOf(call)) === 'answered';
    await until('the pick-up to be stored', isAnswered);
    const over = { CallUUID: phone.id, CallStatus: 'in-progress', DialStatus: 'completed' };
    expect((await phones.plivo.post(action, over)).verbs).toMatchObject([{ name: 'Hangup' }]);
    await phones.callWhen(phone.id, { status: 'completed' });
  });

  test('is back with the agent when the other number is busy', async () => {
    const phone = await phones.call();
    await phone.heardWhole(GREETING);
    const call = await phones.callWhen(phone.id, { status: 'in_progress' });
    expect(await transfer(call)).toMatchObject({ status: 202 });
    const { action = '' } = (await phone.redirected()).verbs[0]!.attributes;
    const over = { CallUUID: phone.id, CallStatus: 'in-progress', DialStatus: 'busy' };
    const form = { CallUUID: phone.id, From: digitsOf(CALLER), To: digitsOf(NUMBER) };
    const posted = await phones.plivo.post(action, over);
    const again = await phones.connect({ ...posted, id: phone.id, form });
    await again.hears('I am sorry, nobody answered there.');
    expect(await statusOf(call)).toBe('busy');
    await again.hangUp(phones.hangupUrl);
    await phones.callWhen(phone.id, { status: 'completed' });
  });

  test('of an agent without speech of its own is not answered: Plivo cannot hear and speak', async () => {
    const path = `/v1/agents/${phones.agentId}`;
    const { voice, transcriber } = await phones.read(path);
    await phones.api.call('PATCH', path, { json: { voice: null, transcriber: null } });
    const { id, verbs } = await phones.ring();
    expect(verbs).toMatchObject([{ name: 'Hangup', attributes: { reason: 'rejected' } }]);
    const { data } = await phones.read('/v1/calls?limit=100');
    expect(
      data.filter((call: { provider_call_id: string }) => call.provider_call_id === id),
    ).toEqual([]);
    await phones.api.call('PATCH', path, { json: { voice, transcriber } });
  });

  test.each([
    ['in another codec', { encoding: 'audio/x-l16', sampleRate: 8000 }],
    ['at another rate', { encoding: 'audio/x-mulaw', sampleRate: 16_000 }],
  ])('%s is none that we hear', async (_, mediaFormat) => {
    const ringing = await phones.ring();
    const phone = await phones.connect(ringing, {
      start: { callId: ringing.id, streamId: 's-1', mediaFormat },
    });
    expect(await phone.closed).toBe(1003);
  });

  test('whose stream has not its token opens nothing', async () => {
    const phone = await phones.call({ extra_headers: 'token=6e6f6e65' });
    expect(await phone.closed).toBe(1008);
  });
});

describe('a call that goes out', () => {
  const place = (): Promise<Reply> =>
    phones.api.call('POST', '/v1/calls', {
      json: { agent_id: phones.agentId, provider: 'carrier', to: TO },
    });
  const seen = (id: string, wanted: object) =>
    until(JSON.stringify(wanted), async () => {
      const call = await phones.read(`/v1/calls/${id}`);
      return Object.entries(wanted).every(([name, value]) => call[name] === value) && call;
    });
  const dialed = () => until('it to be placed', () => phones.plivo.placed[0]);
  const STATUS = '/v1/telephony/plivo/status';
  const ringingOf = (id: string) => ({
    CallUUID: id,
    From: digitsOf(NUMBER),
    To: digitsOf(TO),
    Direction: 'outbound',
  });

  test('is placed once, rings, is answered with sound both ways, and is hung up', async () => {
    const { body } = await place();
    const { CallUUID: id, ...asked } = await dialed();
    const status = `${phones.api.url}${STATUS}?call=${body.id}`;
    expect(asked).toEqual({
      from: digitsOf(NUMBER),
      to: digitsOf(TO),
      answer_url: `${phones.api.url}/v1/telephony/plivo/voice?call=${body.id}`,
      answer_method: 'POST',
      ring_url: status,
      ring_method: 'POST',
      hangup_url: status,
      hangup_method: 'POST',
      ring_timeout: 5,
    });
    expect(await seen(body.id, { status: 'ringing' })).toMatchObject({ provider_call_id: null });
    await phones.plivo.post(status, { ...ringingOf(id), Event: 'Ring', CallStatus: 'ringing' });
    await seen(body.id, { provider_call_id: id });
    const form = { ...ringingOf(id), Event: 'StartApp', CallStatus: 'in-progress' };
    const answer = await phones.plivo.post(String(asked['answer_url']), form);
    const phone = await phones.connect({ id, form, ...answer } satisfies Ringing);
    await phone.heardWhole(GREETING);
    await phone.say('Who is it?');
    await phone.heardWhole('You said: Who is it?');
    await phone.hangUp(status);
    await seen(body.id, { status: 'completed', ended_reason: 'user_hangup' });
    expect(phones.plivo.placed).toHaveLength(1);
  });

  test.each([
    ['busy', 'busy', 'busy'],
    ['timeout', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'dial_failed'],
  ])('Plivo reports %s', async (CallStatus, status, ended_reason) => {
    const { body } = await place();
    const { CallUUID, hangup_url } = await dialed();
    const over = { ...ringingOf(CallUUID), Event: 'Hangup', CallStatus };
    await phones.plivo.post(String(hangup_url), over);
    await seen(body.id, { status, ended_reason, conversation_id: null });
  });

  test('that Plivo refuses has failed', async () => {
    phones.plivo.onPlace = (response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'no credit' }));
    };
    const { body } = await place();
    await seen(body.id, { status: 'failed', ended_reason: 'dial_failed' });
  });
});
