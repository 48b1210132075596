import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createSegments, heardOf } from '../../../src/voice/playout/segments.ts';

describe('what was heard of a text', () => {
  const SAID = 'Tide 500 costs £42 a month. Shall I order it for you? It takes two days.';
  test.each([
    ['all of it', SAID, SAID],
    ['nothing', '', ''],
    ['white space', '  \n', ''],
    ['to the middle of a sentence', 'Tide 500 costs', 'Tide 500 costs'],
    ['with the mark that follows', 'Tide 500 costs £42 a month', 'Tide 500 costs £42 a month.'],
    ['as a carrier writes it', 'tide 500 costs  42 a month', 'Tide 500 costs £42 a month.'],
    [
      'the sentence alone that was playing',
      'Shall I order it',
      'Tide 500 costs £42 a month. Shall I order it',
    ],
    ['half a word', 'Tide 500 cos', 'Tide 500 cos'],
  ])('%s', (_, heard, kept) => {
    expect(heardOf(SAID, heard)).toBe(kept);
  });

  test('what is said in other words than it is written counts by words', () => {
    expect(heardOf('It costs £42 a month.', 'It costs forty-two')).toBe('It costs £42');
    expect(heardOf('OK.', 'something else altogether')).toBe('OK.');
  });

  test('other scripts and accents', () => {
    expect(heardOf('Das heißt „Größe“. Gut?', 'das heißt größe')).toBe('Das heißt „Größe“.');
    expect(heardOf('İstanbul güzel.', 'İstanbul')).toBe('İstanbul');
    expect(heardOf('我们明天见。好吗？', '我们明天')).toBe('我们明天');
  });

  test('is never longer than the text, and a beginning of it where its words are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, cut) => {
        const heard = text.slice(0, cut % (text.length + 1));
        const kept = heardOf(text, heard);
        expect(text.startsWith(kept)).toBe(true);
      }),
    );
  });
});

describe('segments', () => {
  const NOW = { nowMs: 10_000, freeMs: 10_000 };
  const say = (segments: ReturnType<typeof createSegments>, index: number, text: string) => {
    const segment = segments.begin(index);
    segment.text = text;
    segment.words.push(text);
    segment.words.end();
    return segment;
  };

  test('queued is not played: those behind the one that was interrupted were not heard', () => {
    const segments = createSegments();
    const first = say(segments, 1, 'One moment, please.');
    const second = say(segments, 2, 'It costs forty pounds.');
    const third = say(segments, 3, 'Anything else?');
    expect(segments.interrupted('It costs', NOW)).toEqual([second, third]);
    expect([first.heard, second.heard, third.heard]).toEqual([undefined, 'It costs', '']);
  });

  test.each([
    ['as the first begins', 10_100, [0, 1, 2]],
    ['as the second begins', 11_900, [1, 2]],
    ['as the third begins', 14_000, [2]],
    ['when all was heard, and the reply has no words yet', 17_000, [2]],
    ['long after that', 20_000, [2]],
  ])('without a word: %s, that one was playing', (_, nowMs, cut) => {
    const segments = createSegments();
    const all = [1, 2].map((index) => say(segments, index, 'A sentence of some length.'));
    const [first, second] = all;
    first!.startMs = 10_000;
    second!.startMs = 12_000;
    const reply = segments.begin();
    expect(segments.interrupted('', { nowMs, freeMs: 14_000 })).toEqual(
      cut.map((at) => [...all, reply][at]),
    );
  });

  test('what was interrupted once is not interrupted again', () => {
    const segments = createSegments();
    say(segments, 1, 'One moment, please.');
    expect(segments.interrupted('One', NOW)).toHaveLength(1);
    expect(segments.interrupted('One', NOW)).toEqual([]);
  });

  test('what was heard before the user spoke is not cut later', () => {
    const segments = createSegments();
    const heard = say(segments, 1, 'Yes.');
    segments.heardAll();
    const later = say(segments, 2, 'Yes, of course.');
    expect(segments.interrupted('Yes', NOW)).toEqual([later]);
    expect(heard.heard).toBeUndefined();
  });

  test('a reply that is not stored yet is cut by words of none', () => {
    const segments = createSegments();
    const reply = segments.begin();
    reply.words.push('It costs forty pounds.');
    segments.heardAll();
    expect(segments.interrupted('something else', NOW)).toEqual([reply]);
    expect(reply.heard).toBe('It costs');
  });
});
