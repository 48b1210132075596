import { createHash, randomBytes } from 'node:crypto';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { Pool } from 'undici';
import { createBodyReader, discardBody } from '../../../src/platform/http/read-body.ts';
import { until } from '../../until.ts';

const MIB = 1024 * 1024;

/** Reading a body: what a client does with its connection meanwhile. */
test('who left before the body is read is not waited for', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const server = createServer((incoming) => arrived.resolve(incoming));
  const port = await listen(server);
  const headers = { 'content-type': 'text/plain', 'content-length': '100' };
  const sent = request({ port, host: '127.0.0.1', method: 'PUT', headers });
  sent.on('error', () => undefined);
  sent.write('half of it');
  const incoming = await arrived.promise;
  sent.destroy();
  // As while the key of the request is looked up.
  await until('the connection is gone', async () => incoming.closed);
  const read = createBodyReader(incoming).raw({ mediaTypes: ['text/plain'], bytesMax: 1_000 });
  await expect(read).rejects.toMatchObject({ code: 'malformed_request' });
  server.close();
});

test('who is refused a long body gets every answer: the connection ends with it, and is not used again', async () => {
  const server = createServer(refuse);
  const port = await listen(server);
  const client = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const body = Buffer.alloc(20 * 1024 * 1024);
  for (let i = 0; i < 5; i += 1) {
    const refused = await client.request({ method: 'PUT', path: '/', body });
    expect(refused.headers).toMatchObject({ connection: 'close' });
    expect([refused.statusCode, await refused.body.text()]).toEqual([429, 'too many']);
  }
  await client.destroy();
  await once(server.close(), 'close');
});

test('who is refused a long body may go on for a while: the answer is not lost to a reset', async () => {
  const server = createServer(refuse);
  const port = await listen(server);
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const failed = new Promise<Error>((resolve) => client.once('error', resolve));
  client.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n');
  for (let i = 0; i < 10; i += 1) {
    client.write(Buffer.alloc(64 * 1024));
    const lost = await Promise.race([failed, delay(20, undefined)]);
    expect(lost).toBeUndefined();
  }
  expect(String(client.read())).toContain('too many');
  // More than that, and it is cut.
  client.write(Buffer.alloc(10 * MIB));
  expect(await failed).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
  client.destroy();
  await once(server.close(), 'close');
});

test('large bodies arrive whole, though they share a pace', async () => {
  const server = createServer((incoming, response) => {
    const read = createBodyReader(incoming).raw({ mediaTypes: ['text/plain'], bytesMax: MIB * 20 });
    void read.then(({ bytes }) => response.end(createHash('sha256').update(bytes).digest('hex')));
  });
  const port = await listen(server);
  const client = new Pool(`http://127.0.0.1:${port}`);
  const state = { left: 4 };
  const send = async (): Promise<void> => {
    const body = randomBytes(3 * MIB + 17);
    const reply = await client.request({
      method: 'PUT',
      path: '/',
      headers: { 'content-type': 'text/plain' },
      body,
    });
    expect(await reply.body.text()).toBe(createHash('sha256').update(body).digest('hex'));
    state.left -= 1;
  };
  const time = holdTime();
  let passedMs = 0;
  const sent = Promise.all(Array.from({ length: state.left }, send));
  for (; state.left > 0; passedMs += 10) await time.advance(10);
  await sent;
  // Two MiB of each are beyond the first, at 16 MiB/s.
  expect(passedMs).toBeGreaterThan(450);
  await client.destroy();
  await once(server.close(), 'close');
});

const refuse: RequestListener = (_, response) => {
  discardBody(response);
  response.writeHead(429).end('too many');
};

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
