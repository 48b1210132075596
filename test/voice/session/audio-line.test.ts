import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { TurnRow } from '../../../src/conversations/record/turns.sql.ts';
import type { Playout } from '../../../src/voice/playout/playout.ts';
import { createAudioLine, type AudioLine } from '../../../src/voice/session/audio-line.ts';
import type { TurnTimes } from '../../../src/voice/session/turn-times.ts';
import { holdTime } from '../../clock.ts';
import { turn } from '../../conversations/turns/thinking/scripted.ts';

import { createAudioPlayer, evenVoice, FORMAT } from '../playout/audio-player.ts';
import { MARKDOWN } from '../playout/markdown-answer.ts';

/** Text that the transcript keeps of interrupted segments, on a line that carries audio. Time is held. */

function lineOf() {
  const times: TurnTimes[] = [];
  const player = createAudioPlayer((mark) => line.played(mark));
  const pipeline = {
    stt: {
      open: () => ({
        push: () => true,
        finish: async () => ({ text: '', ms: 0, audioMs: 0 }),
        cancel: () => undefined,
      }),
    },
    tts: evenVoice(),
    inputLanguage: 'en',
    outputLanguage: 'en',
    retranscribes: false,
  };
  const line: AudioLine = createAudioLine({
    pipeline,
    format: FORMAT,
    sink: { ...player, close: () => undefined },
    on: (event) => {
      if (event.type === 'interrupted') playout.interrupt(event.playedText);
      return undefined;
    },
    onTimes: (one) => void times.push(one),
    log: pino({ level: 'silent' }),
  });
  const { playout } = line;
  onTestFinished(line.close);
  return { player, line, playout, times, interrupt: () => line.press('#') };
}

const agentTurn = (index: number, text: string): TurnRow => turn(index, 'agent', text);

/** Says a whole reply in tokens of five characters. */
function reply(playout: Playout, index: number, text: string) {
  const segment = playout.begin();
  for (const token of text.match(/.{1,5}/gsu) ?? []) playout.say(segment, token);
  playout.finish(segment, agentTurn(index, text));
  playout.end(segment);
  return segment;
}

test('a reply in Markdown that is interrupted after any frame keeps the played part of its text', async () => {
  const time = holdTime();
  const FRAMES = 60;
  const lines = Array.from({ length: FRAMES }, lineOf);
  const replies = lines.map(({ playout }) => reply(playout, 1, MARKDOWN));
  await time.advance(0);
  // Each line is interrupted 20 ms later than the one before it.
  for (const { interrupt } of lines) {
    await time.advance(20);
    interrupt();
  }
  const kept = replies.map((segment) => segment.playedText);
  for (const text of kept) if (text !== undefined) expect(MARKDOWN.startsWith(text)).toBe(true);
  const last = kept.map((text) => text?.split(/\s+/).at(-1));
  const changes = last.flatMap((word, at) =>
    word === last[at - 1] && at > 0 ? [] : [[at + 1, word]],
  );
  expect(changes).toEqual([
    [1, ''],
    [3, '**Delivery**'],
    [7, 'takes'],
    [10, '*four*'],
    [12, 'days'],
    [14, 'and'],
    [16, 'you'],
    [18, 'can'],
    [20, 'follow'],
    [23, 'it'],
    [24, 'on'],
    [26, 'the'],
    [29, '[order'],
    [32, 'page](https://shop.example/orders?id=7).'],
    [35, '**Order**'],
    [37, 'it'],
    [39, 'today'],
    [41, 'Pay'],
    [44, 'when'],
    [46, 'it'],
    [48, 'comes'],
    // All marks have come back, so nothing is interrupted.
    [49, undefined],
  ]);
});

test('of a reply that waits behind the interrupted one nothing was played', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const [first, second] = [
    reply(playout, 1, 'It takes two days to deliver it.'),
    reply(playout, 3, 'It costs forty pounds.'),
  ];
  await time.advance(0);
  await time.advance(160);
  interrupt();
  expect([first.playedText, second.playedText]).toEqual(['It takes two days', '']);
});

test('nothing of an interrupted reply is said later', async () => {
  const time = holdTime();
  const { playout, player, interrupt } = lineOf();
  const segment = playout.begin();
  playout.say(segment, 'It takes two days to deliver it. ');
  await time.advance(0);
  await time.advance(160);
  interrupt();
  const { frames } = player;
  playout.say(segment, 'It costs forty pounds.');
  playout.end(segment);
  await time.advance(2_000);
  expect(player.frames).toBe(frames);
});

test('the playing segment is cut, whatever letters the segments share', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const [playing, waiting] = [reply(playout, 1, 'Yes, it is.'), reply(playout, 3, 'Yes, it is.')];
  await time.advance(0);
  await time.advance(80);
  interrupt();
  expect([playing.playedText, waiting.playedText]).toEqual(['Yes, it', '']);
});

test('a stored reply that waits behind keys is still cut after the user has spoken', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  playout.sendKeys('1');
  const stored = reply(playout, 1, 'It takes two days to deliver it.');
  await time.advance(0);
  interrupt();
  playout.confirmPlayed();
  const next = playout.begin();
  await time.advance(400);
  interrupt();
  expect(stored.playedText).toBe('It takes two days to');
  expect(next.playedText).toBe('');
});

test('a reply whose rest waits behind an aside is cut after the words before it', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const segment = playout.begin();
  playout.say(segment, 'It takes **two** days.');
  playout.aside('One moment, please.');
  playout.say(segment, ' It costs *forty* pounds.');
  await time.advance(0);
  await time.advance(20 * 10 + 60);
  interrupt();
  expect(segment.playedText).toBe('It takes **two** days.');
});

test('a reply around an aside keeps the words that were played after it', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const segment = playout.begin();
  playout.say(segment, 'It takes **two** days.');
  playout.aside('One moment, please.');
  playout.say(segment, ' It costs *forty* pounds.');
  playout.end(segment);
  await time.advance(0);
  await time.advance(20 * (9 + 10 + 7));
  interrupt();
  expect(segment.playedText).toBe('It takes **two** days. It costs *forty*');
});

test('without a played word, the segment that is playing is cut and not an earlier one', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const first = reply(playout, 1, 'It takes two days to deliver it.');
  const second = reply(playout, 3, 'It costs forty pounds.');
  await time.advance(0);
  await time.advance(20 * 16);
  interrupt();
  expect([first.playedText, second.playedText]).toEqual([undefined, '']);
});

test('a free-standing mark after the last played word stays', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const segment = playout.begin();
  playout.say(segment, 'It is well – ');
  playout.say(segment, 'and good for all of us to know.');
  playout.end(segment);
  await time.advance(0);
  await time.advance(20 * 7);
  interrupt();
  expect(segment.playedText).toBe('It is well –');
});

test('a turn without words is not cut', async () => {
  const time = holdTime();
  const { playout, interrupt } = lineOf();
  const picture = reply(playout, 1, '👍');
  const second = reply(playout, 3, 'It costs forty pounds.');
  await time.advance(0);
  await time.advance(60);
  interrupt();
  expect(picture.playedText).toBeUndefined();
  expect(second.playedText).toBe('It costs');
});

test('an interrupted aside stops, and the reply that waits is said', async () => {
  const time = holdTime();
  const { playout, player, interrupt } = lineOf();
  const segment = playout.begin();
  playout.aside('One moment, please.');
  await time.advance(0);
  await time.advance(60);
  const { frames } = player;
  interrupt();
  await time.advance(1_000);
  expect(player.frames).toBe(frames);
  playout.say(segment, 'It costs forty pounds.');
  playout.end(segment);
  await time.advance(0);
  await time.advance(1_000);
  expect(segment.playedText).toBeUndefined();
  expect(player.frames).toBe(frames + 11);
});

test('the time to the first words of a reply does not end with an aside', async () => {
  const time = holdTime();
  const { line, playout, times } = lineOf();
  void line.write('How much is it?');
  playout.aside('One moment, please.');
  await time.advance(0);
  await time.advance(500);
  expect(times).toEqual([]);
  reply(playout, 1, 'It costs forty pounds.');
  await time.advance(0);
  expect(times).toMatchObject([{ modelMs: 500 }]);
});
