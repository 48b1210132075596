import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createPlayout } from '../../../src/voice/playout/playout.ts';
import { createTextOutput, playedPart } from '../../../src/voice/playout/text-output.ts';
import { holdTime } from '../../clock.ts';
import { turn } from '../../conversations/turns/thinking/scripted.ts';

describe('the played part of a text', () => {
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
    expect(playedPart(SAID, heard)).toBe(kept);
  });

  test('what is said in other words than it is written counts by words', () => {
    expect(playedPart('It costs £42 a month.', 'It costs forty-two')).toBe('It costs £42');
    expect(playedPart('OK.', 'something else altogether')).toBe('OK.');
  });

  test('other scripts and accents', () => {
    expect(playedPart('Das heißt „Größe“. Gut?', 'das heißt größe')).toBe('Das heißt „Größe“.');
    expect(playedPart('İstanbul güzel.', 'İstanbul')).toBe('İstanbul');
    expect(playedPart('我们明天见。好吗？', '我们明天')).toBe('我们明天');
  });

  test('is never longer than the text, and a beginning of it where its words are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, cut) => {
        const heard = text.slice(0, cut % (text.length + 1));
        const kept = playedPart(text, heard);
        expect(text.startsWith(kept)).toBe(true);
      }),
    );
  });
});

describe('the interrupted segment', () => {
  /** A playout to a carrier that speaks. It says whole turns. */
  function playoutOf() {
    const nothing = (): void => undefined;
    const sink = { say: nothing, endSegment: nothing, sendKeys: nothing };
    const playout = createPlayout(createTextOutput(sink));
    const say = (index: number, text: string): void => playout.sayTurn(turn(index, 'agent', text));
    /** Returns the index and the played text of the cut turns. A reply that is not stored has no index. */
    const interrupt = (reported: string): [number | undefined, string | undefined][] =>
      playout.interrupt(reported)!.cut.map(({ index, playedText }) => [index, playedText]);
    return { playout, say, interrupt };
  }

  test('queued is not played: those behind the interrupted one were not played', () => {
    const { say, interrupt } = playoutOf();
    say(1, 'One moment, please.');
    say(2, 'It costs forty pounds.');
    say(3, 'Anything else?');
    expect(interrupt('It costs')).toEqual([
      [2, 'It costs'],
      [3, ''],
    ]);
  });

  test('the newest segment with the reported words was playing', () => {
    const { say, interrupt } = playoutOf();
    say(1, 'Yes.');
    say(2, 'Yes, of course.');
    expect(interrupt('Yes')).toEqual([[2, 'Yes,']]);
  });

  // A character takes 65 ms, so each turn takes 2 s.
  const TWO_SECONDS = 'A sentence of thirty letters. ';
  test.each([
    ['as the first begins', 100, [1, 2, undefined]],
    ['as the second begins', 1_900, [2, undefined]],
    ['as the third begins', 4_000, [undefined]],
    ['when all was played, and the reply has no words yet', 7_000, [undefined]],
    ['long after that', 10_000, [undefined]],
  ])('without a word: %s, that one was playing', async (_, ms, cut) => {
    const time = holdTime();
    const { playout, say, interrupt } = playoutOf();
    say(1, TWO_SECONDS);
    say(2, TWO_SECONDS);
    playout.begin();
    await time.advance(ms);
    expect(interrupt('')).toEqual(cut.map((index) => [index, '']));
  });

  test('what was interrupted once is not interrupted again', () => {
    const { say, interrupt } = playoutOf();
    say(1, 'One moment, please.');
    expect(interrupt('One')).toHaveLength(1);
    // It is an interruption nevertheless: the carrier has stopped.
    expect(interrupt('One')).toEqual([]);
  });

  test('what was played before the user spoke is not cut later', () => {
    const { playout, say, interrupt } = playoutOf();
    say(1, 'Yes.');
    playout.aside('Yes, one moment.');
    playout.confirmPlayed();
    say(2, 'Yes, of course.');
    expect(interrupt('something else altogether')).toEqual([[2, 'Yes, of course.']]);
  });

  test('a reply that is not stored yet is cut by the number of words', () => {
    const { playout, interrupt } = playoutOf();
    const reply = playout.begin();
    playout.say(reply, 'It costs forty pounds. ');
    playout.confirmPlayed();
    expect(interrupt('something else')).toEqual([[undefined, 'It costs']]);
  });

  test('the newest 20 segments may be interrupted', () => {
    const { say, interrupt } = playoutOf();
    for (let index = 1; index <= 21; index += 1) say(index, `Turn number ${index}, so to speak.`);
    // The first one is forgotten, so the last one counts as interrupted.
    expect(interrupt('Turn number 1, so')).toEqual([[21, 'Turn number 21, so']]);
    for (let index = 1; index <= 21; index += 1) say(index, `Turn number ${index}, so to speak.`);
    expect(interrupt('Turn number 2, so')).toHaveLength(20);
  });
});

describe('waiting for the end of playback', () => {
  function sinkOf() {
    const nothing = (): void => undefined;
    return createPlayout(
      createTextOutput({ say: nothing, endSegment: nothing, sendKeys: nothing }),
    );
  }

  test.each([
    ['65 ms a character', 'Ten chars.', '', 650],
    ['250 ms a key', '', '12', 500],
    ['both', 'Ten chars.', '12', 1_150],
    ['a minute at most', 'A long text. '.repeat(100), '', 60_000],
  ])('takes %s', async (_, text, keys, ms) => {
    const time = holdTime();
    const playout = sinkOf();
    if (text !== '') playout.sayTurn(turn(1, 'agent', text));
    if (keys !== '') playout.sendKeys(keys);
    let isOver = false;
    void playout.waitForPlayout(new AbortController().signal).then(() => (isOver = true));
    await time.advance(ms - 1);
    expect(isOver).toBe(false);
    await time.advance(1);
    expect(isOver).toBe(true);
  });

  test('ends with an interruption of the next wait, and with its signal', async () => {
    holdTime();
    const playout = sinkOf();
    playout.sayTurn(turn(1, 'agent', 'Ten chars.'));
    expect(playout.isPlaying()).toBe(true);
    const gone = new AbortController();
    const wait = playout.waitForPlayout(gone.signal);
    gone.abort();
    await wait;
    playout.interrupt('Ten');
    expect(playout.isPlaying()).toBe(false);
    await playout.waitForPlayout(new AbortController().signal);
  });
});
