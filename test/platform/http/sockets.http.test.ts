import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket as TcpSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { currentWork, type Work } from '../../../src/platform/observability/work.ts';
import {
  createSockets,
  type SocketHandlers,
  type SocketRoute,
} from '../../../src/platform/http/sockets/sockets.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';

/** Which sockets keep their place, and how a socket ends if its peer does not close. */

type Fixture = {
  /** Opens a client with the token of a namespace, or without a token. Resolves when it is open. */
  open: (options?: { namespace?: string; address?: string }) => Promise<WebSocket>;
  port: number;
  /** The server's end of each connection, in order. */
  accepted: TcpSocket[];
};

/** A frame that gets a refusal. */
const REFUSED = 'refused';

/** Starts sockets whose only frame so far is the namespace that they are admitted to. */
async function startSockets({
  strangersMax,
  openMax,
  burstBytes,
  handlers = {},
  onFrame,
}: {
  strangersMax?: number;
  openMax?: number;
  burstBytes?: number;
  handlers?: Partial<SocketHandlers>;
  onFrame?: () => void;
} = {}): Promise<Fixture> {
  const route: SocketRoute = {
    path: '/',
    frameBytesMax: 1_000,
    ...(openMax !== undefined && { openMax }),
    ...(burstBytes !== undefined && { burstBytes }),
    accept: (socket) => ({
      onText: (namespace) => {
        onFrame?.();
        if (namespace === REFUSED) socket.close(1008);
        else if (socket.admit(namespace)) socket.send('admitted');
        else socket.close(1013);
        return undefined;
      },
      onClose: () => undefined,
      ...handlers,
    }),
  };
  const log = createLogger('silent', 'test');
  const sockets = createSockets([route], {
    log,
    ...(strangersMax !== undefined && { strangersMax }),
  });
  const accepted: TcpSocket[] = [];
  const server = createServer()
    .on('upgrade', sockets.upgrade)
    .on('connection', (socket) => void accepted.push(socket))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    sockets.stop();
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    accepted,
    open: async ({ namespace, address = '127.0.0.1' } = {}) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}/`, { localAddress: address });
      client.on('error', () => undefined);
      await once(client, 'open');
      if (namespace === undefined) return client;
      client.send(namespace);
      await Promise.race([once(client, 'message'), once(client, 'close')]);
      return client;
    },
  };
}

const isOpen = ({ readyState }: WebSocket): boolean => readyState === WebSocket.OPEN;

test('sockets without a token take no more than their places from another address', async () => {
  const { open } = await startSockets({ strangersMax: 2 });
  const [first, second] = [await open(), await open()];
  const gone = once(first, 'close');
  const other = await open({ address: '127.0.0.2' });
  await gone;
  expect([second, other].map(isOpen)).toEqual([true, true]);
  // The remaining socket of the first address is now the oldest.
  const lost = once(second, 'close');
  await open();
  await lost;
  expect(isOpen(other)).toBe(true);
});

test('a socket that has shown a token holds no place of those without', async () => {
  const { open } = await startSockets({ strangersMax: 1 });
  const known = await open({ namespace: 'a' });
  const stranger = await open();
  const gone = once(stranger, 'close');
  await open();
  await gone;
  expect(isOpen(known)).toBe(true);
});

test('a frame is work of its socket, for the namespace that was admitted before it', async () => {
  const seen: (Work | undefined)[] = [];
  const { open } = await startSockets({
    onFrame: () => seen.push(currentWork()),
  });
  const client = await open({ namespace: 'acme' });
  client.send('acme');
  await once(client, 'message');
  expect(seen).toEqual([
    { name: 'frame of /', namespace: undefined },
    { name: 'frame of /', namespace: 'acme' },
  ]);
});

test('a socket that closes gives its place back', async () => {
  const { open } = await startSockets({ strangersMax: 1, openMax: 1 });
  for (let i = 0; i < 3; i += 1) {
    const known = await open({ namespace: 'a' });
    expect(isOpen(known)).toBe(true);
    known.close();
    await once(known, 'close');
  }
});

test('the last fifth of the places is for namespaces that hold less than half', async () => {
  const { open, port } = await startSockets({ openMax: 10 });
  const admitted = async (namespace: string): Promise<boolean> => isOpen(await open({ namespace }));
  for (let i = 0; i < 8; i += 1) expect(await admitted('busy')).toBe(true);
  expect(await admitted('busy')).toBe(false);
  expect(await admitted('small')).toBe(true);
  expect(await admitted('small')).toBe(true);
  const refused = new WebSocket(`ws://127.0.0.1:${port}/`);
  const [error] = (await once(refused, 'error')) as [Error];
  expect(error.message).toContain('503');
});

test('an end that does not answer a close is cut a second later', async () => {
  const closing = { onText: () => undefined };
  const { port, accepted } = await startSockets({
    handlers: closing,
    strangersMax: 1,
  });
  const time = holdTime();
  const raw = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void raw.destroy());
  raw.write(UPGRADE);
  await once(raw, 'data');
  // A binary frame, which this path refuses.
  raw.write(Buffer.from([0x82, 0x80, 0, 0, 0, 0]));
  await time.armed(1_000);
  await time.advance(999);
  expect(accepted[0]!.destroyed).toBe(false);
  await time.advance(1);
  expect(accepted[0]!.destroyed).toBe(true);
  time.release();
});

test('a socket that is not read is not taken for one that does not answer', async () => {
  const time = holdTime();
  let taken = 0;
  const never = new Promise<void>(() => undefined);
  const slow = {
    onText: (): Promise<void> => {
      taken += 1;
      return never;
    },
  };
  const { open } = await startSockets({ handlers: slow });
  const [busy, silent] = [await open(), await open()];
  for (let i = 0; i < 10; i += 1) busy.send('hello');
  await until('all to be taken', () => taken === 10);
  // The library answers pings, so the test pauses this client.
  silent.pause();
  const gone = once(silent, 'close');
  await time.advance(15_000);
  await time.advance(15_000);
  silent.resume();
  await gone;
  expect(isOpen(busy)).toBe(true);
  time.release();
});

test('a path says how much text it reads at once', async () => {
  const time = holdTime();
  let taken = 0;
  const { open } = await startSockets({ burstBytes: 1_000, onFrame: () => (taken += 1) });
  const client = await open();
  for (let i = 0; i < 5; i += 1) client.send('a');
  // Four short frames count as 1,024 bytes, and the excess of 24 is allowed again within a millisecond.
  await time.armed(1);
  expect(taken).toBe(4);
  await time.advance(1);
  await until('the fifth to be taken', () => taken === 5);
  time.release();
});

const UPGRADE = [
  'GET / HTTP/1.1',
  'host: test',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

test('the twenty-first refusal of an address waits for its turn, and holds no place meanwhile', async () => {
  const time = holdTime();
  const { open } = await startSockets({ strangersMax: 1 });
  for (let at = 0; at < 20; at += 1) await open({ namespace: REFUSED });
  const slow = await open();
  const closed = once(slow, 'close');
  slow.send(REFUSED);
  await time.armed(50);
  const stranger = await open();
  expect([slow, stranger].map(isOpen)).toEqual([true, true]);
  await time.advance(50);
  expect((await closed)[0]).toBe(1008);
  expect(isOpen(stranger)).toBe(true);
});

test('no refusal of an address waits for more than five seconds', async () => {
  const time = holdTime();
  const { open } = await startSockets();
  const clients = await Promise.all(Array.from({ length: 130 }, () => open()));
  for (const client of clients) client.send(REFUSED);
  // The first 20 do not wait, and the next 20 for a second at most.
  const waiting = (): number[] => time.waiting().filter((ms) => ms > 1_000 && ms < 6_000);
  await until('the others to wait', () => waiting().length === 90);
  expect(waiting().slice(-12)).toEqual([4_950, ...Array(11).fill(5_000)]);
  await time.advance(5_000);
  await until('all to be closed', () => clients.every((client) => !isOpen(client)));
});

test('a socket that has shown a token is closed without waiting, however it ends', async () => {
  holdTime();
  const { open } = await startSockets();
  for (let at = 0; at < 25; at += 1) {
    const client = await open({ namespace: 'a' });
    client.send(REFUSED);
    expect((await once(client, 'close'))[0]).toBe(1008);
  }
});
