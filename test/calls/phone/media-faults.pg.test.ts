import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { meanwhile, passTime, until, type PassingTime } from '../passing-time.ts';
import { startMediaFixture, type MediaFixture } from './media-setup.ts';
import type { Speaking } from './media-speech.ts';
import { GREETING, NUMBER } from './phone-setup.ts';

/** Speech providers that fail, and carriers that send invalid frames, during a call. */

const SORRY = 'I am sorry, I did not catch that.';
const responder = scriptedResponder();
let phones: MediaFixture;
beforeAll(async () => {
  phones = await startMediaFixture({ responder });
});
let time: PassingTime;
beforeEach(() => {
  time = passTime();
  responder.play(echo);
});
afterEach(() => {
  phones.speech.onSpeech = undefined;
  phones.speech.onTranscription = undefined;
});
afterAll(() => phones?.stop());

test('of a sentence that the transcriber makes of noise no turn is made', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const phantom = { no_speech_prob: 0.93, avg_logprob: -1.2 };
  phones.speech.onTranscription = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ text: 'Hello, is anybody there?', ...phantom }));
  const before = phones.speech.transcribed();
  await phone.say('Noise');
  await until('it to be understood', () => phones.speech.transcribed() > before);
  phones.speech.onTranscription = undefined;
  await phone.say('How much is it?');
  await phone.heardWhole('You said: How much is it?');
  expect(await phones.transcript(await phones.callWhen(phone.sid))).toEqual([
    `agent: ${GREETING}`,
    'user: How much is it?',
    'agent: You said: How much is it?',
  ]);
  await phone.hangUp();
});

test('what is not understood in 10 s is lost, and the caller is told so', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const asked = Promise.withResolvers<void>();
  phones.speech.onTranscription = () => asked.resolve();
  await phone.say('How much is it?');
  await meanwhile(asked.promise);
  await time.pass(9_800);
  expect(phones.speech.spoken).not.toContain(SORRY);
  await time.pass(400);
  expect(phones.speech.spoken).toContain(SORRY);
  await phone.heardWhole(SORRY);
  phones.speech.onTranscription = undefined;
  await phone.say('How much is it?');
  await phone.heardWhole('You said: How much is it?');
  const call = await phones.callWhen(phone.sid);
  expect((await phones.transcript(call)).slice(1)).toEqual([
    'user: How much is it?',
    'agent: You said: How much is it?',
  ]);
  await phone.hangUp();
}, 30_000);

test('a transcription that fails is told of in the language of the agent', async () => {
  const path = `/v1/agents/${phones.agentId}`;
  await phones.api.call('PATCH', path, { json: { language: 'de-AT' } });
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  phones.speech.onTranscription = (response) => response.writeHead(500).end();
  await phone.say('Was kostet das?');
  await phone.heardWhole('Es tut mir leid, das habe ich nicht verstanden.');
  await phone.hangUp();
  await phones.api.call('PATCH', path, { json: { language: null } });
});

test('recognition that repeats itself is not understood, and the caller is told so', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  phones.speech.onTranscription = (response) =>
    response.end(JSON.stringify({ text: 'Thank you. '.repeat(1_000) }));
  await phone.say('How much is it?');
  await phone.heardWhole(SORRY);
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toEqual([`agent: ${GREETING}`]);
  await phone.hangUp();
});

test('what is no word is not answered', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const before = phones.speech.transcribed();
  phones.speech.onTranscription = (response) => response.end('{"text":""}');
  await phone.say('(noise)');
  await until('it to be listened to', () => phones.speech.transcribed() > before);
  phones.speech.onTranscription = undefined;
  await phone.say('Hello?');
  await phone.heardWhole('You said: Hello?');
  expect(phone.heard()).toEqual([GREETING, 'You said: Hello?']);
  await phone.hangUp();
});

test('a sentence that cannot be spoken is tried twice and left out, and the next one is said', async () => {
  reply('This one is fine. That one is not. And so it goes on.');
  phones.speech.onSpeech = ({ text, begin, sound, response }) => {
    if (text.startsWith('That')) return response.writeHead(500).end();
    begin();
    return response.end(sound);
  };
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  await phone.say('Well?');
  await phone.heardWhole('And so it goes on.');
  expect(phone.heard().slice(1)).toEqual(['This one is fine.', 'And so it goes on.']);
  expect(phones.speech.spoken.filter((text) => text.startsWith('That'))).toHaveLength(2);
  // No part of the failed sentence is left, so a word does not interrupt it.
  await phone.say('Next?', 0.9);
  await until('the next answer', () => phone.heard().length >= 5);
  expect(phone.came.filter(({ event }) => event === 'clear')).toEqual([]);
  await phone.hangUp();
});

test('a sentence that dries up is said as far as it came, and the next one is said', async () => {
  reply('This one is fine. That one dries up. And so it goes on.');
  phones.speech.onSpeech = ({ text, begin, sound, response }) => {
    begin();
    if (text.startsWith('That')) return response.write(sound.subarray(0, sound.length / 2));
    return response.end(sound);
  };
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  await phone.say('Well?');
  await phone.heardWhole('And so it goes on.');
  expect(phone.heard().slice(1)).toEqual([
    'This one is fine.',
    'That one dries up.',
    'And so it goes on.',
  ]);
  expect(phones.speech.spoken.filter((text) => text.startsWith('That one dries'))).toHaveLength(1);
  await phone.hangUp();
}, 30_000);

test('sound that comes in bursts, cut anywhere, is heard whole', async () => {
  const text = 'This comes in bursts and is heard all the same.';
  reply(text);
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const asked = Promise.withResolvers<Speaking>();
  phones.speech.onSpeech = asked.resolve;
  await phone.say('Well?');
  const { begin, sound, response } = await meanwhile(asked.promise);
  begin();
  for (let at = 0; at < sound.length; at += 2_777) {
    response.write(sound.subarray(at, at + 2_777));
    if (at % 2 === 0) await time.pass(60);
  }
  response.end();
  await phone.heardWhole(text);
  await until('all of it', () => phone.framesOf(text) === Math.ceil(text.length / 2));
  await phone.hangUp();
});

test('another codec closes the socket', async () => {
  const mediaFormat = { encoding: 'audio/x-l16', sampleRate: '16000', channels: '1' };
  const phone = await phones.ring({ start: { mediaFormat } });
  expect(await phone.closed).toBe(1003);
});

test('a token that is none opens nothing', async () => {
  const phone = await phones.ring({ start: { customParameters: { token: 'no' } } });
  expect(await phone.closed).toBe(1008);
  const without = await phones.ring({ start: { customParameters: {} } });
  expect(await without.closed).toBe(1008);
});

test('a frame of 10 MB closes the socket', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  phone.send({ event: 'media', media: { payload: 'A'.repeat(10_000_000) } });
  expect(await phone.closed).toBe(1009);
});

test('what is no frame is let by, until it is all that comes', async () => {
  const phone = await phones.ring({ isMute: true });
  await phone.heardWhole(GREETING);
  for (const frame of ['no JSON', { event: 'news' }, { event: 'media' }, []]) phone.send(frame);
  for (let i = 0; i < 50; i += 1) phone.send('no JSON');
  expect(await phone.closed).toBe(1003);
});

test('a flood is dropped, and the call goes on', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const payload = Buffer.alloc(160, 0xff).toString('base64');
  for (let i = 0; i < 1_000; i += 1)
    phone.send({ event: 'media', media: { track: 'inbound', payload } });
  // The keys come after the flood, so they arrive after the whole flood was read.
  for (const key of '5#') phone.press(key);
  await phone.heardWhole('You said: 5');
  await phone.say('Are you there?');
  await phone.heardWhole('You said: Are you there?');
  await phone.hangUp();
});

test('a number whose agent has no such provider is answered as before', async () => {
  const path = `/v1/agents/${phones.agentId}`;
  await phones.api.call('PATCH', path, { json: { transcriber: { provider: 'nobody' } } });
  const { verbs } = await phones.carrier.ring(NUMBER);
  expect(verbs[0]?.inside[0]?.name).toBe('ConversationRelay');
  await phones.api.call('PATCH', path, { json: { transcriber: { provider: 'speech' } } });
});

test('a process that stops tells its callers that the call has to end', async () => {
  const other = await startMediaFixture({ responder, callDrainMs: 200 });
  const phone = await other.ring();
  await phone.heardWhole(GREETING);
  const stopped = other.stop();
  expect(await phone.closed).toBe(1000);
  expect(phone.heard().slice(1).join(' ')).toBe(
    'I am sorry, this call has to end. Please call again.',
  );
  await stopped;
});

function reply(text: string): void {
  responder.play(async ({ emitToken }) => {
    emitToken(text);
    return { text };
  });
}
