import { createHash, randomBytes } from 'node:crypto';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { holdTime } from '../../../clock.ts';
import { Pool } from 'undici';
import {
  createBodyPlaces,
  type BodyPlaces,
} from '../../../../src/platform/http/bodies/body-places.ts';
import {
  createBodyReader,
  discardBody,
  type BodyReader,
} from '../../../../src/platform/http/bodies/read-body.ts';
import { createMetrics } from '../../../../src/platform/observability/metrics.ts';
import { asWork } from '../../../../src/platform/observability/work.ts';
import { until } from '../../../until.ts';

const MIB = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;
/** Size of a body in shared memory. */
const LARGE = MIB + 100;

/** Reading a body while the client's connection changes. */
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
  // The client leaves while the key of the request is looked up.
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

test('the rest of a refused long body is not read, and its connection is destroyed a second after the answer', async () => {
  const accepted: Socket[] = [];
  const server = createServer(refuse).on('connection', (socket) => accepted.push(socket));
  const port = await listen(server);
  const time = holdTime();
  const client = connectTo(port);
  client.write(headOf({ 'Content-Length': 20 * MIB }));
  client.write(Buffer.alloc(10 * MIB));
  const answer = await text(client);
  expect(answer).toContain('Connection: close\r\n');
  expect(answer).toContain('too many');
  await time.armed(1_000);
  // Meanwhile the process has time to read from the first client.
  const other = connectTo(port);
  other.write(headOf({ 'Content-Length': 200_000 }));
  other.write(Buffer.alloc(200_000));
  await until('another body to be dropped', () => (accepted[1]?.bytesRead ?? 0) > 200_000);
  await time.advance(999);
  expect(accepted[0]?.bytesRead).toBeLessThan(MIB);
  expect(accepted[0]?.destroyed).toBe(false);
  await time.advance(1);
  expect(accepted[0]?.destroyed).toBe(true);
  other.destroy();
  server.close();
});

test('a client that is refused 2 MiB uses its connection again, and one that is refused more does not', async () => {
  const server = createServer(refuse);
  const port = await listen(server);
  const client = connectTo(port);
  client.write(headOf({ 'Content-Length': 2 * MIB }));
  expect(await nextPart(client)).not.toContain('Connection: close');
  client.write(Buffer.alloc(2 * MIB));
  client.write(headOf({ 'Content-Length': 2 * MIB + 1 }));
  expect(await nextPart(client)).toContain('Connection: close\r\n');
  client.destroy();
  await once(server.close(), 'close');
});

test('a refused body without a length is cut after 2 MiB', async () => {
  const server = createServer(refuse);
  const port = await listen(server);
  const client = connectTo(port);
  const failed = new Promise<Error>((resolve) => client.once('error', resolve));
  client.write(headOf({ 'Transfer-Encoding': 'chunked' }));
  expect(await nextPart(client)).not.toContain('Connection: close');
  client.write(`${(10 * MIB).toString(16)}\r\n`);
  client.write(Buffer.alloc(10 * MIB));
  expect(await failed).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
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
  // All but the first 4 MiB of 12 are read at 16 MiB/s.
  expect(passedMs).toBeGreaterThan(450);
  await client.destroy();
  await once(server.close(), 'close');
});

test('the body that has no place is not read, and its place is free once its value is known or its reader has left', async () => {
  const readers: { reader: BodyReader; value: Promise<unknown> }[] = [];
  const { take } = createBodyPlaces(createMetrics({ processMetrics: false }));
  let waiting = 0;
  const places: BodyPlaces = {
    take: async (...asked) => {
      waiting += 1;
      const release = await take(...asked);
      waiting -= 1;
      return release;
    },
  };
  const server = createServer((incoming) => {
    asWork({ name: 'request', namespace: 'a' }, () => {
      const reader = createBodyReader(incoming, places);
      const value = reader.json(['application/json']).catch((error: unknown) => error);
      readers.push({ reader, value });
    });
  });
  const port = await listen(server);
  const body = `"${'x'.repeat(100_000)}"`;
  const sendHalf = (): Socket => {
    const client = connectTo(port);
    client.write(headOf({ 'Content-Type': 'application/json', 'Content-Length': body.length }));
    client.write(body.slice(0, 50_000));
    return client;
  };
  const clients = Array.from({ length: 8 }, sendHalf);
  await until('eight bodies to be read', () => readers.length === 8 && waiting === 0);
  clients.push(sendHalf(), sendHalf());
  await until('two bodies to wait', () => waiting === 2);
  clients[0]!.write(body.slice(50_000));
  await until('the value of one body to free its place', () => waiting === 1);
  clients[1]!.destroy();
  await until('the end of a connection to free another', () => waiting === 0);
  expect(await readers[0]!.value).toHaveLength(100_000);
  expect(await readers[1]!.value).toMatchObject({ code: 'malformed_request' });
  // The reader keeps nothing of the body except its value.
  expect(await readers[0]!.reader.bytes()).toHaveLength(0);
  for (const client of clients) client.destroy();
  server.close();
});

test.each([
  ['a value', `"${'x'.repeat(200_000)}"`],
  ['no JSON', `"${'x'.repeat(200_000)}`],
])('the memory of a large body is freed once it is known to be %s', async (_, body) => {
  const transfer = vi.spyOn(ArrayBuffer.prototype, 'transfer');
  onTestFinished(() => transfer.mockRestore());
  const whole = Promise.withResolvers<Buffer>();
  const server = createServer((incoming) => {
    const reader = createBodyReader(incoming);
    const bytes = reader.bytes();
    const value = reader.json(['application/json']).catch(() => undefined);
    void value.then(() => whole.resolve(bytes));
  });
  const client = connectTo(await listen(server));
  client.write(headOf({ 'Content-Type': 'application/json', 'Content-Length': body.length }));
  client.write(body);
  const { buffer } = await whole.promise;
  const freed = transfer.mock.contexts as ArrayBuffer[];
  expect(freed.map(({ detached }) => detached)).not.toContain(false);
  // The parts as they arrived, and then the whole.
  expect(freed.length).toBeGreaterThan(1);
  expect(freed.at(-1)).toBe(buffer);
  client.destroy();
  server.close();
});

test('the memory of an upload is used for a later one that fits, once nothing needs it any longer', async () => {
  const readers: { reader: BodyReader; bytes: Promise<Buffer> }[] = [];
  const server = createServer((incoming) => {
    const reader = createBodyReader(incoming);
    const raw = reader.raw({ mediaTypes: ['text/plain'], bytesMax: 4 * MIB });
    readers.push({ reader, bytes: raw.then(({ bytes }) => bytes) });
  });
  const port = await listen(server);
  const clients: Socket[] = [];
  const upload = async (fill: string, length: number) => {
    const client = connectTo(port);
    clients.push(client);
    client.write(headOf({ 'Content-Type': 'text/plain', 'Content-Length': length }));
    client.write(Buffer.alloc(length, fill));
    const number = clients.length;
    await until('the upload to arrive', () => readers.length === number);
    const { reader, bytes } = readers.at(-1)!;
    const whole = await bytes;
    expect([whole.length, whole.every((byte) => byte === fill.charCodeAt(0))]).toEqual([
      length,
      true,
    ]);
    return { reader, memory: whole.buffer };
  };
  const first = await upload('a', LARGE);
  const meanwhile = await upload('b', LARGE);
  expect(meanwhile.memory).not.toBe(first.memory);
  first.reader.reuse();
  first.reader.reuse();
  await first.reader.bytes();
  const longer = await upload('c', LARGE + 1);
  const shorter = await upload('d', LARGE - 1);
  const another = await upload('e', LARGE);
  expect([longer.memory, another.memory]).not.toContain(first.memory);
  expect(shorter.memory).toBe(first.memory);
  const time = holdTime();
  another.reader.reuse();
  await time.armed(10_000);
  await time.advance(10_000);
  time.release();
  expect((await upload('f', LARGE)).memory).not.toBe(another.memory);
  for (const client of clients) client.destroy();
  server.close();
});

test('while more than a second of refused bodies waits, only a short one leaves its connection open', async () => {
  const server = createServer(refuse);
  const port = await listen(server);
  const time = holdTime();
  const isLast = async (headers: Record<string, string | number>): Promise<boolean> => {
    const client = connectTo(port);
    client.write(headOf(headers));
    const answer = await nextPart(client);
    client.destroy();
    return answer.includes('Connection: close');
  };
  expect(await isLast({ 'Content-Length': PIECE_BYTES + 1 })).toBe(false);
  // The first piece of each takes a 64th of a second.
  const clients = Array.from({ length: 65 }, () => {
    const client = connectTo(port).resume();
    client.write(headOf({ 'Content-Length': 2 * PIECE_BYTES }));
    client.write(Buffer.alloc(PIECE_BYTES + 1));
    return client;
  });
  await until('a second of bodies to wait', () => time.waiting().length >= clients.length);
  expect(await isLast({ 'Content-Length': PIECE_BYTES })).toBe(false);
  expect(await isLast({ 'Content-Length': PIECE_BYTES + 1 })).toBe(true);
  expect(await isLast({ 'Transfer-Encoding': 'chunked' })).toBe(true);
  for (const client of clients) client.destroy();
  time.release();
  server.close();
});

const refuse: RequestListener = (_, response) => {
  discardBody(response);
  response.writeHead(429).end('too many');
};

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

function connectTo(port: number): Socket {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  return client.on('error', () => undefined);
}

function headOf(headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `PUT / HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`;
}

async function nextPart(client: Socket): Promise<string> {
  const [part] = (await once(client, 'data')) as [Buffer];
  return part.toString();
}
