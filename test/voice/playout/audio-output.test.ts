import fc from 'fast-check';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import {
  createAudioOutput,
  type AudioOutputDeps,
} from '../../../src/voice/playout/audio-output.ts';
import type { CutSentence } from '../../../src/voice/playout/sentence.ts';
import { createPlayout } from '../../../src/voice/playout/playout.ts';
import { holdTime } from '../../clock.ts';

import { turn } from '../../conversations/turns/thinking/scripted.ts';
import { createAudioPlayer, evenVoice, FORMAT, framesOf } from './audio-player.ts';

/** Playback of segments as sound: marks, keys, interruptions and the end. Time is held. */

const FIRST = 'This is the first sentence.';
const SECOND = 'The second one comes after it.';

/** Sound that is sent ahead of playback. */
const AHEAD_MS = 100;

function speaker(silent: readonly string[] = [], retranscriber?: AudioOutputDeps['retranscriber']) {
  const time = holdTime();
  const voice = evenVoice(silent);
  const player = createAudioPlayer((mark) => output.played(mark));
  const output = createAudioOutput({
    tts: voice,
    language: undefined,
    format: FORMAT,
    sink: player,
    log: pino({ level: 'silent' }),
    retranscriber,
  });
  const playout = createPlayout(output);
  onTestFinished(playout.stop);
  return {
    /** Moves time by `ms` once the sentences said so far are synthesized. */
    pass: async (ms: number) => {
      await time.advance(0);
      await time.advance(ms);
    },
    voice,
    player,
    playout,
    say: (text: string, allowInterruptions = true) =>
      playout.sayTurn(turn(0, 'agent', text), { allowInterruptions }),
    aside: playout.aside,
    keys: playout.sendKeys,
    isPlaying: playout.isPlaying,
    played: output.played,
    /** Returns the text that was played, or undefined if nothing of the transcript was cut. */
    interrupt: () =>
      playout
        .interrupt()
        ?.cut.map(({ playedText }) => playedText)
        .filter(Boolean)
        .join(' '),
    wait: playout.waitForPlayout,
    stop: playout.stop,
  };
}

const msOf = (text: string): number => framesOf(text) * 20;

test('each sentence gets one mark, and a sentence without sound gets none', async () => {
  const { pass, say, player, isPlaying } = speaker([SECOND]);
  say(FIRST);
  say(SECOND);
  say('And a third one follows.');
  await pass(5_000);
  expect(player.marks).toEqual(['s1', 's3']);
  expect(player.frames).toBe(framesOf(FIRST) + framesOf('And a third one follows.'));
  expect(isPlaying()).toBe(false);
});

test('a segment without any sound is played as soon as its synthesis has ended', async () => {
  const { pass, say, isPlaying } = speaker([FIRST]);
  say(FIRST);
  expect(isPlaying()).toBe(true);
  await pass(20);
  expect(isPlaying()).toBe(false);
});

test('a mark also confirms the sentences before it', async () => {
  const { pass, say, player, played, interrupt, isPlaying } = speaker();
  player.loseMarks();
  say(`${FIRST} ${SECOND}`);
  await pass(msOf(FIRST + SECOND) + AHEAD_MS);
  expect(player.marks).toEqual(['s1', 's2']);
  played('s2');
  expect(isPlaying()).toBe(false);
  expect(interrupt()).toBeUndefined();
});

test.each(['s3', 'unknown', ''])('the mark “%s” of no sentence confirms nothing', async (mark) => {
  const { pass, say, player, played, interrupt } = speaker();
  player.loseMarks();
  say(`${FIRST} ${SECOND}`);
  await pass(msOf(FIRST) - AHEAD_MS);
  played(mark);
  // The end of the first sentence has not been confirmed, and the second one has not begun.
  expect(FIRST.startsWith(interrupt()!)).toBe(true);
});

test('the mark of a sentence that was not sent yet confirms nothing', async () => {
  const { pass, say, played, interrupt, isPlaying } = speaker();
  say(`${FIRST} ${SECOND}`);
  await pass(40);
  played('s2');
  expect(isPlaying()).toBe(true);
  expect(interrupt()).toBe('This');
});

test('the mark of a cleared sentence confirms nothing of later sentences', async () => {
  const { pass, say, player, played, isPlaying, interrupt } = speaker();
  player.loseMarks();
  say(FIRST);
  await pass(msOf(FIRST));
  expect(player.marks).toEqual(['s1']);
  interrupt();
  say(SECOND);
  await pass(40);
  played('s1');
  expect(isPlaying()).toBe(true);
  expect(interrupt()).toBe('The');
});

test('the mark of a later sentence is a new one after a clear', async () => {
  const { pass, say, player, interrupt } = speaker();
  say(FIRST);
  await pass(40);
  interrupt();
  say(SECOND);
  await pass(msOf(SECOND) + AHEAD_MS);
  expect(player.marks).toEqual(['s2']);
});

test('a sentence whose mark is lost counts as played three seconds after its last frame', async () => {
  const { pass, say, player, isPlaying } = speaker();
  player.loseMarks();
  say(FIRST);
  const lastFrameMs = msOf(FIRST) - AHEAD_MS;
  await pass(lastFrameMs + 2_980);
  expect(isPlaying()).toBe(true);
  await pass(60);
  expect(isPlaying()).toBe(false);
});

test('a segment that does not allow interruptions is played to its end', async () => {
  const { pass, say, player, interrupt, isPlaying } = speaker();
  say(FIRST, false);
  say(SECOND);
  await pass(100);
  expect(interrupt()).toBeUndefined();
  expect(player.clears).toBe(0);
  await pass(msOf(FIRST));
  expect(interrupt()).toBe('The second');
  expect(player.clears).toBe(1);
  expect(isPlaying()).toBe(false);
});

test('keys that are playing are not interrupted', async () => {
  const { pass, keys, player, interrupt, isPlaying } = speaker();
  keys('12');
  await pass(40);
  expect(interrupt()).toBeUndefined();
  expect(player.clears).toBe(0);
  await pass(2_000);
  expect(isPlaying()).toBe(false);
});

test('waiting keys are sent after an interruption, in order and with new marks', async () => {
  const { pass, say, keys, player, interrupt, isPlaying } = speaker();
  say(FIRST);
  keys('1');
  keys('2w');
  say(SECOND);
  await pass(100);
  expect(interrupt()).toBeDefined();
  expect(player.clears).toBe(1);
  const before = player.frames;
  expect(isPlaying()).toBe(true);
  await pass(3_000);
  // The first four marks belonged to the cleared sentences and keys.
  expect(player.marks).toEqual(['s5', 's6']);
  expect(player.frames).toBeGreaterThan(before);
  expect(isPlaying()).toBe(false);
});

test('an aside alone is stopped, and nothing of the transcript is cut', async () => {
  const { pass, aside, player, interrupt, isPlaying } = speaker();
  aside(FIRST);
  await pass(100);
  expect(interrupt()).toBeUndefined();
  expect(player.clears).toBe(1);
  expect(isPlaying()).toBe(false);
});

test('of a segment that waits behind an aside nothing was played', async () => {
  const { pass, aside, say, playout } = speaker();
  aside(FIRST);
  say(SECOND);
  await pass(100);
  const cut = playout.interrupt()!.cut.filter(({ isAside }) => !isAside);
  expect(cut.map(({ text, playedText }) => [text, playedText])).toEqual([[SECOND, '']]);
});

test('an interruption while nothing is playing clears nothing', () => {
  const { interrupt, player } = speaker();
  expect(interrupt()).toBeUndefined();
  expect(player.clears).toBe(0);
});

test('nothing is synthesized or sent after the end of the line', async () => {
  const { pass, say, aside, keys, voice, player, stop, isPlaying } = speaker();
  say(FIRST);
  await pass(40);
  const { frames } = player;
  stop();
  say(SECOND);
  aside(SECOND);
  keys('1');
  await pass(3_000);
  expect(voice.spoken).toEqual([FIRST]);
  expect(player.frames).toBe(frames);
  expect(isPlaying()).toBe(false);
});

test('waiting for the end of playback ends with the last mark', async () => {
  const { pass, say, wait } = speaker();
  let isOver = false;
  say(FIRST);
  void wait(new AbortController().signal).then(() => (isOver = true));
  await pass(msOf(FIRST) - 20);
  expect(isOver).toBe(false);
  await pass(60);
  expect(isOver).toBe(true);
});

test('waiting for the end of playback ends with its signal, or with the line', async () => {
  const { say, wait, stop } = speaker();
  say(FIRST);
  const gone = new AbortController();
  const both = [wait(gone.signal), wait(new AbortController().signal)];
  gone.abort();
  await both[0];
  stop();
  await both[1];
});

test('sentences keep their sound only for a transcriber', async () => {
  const heard: number[] = [];
  const listen = async ({ played }: CutSentence) => {
    heard.push(played.reduce((sum, { length }) => sum + length, 0));
    return undefined;
  };
  const { pass, say, playout } = speaker([], { listen });
  say(FIRST);
  await pass(100);
  const { cut, refined } = playout.interrupt()!;
  expect(await refined).toBeUndefined();
  expect(heard).toEqual([800]);
  expect(cut[0]!.playedText).toBe('This is the');
});

test('a better position replaces the first one later', async () => {
  const { pass, say, playout } = speaker([], { listen: async () => 'This is the first' });
  say(`${SECOND} ${FIRST}`);
  await pass(msOf(SECOND) + 100);
  const { cut, refined } = playout.interrupt()!;
  expect(cut[0]!.playedText).toBe(`${SECOND} This is the`);
  expect(await refined).toBe(cut[0]);
  expect(cut[0]!.playedText).toBe(`${SECOND} This is the first`);
});

const PARTS = [
  '**Yes**, ',
  'it is. ',
  'See *here*: ',
  '\n\n- one',
  '\n- two.',
  ' – ',
  '👍 ',
  'No… ',
  'It costs £42! ',
  'For more, read the [order page](https://shop.example/orders) first. ',
];

test('each sentence knows its place in the words, also in a reply around an aside', async () => {
  const time = holdTime();
  const ASIDE = 'One moment, please.';
  const check = async (tokens: string[], asideAt: number): Promise<void> => {
    const marks: string[] = [];
    const spoken: string[] = [];
    const output = createAudioOutput({
      tts: {
        sampleRate: FORMAT.sampleRate,
        async *speak({ text }) {
          spoken.push(text);
          yield new Int16Array(160);
        },
      },
      language: undefined,
      format: FORMAT,
      sink: {
        frame: () => undefined,
        mark: (name) => void marks.push(name),
        clear: () => undefined,
      },
      log: pino({ level: 'silent' }),
    });
    const playout = createPlayout(output);
    const segment = playout.begin();
    for (const [at, token] of tokens.entries()) {
      if (at === asideAt) playout.aside(ASIDE);
      playout.say(segment, token);
    }
    playout.end(segment);
    await time.advance(0);
    await time.advance(1_000);
    expect(marks).toHaveLength(spoken.length);
    const said = segment.words.said();
    let from = 0;
    for (const [at, mark] of marks.entries()) {
      output.played(mark);
      if (spoken[at] === ASIDE) continue;
      expect(said.slice(from, segment.playedChars).trim()).toBe(spoken[at]);
      from = segment.playedChars;
    }
    expect(said.slice(from).trim()).toBe('');
    playout.stop();
  };
  const tokens = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 20 });
  await fc.assert(fc.asyncProperty(tokens, fc.nat({ max: 19 }), check));
});
