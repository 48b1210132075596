import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { rememberCaller } from '../../../src/platform/http/authorize.ts';
import {
  admitConnection,
  answeringInTurns,
  serve,
  type Listening,
  type ListenOptions,
} from '../../../src/platform/http/server.ts';
import { createSockets } from '../../../src/platform/http/sockets/sockets.ts';
import { StartupError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { holdTime } from '../../clock.ts';
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
  /** Sends requests until stopped. */
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

/** Resolves once the port is closed. A connection without a request does not count as a request. */
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

/** Sends a request whose connection stays open afterwards. It must not delay the stop. */
function fetchIdle({ url }: Listening): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { connection: 'keep-alive' } }, (response) => {
      response.resume().on('end', () => resolve(response));
    }).on('error', reject);
  });
}

test('an idle connection stays open for longer than the 60 s of load balancers', async () => {
  const { headers } = await fetchIdle(await listen(ok));
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60);
});

test('a port in use by somebody else is not taken from them', async () => {
  const other = createServer(ok);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => void other.close(() => resolve())));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(listen(ok, { port })).rejects.toThrow('is already in use');
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('ok');
});

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

test('requests that arrive together are taken one after the other', async () => {
  let most = 0;
  let underway = 0;
  const server = await listen((_request, response) => {
    most = Math.max(most, (underway += 1));
    void setImmediate().then(() => {
      underway -= 1;
      response.end('answered');
    });
  });
  const client = connect(server.port, '127.0.0.1');
  client.write(GET.repeat(17));
  let read = '';
  for await (const chunk of client) {
    read += String(chunk);
    if (read.split('answered').length === 18) break;
  }
  expect(most).toBe(1);
});

test('the seventeenth request that waits for the answer before it ends the connection', async () => {
  let taken = 0;
  const server = await listen(() => void (taken += 1));
  const client = connect(server.port, '127.0.0.1').on('error', () => undefined);
  client.write(GET.repeat(18));
  await once(client, 'close');
  expect(taken).toBe(1);
});

test('answers that nobody reads take no more than their bytes in all: the oldest connection ends', async () => {
  const big = 'x'.repeat(8_000_000);
  const ends: string[] = [];
  const server = await listen(
    ({ url, socket }, response) => {
      socket.once('close', () => ends.push(String(url)));
      response.end(big);
    },
    { unreadBytesMax: 20_000_000 },
  );
  for (const path of ['/a', '/b', '/c', '/d']) {
    stubborn(server.port).write(GET.replace('/', path));
    const arrived = path === '/d' ? 2 : path === '/c' ? 1 : 0;
    await until(`${arrived} connections to be cut`, async () => ends.length === arrived);
  }
  expect(ends).toEqual(['/a', '/b']);
});

test('thousands of requests that run out of time at once are answered a hundred at a time', async () => {
  const answer = answeringInTurns();
  const sockets = Array.from({ length: 250 }, () => new PassThrough());
  for (const socket of sockets) answer(new Error('too slow'), socket);
  const ended: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    ended.push(sockets.filter(({ destroyed }) => destroyed).length);
    await setImmediate();
  }
  expect(ended).toEqual([0, 100, 200, 250]);
});

/** Returns what a client reads when its connection breaks once `sent` has arrived. */
async function readBroken(sent: string): Promise<string> {
  const { client } = await breakConnection(sent);
  return text(client);
}

/** Opens a connection that breaks once `sent` has arrived. A stubborn client never closes its side. */
async function breakConnection(
  sent: string,
  { isStubborn = false } = {},
): Promise<{ client: Socket; atServer: Promise<Socket> }> {
  const accepted = Promise.withResolvers<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket: Socket) => {
    const fail = (): void => {
      answeringInTurns()(new Error('too slow'), socket);
      accepted.resolve(socket);
    };
    if (sent === '') fail();
    else socket.once('data', fail);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => void server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const client = isStubborn ? stubborn(port) : connect(port, '127.0.0.1');
  if (sent !== '') client.write(sent);
  return { client, atServer: accepted.promise };
}

/** Connects a client that reads nothing and never closes its side. */
function stubborn(port: number, localAddress = '127.0.0.1'): Socket {
  const client = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  client.pause().on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  return client;
}

/** Returns the server's ends of the connections to a port of this process, in the order of acceptance. */
function watchAccepted({ port }: Listening): Socket[] {
  const accepted: Socket[] = [];
  const note = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === port) accepted.push(socket);
  };
  subscribe('net.server.socket', note);
  onTestFinished(() => void unsubscribe('net.server.socket', note));
  return accepted;
}

test('half a request is answered 400', async () => {
  expect(await readBroken('GET / HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 400 /);
});

test('a connection on which nothing came is closed without an answer', async () => {
  expect(await readBroken('')).toBe('');
});

test.each([
  ['half a header', 'GET / HTTP/1.1\r\n'],
  ['half a body', 'POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf'],
])('%s from a client that never closes: destroyed a second after the answer', async (_, sent) => {
  const time = holdTime();
  const { atServer } = await breakConnection(sent, { isStubborn: true });
  const socket = await atServer;
  await time.armed(1_000);
  await time.advance(999);
  expect(socket.destroyed).toBe(false);
  await time.advance(1);
  expect(socket.destroyed).toBe(true);
});

test.each([
  ['no HTTP', 'NONSENSE\r\n\r\n'],
  ['an upgrade of a path that has no socket', upgradeOf('/nowhere')],
])('%s from a client that never closes: destroyed a second after the answer', async (_, sent) => {
  const { upgrade } = createSockets([], DEFAULTS);
  const server = await listen(ok, { upgrade });
  const accepted = watchAccepted(server);
  const time = holdTime();
  stubborn(server.port).write(sent);
  await time.armed(1_000);
  await time.advance(1_000);
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([true]);
  time.release();
});

test('connections that send nothing do not hold up a stop', async () => {
  const server = await listen(ok);
  const accepted = watchAccepted(server);
  stubborn(server.port);
  await until('it to be accepted', () => accepted.length === 1);
  const time = holdTime();
  const stopping = server.stop();
  // The time of the farewell, without the ten seconds for requests in progress.
  await time.advance(1_100);
  await until('the farewell to end', () => accepted[0]!.destroyed);
  time.release();
  await stopping;
});

test('who takes all places of strangers loses the oldest one to a newcomer of another address', async () => {
  const server = await listen(ok, { strangersMax: 3 });
  const accepted = watchAccepted(server);
  const open = async (address: string): Promise<void> => {
    const before = accepted.length;
    stubborn(server.port, address);
    await until('it to be accepted', () => accepted.length > before);
  };
  await open('127.0.0.2');
  for (let i = 0; i < 2; i += 1) await open('127.0.0.1');
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  await open('127.0.0.3');
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
});

test('a connection that was admitted holds no place of strangers', async () => {
  const admit: RequestListener = ({ socket }, response) => {
    admitConnection(socket);
    response.end('ok');
  };
  const server = await listen(admit, { strangersMax: 1 });
  const accepted = watchAccepted(server);
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await ask(server, agent);
  for (let i = 0; i < 2; i += 1) stubborn(server.port);
  await until('both to be accepted', () => accepted.length === 3);
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
});

test('a client that reads nothing of an answer is cut', async () => {
  const large: RequestListener = (_request, response) => void response.end('x'.repeat(20_000_000));
  const server = await listen(large, { stalledMs: 50 });
  const accepted = watchAccepted(server);
  stubborn(server.port).write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  await until('it to be cut', () => accepted[0]?.destroyed === true);
});

function upgradeOf(path: string): string {
  const lines = [`GET ${path} HTTP/1.1`, 'host: test', 'connection: Upgrade', 'upgrade: websocket'];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

test('a request of a known caller does not wait behind those of strangers that arrived before it', async () => {
  const order: string[] = [];
  const server = await listen(({ url }, response) => {
    order.push(url!);
    // Longer than one namespace may keep a turn of the event loop.
    for (const untilMs = performance.now() + 6; performance.now() < untilMs;);
    response.end();
  });
  const authorization = 'Bearer known';
  rememberCaller({ authorization }, 'known');
  const sockets = Array.from({ length: 20 }, () => connect(server.port, '127.0.0.1'));
  stops.push(async () => sockets.forEach((socket) => socket.destroy()));
  const askAll = async (pathOf: (at: number) => string): Promise<void> => {
    const answered = sockets.map((socket) => once(socket, 'data'));
    for (const [at, socket] of sockets.entries()) {
      const key = pathOf(at) === '/known' ? `Authorization: ${authorization}\r\n` : '';
      socket.write(`GET ${pathOf(at)} HTTP/1.1\r\nHost: x\r\n${key}\r\n`);
    }
    await Promise.all(answered);
  };
  await askAll(() => '/first'); // Node accepts one connection in a turn.
  order.length = 0;
  await askAll((at) => (at === 19 ? '/known' : '/stranger'));
  expect(order).toHaveLength(20);
  expect(order.indexOf('/known')).toBeLessThan(5);
});
