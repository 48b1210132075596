import { afterEach, describe, expect, test } from 'vitest';
import { flood, pour, TOO_LONG } from './flood.ts';
import { at, bodyOf, createClient, nextTurn, post, receiver, stopAll } from './harness.ts';
import { onRequest, respond } from './servers.ts';

/**
 * Receivers that send without end (contract/deliveries.md#acknowledgement). The client limits the size of answers, not
 * only the time.
 */

afterEach(stopAll);

const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const TOO_MANY =
  'The server sent more than 16 informational responses (1xx) before its final response.';

/** Bytes that the kernel buffers for both ends of a connection, with some reserve. */
const UNREAD_MAX = 16 * 1024 * 1024;

test('sixteen informational answers are skipped', async () => {
  const server = await receiver((socket) =>
    onRequest(socket, () => socket.write(HINT.repeat(16) + respond('200 OK', 'ok'))),
  );
  const client = createClient();
  // Each request starts a new count, even on the same connection.
  for (let i = 0; i < 3; i += 1) {
    const outcome = await client.send(post(at(server)));
    expect(outcome).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(await bodyOf(outcome)).toBe('ok');
    await nextTurn();
  }
  expect(server.sockets).toHaveLength(1);
});

describe('fails at once and loses its connection, who sends without end', () => {
  test.each([
    ['103 Early Hints', '', HINT, TOO_MANY],
    ['102 Processing', '', 'HTTP/1.1 102 Processing\r\n\r\n', TOO_MANY],
    ['a status that nobody knows', '', 'HTTP/1.1 199 X\r\n\r\n', TOO_MANY],
    ['large 103s', '', `HTTP/1.1 103 X\r\nlink: ${'x'.repeat(8_000)}\r\n\r\n`, TOO_LONG],
    [
      '100 Continue',
      '',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'The server responded with 100 Continue, which the request did not ask for.',
    ],
    [
      'headers of one 103',
      'HTTP/1.1 103 X\r\n',
      'x-header: yyyyyyyyy\r\n',
      'The response headers are larger than 16 KiB.',
    ],
    ['a reason', 'HTTP/1.1 103 ', 'x'.repeat(1_000), TOO_LONG],
    ['line ends before its status', '', '\r\n'.repeat(1_000), TOO_LONG],
    ['spaces before a value', 'HTTP/1.1 200 OK\r\nx:', ' '.repeat(1_000), TOO_LONG],
  ])('%s', async (_what, first, again, message) => {
    const server = await receiver(flood(first, again));
    const outcome = await createClient().send(post(at(server), { timeoutMs: 30_000 }));
    expect(outcome).toMatchObject({ kind: 'error', errorClass: 'connect', message });
    await server.closed(0);
    expect(server.sockets).toHaveLength(1);
    // Checks bytes, which do not depend on how busy the machine is. A timeout would be another class of error.
    expect(server.sockets[0]!.bytesWritten).toBeLessThan(UNREAD_MAX);
  });

  test('what is no body, after its headers: the answer counts', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;x=';
    const server = await receiver(flood(chunked, 'x'.repeat(1_000)));
    const client = createClient({ bodyGraceMs: 30_000 });
    const outcome = await client.send(post(at(server)));
    expect(outcome).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(await bodyOf(outcome)).toBe('');
    await server.closed(0);
  });

  test('something on a connection that nobody uses', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write(respond('200 OK', 'ok'));
        setImmediate(() => pour(socket, '', '\r\n'.repeat(1_000)));
      }),
    );
    const outcome = await createClient().send(post(at(server)));
    expect(await bodyOf(outcome)).toBe('ok');
    await server.closed(0);
  });
});

test('a long body is none of it: it is cut at its own limit', async () => {
  const body = 'b'.repeat(200_000);
  const server = await receiver((socket) =>
    onRequest(socket, () => socket.write(respond('200 OK', body))),
  );
  const outcome = await createClient().send(post(at(server), { maxResponseBytes: 150_000 }));
  expect(await bodyOf(outcome)).toBe(body.slice(0, 150_000));
});
