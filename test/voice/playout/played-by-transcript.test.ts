import { expect, test } from 'vitest';
import { playedByTranscript } from '../../../src/voice/playout/played-by-transcript.ts';

/** What was heard of a text, by what a recognizer understood of its sound, and by a guess. */

const TEXT = 'In the middle of the tour there is a long break: “Bring £42, or a sandwich.”';
const first = (count: number): string => TEXT.split(' ').slice(0, count).join(' ');
/** A guess of so many words. */
const guessed = (count: number, played: string, rest?: string): string | undefined =>
  playedByTranscript(TEXT, { played, rest, guess: first(count) });

test.each([
  ['in the middle of the tour', 6, 'as it stands'],
  ['In the middle of the tour, there is a...', 9, 'with marks of its own'],
  ['in the middle of the tour there is a long break', 11, 'with the marks that follow'],
  ['In the middle of the tor there', 7, 'with a word misheard'],
  ['In a little of the tour there', 7, 'with words misheard'],
  ['In the middle of the tour there is a long break bring 42', 13, 'without signs'],
  [
    'In the middle of the tour there is a long break bring forty two pounds or a sandwit',
    16,
    'a number in words',
  ],
])('“%s” are %d words: %s', (recognized, count) => {
  for (const guess of [count - 2, count, Math.min(count + 2, 16)]) {
    expect(guessed(guess, recognized)).toBe(first(count));
  }
});

test('of beginnings that fit alike the guess decides', () => {
  const again = (guess: string): string | undefined =>
    playedByTranscript('No, no, no, no, and no.', { played: 'No, no.', rest: undefined, guess });
  expect(again('No, no,')).toBe('No, no,');
  // A letter that was not understood weighs more than one that the guess is off.
  expect(again('No, no, no, no, and')).toBe('No, no,');
  // A half word that was taken for another one.
  const lawn = 'In the middle of the tour there is a lawn';
  expect(guessed(9, lawn)).toBe(first(9));
  expect(guessed(10, lawn)).toBe(first(10));
  expect(guessed(2, 'In the Middl')).toBe('In the middle');
  expect(guessed(2, 'In the Mid')).toBe('In the');
});

test('the rest of a sentence tells where it was cut, as what was played does', () => {
  const end = 'long break bring 42 or a sandwich';
  expect(guessed(6, 'in the middle of the two others', `is a ${end}`)).toBe(first(7));
  // A recognizer goes on where the sound ends: the two overlap, and the guess decides.
  expect(guessed(6, 'in the middle of the tour there is a', `is a ${end}`)).toBe(first(7));
  expect(guessed(10, 'in the middle of the tour there is a', `is a ${end}`)).toBe(first(9));
  // Nobody has understood “there is”.
  expect(guessed(6, 'in the middle of the tour', `a ${end}`)).toBe(first(6));
  // One of the two is of something else, or was not understood.
  const rest = 'a long break bring 42 or a sandwich';
  for (const played of ['', 'Thank you very much for watching']) {
    expect(guessed(6, played, rest)).toBe(first(8));
  }
  for (const none of ['', undefined, 'Thank you very much for watching']) {
    expect(guessed(6, 'in the middle of the tour there is', none)).toBe(first(8));
  }
});

test('what nobody understood, or of something else, tells nothing', () => {
  for (const recognized of ['', ' ... ', '(…)']) expect(guessed(3, recognized)).toBeUndefined();
  expect(guessed(3, 'Thank you very much for watching')).toBeUndefined();
  expect(guessed(3, 'Mitten in der Führung gibt es eine lange Pause')).toBeUndefined();
  expect(guessed(3, `${TEXT} ${TEXT} ${TEXT}`)).toBeUndefined();
  expect(playedByTranscript('…', { played: 'Hm', rest: 'Hm', guess: '' })).toBeUndefined();
});

test('texts without spaces, and in other scripts and cases', () => {
  const of = (text: string, played: string, guess: string) =>
    playedByTranscript(text, { played, rest: undefined, guess });
  expect(of('私はとても元気です。', '私はとても', '私は')).toBe('私はとても');
  expect(of('Экскурсия начинается у моста.', 'ЭКСКУРСИЯ НАЧИНАЕТСЯ', 'Экскурсия')).toBe(
    'Экскурсия начинается',
  );
  expect(of('  Ｗe call you.', 'we', '')).toBe('  Ｗe');
});

test('a recognizer that hears twice as many letters is believed, and no more', () => {
  const heard = (played: string): string | undefined =>
    playedByTranscript('Ab.', { played, rest: undefined, guess: 'Ab.' });
  expect([heard('abab'), heard('ababc')]).toEqual(['Ab.', undefined]);
});
