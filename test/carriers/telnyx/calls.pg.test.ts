import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';
import { GREETING, NUMBER, type PhoneFixture } from '../../calls/phone/phone-setup.ts';
import { CALLER } from '../../calls/phone/stand-in-carrier.ts';
import { ACCOUNT, APPLICATION } from './telnyx-manner.ts';
import { startTelnyxFixture } from './telnyx-setup.ts';
import { answerInMarkdown, WORDS } from '../../voice/playout/markdown-answer.ts';

/** Numbers at Telnyx: its signatures, its API, and frames of ConversationRelay. */

const TO = '+447400123456';
const VOICE = '/v1/telephony/telnyx/voice';
const STATUS = '/v1/telephony/telnyx/status';

const responder = scriptedResponder();
let phones: PhoneFixture;
beforeAll(async () => {
  phones = await startTelnyxFixture({ responder });
});
afterAll(() => phones?.stop());
beforeEach(async () => {
  responder.play(echo);
  phones.carrier.onPlace = undefined;
  phones.carrier.placed.length = 0;
  phones.carrier.hungUp.length = 0;
});

/** Returns a form of Telnyx. It has no direction, and no result of a socket that has closed. */
const told = (fields: Record<string, string>) => ({
  AccountSid: ACCOUNT,
  ConnectionId: APPLICATION,
  CallbackSource: 'call-progress-events',
  ...fields,
});

describe('a call that comes in', () => {
  test('hears words of a reply in Markdown', async () => {
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
    await phone.hangUp();
  });

  test('is greeted, held, interrupted and told of, from the first ring to the end', async () => {
    const { sid, verbs } = await phones.carrier.ring(NUMBER);
    expect(verbs).toMatchObject([
      {
        name: 'Connect',
        attributes: { action: expect.stringContaining(`${phones.api.url}${VOICE}?call=call_`) },
        inside: [
          {
            name: 'ConversationRelay',
            attributes: {
              url: `${phones.api.url.replace('http', 'ws')}/v1/telephony/telnyx/relay`,
            },
          },
        ],
      },
    ]);
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    // Telnyx also sends partial transcripts.
    phone.send({ type: 'prompt', voicePrompt: 'How much', lang: 'en', last: false });
    phone.say('How much is Tide 500?');
    await phone.hears('You said: How much is Tide 500?');
    phone.press('4711#');
    await phone.hears('You said: 4711');
    expect(await phones.callWhen(sid, { status: 'in_progress' })).toMatchObject({
      direction: 'inbound',
      from: CALLER,
      to: NUMBER,
      provider: 'carrier',
    });
    await phone.hangUp();
    const ended = await phones.callWhen(sid, { status: 'completed' });
    expect(ended).toMatchObject({ ended_reason: 'user_hangup' });
    expect(await phones.transcript(ended)).toEqual([
      `agent: ${GREETING}`,
      'user: How much is Tide 500?',
      'agent: You said: How much is Tide 500?',
      'user: 4711',
      'agent: You said: 4711',
    ]);
  });

  test('speaks with the voice of the agent, by its one word', async () => {
    const path = `/v1/agents/${phones.agentId}`;
    const voice = { provider: 'telnyx', voice_id: 'Telnyx.NaturalHD.astra', language: 'en' };
    expect(await phones.api.call('PATCH', path, { json: { voice } })).toMatchObject({
      status: 200,
    });
    const { verbs } = await phones.carrier.ring(NUMBER);
    const [relay] = verbs[0]!.inside;
    expect(relay!.attributes).toMatchObject({ voice: 'Telnyx.NaturalHD.astra', language: 'en-US' });
    expect(relay!.attributes).not.toHaveProperty('ttsProvider');
    await phones.api.call('PATCH', path, { json: { voice: null } });
  });

  test('whose socket breaks goes on in another one, though nobody says how it broke', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const { attributes } = (await phones.carrier.ring(NUMBER, { CallSid: phone.sid })).verbs[0]!;
    expect(attributes['action']).toBeUndefined(); // The call has a line already.
    const call = await phones.callWhen(phone.sid);
    phone.cutOff();
    const action = `${VOICE}?call=${call.id}&stream=1`;
    const { verbs } = await phones.carrier.post(action, told({ CallSid: phone.sid }));
    expect(verbs[0]!.attributes['action']).toContain(`${call.id}&stream=2`);
    const again = await phones.carrier.connect(phone.sid, verbs);
    again.say('Are you there?');
    await again.hears('You said: Are you there?');
    await again.hangUp();
    await phones.callWhen(phone.sid, { status: 'completed' });
  });

  test('whose statuses come late, twice and in any order ends once', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const tell = (CallStatus: string) =>
      phones.carrier.post(
        STATUS,
        told({ CallSid: phone.sid, From: CALLER, To: NUMBER, CallStatus, SequenceNumber: '3' }),
      );
    const answers = await Promise.all(
      ['completed', 'completed', 'ringing', 'in-progress', 'initiated', 'made up'].map(tell),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 ']),
    );
    const call = await phones.callWhen(phone.sid, { status: 'completed' });
    await Promise.all(['busy', 'ringing', 'completed', 'failed'].map(tell));
    expect(await phones.callWhen(phone.sid)).toEqual(call);
    const ends = (await phones.events(call)).filter((type) => type === 'conversation.ended');
    expect(ends).toHaveLength(1);
    await phone.closed;
  });

  test('is hung up by the API', async () => {
    const phone = await phones.carrier.call(NUMBER);
    await phone.hears(GREETING);
    const { id } = await phones.callWhen(phone.sid, { status: 'in_progress' });
    expect(await phones.api.call('POST', `/v1/calls/${id}/end`)).toMatchObject({ status: 200 });
    await phone.closed;
    expect(phones.carrier.hungUp).toEqual([phone.sid]);
  });
});

describe('a call that goes out', () => {
  const place = (fields: object = {}): Promise<Reply> =>
    phones.api.call('POST', '/v1/calls', {
      json: { agent_id: phones.agentId, provider: 'carrier', to: TO, ...fields },
    });
  const read = (id: string) => phones.read(`/v1/calls/${id}`);
  const seen = (id: string, wanted: object) =>
    until(JSON.stringify(wanted), async () => {
      const call = await read(id);
      return Object.entries(wanted).every(([name, value]) => call[name] === value) && call;
    });
  const dialed = () => until('it to be placed', () => phones.carrier.placed[0]);
  const tell = (id: string, fields: Record<string, string>) =>
    phones.carrier.post(`${STATUS}?call=${id}`, told({ From: NUMBER, To: TO, ...fields }));

  test('is dialled once by the TeXML application, and its id is known by what the carrier tells', async () => {
    const { body } = await place({ user_id: 'u_7' });
    const { CallSid: sid = '', at: _, ...asked } = await dialed();
    expect(asked).toEqual({
      ApplicationSid: APPLICATION,
      From: NUMBER,
      To: TO,
      Url: `${phones.api.url}${VOICE}?call=${body.id}`,
      UrlMethod: 'POST',
      StatusCallback: `${phones.api.url}${STATUS}?call=${body.id}`,
      StatusCallbackMethod: 'POST',
      StatusCallbackEvent: 'initiated ringing answered completed',
      Timeout: 5,
    });
    expect(await seen(body.id, { status: 'ringing' })).toMatchObject({ provider_call_id: null });
    await tell(body.id, { CallSid: sid, CallStatus: 'initiated' });
    expect(await read(body.id)).toMatchObject({ provider_call_id: sid });
    const { verbs } = await phones.carrier.pickUp();
    const phone = await phones.carrier.connect(sid, verbs);
    await phone.hears(GREETING);
    phone.say('Who is it?');
    await phone.hears('You said: Who is it?');
    await phone.hangUp();
    await seen(body.id, {
      status: 'completed',
      ended_reason: 'user_hangup',
      direction: 'outbound',
    });
    expect(phones.carrier.placed).toHaveLength(1);
  });

  test.each([
    ['busy', 'busy', 'busy'],
    ['no-answer', 'no_answer', 'no_answer'],
    ['failed', 'failed', 'dial_failed'],
    ['canceled', 'canceled', 'canceled'],
  ])('the carrier says %s', async (CallStatus, status, ended_reason) => {
    const { body } = await place();
    const { CallSid = '' } = await dialed();
    await tell(body.id, { CallSid, CallStatus });
    await tell(body.id, { CallSid, CallStatus: 'ringing' });
    await seen(body.id, { status, ended_reason, conversation_id: null });
  });

  test('that was ended before its id was known is hung up when it is', async () => {
    const { body } = await place();
    const { CallSid = '' } = await dialed();
    await seen(body.id, { status: 'ringing' });
    expect(await phones.api.call('POST', `/v1/calls/${body.id}/end`)).toMatchObject({
      status: 200,
    });
    expect(phones.carrier.hungUp).toEqual([]);
    await tell(body.id, { CallSid, CallStatus: 'ringing' });
    expect(phones.carrier.hungUp).toEqual([CallSid]);
    const { verbs } = await phones.carrier.pickUp();
    expect(verbs).toMatchObject([{ name: 'Hangup' }]);
  });

  test('a body of another call says nothing of this one: the address is not signed', async () => {
    const { body } = await place();
    const { CallSid = '' } = await dialed();
    await tell(body.id, { CallSid, CallStatus: 'ringing' });
    await tell(body.id, { CallSid: 'v3:another', CallStatus: 'busy' });
    const other = told({ CallSid: 'v3:another', From: NUMBER, To: TO, CallStatus: 'in-progress' });
    const { verbs } = await phones.carrier.post(`${VOICE}?call=${body.id}`, other);
    expect(verbs).toMatchObject([{ name: 'Hangup' }]);
    expect(await read(body.id)).toMatchObject({ status: 'ringing', provider_call_id: CallSid });
    await tell(body.id, { CallSid, CallStatus: 'no-answer' });
  });

  test('a process that was killed as it dialled: what the carrier has told, or lists, is not dialled again', async () => {
    phones.carrier.onPlace = (response) => {
      const at = new Date().toUTCString();
      phones.carrier.placed.push({ From: NUMBER, To: TO, CallSid: 'v3:lost', at });
      response.destroy();
    };
    const { body } = await place();
    await seen(body.id, { status: 'ringing', provider_call_id: 'v3:lost' });
    expect(phones.carrier.placed).toHaveLength(1);
    await tell(body.id, { CallSid: 'v3:lost', CallStatus: 'no-answer' });
  });

  test('a carrier that refuses fails the call', async () => {
    phones.carrier.onPlace = (response) => {
      const errors = [{ code: '10015', title: 'Bad Request', detail: 'The From is not yours.' }];
      response
        .writeHead(422, { 'content-type': 'application/json' })
        .end(JSON.stringify({ errors }));
    };
    const { body } = await place();
    await seen(body.id, { status: 'failed', ended_reason: 'dial_failed' });
  });

  describe('that a machine answers', () => {
    const MESSAGE = 'The shop called. Please call back.';
    const patch = async (message: string | null) => {
      const { data } = await phones.read('/v1/telephony_providers');
      const json = { outbound: { voicemail_message: message } };
      const path = `/v1/telephony_providers/${data[0].id}`;
      expect(await phones.api.call('PATCH', path, { json })).toMatchObject({ status: 200 });
    };
    beforeAll(() => patch(MESSAGE));
    afterAll(() => patch(null));

    test.each(['status', 'voice'])('is left a message, told by a callback to %s', async (how) => {
      const { body } = await place();
      const { CallSid = '', MachineDetection } = await dialed();
      expect(MachineDetection).toBe('DetectMessageEnd');
      await tell(body.id, { CallSid, CallStatus: 'ringing' });
      // Telnyx may have requested the document before.
      await phones.carrier.pickUp();
      const found = told({
        CallSid,
        AnsweredBy: 'machine_end_beep',
        MachineDetectionDuration: '25',
      });
      const answered = await phones.carrier.post(
        `${how === 'status' ? STATUS : VOICE}?call=${body.id}`,
        found,
      );
      const left = [{ name: 'Say', text: MESSAGE }, { name: 'Hangup' }];
      if (how === 'status') expect(answered.text).toBe('');
      else expect(answered.verbs).toMatchObject(left);
      const call = await seen(body.id, { status: 'completed', ended_reason: 'voicemail' });
      expect(await phones.transcript(call)).toEqual([`agent: ${MESSAGE}`]);
      // A later request for the document gets the same one.
      const { verbs } = await phones.carrier.pickUp({ AnsweredBy: 'machine_end_beep' });
      expect(verbs).toMatchObject(left);
      expect(await phones.transcript(await read(body.id))).toEqual([`agent: ${MESSAGE}`]);
    });

    test('a person who answers is talked to', async () => {
      const { body } = await place();
      const { CallSid = '' } = await dialed();
      const { text } = await tell(body.id, { CallSid, AnsweredBy: 'human' });
      expect(text).toBe('');
      const { verbs } = await phones.carrier.pickUp();
      const phone = await phones.carrier.connect(CallSid, verbs);
      await phone.hears(GREETING);
      await phone.hangUp();
      await seen(body.id, { status: 'completed' });
    });
  });
});
