import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { echo, scriptedResponder } from '../../conversations/turns/scripted-responder.ts';
import { passTime, until } from '../passing-time.ts';
import { SPEECH, startMediaFixture, type MediaFixture } from './media-setup.ts';
import { startStory, STORY } from './story.ts';

/** Calls of an agent whose transcriber also transcribes interrupted sentences (`retranscribe_interrupted`). */

const responder = scriptedResponder();
let phones: MediaFixture;
beforeAll(async () => {
  const transcriber = { provider: SPEECH, retranscribe_interrupted: true };
  phones = await startMediaFixture({ responder }, { agent: { transcriber } });
});
beforeEach(() => {
  passTime();
  responder.play(echo);
});
afterAll(() => phones?.stop());

const storyUnderWay = () => startStory(phones, responder);

test('an interrupted sentence is transcribed in two parts, and the transcript follows them', async () => {
  const asked: { sentence: string; frames: number; part: string }[] = [];
  const { phone, call } = await storyUnderWay();
  await until('all of it to be made', () => phones.speech.spoken.includes(STORY.at(-1)!));
  phones.speech.onOwn = (sentence, frames, part) => {
    asked.push({ sentence, frames, part });
    // A recognizer that mishears words, hears most of a word, and invents others.
    return part === 'rest'
      ? sentence.slice('This is the long sentence number '.length)
      : 'this is a long sentence, numbe and more';
  };
  await phone.say('Stop, please!', 0.9);
  await phone.heardWhole('You said: Stop, please!');
  const sentence = phone.heard().findLast((text) => STORY.includes(text))!;
  const whole = STORY.slice(0, STORY.indexOf(sentence));
  const told = `agent: ${[...whole, 'This is the long sentence number'].join(' ')} (interrupted)`;
  await until('the turn to be as it was understood', async () =>
    (await phones.transcript(call)).includes(told),
  );
  phones.speech.onOwn = undefined;
  // Each part once and complete. Frames sent ahead may have been played or not.
  const frames = expect.any(Number);
  expect(asked.toSorted((a, b) => a.part.localeCompare(b.part))).toEqual([
    { sentence, frames, part: 'played' },
    { sentence, frames, part: 'rest' },
  ]);
  const playedFrames = asked.find(({ part }) => part === 'played')!.frames;
  expect(Math.abs(playedFrames - phone.framesOf(sentence))).toBeLessThanOrEqual(6);
  const allFrames = Math.ceil(sentence.length / 2);
  expect(asked.reduce((sum, one) => sum + one.frames, 0)).toBe(allFrames);
  await phone.hangUp();
});

test.each([
  ['something else', () => 'Thank you for watching, and see you next time'],
  ['nothing', () => ''],
])('if recognition hears %s, the first estimate stays', async (_, own) => {
  const { phone, call } = await storyUnderWay();
  const heard = Promise.withResolvers<void>();
  phones.speech.onOwn = () => {
    heard.resolve();
    return own();
  };
  await phone.say('Stop, please!', 0.9);
  await heard.promise;
  await phone.heardWhole('You said: Stop, please!');
  const sentence = phone.heard().findLast((text) => STORY.includes(text))!;
  const [, , told] = await phones.transcript(call);
  const words = told!.replace(/^agent: /, '').replace(/ \(interrupted\)$/, '');
  const before = STORY.slice(0, STORY.indexOf(sentence)).join(' ');
  const share = phone.framesOf(sentence) / Math.ceil(sentence.length / 2);
  const part = words.slice(before.length).trim();
  expect(Math.abs(part.length - share * sentence.length)).toBeLessThan(20);
  phones.speech.onOwn = undefined;
  await phone.hangUp();
});

test('hanging up cancels the request, asks no second one, and keeps the first estimate', async () => {
  const { phone, call } = await storyUnderWay();
  const asked = Promise.withResolvers<ServerResponse>();
  let requests = 0;
  phones.speech.onTranscription = (response) => {
    requests += 1;
    asked.resolve(response);
  };
  // Sound shorter than a tenth of a second is not transcribed.
  await until('a part of a sentence', () => phone.framesOf(STORY[1]!) > 15);
  phone.press('#');
  const response = await asked.promise;
  const given = once(response, 'close');
  const cut = async () =>
    (await phones.transcript(call)).find((turn) => turn.endsWith(' (interrupted)'));
  const before = await until('the turn to be cut', cut);
  await phone.hangUp();
  // Held time does not pass meanwhile, so the end of the call cancels the request, not its timeout.
  await given;
  phones.speech.onTranscription = undefined;
  await phones.callWhen(phone.sid, { status: 'completed' });
  expect(await cut()).toBe(before);
  // The rest of the sentence was not sent to the recognizer either.
  expect(requests).toBe(1);
});
