import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../roles/parley-process.ts';
import {
  listen,
  makeCertificates,
  onRequest,
  respond,
  type Certificates,
  type Receiver,
} from '../../../platform/egress/servers.ts';
import { startDeliveryProcess, type DeliveryProcess } from './receivers-setup.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

const nightly = test.runIf(IS_NIGHTLY);

/** What the attempt log of a real process says of TLS that fails (row F-22 of the fault matrix). */
let certificates: Certificates;
let stranger: Certificates;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let delivery: DeliveryProcess;
const servers: Receiver[] = [];
let asked = 0;

beforeAll(async () => {
  certificates = makeCertificates();
  stranger = makeCertificates();
  folder = await temporaryFolder();
  const ca = path.join(folder.path, 'ca.pem');
  await writeFile(ca, certificates.ca);
  delivery = await startDeliveryProcess({ NODE_EXTRA_CA_CERTS: ca });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await delivery.stop();
  await folder.remove();
});

const serve = async (...args: Parameters<typeof listen>): Promise<Receiver> => {
  const server = await listen(...args);
  servers.push(server);
  return server;
};
const secure = (options: TlsOptions, host = '127.0.0.1'): Promise<Receiver> =>
  serve(
    (socket) =>
      onRequest(socket, () => {
        asked += 1;
        socket.write(respond('200 OK', 'ok'));
      }),
    { host, tls: { key: certificates.goodKey, ...options } },
  );
/**
 * Says something else than TLS, some time after it was greeted: at once, the client might find its
 * connection gone before it has looked at it, which is a connection that failed.
 */
const atHello = (act: (socket: Socket) => void): Promise<Receiver> =>
  serve((socket) => void socket.once('data', () => setTimeout(() => act(socket), 100)));
const at = ({ port }: Receiver, host = '127.0.0.1'): string => `https://${host}:${port}/`;
const only = (version: 'TLSv1' | 'TLSv1.1'): TlsOptions => ({
  cert: certificates.good,
  minVersion: version,
  maxVersion: version,
  ciphers: 'DEFAULT@SECLEVEL=0',
});

test('F-22: a certificate that is good is spoken to', async () => {
  const good = await secure({ cert: certificates.good });
  expect(await delivery.deliverTo(at(good))).toMatchObject({
    status: 'delivered',
    attempts: [{ statusCode: 200, errorClass: null, responseBody: 'ok' }],
  });
  expect(asked).toBe(1);
});

test('F-22: each way in which TLS fails has its class and reason in the attempt log, and no request', async () => {
  asked = 0;
  const { good, expired, selfSigned } = certificates;
  const cases: [string, string, RegExp][] = [
    ['expired', at(await secure({ cert: expired })), /certificate has expired/],
    ['self-signed', at(await secure({ cert: selfSigned })), /certificate is self-signed/],
    [
      'of an authority nobody knows',
      at(await secure({ cert: stranger.good, key: stranger.goodKey })),
      /unknown authority/,
    ],
    [
      'for another host',
      at(await secure({ cert: good }, '127.0.0.2'), '127.0.0.2'),
      /for a different host name/,
    ],
    ['TLS 1.0', at(await secure(only('TLSv1'))), /handshake failed/],
    ['TLS 1.1', at(await secure(only('TLSv1.1'))), /handshake failed/],
    ['plain HTTP', at(await atHello((socket) => socket.end(respond('400 Bad')))), /handshake/],
    ['a reset', at(await atHello((socket) => socket.resetAndDestroy())), /handshake/],
  ];
  for (const [what, url, message] of cases) {
    const { status, attempts } = await delivery.deliverTo(url);
    expect([what, status, attempts]).toMatchObject([
      what,
      'retrying',
      [{ errorClass: 'tls', statusCode: null, errorMessage: expect.stringMatching(message) }],
    ]);
    expect(attempts[0]!.errorMessage).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  }
  expect(asked).toBe(0);
});

// Ten seconds of waiting; in delivery-outcomes.pg.test.ts time is held.
nightly(
  'F-22: a handshake that stalls ends by the deadline of every attempt, and its socket with it',
  async () => {
    const dripping = await serve((socket) => {
      // A record of 16 KB that is announced and comes byte by byte: never idle, never there.
      socket.write(Buffer.from([22, 3, 3, 64, 0]));
      const drip = setInterval(() => socket.write('x'), 200);
      socket.once('close', () => clearInterval(drip));
    });
    const stalls = [await serve((socket) => void socket.resume()), dripping];
    await Promise.all(
      stalls.map(async (stall) => {
        const { attempts } = await delivery.deliverTo(at(stall));
        expect(attempts).toMatchObject([{ errorClass: 'timeout', statusCode: null }]);
        await stall.closed(0);
      }),
    );
  },
);
