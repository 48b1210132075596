import { expect, test } from 'vitest';
import type { Line } from '../../../src/voice/line.ts';
import { createMouth } from '../../../src/voice/playout/mouth.ts';
import type { TurnRow } from '../../../src/conversations/record/turns.sql.ts';
import { turn } from '../../conversations/turns/thinking/scripted.ts';
import { MARKDOWN, WORDS } from './markdown-answer.ts';

/** A line gets words, and the heard words determine the text in the transcript. */

function lineOf() {
  const said: string[] = [''];
  const line: Line = {
    say: (text) => {
      said[said.length - 1] += text;
    },
    endUtterance: () => void said.push(''),
    sendKeys: () => undefined,
    end: () => undefined,
  };
  return { mouth: createMouth(line), said: () => said.filter(Boolean) };
}

const agentTurn = (index: number, text: string): TurnRow => turn(index, 'agent', text);
const words = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

test.each([1, 2, 3, 5, 8, 1_000])('a reply in tokens of %i characters is said as words', (size) => {
  const { mouth, said } = lineOf();
  const utterance = mouth.begin();
  for (let at = 0; at < MARKDOWN.length; at += size)
    mouth.say(utterance, MARKDOWN.slice(at, at + size));
  mouth.finish(utterance, agentTurn(1, MARKDOWN));
  mouth.end(utterance);
  expect(said()).toHaveLength(1);
  expect(words(said()[0]!)).toEqual(WORDS);
});

test('the first message, what a person writes and what stands in no transcript are said as words', () => {
  const { mouth, said } = lineOf();
  mouth.whole(agentTurn(0, '# Hello!'), true);
  mouth.whole(turn(1, 'human', '*Kim* here'));
  mouth.aside('**One** moment.');
  expect(said()).toEqual(['Hello!', 'Kim here', 'One moment.']);
});

test('a mark that waits for its end is said before another utterance begins', () => {
  const { mouth, said } = lineOf();
  const reply = mouth.begin();
  mouth.say(reply, 'Dial *67');
  mouth.aside('One moment.');
  mouth.say(reply, ' or *68');
  mouth.end(reply);
  expect(said()).toEqual(['Dial *67', 'One moment.', ' or *68']);
});

test('a reply of pictures alone says nothing, and what follows is an utterance of its own', () => {
  const { mouth, said } = lineOf();
  const reply = mouth.begin();
  mouth.say(reply, '👍');
  mouth.finish(reply, agentTurn(1, '👍'));
  mouth.end(reply);
  mouth.whole(agentTurn(2, 'Anything else?'));
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
  const { mouth } = lineOf();
  const reply = mouth.begin();
  mouth.say(reply, MARKDOWN);
  mouth.finish(reply, agentTurn(1, MARKDOWN));
  mouth.end(reply);
  expect(mouth.interrupted(heard)).toEqual([reply]);
  expect(reply.heard).toBe(kept);
});

test('nothing that waits is said once the user has spoken into it', () => {
  const { mouth, said } = lineOf();
  const reply = mouth.begin();
  mouth.say(reply, 'Dial *67');
  mouth.interrupted('Dial');
  mouth.say(reply, ' now');
  mouth.end(reply);
  expect(said()).toEqual(['Dial ']);
});

test('an utterance without words neither begins nor ends another one', () => {
  const { mouth, said } = lineOf();
  const [reply, silent] = [mouth.begin(), mouth.begin()];
  mouth.say(reply, 'One ');
  mouth.say(silent, '');
  mouth.end(silent);
  mouth.say(reply, 'two.');
  mouth.end(reply);
  expect(said()).toEqual(['One two.']);
});

test('a line is asked to say words, and never nothing', () => {
  const asked: string[] = [];
  const line: Line = {
    say: (text) => void asked.push(text),
    endUtterance: () => undefined,
    sendKeys: () => undefined,
    end: () => undefined,
  };
  const mouth = createMouth(line);
  const reply = mouth.begin();
  mouth.say(reply, '*');
  mouth.say(reply, '67');
  mouth.end(reply);
  expect(asked).toEqual(['*67']);
  mouth.close();
  mouth.whole(agentTurn(1, 'Too late.'));
  mouth.aside('Too late.');
  expect(asked).toHaveLength(1);
});

test('nothing more is said of an utterance that was interrupted', () => {
  const { mouth, said } = lineOf();
  const reply = mouth.begin();
  mouth.say(reply, 'One two three. ');
  mouth.interrupted('One');
  mouth.say(reply, 'Four.');
  mouth.finish(reply, agentTurn(1, 'One two three. Four. Five.'));
  mouth.end(reply);
  expect(said()).toEqual(['One two three. ']);
});
