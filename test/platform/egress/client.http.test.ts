import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { gzipSync } from 'node:zlib';

import type { EgressClient } from '../../../src/platform/egress/client.ts';
import {
  at,
  bodyOf,
  createClient,
  nextTurn,
  post,
  receiver,
  stopAll,
  toLoopback,
} from './harness.ts';
import { onRequest, respond } from './servers.ts';

let client: EgressClient;
afterEach(stopAll);
beforeEach(() => {
  client = createClient();
});

describe('a response', () => {
  test('comes with its status, headers, body and time, and the request is as asked', async () => {
    let seen = '';
    const server = await receiver((socket) =>
      onRequest(socket, (request) => {
        seen = request;
        socket.write(
          respond('202 Accepted', 'thanks', 'X-One: a\r\nset-cookie: b\r\nset-cookie: c\r\n'),
        );
      }),
    );
    const url = `http://localhost:${server.port}/hook?x=1`;
    const outcome = await createClient({ lookup: toLoopback }).send(
      post(url, { body: Buffer.from('{"ü":1}') }),
    );

    expect(outcome).toMatchObject({
      kind: 'response',
      statusCode: 202,
      headers: { 'x-one': 'a', 'set-cookie': ['b', 'c'] },
      durationMs: expect.any(Number),
    });
    expect(await bodyOf(outcome)).toBe('thanks');
    expect(seen).toMatch(/^POST \/hook\?x=1 HTTP\/1\.1\r\n/);
    expect(seen).toContain(`host: localhost:${server.port}\r\n`);
    expect(Buffer.from(seen, 'latin1').toString()).toContain('\r\n\r\n{"ü":1}');
  });

  test('is a plain one when it redirects: the target sees no connection', async () => {
    const target = await receiver((socket) =>
      onRequest(socket, () => socket.write(respond('200 OK'))),
    );
    const server = await receiver((socket) =>
      onRequest(socket, () => socket.write(respond('307 Go', '', `location: ${at(target)}\r\n`))),
    );
    const outcome = await client.send(post(at(server)));
    expect(outcome).toMatchObject({
      kind: 'response',
      statusCode: 307,
      headers: { location: at(target) },
    });
    await bodyOf(outcome);
    expect(target.sockets).toHaveLength(0);
  });

  test('stays compressed: a bomb costs its size on the wire', async () => {
    const bomb = gzipSync(Buffer.alloc(2_000_000));
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
        );
        socket.write(bomb);
      }),
    );
    const outcome = await client.send(post(at(server), { maxResponseBytes: 65_536 }));
    expect(outcome.kind === 'response' && (await outcome.body).equals(bomb)).toBe(true);
  });

  test('skips informational answers before it', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write(
          'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(3) + respond('200 OK', 'ok'),
        );
      }),
    );
    const outcome = await client.send(post(at(server)));
    expect(outcome).toMatchObject({ statusCode: 200 });
    expect(await bodyOf(outcome)).toBe('ok');
  });
});

/** src/platform/egress/client.ts */
const BODY_GRACE_MS = 250;

describe('a body', () => {
  test('that never comes does not delay the response; its socket is destroyed', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n')),
    );
    const time = holdTime();
    const outcome = await client.send(post(at(server))); // Time stands still.
    expect(outcome).toMatchObject({ kind: 'response', statusCode: 200 });
    await time.advance(BODY_GRACE_MS);
    expect(await bodyOf(outcome)).toBe('');
    await server.closed(0);
  });

  test('that drips is cut after the grace time, with what came so far', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write('x', () => dripped.resolve()), 10);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    const dripped = Promise.withResolvers<void>();
    const time = holdTime();
    const outcome = await client.send(post(at(server)));
    await dripped.promise;
    await time.advance(BODY_GRACE_MS);
    expect(await bodyOf(outcome)).toMatch(/^x*$/);
    await server.closed(0);
  });

  test('without end is cut at the cap', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const chunk = `4000\r\n${'y'.repeat(0x4000)}\r\n`;
        const pour = (): void => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', pour);
        pour();
      }),
    );
    const outcome = await createClient({ bodyGraceMs: 60_000 }).send(post(at(server)));
    expect(await bodyOf(outcome)).toBe('y'.repeat(4096));
    await server.closed(0);
  });

  test('of exactly the cap is whole and its connection is kept', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => socket.write(respond('200 OK', 'z'.repeat(4096)))),
    );
    expect(await bodyOf(await client.send(post(at(server))))).toHaveLength(4096);
    await nextTurn();
    expect(await bodyOf(await client.send(post(at(server))))).toHaveLength(4096);
    expect(server.sockets).toHaveLength(1);
  });

  test('of exactly the cap is not cut, though its end comes later', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
        socket.write(`${head}1000\r\n${'z'.repeat(4096)}`);
        setTimeout(() => socket.write('\r\n0\r\n\r\n'), 50);
      }),
    );
    const patient = createClient({ bodyGraceMs: 60_000 });
    for (let i = 0; i < 2; i++) {
      expect(await bodyOf(await patient.send(post(at(server))))).toHaveLength(4096);
      await nextTurn();
    }
    expect(server.sockets).toHaveLength(1);
  });

  test('has its grace time beyond the deadline, which ends with the headers', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
        void late.promise.then(() => socket.write('late'));
      }),
    );
    const late = Promise.withResolvers<void>();
    const time = holdTime();
    const patient = createClient({ bodyGraceMs: 60_000 });
    const outcome = await patient.send(post(at(server), { timeoutMs: 100 }));
    await time.advance(30_000);
    late.resolve();
    expect(await bodyOf(outcome)).toBe('late');
  });

  test('that breaks off resolves with what came', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
    );
    const patient = createClient({ bodyGraceMs: 60_000 });
    expect(await bodyOf(await patient.send(post(at(server))))).toBe('half');
  });
});

describe('a failure to connect', () => {
  test('has the class connect when the port is closed, and names no address', async () => {
    const server = await receiver(() => {});
    await server.stop();
    const outcome = await createClient({ lookup: toLoopback }).send(
      post(`http://closed.test:${server.port}/`),
    );
    expect(outcome).toMatchObject({
      errorClass: 'connect',
      message: 'The server refused the connection.',
    });
  });

  test.each([
    ['garbage', '\u0000\u0001garbage\r\n\r\n'],
    ['HTTP/0.9', '<html>hello</html>'],
    ['a bad status line', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    ['100-continue for nothing', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['64 KiB of header', `HTTP/1.1 200 OK\r\nx-long: ${'h'.repeat(65_536)}\r\n\r\n`],
    ['half a head', 'HTTP/1.1 200 OK\r\nx-a:'],
    ['nothing', ''],
  ])('has the class connect when the answer is %s', async (_what, answer) => {
    const server = await receiver((socket) =>
      onRequest(socket, () =>
        answer.startsWith('HTTP/1.1 10') ? socket.write(answer) : socket.end(answer),
      ),
    );
    const outcome = await client.send(post(at(server), { timeoutMs: 2000 }));
    expect(outcome).toMatchObject({ kind: 'error', errorClass: 'connect' });
    expect(outcome.kind === 'error' && outcome.message).not.toContain('127.0.0.1');
    await server.closed(0);
    // An invalid answer is still an answer, so the request is not repeated.
    expect(server.sockets).toHaveLength(1);
  });

  test('has the class connect when the receiver resets', async () => {
    const server = await receiver((socket) => onRequest(socket, () => socket.resetAndDestroy()));
    expect(await client.send(post(at(server)))).toMatchObject({ errorClass: 'connect' });
    expect(server.sockets).toHaveLength(1);
  });
});

describe('what the client refuses to build', () => {
  test.each([
    ['not a url', {}],
    ['ftp://127.0.0.1/', {}],
    ['http://user@127.0.0.1/', {}],
    ['http://127.0.0.1/', { method: 'CONNECT' }],
    ['http://127.0.0.1/', { method: 'GET /x' }],
    ['http://127.0.0.1/', { headers: { Host: 'inner' } }],
    ['http://127.0.0.1/', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['http://127.0.0.1/', { headers: { 'content-length': '5' } }],
    ['http://127.0.0.1/', { headers: { 'proxy-authorization': 'x' } }],
    ['http://127.0.0.1/', { headers: { 'x-a': 'b\r\nhost: inner' } }],
    ['http://127.0.0.1/', { headers: { 'x a': 'b' } }],
    ['http://127.0.0.1/', { headers: { 'x-a': '€' } }],
  ])('%s %j', async (url, more) => {
    expect(await client.send(post(url, more))).toMatchObject({ errorClass: 'blocked' });
  });
});

describe('stop', () => {
  test('waits for what is in flight, closes idle sockets, refuses more, may be called twice', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        ask();
        void released.then(() => socket.write(respond('200 OK', 'late')));
      }),
    );
    const sending = client.send(post(at(server)));
    await asked;
    let isStopped = false;
    const stopping = Promise.all([client.stop(), client.stop()]).then(() => (isStopped = true));
    expect(await client.send(post(at(server)))).toMatchObject({ kind: 'error' });
    expect(isStopped).toBe(false);
    release();
    expect(await bodyOf(await sending)).toBe('late');
    await stopping;
    await server.closed(0);
  });
});
