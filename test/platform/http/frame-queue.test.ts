import { expect, test } from 'vitest';
import type { EventLoopTurns } from '../../../src/platform/controller/event-loop-turns.ts';
import { createFrameQueue } from '../../../src/platform/http/sockets/frame-queue.ts';
import { holdTime } from '../../clock.ts';

/** When a socket is read, and when its sender is cut. */

const ALWAYS_FREE: EventLoopTurns = { isFree: () => true, wait: () => undefined, waiting: () => 0 };

/** Creates turns that are all taken. `next` grants the oldest waiting request for a turn. */
function busyTurns(): { turns: EventLoopTurns; next: () => void; namespaces: unknown[] } {
  const begins: (() => void)[] = [];
  const namespaces: unknown[] = [];
  const turns: EventLoopTurns = {
    isFree: () => false,
    wait: (namespace, begin) => {
      namespaces.push(namespace);
      begins.push(begin);
    },
    waiting: () => begins.length,
  };
  return { turns, next: () => begins.shift()?.(), namespaces };
}

/** Creates a queue whose handler finishes a frame when the test says so. */
function queueOf({
  isSlow = true,
  burstBytes,
  turns = ALWAYS_FREE,
}: { isSlow?: boolean; burstBytes?: number; turns?: EventLoopTurns } = {}) {
  const told: string[] = [];
  const taken: { text: string; finish: () => void }[] = [];
  const queue = createFrameQueue({
    take: ({ bytes }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      taken.push({ text: bytes.toString(), finish: resolve });
      return isSlow ? promise : undefined;
    },
    pause: () => void told.push('pause'),
    resume: () => void told.push('resume'),
    onOverflow: () => void told.push('overflow'),
    burstBytes,
    namespace: () => 'ours',
    turns,
  });
  const push = (text: string | Buffer, isBinary = false): void =>
    queue.push({ bytes: Buffer.from(text), isBinary });
  const finish = async (at: number): Promise<void> => {
    taken[at]!.finish();
    await Promise.resolve();
  };
  return { queue, push, told, taken, finish };
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

test('reads on while nine frames are in progress, and no more at ten', () => {
  const { push, told, queue } = queueOf();
  numbers(9).forEach((text) => push(text));
  expect([told, queue.isHeld()]).toEqual([[], false]);
  push('9');
  expect([told, queue.isHeld()]).toEqual([['pause'], true]);
});

test('reads no more while 64 KiB are in progress', () => {
  const { push, told } = queueOf();
  push(Buffer.alloc(64 * 1024 - 1));
  expect(told).toEqual([]);
  push('a');
  expect(told).toEqual(['pause']);
});

test('frames that arrive during a pause are taken in their order, and then it is read again', async () => {
  const { push, told, taken, finish } = queueOf();
  numbers(12).forEach((text) => push(text));
  expect(taken).toHaveLength(10);
  await finish(3);
  expect(taken.map(({ text }) => text)).toEqual(numbers(11));
  await finish(0);
  expect(taken.map(({ text }) => text)).toEqual(numbers(12));
  expect(told).toEqual(['pause']);
  await finish(1);
  expect(told).toEqual(['pause', 'resume']);
});

test('a hundred frames may wait; one more closes the queue, and nothing is taken after it', async () => {
  const { push, told, taken, finish } = queueOf();
  numbers(110).forEach((text) => push(text));
  expect(told).toEqual(['pause']);
  push('110');
  expect(told).toEqual(['pause', 'overflow']);
  await finish(0);
  push('111');
  expect(taken).toHaveLength(10);
  expect(told).toEqual(['pause', 'overflow']);
});

test('frames that wait are dropped when the socket closes', async () => {
  const { push, taken, finish, queue } = queueOf();
  numbers(12).forEach((text) => push(text));
  queue.close();
  await finish(0);
  expect(taken).toHaveLength(10);
});

test('4 MiB of text may come at once, and 256 KiB a second after that', async () => {
  const time = holdTime();
  const { push, told, taken } = queueOf({ isSlow: false });
  for (let sent = 0; sent < 64; sent += 1) push(Buffer.alloc(64 * 1024));
  expect(told).toEqual([]);
  push(Buffer.alloc(64 * 1024));
  expect(told).toEqual(['pause']);
  push('after it');
  expect(taken).toHaveLength(65);
  await time.advance(249);
  expect(taken).toHaveLength(65);
  await time.advance(2);
  expect(taken).toHaveLength(66);
  expect(told).toEqual(['pause', 'resume']);
});

test('a short frame counts as 256 bytes, and sound as nothing', () => {
  holdTime();
  const { push, told } = queueOf({ isSlow: false, burstBytes: 8 * 1024 });
  for (let sent = 0; sent < 32; sent += 1) push('{}');
  expect(told).toEqual([]);
  for (let sent = 0; sent < 60; sent += 1) push(Buffer.alloc(64 * 1024), true);
  expect(told).toEqual([]);
  push('{}');
  expect(told).toEqual(['pause']);
});

test('frames wait for turns of the event loop in their order, and ten of them do not stop the reading', () => {
  const { turns, next } = busyTurns();
  const { push, told, taken } = queueOf({ isSlow: false, turns });
  numbers(10).forEach((text) => push(text));
  expect([taken, told]).toEqual([[], []]);
  push('10');
  expect(told).toEqual(['pause']);
  next();
  expect(taken.map(({ text }) => text)).toEqual(['0']);
  expect(told).toEqual(['pause', 'resume']);
  for (let at = 0; at < 10; at += 1) next();
  expect(taken.map(({ text }) => text)).toEqual(numbers(11));
  expect(turns.waiting()).toBe(0);
});

test('a queue takes all that wait in a turn that is free', () => {
  const { turns, next } = busyTurns();
  const { push, taken } = queueOf({ isSlow: false, turns });
  numbers(5).forEach((text) => push(text));
  turns.isFree = () => true;
  next();
  expect(taken).toHaveLength(5);
});

test('the turns are those of the namespace of the socket', () => {
  const { turns, next, namespaces } = busyTurns();
  const { push } = queueOf({ turns });
  push('a');
  next();
  expect(namespaces).toEqual(['ours']);
});

test('frames that wait for the next turn are dropped when the socket closes', () => {
  const { turns, next } = busyTurns();
  const { push, taken, queue } = queueOf({ isSlow: false, turns });
  push('a');
  queue.close();
  next();
  expect(taken).toEqual([]);
});

test.each([
  ['1,024 short frames', 1_024, Buffer.from('{}')],
  ['four frames of 64 KiB', 4, Buffer.alloc(64 * 1024)],
])('%s may arrive after the close, and nothing is read behind one more', (_, count, bytes) => {
  const { push, told, taken, queue } = queueOf();
  queue.close();
  for (let sent = 0; sent < count; sent += 1) push(bytes);
  expect(told).toEqual([]);
  push('a');
  push('b');
  expect(told).toEqual(['pause']);
  expect(taken).toEqual([]);
});
