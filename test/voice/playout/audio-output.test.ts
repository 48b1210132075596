import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createAudioOutput } from '../../../src/voice/playout/audio-output.ts';
import { withCut } from '../../../src/voice/playout/audio-segment.ts';
import { holdTime } from '../../clock.ts';

import { createAudioPlayer, evenVoice, FORMAT, framesOf } from './audio-player.ts';

/** Playback of segments as sound: marks, keys, interruptions and the end. Time is held. */

const FIRST = 'This is the first sentence.';
const SECOND = 'The second one comes after it.';

/** Sound that is sent ahead of playback. */
const AHEAD_MS = 100;

function speaker(silent: readonly string[] = []) {
  const time = holdTime();
  const voice = evenVoice(silent);
  const player = createAudioPlayer((mark) => output.played(mark));
  const output = createAudioOutput({
    tts: voice,
    language: undefined,
    format: FORMAT,
    sink: player,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(output.close);
  return {
    /** Moves time by `ms` once the sentences said so far are synthesized. */
    pass: async (ms: number) => {
      await time.advance(0);
      await time.advance(ms);
    },
    voice,
    player,
    say: (text: string, allowInterruptions = true) => {
      output.say(text, !allowInterruptions);
      output.endSegment();
    },
    aside: output.aside,
    keys: output.sendKeys,
    isPlaying: output.isSpeaking,
    played: output.played,
    /** Returns the words that were played, or undefined if nothing of the transcript was cut. */
    interrupt: () => {
      const heard = output.interrupt();
      return heard && withCut(heard, heard.cut?.guess ?? '');
    },
    wait: output.untilPlayed,
    stop: output.close,
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
  const { pass, aside, say, interrupt } = speaker();
  aside(FIRST);
  say(SECOND);
  await pass(100);
  expect(interrupt()).toBe('');
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
