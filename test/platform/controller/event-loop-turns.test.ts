import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createEventLoopTurns } from '../../../src/platform/controller/event-loop-turns.ts';

/** Creates turns with a clock that only the pieces of work move. */
function turnsOf() {
  let nowMs = 0;
  const began: string[] = [];
  const turns = createEventLoopTurns(() => nowMs);
  /** A piece of this duration. The first letter of its name is its namespace. */
  const piece =
    (name: string, takesMs = 0) =>
    (): void => {
      began.push(name);
      nowMs += takesMs;
    };
  const wait = (name: string, takesMs?: number): void =>
    turns.wait(name[0] === '-' ? undefined : name[0], piece(name, takesMs));
  return { turns, began, piece, wait };
}

test('a turn of the event loop is free until work has taken five milliseconds of it', async () => {
  const { turns, piece } = turnsOf();
  expect(turns.isFree()).toBe(true);
  piece('a', 4)();
  expect(turns.isFree()).toBe(true);
  piece('a', 1)();
  expect(turns.isFree()).toBe(false);
  await turnOfLoop();
  expect(turns.isFree()).toBe(true);
});

test('while anything waits nothing overtakes it', async () => {
  const { turns, wait, began } = turnsOf();
  wait('a');
  expect([turns.isFree(), turns.waiting()]).toEqual([false, 1]);
  await turnOfLoop();
  expect([began, turns.isFree(), turns.waiting()]).toEqual([['a'], true, 0]);
});

test('namespaces have their turns one after the other, and strangers are one of them', async () => {
  const { wait, began } = turnsOf();
  for (const name of ['a1', 'a2', 'a3', '-1', '-2', 'b1']) wait(name, 5);
  for (let turns = 0; turns < 10; turns += 1) await turnOfLoop();
  expect(began).toEqual(['a1', '-1', 'b1', 'a2', '-2', 'a3']);
});

test('new input is read after five milliseconds of work', async () => {
  const { wait, began, turns } = turnsOf();
  for (let at = 0; at < 9; at += 1) wait(`a${at}`, 2.5);
  await turnOfLoop();
  expect(began).toHaveLength(2);
  await turnOfLoop();
  expect(began).toHaveLength(4);
  for (let more = 0; more < 3; more += 1) await turnOfLoop();
  expect(turns.waiting()).toBe(0);
});

test('what a piece resolves runs before the next piece', async () => {
  const { turns } = turnsOf();
  const order: string[] = [];
  const resolved = (name: string) => (): void => {
    order.push(name);
    void Promise.resolve().then(() => order.push(`after ${name}`));
  };
  turns.wait('a', resolved('a'));
  turns.wait('b', resolved('b'));
  await turnOfLoop();
  expect(order).toEqual(['a', 'after a', 'b', 'after b']);
});

test('hundreds that wait all have their turn', async () => {
  const { wait, began, turns } = turnsOf();
  for (let at = 0; at < 500; at += 1) wait(`a${at}`);
  while (turns.waiting() > 0) await turnOfLoop();
  expect(began).toHaveLength(500);
  expect(turns.isFree()).toBe(true);
});

test('a piece runs in the context that it was made in', async () => {
  const { turns } = turnsOf();
  const store = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  store.run('first', () => turns.wait('a', () => seen.push(store.getStore())));
  store.run('second', () => turns.wait('b', () => seen.push(store.getStore())));
  await turnOfLoop();
  expect(seen).toEqual(['first', 'second']);
});
