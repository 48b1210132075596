import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createVad } from '../../../src/voice/vad/vad.ts';
import { decodeMuLaw } from '../../../src/voice/audio/mu-law.ts';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { noiseOf } from '../../voice/audio/tones.ts';
import { toUuid } from '../../../src/ids.ts';
import { passTime, until } from '../passing-time.ts';
import { connectMediaPhone, type MediaPhone } from './media-phone.ts';
import { startMediaFixture, type MediaFixture } from './media-setup.ts';
import { GREETING } from './phone-setup.ts';
import { startStory, STORY } from './story.ts';
import { answerInMarkdown, MARKDOWN, WORDS } from '../../voice/playout/markdown-answer.ts';

/** Incoming calls by Media Streams: sound in both directions, with our own transcription and speech. */

const responder = scriptedResponder();
let phones: MediaFixture;
beforeAll(async () => {
  phones = await startMediaFixture({ responder });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

const storyUnderWay = () => startStory(phones, responder);

test('a call is greeted, heard and answered, from the first ring to the end', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  await phone.say('How much is Tide 500?');
  await phone.heardWhole('You said: How much is Tide 500?');
  expect(phone.heard()).toEqual([GREETING, 'You said: How much is Tide 500?']);
  await phone.hangUp();
  const ended = await phones.callWhen(phone.sid, { status: 'completed' });
  expect(ended).toMatchObject({ ended_reason: 'user_hangup' });
  expect(await phones.transcript(ended)).toEqual([
    `agent: ${GREETING}`,
    'user: How much is Tide 500?',
    'agent: You said: How much is Tide 500?',
  ]);
});

test('of a reply in Markdown the voice gets words, and the transcript keeps it as it is written', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  responder.play(answerInMarkdown);
  await phone.say('How long does it take?');
  for (const sentence of WORDS) await phone.heardWhole(sentence);
  expect(phone.heard().slice(1)).toEqual(WORDS);
  const call = await phones.callWhen(phone.sid);
  expect(await phones.transcript(call)).toContain(`agent: ${MARKDOWN}`);
  await phone.hangUp();
});

test('clear never sent: who speaks into a reply is listened to at the frame that decides it, and the transcript keeps what was heard', async () => {
  const { phone, call } = await storyUnderWay();
  const from = phone.sent.length;
  await phone.say('Stop, please!', 0.9);
  const clear = phone.came.find(({ event }) => event === 'clear')!;
  expect(clear.sentBefore).toBe(framesToDecide(phone, from));
  await phone.heardWhole('You said: Stop, please!');
  // The marks of cleared sound are echoed too, although it was not heard.
  const transcript = await phones.transcript(call);
  const [, , told, ...after] = transcript;
  expect(after).toEqual(['user: Stop, please!', 'agent: You said: Stop, please!']);
  const words = told!.replace(/^agent: /, '').replace(/ \(interrupted\)$/, '');
  expect(STORY.join(' ').startsWith(words)).toBe(true);
  const heard = STORY.filter((sentence) => phone.framesOf(sentence) > 0);
  const sentence = heard.at(-1)!;
  const whole = STORY.slice(0, heard.length - 1).join(' ');
  expect(words.startsWith(whole)).toBe(true);
  const part = words.slice(whole.length).trim();
  const share = phone.framesOf(sentence) / Math.ceil(sentence.length / 2);
  expect(Math.abs(part.length - share * sentence.length)).toBeLessThan(20);
  // The clear is sent once.
  expect(phone.came.filter(({ event }) => event === 'clear')).toHaveLength(1);
  await phone.hangUp();
});

test('by default only the words of the user are transcribed', async () => {
  const { phone, call } = await storyUnderWay();
  const before = phones.speech.transcribed();
  let requests = 0;
  phones.speech.onOwn = () => {
    requests += 1;
    return 'this is a long sentence';
  };
  await phone.say('Stop, please!', 0.9);
  await phone.heardWhole('You said: Stop, please!');
  phones.speech.onOwn = undefined;
  const [, , told] = await phones.transcript(call);
  expect(told).toContain(' (interrupted)');
  expect([requests, phones.speech.transcribed() - before]).toEqual([0, 1]);
  await phone.hangUp();
});

test('queued counted as played: nothing of what was made beforehand is heard after a clear', async () => {
  const { phone } = await storyUnderWay();
  await until('all of it to be made', () => phones.speech.spoken.includes(STORY.at(-1)!));
  await phone.say('Stop it!', 0.9);
  await phone.heardWhole('You said: Stop it!');
  const frames = phone.came.filter(({ event }) => event !== 'mark').map(({ event }) => event);
  const after = phone.came.slice(phone.came.findIndex(({ event }) => event === 'clear'));
  expect(frames.filter((event) => event === 'clear')).toHaveLength(1);
  expect(phone.heard()).not.toContain(STORY.at(-1));
  const answer = Math.ceil('You said: Stop it!'.length / 2);
  expect(after.filter(({ event }) => event === 'media').length).toBe(answer);
  await phone.hangUp();
});

test.each([
  ['a cough', (phone: MediaPhone) => phone.sound(noiseOf({ rate: 8_000, sec: 0.15, level: 0.4 }))],
  ['“mhm”', (phone: MediaPhone) => phone.say('Mhm.', 0.3)],
  [
    'noise of a street',
    (phone: MediaPhone) => phone.sound(noiseOf({ rate: 8_000, sec: 2, level: 0.05 })),
  ],
])('clear on a rejected barge-in: %s clears nothing', async (_, make) => {
  const { phone, call } = await storyUnderWay();
  await make(phone);
  await phone.heardWhole(STORY.at(-1)!);
  expect(phone.came.filter(({ event }) => event === 'clear')).toEqual([]);
  expect((await phones.transcript(call)).at(-1)).toBe(`agent: ${STORY.join(' ')}`);
  await phone.hangUp();
});

test('echoed marks counted: of a mark that is echoed since its sound was cleared nothing was heard', async () => {
  const { phone, call } = await storyUnderWay();
  // A mark follows the last frame of a sentence, which is sent 100 ms before it is played.
  const marks = (): number => phone.came.filter(({ event }) => event === 'mark').length;
  const before = marks();
  await until('the mark of the sentence under way', () => marks() > before);
  const sentence = phone.heard().findLast((text) => STORY.includes(text))!;
  phone.press('#');
  await until('a clear', () => phone.came.some(({ event }) => event === 'clear'));
  await until('what was heard', async () => (await phones.transcript(call)).length > 2);
  const [, , told] = await phones.transcript(call);
  expect(told).toContain(' (interrupted)');
  expect(told).toContain(sentence.split(' ').slice(0, 6).join(' '));
  expect(told).not.toContain(sentence);
  await phone.hangUp();
});

test('silence for an hour, of a carrier that never hangs up: the call ends by it, and the carrier is told', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const call = await phones.callWhen(phone.sid);
  const id = toUuid('conv', call.conversation_id);
  await phones.api.engine.pool.query(
    `update conversations set expires_at = clock_timestamp() where id = $1`,
    [id],
  );
  expect(await phone.closed).toBe(1000);
  await until('the carrier to be told', () => phones.carrier.hungUp.includes(phone.sid));
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'silence_timeout' });
});

test('a short word that is meant interrupts, once it is understood', async () => {
  const { phone } = await storyUnderWay();
  await phone.say('Wait!', 0.3);
  await phone.heardWhole('You said: Wait!');
  expect(phone.came.filter(({ event }) => event === 'clear')).toHaveLength(1);
  await phone.hangUp();
});

test('“yes” that is said as the agent ends is its answer', async () => {
  const phone = await phones.ring();
  await phone.hears(GREETING);
  await phone.say('Yes.', 0.25);
  await phone.heardWhole('You said: Yes.');
  await phone.hangUp();
});

test('a key that is pressed stops the agent, and is what the user says', async () => {
  const { phone } = await storyUnderWay();
  for (const digit of '4711#') phone.press(digit);
  await phone.heardWhole('You said: 4711');
  expect(phone.came.filter(({ event }) => event === 'clear')).toHaveLength(1);
  await phone.hangUp();
});

test('playback ends with the call, and nothing more is made for it', async () => {
  const making = Promise.withResolvers<ServerResponse>();
  phones.speech.onSpeech = ({ text, begin, sound, response }) => {
    begin();
    const isLast = text === STORY[5];
    if (isLast) making.resolve(response);
    return isLast ? response.write(sound.subarray(0, 1_000)) : response.end(sound);
  };
  const { phone } = await storyUnderWay();
  const response = await making.promise;
  const given = once(response, 'close');
  await phone.hangUp();
  await given;
  phones.speech.onSpeech = undefined;
  await phones.callWhen(phone.sid, { status: 'completed' });
  expect(phones.speech.spoken.slice(-1)).toEqual([STORY[5]]);
});

test('who ends the call by the API has it hung up', async () => {
  const { phone, call } = await storyUnderWay();
  expect(await phones.api.call('POST', `/v1/calls/${call.id}/end`)).toMatchObject({ status: 200 });
  await until('the carrier to be told', () => phones.carrier.hungUp.includes(phone.sid));
  await phone.hangUp();
  expect(phone.heard()).not.toContain(STORY.at(-1));
});

test('an agent that says goodbye is heard to the end before it hangs up', async () => {
  responder.play(async ({ emitToken }) => {
    emitToken('Goodbye, and thank you for calling.');
    return { text: 'Goodbye, and thank you for calling.', ends: 'agent_hangup' };
  });
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  await phone.say('That was all.');
  expect(await phone.closed).toBe(1000);
  const heard = phone.heard().slice(1);
  expect(heard.join(' ')).toBe('Goodbye, and thank you for calling.');
  await phones.callWhen(phone.sid, { status: 'completed', ended_reason: 'agent_hangup' });
});

test('two calls beside each other do not hear each other', async () => {
  const [one, two] = await Promise.all([phones.ring(), phones.ring()]);
  await Promise.all([one.heardWhole(GREETING), two.heardWhole(GREETING)]);
  await Promise.all([one.say('I am the first.'), two.say('I am the second.')]);
  await Promise.all([
    one.heardWhole('You said: I am the first.'),
    two.heardWhole('You said: I am the second.'),
  ]);
  expect(one.heard()).not.toContain('You said: I am the second.');
  expect(two.heard()).not.toContain('You said: I am the first.');
  await Promise.all([one.hangUp(), two.hangUp()]);
});

test('a stream that is cut is taken up again, and the conversation goes on', async () => {
  const phone = await phones.ring();
  await phone.heardWhole(GREETING);
  const { verbs } = await phone.cut();
  const again = await connectMediaPhone(phones.carrier, phones.speech, { sid: phone.sid, verbs });
  await again.say('Are you there?');
  await again.heardWhole('You said: Are you there?');
  expect(again.heard()).toEqual(['You said: Are you there?']);
  await again.hangUp();
  await phones.callWhen(phone.sid, { status: 'completed' });
});

test('an agent whose providers are the carrier’s own is answered by ConversationRelay', async () => {
  const json = { voice: { provider: 'ElevenLabs' } };
  const path = `/v1/agents/${phones.agentId}`;
  expect(await phones.api.call('PATCH', path, { json })).toMatchObject({ status: 200 });
  const { verbs } = await phones.carrier.ring('+442071838750');
  expect(verbs[0]?.inside[0]?.name).toBe('ConversationRelay');
  const back = { voice: { provider: 'speech' } };
  expect(await phones.api.call('PATCH', path, { json: back })).toMatchObject({ status: 200 });
});

/** Returns the number of frames up to the one that lets a detector decide that the sound is more than a cough. */
function framesToDecide(phone: MediaPhone, from: number): number {
  const vad = createVad({ sampleRate: 8_000, silenceMs: 400 });
  const at = phone.sent.findIndex(({ bytes }, index) => {
    vad.push(decodeMuLaw(bytes));
    return index >= from && vad.speechMs() >= 500;
  });
  return at + 1;
}
