import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { EgressClient, EgressOutcome } from '../../../src/platform/egress/client.ts';
import { at, bodyOf, createClient, nextTurn, post, receiver, stopAll } from './harness.ts';
import { holdTime } from '../../clock.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { onRequest, respond } from './servers.ts';

let client: EgressClient;
afterEach(stopAll);
beforeEach(() => {
  client = createClient();
});

const TIMEOUT_MS = 300;

/** Checks that the request ends exactly at its deadline, by a clock that only the test advances. */
async function expectTimeout(
  send: () => Promise<EgressOutcome>,
  begun?: Promise<void>,
): Promise<void> {
  const time = holdTime();
  let isOver = false;
  const sent = send();
  void sent.then(() => (isOver = true));
  await begun;
  await time.armed(TIMEOUT_MS);
  await time.advance(TIMEOUT_MS - 1);
  expect(isOver).toBe(false);
  await time.advance(1);
  expect(await sent).toMatchObject({
    kind: 'error',
    errorClass: 'timeout',
    durationMs: TIMEOUT_MS,
  });
}

describe('the deadline', () => {
  test('ends a request whose receiver hangs after accept, and closes the socket', async () => {
    const server = await receiver((socket) => socket.resume());
    await expectTimeout(() => client.send(post(at(server), { timeoutMs: TIMEOUT_MS })));
    await server.closed(0);
  });

  test('counts everything up to complete headers, drip by drip', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const drip = setInterval(() => socket.write('x') && dripped.resolve(), 5);
        socket.once('close', () => clearInterval(drip));
      }),
    );
    const dripped = Promise.withResolvers<void>();
    await expectTimeout(
      () => client.send(post(at(server), { timeoutMs: TIMEOUT_MS })),
      dripped.promise,
    );
    await server.closed(0);
  });

  test('ends informational answers that drip', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        const informed = (): void =>
          void socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => dripped.resolve());
        const flood = setInterval(informed, 5);
        socket.once('close', () => clearInterval(flood));
      }),
    );
    const dripped = Promise.withResolvers<void>();
    await expectTimeout(
      () => client.send(post(at(server), { timeoutMs: TIMEOUT_MS })),
      dripped.promise,
    );
    await server.closed(0);
  });

  test('ends a name lookup that hangs', async () => {
    const hanging = createClient({ lookup: async () => await new Promise(() => {}) });
    const slow = post('https://slow.test/', { timeoutMs: TIMEOUT_MS });
    await expectTimeout(() => hanging.send(slow));
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
    await expectTimeout(() => narrow.send(post(at(server), { timeoutMs: TIMEOUT_MS })));
    release();
    expect(await bodyOf(await first)).toBe('first');
    await server.closed(0);
    await nextTurn();
    // Only the first connection was checked: its address before and after connecting.
    expect(judged).toBe(2);
  });

  test('frees the line: later requests to the same receiver go through', async () => {
    let answers = false;
    const server = await receiver((socket) =>
      onRequest(socket, () => answers && socket.write(respond('200 OK', 'ok'))),
    );
    const narrow = createClient({ connectionsPerOrigin: 2 });
    const time = holdTime();
    const hung = [1, 2, 3, 4].map(() => narrow.send(post(at(server), { timeoutMs: TIMEOUT_MS })));
    await time.armed(TIMEOUT_MS);
    await time.advance(TIMEOUT_MS);
    for (const outcome of await Promise.all(hung)) {
      expect(outcome).toMatchObject({ errorClass: 'timeout', durationMs: TIMEOUT_MS });
    }
    answers = true;
    const later = [1, 2, 3, 4].map(async () => await bodyOf(await narrow.send(post(at(server)))));
    expect(await Promise.all(later)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});
