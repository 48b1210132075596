import { expect, test } from 'vitest';
import { createSentence, playedOf, type Sentence } from '../../../src/voice/playout/sentence.ts';

/** The played part of a sentence, by the frames that were played. */

const sentenceOf = (text: string): Sentence => createSentence({ text, mark: 's1' });
const made = (text: string, more: Partial<Sentence>): Sentence => ({
  ...sentenceOf(text),
  isMade: true,
  ...more,
});
const guessOf = (sentence: Sentence, frames: number): string =>
  playedOf(sentence, frames, 160).guess;

test.each([
  [0, ''],
  [14, ''],
  [15, 'two'],
  [44, 'two'],
  [45, 'two ten'],
  [74, 'two ten'],
  [75, 'two ten six'],
  [1_000, 'two ten six'],
])(
  'of a sentence of three even words and 90 frames %d are “%s”: a word from its middle on',
  (frames, heard) => {
    expect(guessOf(made('two ten six', { frames: 90 }), frames)).toBe(heard);
  },
);

test('the frames of earlier sentences do not count', () => {
  const second = made('Second one.', { startFrame: 50, frames: 110 });
  expect(guessOf(second, 40)).toBe('');
  expect(guessOf(second, 120)).toBe('Second');
  expect(guessOf(second, 500)).toBe('Second one.');
});

test('of a sentence whose sound is not whole the length is guessed', () => {
  const text = 'one two three four';
  expect(guessOf({ ...sentenceOf(text), frames: 20 }, 20)).toBe('one');
  expect(guessOf(made(text, { frames: 20, isCut: true }), 20)).toBe('one');
  expect(guessOf(made(text, { frames: 20 }), 20)).toBe(text);
  expect(guessOf(sentenceOf(text), 20)).toBe('');
});

const voice = (frames: number): number[] => Array.from({ length: frames }, () => 9_000);
const pause = (frames: number): number[] => Array.from({ length: frames }, () => 90);
/** Returns how many words of a sentence with this sound were heard after each number of frames. */
const countsOf = (text: string, peaks: number[], frames: number[]): number[] => {
  const one = made(text, { frames: peaks.length, peaks });
  return frames.map((count) => guessOf(one, count).split(' ').filter(Boolean).length);
};

test('pauses before, within and after a sentence say nothing', () => {
  const peaks = [...pause(10), ...voice(30), ...pause(40), ...voice(60), ...pause(60)];
  expect(countsOf('two ten six', peaks, [24, 25, 79, 94, 95, 124, 125, 200])).toEqual([
    0, 1, 1, 1, 2, 2, 3, 3,
  ]);
});

test('a pause is at a mark; a short one is a sound in which the mouth is shut', () => {
  const text = 'two, ten six two ten six';
  const sound = (quiet: number): number[] => [...voice(23), ...pause(quiet), ...voice(101)];
  // 35 frames of speech: the first word was short, if the pause is after it.
  expect(countsOf(text, sound(5), [5 + 35])).toEqual([1]);
  expect(countsOf(text, sound(6), [6 + 35])).toEqual([2]);
});

test('of the sentence under way there is the sound that was played, and what was not', () => {
  const sound = [new Int16Array(400).fill(1), new Int16Array(240).fill(2)];
  const under = made('Second one.', { startFrame: 2, frames: 4, sound });
  const cutAt = (frames: number, more: Partial<Sentence> = {}) => {
    const { played, rest } = playedOf({ ...under, ...more }, frames, 160);
    return { played, rest };
  };
  const lengths = (parts: readonly Int16Array[] | undefined) => parts?.map(({ length }) => length);
  expect(cutAt(2)).toEqual({ played: [], rest: sound });
  expect(cutAt(4)).toEqual({
    played: [new Int16Array(320).fill(1)],
    rest: [new Int16Array(80).fill(1), sound[1]],
  });
  expect(lengths(cutAt(5).played)).toEqual([400, 80]);
  expect(lengths(cutAt(5).rest)).toEqual([160]);
  expect(cutAt(100)).toEqual({ played: sound, rest: [] });
  // The rest is unknown while the sentence is incomplete.
  expect(cutAt(4, { isMade: false }).rest).toBeUndefined();
  expect(cutAt(4, { isCut: true }).rest).toBeUndefined();
});
