import { expect, test } from 'vitest';
import { ANYTHING, createChangeReaders, type Change } from '../../src/events/change-readers.ts';

/** Changes that wait for a reader. */

const agent = (id: string): Change => ({ resource: 'agents', id });

/** A reader with the changes that it has taken so far. */
function follow(readers: ReturnType<typeof createChangeReaders>, namespace: string) {
  const abort = new AbortController();
  const taken: string[] = [];
  const reading = (async () => {
    for await (const change of readers.follow(namespace, abort.signal)) {
      taken.push(change.id ?? change.resource);
    }
  })();
  const stop = async (): Promise<void> => {
    abort.abort();
    await reading;
  };
  return { taken, abort, reading, stop };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a change is for the readers of its namespace, or for all', async () => {
  const readers = createChangeReaders();
  const [own, other] = [follow(readers, 'a'), follow(readers, 'b')];
  expect(readers.count()).toBe(2);
  readers.put(agent('one'), 'a');
  readers.put(agent('two'));
  readers.wake();
  await settle();
  expect([own.taken, other.taken]).toEqual([['one', 'two'], ['two']]);
  await Promise.all([own.stop(), other.stop()]);
  expect(readers.count()).toBe(0);
});

test('a thing waits once, and anything stands for all that waits', async () => {
  const readers = createChangeReaders();
  const reader = follow(readers, 'a');
  for (const change of [agent('one'), agent('two'), agent('one')]) readers.put(change, 'a');
  readers.wake();
  await settle();
  expect(reader.taken).toEqual(['one', 'two']);
  for (const change of [agent('three'), ANYTHING, agent('four')]) readers.put(change, 'a');
  readers.wake();
  await settle();
  expect(reader.taken.slice(2)).toEqual(['all']);
  await reader.stop();
});

test.each([
  [2_000, 2_000],
  [2_001, 1],
])('of %i changes %i are taken', async (count, taken) => {
  const readers = createChangeReaders();
  const reader = follow(readers, 'a');
  for (let i = 0; i < count; i += 1) readers.put(agent(`agent-${i}`), 'a');
  readers.wake();
  await settle();
  expect(reader.taken).toHaveLength(taken);
  await reader.stop();
});

test('who has gone takes nothing more', async () => {
  const readers = createChangeReaders();
  const reader = follow(readers, 'a');
  for (const id of ['one', 'two']) readers.put(agent(id), 'a');
  reader.abort.abort();
  await reader.reading;
  expect(reader.taken).toEqual([]);
});
