import { afterEach, expect, test } from 'vitest';
import { at, bodyOf, createClient, post, receiver, stopAll } from './harness.ts';
import { onRequest } from './servers.ts';

afterEach(stopAll);

test('a response is acknowledged at its headers, before anything of its body is there', async () => {
  const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
  const server = await receiver((socket) =>
    onRequest(socket, () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
      void acknowledged.then(() => socket.write('late'));
    }),
  );
  const client = createClient({ bodyGraceMs: 2_000 });
  const outcome = await client.send(post(at(server)));
  acknowledge();
  // If the client had waited for the body, it would have been cut.
  expect(await bodyOf(outcome)).toBe('late');
});
