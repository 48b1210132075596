import { expect, test } from 'vitest';
import { nextMove } from '../../src/standalone/scripted-moves.ts';

/** The rules of the scripted model, one test for each half of a condition. */

const ALL = ['order_status', 'start_return', 'hang_up'];
const move = (content: string, names = ALL) =>
  nextMove({
    messages: [{ role: 'user', content }],
    tools: names.map((name) => ({ function: { name } })),
  });
const without = (name: string): string[] => ALL.filter((one) => one !== name);

test.each([
  ['I want to return T-1001, it is too small.', ALL, 'start_return'],
  ['I want to return something.', ALL, undefined],
  ['Where is T-1001?', ALL, 'order_status'],
  ['Where is it?', ALL, undefined],
  ['I want to return T-1001.', without('start_return'), 'order_status'],
  ['Where is T-1001?', without('order_status'), undefined],
  ['Goodbye', ALL, 'hang_up'],
  ['Hello', ALL, undefined],
  ['Goodbye', without('hang_up'), undefined],
])('%s, with %j: %s', (words, names, called) => {
  expect(move(words, names).call?.name).toBe(called);
});

test.each([
  [{ ok: false, body: { error: 'no such order' } }, 'That did not work: no such order.'],
  [{ ok: false }, 'That did not work: the shop did not answer.'],
  ['no result', 'That did not work: the shop did not answer.'],
  [{ ok: true }, 'That is done.'],
  [
    { ok: true, body: { order: 'T-1', item: 'boots', status: 'delivered' } },
    'Order T-1, boots, is delivered.',
  ],
])('of a tool that answers %j it says: %s', (result, said) => {
  const { text } = nextMove({ messages: [{ role: 'tool', content: JSON.stringify(result) }] });
  expect(text).toBe(said);
});
