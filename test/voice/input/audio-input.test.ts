import { afterEach, expect, test } from 'vitest';
import { once } from 'node:events';
import { pino } from 'pino';
import { createAudioInput, type AudioInput } from '../../../src/voice/input/audio-input.ts';
import type { SttStream } from '../../../src/voice/stt/stt.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { joined, noiseOf, silenceOf, toneOf } from '../audio/tones.ts';

/** Sound goes in and turns come out. The recognizer returns the test's texts. */

/** Sample rate of a telephone. */
const RATE = 8_000;

const ears: AudioInput[] = [];
afterEach(() => ears.splice(0).forEach((input) => input.close()));

type Said = string | Error | Promise<string>;

function earThatHears(texts: Said[], { isOver = () => false }: { isOver?: () => boolean } = {}) {
  const told: string[] = [];
  const sessions: { sec: number; canceled: boolean }[] = [];
  const tell = new EventTarget();
  const note = (what: string): void => {
    told.push(what);
    tell.dispatchEvent(new Event('told'));
  };
  const open = (): SttStream => {
    const session = { sec: 0, canceled: false };
    sessions.push(session);
    return {
      push: (samples) => {
        session.sec += samples.length / RATE;
        return session.sec <= 60;
      },
      finish: async () => {
        const text = await (texts.shift() ?? '');
        if (text instanceof Error) throw text;
        return { text, ms: 0, audioMs: 0 };
      },
      cancel: () => {
        session.canceled = true;
      },
    };
  };
  const input = createAudioInput({
    sampleRate: RATE,
    stt: { open },
    language: 'en',
    log: pino({ level: 'silent' }),
    isAgentSpeaking: isOver,
    onInterrupt: () => note('interrupted'),
    onHeard: (text) => note(`heard ${text}`),
    onLost: () => note('lost'),
  });
  ears.push(input);
  const hear = (...sounds: Int16Array[]): void => {
    const all = joined(...sounds);
    for (let at = 0; at < all.length; at += 320) input.hear(all.subarray(at, at + 320));
  };
  const next = (): Promise<unknown> => once(tell, 'told');
  return { input, hear, told, sessions, next };
}

/** Makes a sound of syllables. */
const speech = (sec: number): Int16Array =>
  joined(
    ...Array.from({ length: Math.round(sec / 0.15) }, () =>
      joined(
        toneOf({ hz: 200, rate: RATE, sec: 0.1 }),
        toneOf({ hz: 200, rate: RATE, sec: 0.05, level: 0.15 }),
      ),
    ),
  );
const pause = (sec: number): Int16Array => silenceOf({ rate: RATE, sec });

test.each([
  ['silence', pause(60)],
  ['noise', noiseOf({ rate: RATE, sec: 60, level: 0.05 })],
  ['a tone that stays', toneOf({ hz: 425, rate: RATE, sec: 60 })],
])('a minute of %s is nothing that was said', (name, sound) => {
  const { hear, told, sessions } = earThatHears([], { isOver: () => true });
  hear(sound);
  if (name !== 'a tone that stays') expect(sessions).toEqual([]);
  expect(told.filter((what) => what.startsWith('heard'))).toEqual([]);
});

test('no recognizer is asked about a long silence, and what is said after it is understood', async () => {
  const { hear, next, sessions, told } = earThatHears(['Hello?']);
  const minute = pause(60);
  const lastsMin = IS_NIGHTLY ? 60 : 5;
  for (let minutes = 0; minutes < lastsMin; minutes += 1) hear(minute);
  expect(sessions).toEqual([]);
  hear(speech(0.9), pause(0.6));
  await next();
  expect(told).toEqual(['heard Hello?']);
});

test('what is said is handed over from a little before it began', async () => {
  const { hear, next, sessions, told } = earThatHears(['How much is it?']);
  hear(pause(1), speech(0.9), pause(0.6));
  await next();
  expect(told).toEqual(['heard How much is it?']);
  expect(sessions).toHaveLength(1);
  // 0.9 s of speech, some 0.25 s before it and 0.4 s after it.
  expect(sessions[0]!.sec).toBeGreaterThan(1.4);
  expect(sessions[0]!.sec).toBeLessThan(1.7);
});

test('a sentence with a pause in it is one turn', async () => {
  const { hear, next, told } = earThatHears(['I would like to', 'order two of them.']);
  hear(pause(1), speech(0.9), pause(0.6));
  hear(speech(0.9), pause(0.6));
  await next();
  expect(told).toEqual(['heard I would like to order two of them.']);
});

test('texts come in the order in which they were said', async () => {
  const first = Promise.withResolvers<string>();
  const { hear, next, told } = earThatHears([first.promise, 'Two?']);
  hear(pause(1), speech(0.9), pause(0.6), speech(0.9), pause(0.6));
  first.resolve('One and');
  await next();
  expect(told).toEqual(['heard One and Two?']);
});

test('who speaks for longer than an utterance may be is heard whole', async () => {
  const { hear, next, sessions, told } = earThatHears(['It began', 'and ended.']);
  hear(pause(1), speech(75), pause(0.6));
  await next();
  expect(sessions.length).toBe(2);
  expect(told).toEqual(['heard It began and ended.']);
});

test('long speech into the agent interrupts at once, and once', () => {
  const { hear, told } = earThatHears([], { isOver: () => true });
  hear(pause(1), speech(0.4));
  expect(told).toEqual([]);
  hear(speech(2));
  expect(told).toEqual(['interrupted']);
});

test('after an interruption by what was no word the caller is asked again', async () => {
  let isOver = true;
  const { hear, next, told } = earThatHears([''], { isOver: () => isOver });
  hear(pause(1), speech(0.9));
  isOver = false;
  hear(pause(0.6));
  await next();
  expect(told).toEqual(['interrupted', 'lost']);
});

test('nothing is told of what fails while the agent speaks', async () => {
  const { hear, next, told } = earThatHears([new Error('no'), 'Stop!'], { isOver: () => true });
  hear(pause(1), speech(0.3), pause(0.6), speech(0.3), pause(0.6));
  await next();
  expect(told[0]).toBe('interrupted');
});

test('who is gone is told nothing, and is listened to no more', async () => {
  const late = Promise.withResolvers<string>();
  const { input, hear, sessions, told } = earThatHears([late.promise]);
  hear(pause(1), speech(0.9), pause(0.6), speech(0.9));
  input.close();
  expect(sessions.map(({ canceled }) => canceled)).toEqual([true, true]);
  late.resolve('Hello?');
  hear(speech(0.9), pause(1));
  expect(sessions).toHaveLength(2);
  expect(told).toEqual([]);
});

/** Returns the first event for words that begin and end while the agent is silent or speaks. */
async function firstTold(text: Said, [begins, ends]: [boolean, boolean]): Promise<string> {
  let isOver = begins;
  const { hear, next, told } = earThatHears([text], { isOver: () => isOver });
  hear(pause(1), speech(0.3));
  isOver = ends;
  const first = next();
  hear(pause(0.6));
  await first;
  return told[0]!;
}

test('“yes” is what the user says, unless it begins and ends while the agent speaks', async () => {
  expect(await firstTold('Yes.', [false, false])).toBe('heard Yes.');
  expect(await firstTold('Yes.', [true, false])).toBe('heard Yes.');
  expect(await firstTold('Yes.', [false, true])).toBe('interrupted');
});

test('words that were not understood while the agent was silent are lost', async () => {
  expect(await firstTold(new Error('no'), [false, false])).toBe('lost');
});
