import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import {
  answerBrokenRequest,
  serve,
  type Listening,
  type ListenOptions,
} from '../../../src/platform/http/server.ts';
import { StartupError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { until } from '../../until.ts';

const DEFAULTS = {
  host: '127.0.0.1',
  port: 0,
  fallbackToFreePort: false,
  log: createLogger('silent', 'test'),
};
let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});

async function listen(
  app: RequestListener,
  options: Partial<ListenOptions> = {},
): Promise<Listening> {
  const server = await serve(app, { ...DEFAULTS, ...options });
  stops.push(server.stop);
  return server;
}

const ok: RequestListener = (_request, response) => void response.end('ok');

test('a taken port is a StartupError that names it and PARLEY_PORT', async () => {
  const { port } = await listen(ok);
  const second = serve(ok, { ...DEFAULTS, port });
  await expect(second).rejects.toThrow(StartupError);
  await expect(second).rejects.toThrow(new RegExp(`PARLEY_PORT.*${port}`));
});

test('a taken port is answered with a later one where that was asked for', async () => {
  const first = await listen(ok);
  const second = await listen(ok, { port: first.port, fallbackToFreePort: true });
  expect(second.port).toBeGreaterThan(first.port);
  expect((await ask(second, new Agent())).statusCode).toBe(200);
});

test('an address that is not of this machine is a StartupError', async () => {
  await expect(listen(ok, { host: '192.0.2.1' })).rejects.toThrow(StartupError);
});

test('the address to open is one that can be opened', async () => {
  expect((await listen(ok, { host: '0.0.0.0' })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('stop answers what is under way, takes nothing new and may be called twice', async () => {
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const server = await listen((_request, response) => {
    arrived.resolve();
    void goOn.promise.then(() => response.end('done'));
  });
  const idle = await fetchIdle(await listen(ok));
  const answer = fetch(server.url);
  await arrived.promise;
  let stopped = false;
  const stopping = server.stop().then(() => (stopped = true));
  expect(server.stop()).toBe(server.stop());
  await refused(server);
  expect(stopped).toBe(false);
  goOn.resolve();
  expect(await (await answer).text()).toBe('done');
  await stopping;
  expect(idle.statusCode).toBe(200);
});

test('who keeps connections learns in an answer that they end, and loses no request', async () => {
  const server = await listen(ok);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let answers = 0;
  const warm = Promise.withResolvers<void>();
  /** Asks again and again, until stopped. */
  const askOn = async (): Promise<void> => {
    for (;;) {
      const { headers } = await ask(server, agent);
      answers += 1;
      if (answers === 100) warm.resolve();
      if (headers.connection === 'close') return;
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, askOn));
  await warm.promise;
  const stopping = server.stop();
  await clients; // A connection that is cut in the middle of a request rejects.
  await stopping;
});

/** Resolves once nobody listens any more; a connection without a request is no request. */
async function refused({ port }: Listening): Promise<void> {
  await until('the port to be closed', async () => {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    return !isOpen;
  });
}

function ask({ url }: Listening, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response));
    }).on('error', reject);
  });
}

/** One request whose connection stays open afterwards: it must not hold up the stop. */
function fetchIdle({ url }: Listening): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { connection: 'keep-alive' } }, (response) => {
      response.resume().on('end', () => resolve(response));
    }).on('error', reject);
  });
}

test('a port in use by somebody else is not taken from them', async () => {
  const other = createServer(ok);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => void other.close(() => resolve())));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(listen(ok, { port })).rejects.toThrow('is taken');
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('ok');
});

/** What a client reads when its connection breaks once `sent` has arrived. */
async function readBroken(sent: string): Promise<string> {
  const server = createTcpServer((socket: Socket) => {
    const fail = (): void => answerBrokenRequest(new Error('too slow'), socket);
    if (sent === '') fail();
    else socket.once('data', fail);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => void server.close(() => resolve())));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  if (sent !== '') client.write(sent);
  return text(client);
}

test('half a request is answered 400', async () => {
  expect(await readBroken('GET / HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});

test('a connection on which nothing came is closed without an answer', async () => {
  expect(await readBroken('')).toBe('');
});
