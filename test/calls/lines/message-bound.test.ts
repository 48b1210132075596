import { expect, test } from 'vitest';
import { createMessageBound, createMessageBounds } from '../../../src/calls/lines/message-bound.ts';
import { holdTime } from '../../clock.ts';

/** How much a user may say before it is stored, and how fast. */

const BOUNDS = { pending: 3, pendingChars: 10, burst: 5, perSec: 2 };

/** A bound with texts that wait until they are finished, in their order. */
function boundOf(over: Partial<typeof BOUNDS> = {}) {
  const bound = createMessageBound({ ...BOUNDS, ...over });
  const finish: (() => void)[] = [];
  const say = (text: string): boolean => {
    if (!bound.allows(text)) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    finish.push(resolve);
    bound.add(text, promise);
    return true;
  };
  const finishFirst = async (): Promise<void> => {
    finish.shift()!();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { say, finishFirst };
}

test('so many texts may wait, and one more when one of them is stored', async () => {
  const { say, finishFirst } = boundOf();
  expect(['a', 'b', 'c', 'd'].map(say)).toEqual([true, true, true, false]);
  await finishFirst();
  expect(['d', 'e'].map(say)).toEqual([true, false]);
});

test('so many characters may wait, and any number of them alone', async () => {
  const { say, finishFirst } = boundOf();
  expect(['12345', '12345', '1'].map(say)).toEqual([true, true, false]);
  await finishFirst();
  await finishFirst();
  expect(['12345678901', '1'].map(say)).toEqual([true, false]);
});

test('so many may come at once, and so many a second after that', async () => {
  const time = holdTime();
  const { say, finishFirst } = boundOf();
  const sayAndStore = async (): Promise<boolean> => {
    const isAllowed = say('a');
    if (isAllowed) await finishFirst();
    return isAllowed;
  };
  for (let said = 0; said < 5; said += 1) expect(await sayAndStore()).toBe(true);
  expect(await sayAndStore()).toBe(false);
  await time.advance(499);
  expect(await sayAndStore()).toBe(false);
  await time.advance(1);
  expect(await sayAndStore()).toBe(true);
  expect(await sayAndStore()).toBe(false);
  // What was not used is not kept for ever.
  await time.advance(3_600_000);
  for (let said = 0; said < 5; said += 1) expect(await sayAndStore()).toBe(true);
  expect(await sayAndStore()).toBe(false);
});

/** Adds this many texts that are stored immediately, and returns how many were allowed. */
async function sayTo(bound: ReturnType<typeof createMessageBound>, times: number): Promise<number> {
  let allowed = 0;
  for (let said = 0; said < times && bound.allows('a'); said += 1) {
    bound.add('a', undefined);
    allowed += 1;
    await Promise.resolve();
    await Promise.resolve();
  }
  return allowed;
}

test('a bound is that of its key, whoever asks for it', async () => {
  holdTime();
  const boundsOf = createMessageBounds(BOUNDS);
  expect(await sayTo(boundsOf('one'), 10)).toBe(5);
  expect(await sayTo(boundsOf('one'), 10)).toBe(0);
  expect(await sayTo(boundsOf('other'), 10)).toBe(5);
});

test('a bound is kept while a text of its key waits, and while its burst is not earned again', async () => {
  const time = holdTime();
  const boundsOf = createMessageBounds({ ...BOUNDS, burst: 200 });
  const [waiting, spent, rested] = ['waiting', 'spent', 'rested'].map(boundsOf);
  waiting!.add('a', new Promise(() => undefined));
  await time.advance(59_000);
  expect(await sayTo(spent!, 10)).toBe(10);
  await time.advance(1_000);
  expect(boundsOf('waiting')).toBe(waiting);
  expect(boundsOf('spent')).toBe(spent);
  expect(boundsOf('rested')).not.toBe(rested);
});
