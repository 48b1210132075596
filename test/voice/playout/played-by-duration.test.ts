import { expect, test } from 'vitest';
import { playedByDuration } from '../../../src/voice/playout/played-by-duration.ts';

/** What was heard of a text, by its sound alone. */

const ALL = 1_000;

/** Each word that was heard as one, and after how many of 1,000 frames. */
function heardAt(text: string, pauses: number[] = []): [string, number][] {
  const at: [string, number][] = [];
  for (let heard = 0, before = ''; heard <= ALL; heard += 1) {
    const now = playedByDuration(text, { heard, all: ALL, pauses });
    if (now !== before) at.push([now.slice(before.length).trim(), heard]);
    before = now;
  }
  return at;
}

/** Of two words the share that the first takes: it is heard from its middle on. */
const firstTakes = (text: string): number => (2 * heardAt(text)[0]![1]) / ALL;

test('words come whole, with the marks behind them, and in the end all was heard', () => {
  const words = heardAt('He said: “No.” (Or not.)').map(([word]) => word);
  expect(words).toEqual(['He', 'said:', '“No.”', '(Or', 'not.)']);
  expect(playedByDuration('  In the bank. ', { heard: 10, all: 10, pauses: [] })).toBe(
    '  In the bank.',
  );
});

test('nothing was heard of nothing', () => {
  expect(playedByDuration('', { heard: 10, all: 10, pauses: [] })).toBe('');
  expect(playedByDuration('In the bank.', { heard: 0, all: 10, pauses: [] })).toBe('');
  expect(playedByDuration('In the bank.', { heard: 0, all: 0, pauses: [] })).toBe('');
});

test.each([
  ['two ten', 0.5, 'words of as many letters and syllables are even'],
  ['in banana', 0.29, 'a short word takes longer than its letters'],
  ['aorta trust', 0.53, 'of as many letters the one of more syllables is longer'],
  ['204 two', 0.74, 'digits are read out'],
  ['ABC abc', 0.66, 'letters are read out'],
  ['two, ten', 0.58, 'before a mark a voice lingers'],
  ['Été ete', 0.5, 'an accent is no letter'],
  ['банан banan', 0.5, 'other scripts have vowels too'],
])('of “%s” the first takes %d: %s', (text, share) => {
  expect(firstTakes(text)).toBeCloseTo(share, 2);
});

test('where a voice pauses is a mark', () => {
  const text = 'Well, the guided tour starts at the old bridge.';
  const second = (asked: string, pauses: number[]): number => heardAt(asked, pauses)[1]![1];
  // Its half is heard half a word after the pause.
  const after = second(text, [150]) - 150;
  expect(after).toBeGreaterThan(30);
  expect(second(text, [])).toBeLessThan(150 + after);
  // Too far from every mark, or where there is none, a pause says nothing.
  for (const far of [300, 600]) expect(second(text, [far])).toBe(second(text, []));
  const plain = text.replace(',', '');
  expect(second(plain, [150])).toBe(second(plain, []));
});

test('each pause is at a mark of its own, in their order', () => {
  const text = 'One, two, three, four, five.';
  const pauses = [220, 390, 620];
  const at = heardAt(text, pauses);
  expect(at.map(([word]) => word)).toEqual(text.split(' '));
  for (const [word, pause] of pauses.entries()) {
    expect(at[word]![1]).toBeLessThan(pause);
    expect(at[word + 1]![1]).toBeGreaterThan(pause);
  }
});

test('scripts without spaces have words', () => {
  expect(heardAt('今日は晴れです。散歩に行きます。').length).toBeGreaterThan(5);
  const half = playedByDuration('今日は晴れです。散歩に行きます。', {
    heard: 500,
    all: ALL,
    pauses: [],
  });
  expect(half).toMatch(/^今日は晴れです。/u);
  expect(half).not.toContain('行');
});
