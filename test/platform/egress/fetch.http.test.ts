import { afterEach, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { EgressFailure } from '../../../src/platform/egress/failure.ts';
import { createEgressFetch, type FetchClientOptions } from '../../../src/platform/egress/fetch.ts';
import { at, receiver, stopAll, toLoopback, nextTurn } from './harness.ts';
import { onRequest, respond } from './servers.ts';
import { until } from '../../until.ts';

const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
const clients: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const { stop } of clients.splice(0)) await stop();
  await stopAll();
});

function open(options: Partial<FetchClientOptions> = {}) {
  const client = createEgressFetch({ guard, ...options });
  clients.push(client);
  return client;
}

/** Posts JSON, with a timeout of ten seconds. */
async function post(url: string, more: RequestInit & Partial<FetchClientOptions> = {}) {
  const { connectionsPerOrigin, maxResponseBytes, lookup, ...init } = more;
  const client = open({
    ...(connectionsPerOrigin !== undefined && { connectionsPerOrigin }),
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    ...(lookup !== undefined && { lookup }),
  });
  return await client.fetch(url, {
    method: 'POST',
    body: '{"ü":1}',
    signal: AbortSignal.timeout(10_000),
    ...init,
  });
}

async function failureOf(promise: Promise<unknown>): Promise<EgressFailure> {
  const outcome = await promise.catch((error: unknown) => error);
  if (outcome instanceof EgressFailure) return outcome;
  throw new Error(`no EgressFailure: ${String(outcome)}`);
}

async function nextOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return value === undefined ? '' : new TextDecoder().decode(value);
}

/** Answers each request with these raw pieces. */
const answering = (...pieces: string[]) =>
  receiver((socket) => onRequest(socket, () => pieces.forEach((piece) => socket.write(piece))));

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

describe('an answer', () => {
  test('comes with status and headers, its body as it comes', async () => {
    let seen = '';
    let more = (): void => undefined;
    const server = await receiver((socket) =>
      onRequest(socket, (request) => {
        seen = request;
        socket.write(
          `HTTP/1.1 201 Made\r\nx-one: a\r\nx-one: b\r\n${CHUNKED.slice(17)}${chunk('one')}`,
        );
        more = () => void socket.write(`${chunk(' two')}0\r\n\r\n`);
      }),
    );
    const response = await post(`http://models.test:${server.port}/v1/x?y=1`, {
      lookup: toLoopback,
      headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-one')).toBe('a, b');
    const reader = response.body!.getReader();
    expect(await nextOf(reader)).toBe('one');
    more();
    expect(await nextOf(reader)).toBe(' two');
    expect((await reader.read()).done).toBe(true);
    expect(seen).toMatch(/^POST \/v1\/x\?y=1 HTTP\/1\.1\r\nhost: models\.test:/);
    expect(seen).toContain('authorization: Bearer k\r\n');
    expect(seen).toContain('accept-encoding: identity\r\n');
  });

  test('that redirects is one like another: the target sees no connection', async () => {
    const target = await answering(respond('200 OK', 'secret'));
    const server = await answering(respond('302 Go', '', `location: ${at(target)}\r\n`));
    expect((await post(at(server))).status).toBe(302);
    expect(target.sockets).toHaveLength(0);
  });

  test('is not unpacked', async () => {
    const zipped = gzipSync('x'.repeat(1000)).toString('base64');
    const server = await answering(respond('200 OK', zipped, 'content-encoding: gzip\r\n'));
    expect(await (await post(at(server))).text()).toBe(zipped);
  });

  test('after 100-continue noise is the answer; noise without end is none', async () => {
    const noise = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    const server = await answering(noise.repeat(5) + respond('200 OK', 'x'));
    expect(await (await post(at(server))).text()).toBe('x');
    const endless = await answering(noise.repeat(50));
    expect((await failureOf(post(at(endless)))).message).toContain('informational');
  });

  test.each([204, 205, 304])('%i has no body', async (status) => {
    const server = await answering(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    expect((await post(at(server))).body).toBeNull();
  });
});

describe('limits', () => {
  test('headers larger than 16 KiB, and a status that is none', async () => {
    const large = await answering(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
    expect((await failureOf(post(at(large)))).message).toContain('16 KiB');
    const odd = await answering(respond('777 Odd', 'x'));
    expect((await failureOf(post(at(odd)))).errorClass).toBe('connect');
  });

  test('a body above the size is broken off, and its socket destroyed', async () => {
    const server = await answering(CHUNKED, chunk('x'.repeat(5000)), chunk('y'.repeat(5000)));
    const response = await post(at(server), { maxResponseBytes: 8000 });
    expect((await failureOf(response.text())).message).toContain('more than 8000 bytes');
    await server.closed(0);
  });

  test('of an error the first 64 KiB', async () => {
    const server = await answering(respond('500 No', 'x'.repeat(300_000)));
    const response = await post(at(server));
    expect((await response.text()).length).toBeLessThanOrEqual(65_536);
    await server.closed(0);
  });

  test('a reader that stands still stops the sender', async () => {
    let written = 0;
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write(CHUNKED);
        const piece = chunk('x'.repeat(65_536));
        const push = (): void => {
          while (written < 64 * 1024 * 1024 && !socket.destroyed) {
            written += 65_536;
            if (!socket.write(piece)) return void socket.once('drain', push);
          }
        };
        push();
      }),
    );
    const response = await post(at(server), { maxResponseBytes: 128 * 1024 * 1024 });
    let before = -1;
    const standsStill = (): boolean => written === before || ((before = written), false);
    await until('the sender to stand still', standsStill, { everyMs: 200 });
    expect(written).toBeLessThan(32 * 1024 * 1024);
    await response.body!.cancel();
    await server.closed(0);
  });

  test('a connection whose reader stood still is used again', async () => {
    let sockets = 0;
    // Its end arrives together with the bytes that fill the buffer.
    const large = 'x'.repeat(70_000);
    const server = await receiver((socket) => {
      sockets += 1;
      onRequest(socket, () => {
        socket.write(CHUNKED);
        for (let i = 0; i < 7; i += 1) socket.write(chunk(large.slice(0, 10_000)));
        socket.write('0\r\n\r\n');
      });
    });
    const { fetch } = open({ connectionsPerOrigin: 1 });
    for (let i = 0; i < 3; i += 1) {
      const answer = await fetch(at(server), { signal: AbortSignal.timeout(10_000) });
      // Nobody reads until the buffer is full, which pauses the socket.
      await nextTurn();
      await nextTurn();
      expect((await answer.text()).length).toBe(large.length);
    }
    expect(sockets).toBe(1);
  });

  test('requests above the connections of an origin wait in line', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => setTimeout(() => socket.write(respond('200 OK', 'x')), 20)),
    );
    const { fetch } = open({ connectionsPerOrigin: 2 });
    const all = await Promise.all(Array.from({ length: 6 }, () => fetch(at(server))));
    expect(await Promise.all(all.map((one) => one.text()))).toEqual(Array(6).fill('x'));
    expect(server.sockets).toHaveLength(2);
  });
});

describe('what fails', () => {
  test.each([
    ['http://127.0.0.1:1/', 'connect'],
    ['http://10.0.0.1/', 'blocked'],
    ['http://169.254.169.254/latest/meta-data', 'blocked'],
    ['http://user:pass@127.0.0.1/', 'blocked'],
    ['file:///etc/passwd', 'blocked'],
  ])('%s is class %s, and no address is named', async (url, errorClass) => {
    const failure = await failureOf(post(url));
    expect(failure.errorClass).toBe(errorClass);
    expect(failure.message).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });

  test('a name that leads inside is blocked', async () => {
    const lookup = async () => [{ address: '10.0.0.1', family: 4 as const }];
    expect((await failureOf(post('https://models.test/', { lookup }))).errorClass).toBe('blocked');
  });

  test('an answer cut in the middle fails its body', async () => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        socket.write(CHUNKED + chunk('one'));
        setTimeout(() => socket.destroy(), 20);
      }),
    );
    const response = await post(at(server));
    expect((await failureOf(response.text())).message).toBe(
      'The server closed the connection in the middle of its response.',
    );
  });

  test('an idle connection that died is replaced once, unseen', async () => {
    const server = await receiver((socket, index) => {
      let requests = 0;
      onRequest(socket, () => {
        requests += 1;
        if (index === 0 && requests > 1) socket.destroy();
        else socket.write(respond('200 OK', index === 0 ? 'first' : 'second'));
      });
    });
    const { fetch } = open();
    expect(await (await fetch(at(server))).text()).toBe('first');
    await nextTurn();
    expect(await (await fetch(at(server), { method: 'POST', body: '{}' })).text()).toBe('second');
  });
});

describe('an abort', () => {
  test.each([
    ['before the connection is made', 'none'],
    ['before the headers', 'silent'],
    ['in the middle of the body', 'body'],
  ])('%s rejects with its reason and closes the socket', async (_, state) => {
    const server = await receiver((socket) =>
      onRequest(socket, () => {
        if (state === 'body') socket.write(CHUNKED + chunk('one'));
      }),
    );
    const abort = new AbortController();
    const { fetch } = open();
    const reason = new Error('enough');
    if (state === 'none') abort.abort(reason);
    const asked = fetch(at(server), { method: 'POST', body: '{}', signal: abort.signal });
    if (state === 'silent') setTimeout(() => abort.abort(reason), 30);
    if (state !== 'body') {
      await expect(asked).rejects.toBe(reason);
      if (state === 'silent') await server.closed(0);
      return;
    }
    const reader = (await asked).body!.getReader();
    await reader.read();
    const next = reader.read();
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    await server.closed(0);
  });

  test('after the end changes nothing: the connection is used again', async () => {
    const server = await answering(respond('200 OK', 'x'));
    const { fetch } = open();
    for (let index = 0; index < 3; index += 1) {
      const abort = new AbortController();
      expect(await (await fetch(at(server), { signal: abort.signal })).text()).toBe('x');
      abort.abort();
      await nextTurn();
    }
    expect(server.sockets).toHaveLength(1);
  });

  test('stop breaks off what is under way, and refuses more', async () => {
    const server = await answering(CHUNKED + chunk('one'));
    const client = open();
    const response = await client.fetch(at(server));
    const text = response.text();
    const failed = failureOf(text);
    await client.stop();
    expect((await failed).message).toBe('Parley is stopping.');
    expect((await failureOf(client.fetch(at(server)))).message).toBe('Parley is stopping.');
    await server.closed(0);
  });
});
