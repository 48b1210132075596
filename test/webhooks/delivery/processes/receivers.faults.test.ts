import { execFile } from 'node:child_process';
import path from 'node:path';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import heapFlags from '../../../../bin/heap-flags.json' with { type: 'json' };
import { COMPILE_CACHE } from '../../../compile-cache.ts';
import type { LoadOptions, LoadReport } from '../../../platform/egress/egress-load.ts';
import { listen, onRequest, respond, type Receiver } from '../../../platform/egress/servers.ts';
import { startDeliveryProcess, type DeliveryProcess } from './receivers-setup.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

const IS_LONG = IS_NIGHTLY;
const nightly = test.runIf(IS_LONG);

/** Receivers that misbehave, against a real delivery process (rows F-17 to F-21 of the fault matrix). */
let delivery: DeliveryProcess;
const servers: Receiver[] = [];

beforeAll(async () => {
  // Of the machine's own addresses this one is the outside; all others are forbidden.
  delivery = await startDeliveryProcess({ PARLEY_EGRESS_ALLOW: '127.0.0.1/32' });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await delivery.stop();
});

type Act = (socket: Socket, request: string) => void;

const serve = async (act: Act, host = '127.0.0.1'): Promise<Receiver> => {
  const server = await listen((socket) => onRequest(socket, (request) => act(socket, request)), {
    host,
  });
  servers.push(server);
  return server;
};
const at = ({ port }: Receiver, host = '127.0.0.1'): string => `http://${host}:${port}/`;
const every = (ms: number, socket: Socket, chunk: string | Buffer): void => {
  const timer = setInterval(() => void (socket.writableNeedDrain || socket.write(chunk)), ms);
  socket.once('close', () => clearInterval(timer));
};
const OK = 'HTTP/1.1 200 OK\r\n';

/** The process lives and a good receiver gets its event. */
async function expectAlive(): Promise<void> {
  const good = await serve((socket) => void socket.write(respond('200 OK', 'ok')));
  expect(await delivery.deliverTo(at(good))).toMatchObject({ status: 'delivered' });
}

test('F-18: headers and then silence are an acknowledgement, of each of twenty events', async () => {
  const { fixture } = delivery;
  const silent = await serve((socket) => void socket.write(`${OK}content-length: 9\r\n\r\n`));
  await fixture.addEndpoint({ url: at(silent), namespace: 'silent' });
  const events: string[] = [];
  for (let i = 0; i < 20; i += 1) events.push(await fixture.emit({ namespace: 'silent' }));
  for (const event of events) {
    const { attempts } = await fixture.deliveryWhen(event, ({ status }) => status === 'delivered');
    expect(attempts).toMatchObject([{ statusCode: 200, responseBody: '' }]);
  }
});

/** What many receivers do at once, each until it is cut off. */
const DRAGGING: Record<string, Act> = {
  '/good': (socket) => socket.end(respond('200 OK', 'ok', 'connection: close\r\n')),
  '/drip': (socket) => {
    socket.write(`${OK}content-length: 1000\r\n\r\n`);
    every(1_000, socket, 'x');
  },
  '/drip-headers': (socket) => {
    socket.write(`${OK}x-slow: `);
    every(1_000, socket, 'x');
  },
  '/endless': (socket) => {
    socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
    every(25, socket, `4000\r\n${'y'.repeat(0x4000)}\r\n`);
  },
};

test('F-19: many that drip or never end are cut off and leave no memory behind', async () => {
  const receivers = IS_LONG ? 1_000 : 100;
  const server = await serve(
    (socket, request) => DRAGGING[request.split(' ')[1]!]!(socket, request),
    '0.0.0.0',
  );
  const bad = ['/drip', '/drip-headers', '/endless'];
  const round = (act: string, count: number): LoadOptions['rounds'][number] => ({
    path: act,
    receivers: count,
    timeoutMs: act === '/drip-headers' ? 2_000 : 20_000,
  });
  const options: LoadOptions = {
    port: server.port,
    // What runs for the first time is memory, too, and no leak: hence as many good ones, and a
    // few of each kind, before what is measured.
    rounds: [
      round('/good', receivers),
      ...bad.map((act) => round(act, receivers / 20)),
      ...bad.map((act) => round(act, receivers)),
    ],
  };
  const program = path.resolve(import.meta.dirname, '../../../platform/egress/egress-load.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', ...heapFlags, program, JSON.stringify(options)],
    { env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE } },
  );
  const reports = JSON.parse(stdout) as LoadReport[];
  const [drip, headers, endless] = reports.slice(-bad.length);
  const risenMb = ({ path: act, peakMb }: LoadReport): number => {
    const at = reports.findLastIndex((report) => report.path === act);
    return peakMb - Math.max(...reports.slice(0, at).map((before) => before.peakMb));
  };
  const figures = [drip!, headers!, endless!].map(
    (report) =>
      `${report.path} ${risenMb(report).toFixed(1)}, of which ${report.heldMb.toFixed(1)} held after`,
  );
  console.info(`F-19: resident MB more for ${receivers} receivers: ${figures.join('; ')}`);

  expect(drip!.outcomes).toEqual({ 200: receivers });
  expect(headers!.outcomes).toEqual({ timeout: receivers });
  expect(endless!.outcomes).toEqual({ 200: receivers });
  expect(endless!.longestBody).toBe(4_096);
  for (const { heldMb } of [drip!, headers!, endless!]) expect(heldMb).toBeLessThan(5);
  for (const report of [drip!, headers!]) expect(risenMb(report)).toBeLessThanOrEqual(5);
  // Node reads 64 KiB at a time, and what was read stays until it is collected: once, not per round.
  expect(risenMb(endless!)).toBeLessThan(128);
}, 120_000);

const bomb = gzipSync(Buffer.alloc(4_000_000));
const connect = { status: 'retrying', attempts: [{ errorClass: 'connect', statusCode: null }] };
const acknowledged = { status: 'delivered', attempts: [{ errorClass: null, statusCode: 200 }] };
const say =
  (text: string | Buffer): Act =>
  (socket) =>
    void socket.write(text);
const endWith =
  (text: string): Act =>
  (socket) =>
    void socket.end(text);

const MISBEHAVING: [string, Act, object][] = [
  ['resets', (socket) => void socket.resetAndDestroy(), connect],
  [
    'resets within its headers',
    (socket) => void socket.write(`${OK}x: `, () => socket.resetAndDestroy()),
    connect,
  ],
  ['hangs up', endWith(''), connect],
  ['hangs up within its headers', endWith(`${OK}x-a: b\r\n`), connect],
  ['hangs up within its body', endWith(`${OK}content-length: 10\r\n\r\nhalf`), acknowledged],
  ['talks garbage', say('\u0000\u0001\u00ff garbage\r\n\r\n'), connect],
  ['is an SSH server', say('SSH-2.0-OpenSSH_9.2\r\n\r\n'), connect],
  ['speaks TLS', say(Buffer.from([21, 3, 1, 0, 2, 2, 40])), connect],
  ['speaks HTTP/0.9', endWith('<html>hello</html>'), connect],
  ['speaks HTTP/2', say(Buffer.from('0000180400000000000000040000ffff', 'hex')), connect],
  ['loops with 100 Continue', (socket) => every(1, socket, 'HTTP/1.1 100 C\r\n\r\n'), connect],
  [
    'floods with 1xx',
    (socket) => every(1, socket, 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(50)),
    connect,
  ],
  ['has a header line of 64 KB', say(`${OK}x: ${'h'.repeat(65_536)}\r\n\r\n`), connect],
  ['has two thousand headers', say(`${OK}${'x-header: yyyyyyyy\r\n'.repeat(2_000)}\r\n`), connect],
  ['has headers without end', (socket) => every(1, socket, 'x-header: yyyyyyyy\r\n'), connect],
  ['has a NUL in a header', say(`${OK}x: a\0b\r\n\r\n`), connect],
  ['has two lengths', say(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nx`), connect],
  [
    'has a length and chunks',
    say(`${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    connect,
  ],
  ['has a negative length', say(`${OK}content-length: -1\r\n\r\n`), connect],
  ['promises more than it sends', say(`${OK}content-length: 99999999\r\n\r\nok`), acknowledged],
  ['sends more than it promises', say(`${OK}content-length: 1\r\n\r\nokokok`), acknowledged],
  ['has chunks that are none', say(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`), acknowledged],
  [
    'answers with a gzip bomb',
    say(Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\n\r\n`), bomb])),
    acknowledged,
  ],
  [
    'lies about compression',
    say(respond('500 No', 'plain', 'content-encoding: gzip, br\r\n')),
    {
      status: 'retrying',
      attempts: [{ errorClass: 'http_status', statusCode: 500, responseBody: 'plain' }],
    },
  ],
  ['answers before it was asked', say(`${respond('200 OK')}${respond('500 No')}`), acknowledged],
];

test('F-20: whatever a receiver says, it is counted right and the process lives on', async () => {
  await expectAlive();
  const beforeMb = delivery.memoryMb();
  await Promise.all(
    MISBEHAVING.map(async ([what, act, expected]) => {
      const seen = await delivery.deliverTo(at(await serve(act)));
      expect([what, seen]).toMatchObject([what, expected]);
      const [{ errorMessage, responseBody }] = seen.attempts as [(typeof seen.attempts)[number]];
      expect(errorMessage ?? '').not.toMatch(/\d+\.\d+\.\d+\.\d+/);
      expect(Buffer.byteLength(responseBody ?? '')).toBeLessThanOrEqual(4_096);
    }),
  );
  const grownMb = delivery.memoryMb() - beforeMb;
  console.info(`F-20: ${MISBEHAVING.length} receivers, ${grownMb.toFixed(1)} MB more`);
  expect(grownMb).toBeLessThan(64);
  await expectAlive();
}, 60_000);

nightly(
  'F-21: a redirect is a failure with its reason, and nobody is sent on: public, private, itself',
  async () => {
    const canaries = [
      await serve(say(respond('200 OK')), '127.0.0.1'),
      await serve(say(respond('200 OK')), '127.0.0.2'),
    ] as const;
    const requests: string[] = [];
    const asked = await serve((socket, request) => {
      const wanted = /^POST \/(\d+)\/(\S*) /.exec(request)!;
      requests.push(wanted[0]);
      const location = decodeURIComponent(wanted[2]!);
      socket.write(respond(`${wanted[1]} Over there`, '', `location: ${location}\r\n`));
    });
    const targets = [
      at(canaries[0]),
      at(canaries[1], '127.0.0.2'),
      `//127.0.0.1:${canaries[0].port}/`,
      'http://169.254.169.254/latest/meta-data/',
      '/301/loop',
      '',
    ];
    const statuses = [300, 301, 302, 303, 304, 305, 307, 308];
    for (const status of statuses) {
      for (const target of targets) {
        const url = `${at(asked)}${status}/${encodeURIComponent(target)}`;
        expect(await delivery.deliverTo(url)).toMatchObject({
          status: 'retrying',
          attempts: [{ errorClass: 'redirect', statusCode: status }],
        });
      }
    }
    for (const { sockets } of canaries) expect(sockets).toHaveLength(0);
    // Nobody came back by itself, either: retries are due in seconds, and each has its number.
    const first = requests.filter((request) => !request.includes('loop'));
    expect(new Set(first).size).toBe(statuses.length * (targets.length - 1));
    expect(requests.filter((request) => request.startsWith('POST /301/loop'))).toEqual([]);
  },
  60_000,
);
