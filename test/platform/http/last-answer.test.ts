import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../../src/errors.ts';
import { answerLast, endUnread } from '../../../src/platform/http/last-answer.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';

const MOST = 200;

/** Creates a connection whose other end stays open. */
function openConnection(): Duplex {
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(),
  });
  onTestFinished(() => void socket.destroy());
  return socket;
}

const refuse = (socket: Duplex): void =>
  answerLast(socket, new ApiError('not_found', 'There is nothing here.'));

test.each([
  ['answered as broken', refuse],
  ['with an unread body', endUnread],
])('of more than 200 ended connections %s the oldest is destroyed', async (_, end) => {
  holdTime();
  const sockets = Array.from({ length: MOST + 1 }, openConnection);
  for (const socket of sockets.slice(0, MOST)) end(socket);
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
  end(sockets[MOST]!);
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([sockets[0]]);
});

test('an ended connection that has closed does not count among the 200', async () => {
  holdTime();
  const sockets = Array.from({ length: MOST }, openConnection);
  for (const socket of sockets) refuse(socket);
  await once(sockets[7]!.destroy(), 'close');
  refuse(openConnection());
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([sockets[7]]);
});

test('a connection with an unread body is ended and no longer read', () => {
  holdTime();
  const socket = openConnection();
  socket.resume();
  endUnread(socket);
  expect([socket.writableEnded, socket.isPaused()]).toEqual([true, true]);
});

test('64 KiB after a last answer are dropped, and more is not read', async () => {
  holdTime();
  const socket = openConnection();
  refuse(socket);
  socket.push(Buffer.alloc(64 * 1024));
  await until('it to be dropped', () => socket.readableLength === 0);
  expect(socket.isPaused()).toBe(false);
  socket.push(Buffer.alloc(1));
  await until('it to be paused', () => socket.isPaused());
});
