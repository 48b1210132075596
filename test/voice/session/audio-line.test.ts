import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { TurnRow } from '../../../src/conversations/record/turns.sql.ts';
import { createPlayout } from '../../../src/voice/playout/playout.ts';
import { createAudioLine } from '../../../src/voice/session/audio-line.ts';
import { holdTime } from '../../clock.ts';
import { turn } from '../../conversations/turns/thinking/scripted.ts';

import { createAudioPlayer, evenVoice, FORMAT } from '../playout/audio-player.ts';
import { MARKDOWN } from '../playout/markdown-answer.ts';

/** Text that the transcript keeps of interrupted segments, on a line that carries audio. Time is held. */

function lineOf() {
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
  const line = createAudioLine({
    pipeline,
    format: FORMAT,
    sink: { ...player, close: () => undefined },
    on: (event) => {
      if (event.type === 'interrupted') playout.interrupted(event.heard);
      return undefined;
    },
    onTimes: () => undefined,
    log: pino({ level: 'silent' }),
  });
  const playout = createPlayout(line);
  onTestFinished(line.close);
  return { player, line, playout, interrupt: () => line.press('#') };
}

const agentTurn = (index: number, text: string): TurnRow => turn(index, 'agent', text);

/** Says a whole reply in tokens of five characters. */
function reply(playout: ReturnType<typeof lineOf>['playout'], index: number, text: string) {
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
  const kept = replies.map((segment) => segment.heard);
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
  expect([first.heard, second.heard]).toEqual(['It takes two days', '']);
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
