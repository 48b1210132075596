import { expect, test } from 'vitest';
import { createPlayout } from '../../../src/voice/playout/playout.ts';
import { createTextOutput, type TextSink } from '../../../src/voice/playout/text-output.ts';
import type { TurnRow } from '../../../src/conversations/record/turns.sql.ts';
import { turn } from '../../conversations/turns/thinking/scripted.ts';
import { MARKDOWN, WORDS } from './markdown-answer.ts';

/** A line gets words, and the heard words determine the text in the transcript. */

function lineOf() {
  const said: string[] = [''];
  const sink: TextSink = {
    say: (words) => {
      said[said.length - 1] += words;
    },
    endSegment: () => void said.push(''),
    sendKeys: () => undefined,
  };
  return { playout: createPlayout(createTextOutput(sink)), said: () => said.filter(Boolean) };
}

const agentTurn = (index: number, text: string): TurnRow => turn(index, 'agent', text);
const words = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

test.each([1, 2, 3, 5, 8, 1_000])('a reply in tokens of %i characters is said as words', (size) => {
  const { playout, said } = lineOf();
  const segment = playout.begin();
  for (let at = 0; at < MARKDOWN.length; at += size)
    playout.say(segment, MARKDOWN.slice(at, at + size));
  playout.finish(segment, agentTurn(1, MARKDOWN));
  playout.end(segment);
  expect(said()).toHaveLength(1);
  expect(words(said()[0]!)).toEqual(WORDS);
});

test('the first message, what a person writes and what stands in no transcript are said as words', () => {
  const { playout, said } = lineOf();
  playout.sayTurn(agentTurn(0, '# Hello!'), { allowInterruptions: false });
  playout.sayTurn(turn(1, 'human', '*Kim* here'));
  playout.aside('**One** moment.');
  expect(said()).toEqual(['Hello!', 'Kim here', 'One moment.']);
});

test('a mark that waits for its end is said before another segment begins', () => {
  const { playout, said } = lineOf();
  const reply = playout.begin();
  playout.say(reply, 'Dial *67');
  playout.aside('One moment.');
  playout.say(reply, ' or *68');
  playout.end(reply);
  expect(said()).toEqual(['Dial *67', 'One moment.', ' or *68']);
});

test('a reply of pictures alone says nothing, and what follows is a segment of its own', () => {
  const { playout, said } = lineOf();
  const reply = playout.begin();
  playout.say(reply, '👍');
  playout.finish(reply, agentTurn(1, '👍'));
  playout.end(reply);
  playout.sayTurn(agentTurn(2, 'Anything else?'));
  expect(said()).toEqual(['Anything else?']);
});

test.each([
  ['Delivery takes four', '**Delivery** takes *four*'],
  ['delivery  takes FOUR days and', '**Delivery** takes *four* days and'],
  [
    'Delivery takes four days and you can follow it on the order page.',
    '**Delivery** takes *four* days and you can follow it on the [order page](https://shop.example/orders?id=7).',
  ],
  [WORDS.join(' ').slice(0, -2), MARKDOWN.slice(0, MARKDOWN.indexOf('mes 😀') + 1)],
  ['', ''],
])('of which %j was heard, the text keeps %j', (heard, kept) => {
  const { playout } = lineOf();
  const reply = playout.begin();
  playout.say(reply, MARKDOWN);
  playout.finish(reply, agentTurn(1, MARKDOWN));
  playout.end(reply);
  expect(playout.interrupt(heard)).toEqual({ cut: [reply] });
  expect(reply.playedText).toBe(kept);
});

test('nothing that waits is said once the user has spoken into it', () => {
  const { playout, said } = lineOf();
  const reply = playout.begin();
  playout.say(reply, 'Dial *67');
  playout.interrupt('Dial');
  playout.say(reply, ' now');
  playout.end(reply);
  expect(said()).toEqual(['Dial ']);
});

test('a segment without words neither begins nor ends another one', () => {
  const { playout, said } = lineOf();
  const [reply, silent] = [playout.begin(), playout.begin()];
  playout.say(reply, 'One ');
  playout.say(silent, '');
  playout.end(silent);
  playout.say(reply, 'two.');
  playout.end(reply);
  expect(said()).toEqual(['One two.']);
});

test('a line is asked to say words, and never nothing', () => {
  const asked: string[] = [];
  const sink: TextSink = {
    say: (words) => void asked.push(words),
    endSegment: () => undefined,
    sendKeys: () => undefined,
  };
  const playout = createPlayout(createTextOutput(sink));
  const reply = playout.begin();
  playout.say(reply, '*');
  playout.say(reply, '67');
  playout.end(reply);
  expect(asked).toEqual(['*67']);
  playout.close();
  playout.sayTurn(agentTurn(1, 'Too late.'));
  playout.aside('Too late.');
  expect(asked).toHaveLength(1);
});

test('nothing more is said of a segment that was interrupted', () => {
  const { playout, said } = lineOf();
  const reply = playout.begin();
  playout.say(reply, 'One two three. ');
  playout.interrupt('One');
  playout.say(reply, 'Four.');
  playout.finish(reply, agentTurn(1, 'One two three. Four. Five.'));
  playout.end(reply);
  expect(said()).toEqual(['One two three. ']);
});

test('the last words are a segment of their own, and nothing is said after them', () => {
  const { playout, said } = lineOf();
  const reply = playout.begin();
  playout.say(reply, 'The price is');
  playout.close('I am sorry, I have to go.');
  playout.say(reply, ' forty pounds.');
  playout.end(reply);
  playout.sendKeys('1');
  playout.close('Goodbye.');
  expect(said()).toEqual(['The price is', 'I am sorry, I have to go.']);
});

test.each([true, false])('a turn with allowInterruptions %s tells its carrier so', (allowed) => {
  const told: unknown[] = [];
  const sink: TextSink = {
    say: (_, allowInterruptions) => void told.push(allowInterruptions),
    endSegment: (allowInterruptions) => void told.push(allowInterruptions),
    sendKeys: () => undefined,
  };
  createPlayout(createTextOutput(sink)).sayTurn(agentTurn(0, 'Hello.'), {
    allowInterruptions: allowed,
  });
  expect(told).toEqual([allowed, allowed]);
});
