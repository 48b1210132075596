import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { EgressClient, EgressOutcome } from '../../../src/platform/egress/client.ts';
import { at, bodyOf, createClient, nextTurn, post, receiver, stopAll } from './harness.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { onRequest, respond } from './servers.ts';

let client: EgressClient;
afterEach(stopAll);
beforeEach(() => {
  client = createClient();
});

const expectTimeout = (outcome: EgressOutcome, timeoutMs: number): void => {
  expect(outcome).toMatchObject({ kind: 'error', errorClass: 'timeout' });
  expect(outcome.durationMs).toBeGreaterThanOrEqual(timeoutMs - 2);
  expect(outcome.durationMs).toBeLessThan(timeoutMs + 200);
};

describe('the deadline', () => {
  test('ends a request whose receiver hangs after accept, and closes the socket', async () => {
    const server = await receiver((socket) => socket.resume());
    expectTimeout(await client.send(post(at(server), { timeoutMs: 300 })), 300);
    await server.closed(0);
  });

  test('counts everything up to complete headers, drip by drip', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const drip = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    expectTimeout(await client.send(post(at(server), { timeoutMs: 300 })), 300);
    await server.closed(0);
  });

  test('ends informational answers that drip', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        const flood = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50);
        socket.once('close', () => clearInterval(flood));
      }),
    );
    expectTimeout(await client.send(post(at(server), { timeoutMs: 300 })), 300);
    await server.closed(0);
  });

  test('ends a name lookup that hangs', async () => {
    const hanging = createClient({ lookup: async () => await new Promise(() => {}) });
    expectTimeout(await hanging.send(post('https://slow.test/', { timeoutMs: 200 })), 200);
  });

  test('runs while a request stands in line, and no connection is made for it later', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        void released.then(() => socket.end(respond('200 OK', 'first', 'connection: close\r\n')));
      }),
    );
    let judged = 0;
    const guard = { ...createAddressGuard({ allow: [] }), isAllowed: () => ++judged > 0 };
    const narrow = createClient({ connectionsPerOrigin: 1, guard });
    const first = narrow.send(post(at(server)));
    expectTimeout(await narrow.send(post(at(server), { timeoutMs: 200 })), 200);
    release();
    expect(await bodyOf(await first)).toBe('first');
    await server.closed(0);
    await nextTurn();
    // The first connection alone: its address before and after connecting.
    expect(judged).toBe(2);
  });

  test('frees the line: later requests to the same receiver go through', async () => {
    let answers = false;
    const server = await receiver((socket) =>
      onRequest(socket, () => answers && socket.write(respond('200 OK', 'ok'))),
    );
    const narrow = createClient({ connectionsPerOrigin: 2 });
    const hung = [1, 2, 3, 4].map(() => narrow.send(post(at(server), { timeoutMs: 200 })));
    for (const outcome of await Promise.all(hung)) expectTimeout(outcome, 200);
    answers = true;
    const later = [1, 2, 3, 4].map(async () => await bodyOf(await narrow.send(post(at(server)))));
    expect(await Promise.all(later)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});
