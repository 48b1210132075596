import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createBodyReader } from '../../../src/platform/http/read-body.ts';
import { until } from '../../until.ts';

/** Reading a body: what a client does with its connection meanwhile. */
test('who left before the body is read is not waited for', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const server = createServer((incoming) => arrived.resolve(incoming));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'text/plain', 'content-length': '100' };
  const sent = request({ port, host: '127.0.0.1', method: 'PUT', headers });
  sent.on('error', () => undefined);
  sent.write('half of it');
  const incoming = await arrived.promise;
  sent.destroy();
  // As while the key of the request is looked up.
  await until('the connection is gone', async () => incoming.closed);
  const read = createBodyReader(incoming).raw(['text/plain'], 1_000);
  await expect(read).rejects.toMatchObject({ code: 'malformed_request' });
  server.close();
});
