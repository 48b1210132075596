import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { EgressClient } from '../../../src/platform/egress/client.ts';
import { holdTime } from '../../clock.ts';
import { at, bodyOf, createClient, nextTurn, post, receiver, stopAll } from './harness.ts';
import { onRequest, respond } from './servers.ts';

let client: EgressClient;
afterEach(stopAll);
beforeEach(() => {
  client = createClient();
});

describe('a kept-alive connection', () => {
  test('is used again', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => socket.write(respond('200 OK', 'ok'))),
    );
    for (let i = 0; i < 5; i++) {
      expect(await bodyOf(await client.send(post(at(server))))).toBe('ok');
      await nextTurn();
    }
    expect(server.sockets).toHaveLength(1);
  });

  test.each(['reset', 'closed'])(
    'that is %s under a second request is replaced once, without anyone noticing',
    async (how) => {
      const requestsOn: number[] = [];
      const server = await receiver((socket, index) =>
        onRequest(socket, () => {
          requestsOn[index] = (requestsOn[index] ?? 0) + 1;
          if (requestsOn[index] === 1) socket.write(respond('200 OK', `socket ${index}`));
          else if (how === 'reset') socket.resetAndDestroy();
          else socket.end();
        }),
      );
      expect(await bodyOf(await client.send(post(at(server))))).toBe('socket 0');
      await nextTurn();
      expect(await bodyOf(await client.send(post(at(server))))).toBe('socket 1');
      expect(requestsOn).toEqual([2, 1]);
    },
  );

  test('is replaced only once: a receiver that keeps hanging up is a failure', async () => {
    const server = await receiver((socket, index) => {
      let count = 0;
      onRequest(socket, () => {
        count += 1;
        if (index === 0 && count === 1) socket.write(respond('200 OK', 'ok'));
        else socket.resetAndDestroy();
      });
    });
    expect(await bodyOf(await client.send(post(at(server))))).toBe('ok');
    await nextTurn();
    expect(await client.send(post(at(server)))).toMatchObject({ errorClass: 'connect' });
    expect(server.sockets).toHaveLength(2);
  });

  test('is replaced by a new one, since the other idle ones may be dead as well', async () => {
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const server = await receiver((socket, index) => {
      let count = 0;
      onRequest(socket, () => {
        count += 1;
        asked += 1;
        if (count > 1) socket.resetAndDestroy();
        if (index === 1) resolve();
        void bothAsked.then(() => socket.write(respond('200 OK', `socket ${index}`)));
      });
    });
    const both = [client.send(post(at(server))), client.send(post(at(server)))];
    for (const outcome of await Promise.all(both)) await bodyOf(outcome);
    await nextTurn();
    expect(await bodyOf(await client.send(post(at(server))))).toBe('socket 2');
    expect(asked).toBe(4);
  });

  test('that dies after a first byte is not replaced: the receiver has the request', async () => {
    let count = 0;
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        count += 1;
        if (count === 1) socket.write(respond('200 OK', 'ok'));
        else socket.end('HTTP/1.1 2');
      }),
    );
    await bodyOf(await client.send(post(at(server))));
    await nextTurn();
    expect(await client.send(post(at(server)))).toMatchObject({ errorClass: 'connect' });
    expect(count).toBe(2);
  });

  test('is replaced within the same deadline', async () => {
    const [half, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await receiver((socket, index) => {
      let count = 0;
      onRequest(socket, () => {
        count += 1;
        if (index === 0 && count === 1) socket.write(respond('200 OK', 'ok'));
        else if (index === 0) void half.promise.then(() => socket.resetAndDestroy());
        else second.resolve();
      });
    });
    await bodyOf(await client.send(post(at(server))));
    await nextTurn();
    const time = holdTime();
    const sent = client.send(post(at(server), { timeoutMs: 400 }));
    await time.advance(200);
    half.resolve();
    await second.promise;
    await time.advance(200); // The rest of the deadline.
    expect(await sent).toMatchObject({ errorClass: 'timeout', durationMs: 400 });
    await server.closed(1);
  });

  test('is closed when other origins need the place', async () => {
    const servers = [];
    for (let i = 0; i < 3; i++) {
      servers.push(
        await receiver((socket) => onRequest(socket, () => socket.write(respond('200 OK', 'ok')))),
      );
    }
    const small = createClient({ maxOrigins: 2 });
    for (const server of servers)
      expect(await bodyOf(await small.send(post(at(server))))).toBe('ok');
    await servers[0]?.closed(0);
    expect(servers[1]?.sockets[0]?.closed).toBe(false);
    expect(servers[2]?.sockets[0]?.closed).toBe(false);
  });

  test('keeps the place of its origin until the last one of the origin has closed', async () => {
    const both = Promise.withResolvers<void>();
    const [paired, other, third] = await Promise.all([
      receiver((socket, index) => {
        if (index === 1) both.resolve();
        onRequest(
          socket,
          () => void both.promise.then(() => socket.write(respond('200 OK', 'ok'))),
        );
      }),
      receiver((socket) => onRequest(socket, () => socket.write(respond('200 OK', 'ok')))),
      receiver((socket) => onRequest(socket, () => socket.write(respond('200 OK', 'ok')))),
    ]);
    const small = createClient({ maxOrigins: 2 });
    const send = async (server: typeof other): Promise<void> => {
      expect(await bodyOf(await small.send(post(at(server))))).toBe('ok');
      await nextTurn();
    };
    const close = async (index: number): Promise<void> => {
      paired.sockets[index]?.end();
      await paired.closed(index);
      await nextTurn();
    };
    await send(other);
    await Promise.all([send(paired), send(paired)]);
    await close(0);
    await send(paired);
    expect(paired.sockets[1]?.closed).toBe(false);
    for (const index of paired.sockets.keys()) await close(index);
    await send(third);
    expect(other.sockets[0]?.closed).toBe(false);
  });
});
