import { expect, test } from 'vitest';
import { rightAtLeast } from '../../packages/drill/src/run-drill.ts';
import { compare } from '../../packages/drill/src/calls/compare.ts';
import type { Said } from '../../packages/drill/src/calls/caller.ts';
import type { Voice } from '../../packages/drill/src/voice.ts';

/** What the drill finds wrong with a transcript, given what was played and what a recognizer makes of it. */

const ANSWER = 'We deliver to every house in the city.';

type Turn = { role: string; text: string; interrupted?: boolean };
type Heard = { played: string | undefined; understood?: string };

async function comparedOf(
  turn: Turn,
  { played, understood = played ?? '' }: Heard,
  interrupted = false,
): ReturnType<typeof compare> {
  const voice: Voice = {
    baseUrl: '',
    utter: async () => new Uint8Array(),
    hear: async () => understood,
    played: async () => played,
    mishears: 1 / 30,
    pauseMs: 0,
    asked: () => [],
  };
  const talk: Said[] = [
    { role: 'agent', expected: ANSWER, sound: new Uint8Array(), interrupted },
    { role: 'user', text: 'Stop it.' },
  ];
  const turns = [
    { interrupted: false, ...turn },
    { role: 'user', text: 'Stop it', interrupted: false },
  ];
  return compare(voice, talk, { turns });
}

const problemsOf = async (...about: Parameters<typeof comparedOf>): Promise<string[]> =>
  (await comparedOf(...about)).problems;

const cut = (text: string): Turn => ({ role: 'agent', text, interrupted: true });

test('a whole answer is right when it was played and understood to its end', async () => {
  const whole = { role: 'agent', text: ANSWER };
  expect(await problemsOf(whole, { played: ANSWER })).toEqual([]);
  expect(await problemsOf(whole, { played: ANSWER, understood: `${ANSWER} Um.` })).toEqual([]);
  for (const heard of [
    { played: 'We deliver to every house in the' },
    { played: ANSWER, understood: 'We deliver to every house.' },
    { played: ANSWER, understood: 'They do not deliver to any house in a city.' },
    { played: undefined },
  ]) {
    expect(await problemsOf(whole, heard)).not.toEqual([]);
  }
});

test('a sound that the voice did not make is a problem, whatever a recognizer makes of it', async () => {
  const unlike = { played: undefined, understood: ANSWER };
  const told = ['the audio of turn 0 does not match its text'];
  expect(await problemsOf({ role: 'agent', text: ANSWER }, unlike)).toEqual(told);
  expect(await problemsOf(cut(ANSWER), unlike, true)).toEqual(told);
});

test('of an interrupted answer the difference between the played and the stored words is counted', async () => {
  const of = (stored: string, heard: Heard) => problemsOf(cut(stored), heard, true);
  const apartOf = async (stored: string, heard: Heard) =>
    (await comparedOf(cut(stored), heard, true)).cut.get(0)?.apart;
  const played = 'We deliver to every';
  expect(await of('We deliver to every', { played })).toEqual([]);
  expect(await of('We deliver to every house', { played })).toEqual([]);
  expect(await of('We deliver to', { played, understood: 'We deliver to ever more.' })).toEqual([]);
  expect(await of('', { played: '' })).toEqual([]);
  // A difference is not a problem of the call. The drill counts the interruptions with more than one word.
  expect(await of('We deliver to every house in', { played })).toEqual([]);
  expect(await apartOf('We deliver to every', { played })).toBe(0);
  expect(await apartOf('We deliver to every house', { played })).toBe(1);
  expect(await apartOf('We deliver to every house in', { played })).toBe(2);
  expect(await apartOf('We deliver', { played })).toBe(2);
  expect(await of('We sell', { played: 'We deliver' })).toEqual([
    `the expected answer was “${ANSWER}”, but “We sell” is stored`,
  ]);
});

test('turns that nobody said, and that say otherwise than they were, are named', async () => {
  expect(await problemsOf(cut('We deliver'), { played: 'We deliver' })).toContain(
    'turn 0 was not interrupted, but the transcript says the opposite',
  );
  expect(await problemsOf({ role: 'user', text: ANSWER }, { played: ANSWER })).toEqual([
    'turn 0 is stored as user, but was spoken by agent',
  ]);
});

test.each([
  [4, false, 4],
  [49, false, 49],
  [50, false, 49],
  [100, false, 98],
  [100, true, 100],
])(
  'of %d interruptions, with retranscribes %s, %d must be right',
  (count, retranscribes, least) => {
    expect(rightAtLeast(count, retranscribes)).toBe(least);
  },
);
