import { afterEach, beforeAll, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TlsOptions } from 'node:tls';

import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressClient } from '../../../src/platform/egress/client.ts';
import type { EgressOutcome } from '../../../src/platform/egress/client.ts';
import { nextTurn } from './harness.ts';
import { listen, makeCertificates, onRequest, respond } from './servers.ts';
import type { Certificates, Receiver } from './servers.ts';

const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
const stops: (() => Promise<void>)[] = [];
let certificates: Certificates;

const sourceUrl = (file: string): string =>
  new URL(`../../../src/platform/egress/${file}`, import.meta.url).href;

beforeAll(() => {
  certificates = makeCertificates();
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const serve = async (options: TlsOptions): Promise<Receiver> => {
  const server = await listen(
    (socket) => onRequest(socket, () => socket.write(respond('200 OK', 'ok'))),
    { tls: { key: certificates.goodKey, ...options } },
  );
  stops.push(server.stop);
  return server;
};
const createClient = (tlsCa: string | undefined) => {
  const client = createEgressClient({
    guard,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    ...(tlsCa === undefined ? {} : { tlsCa }),
  });
  stops.push(client.stop);
  return async (host: string, { port }: Receiver, timeoutMs = 5000): Promise<EgressOutcome> =>
    await client.send({
      url: `https://${host}:${port}/`,
      method: 'POST',
      headers: {},
      body: '{}',
      timeoutMs,
      maxResponseBytes: 100,
    });
};

test('a good certificate is accepted, SNI is the name, HTTP/1.1 is spoken, the connection is kept', async () => {
  const names: string[] = [];
  const server = await serve({
    cert: certificates.good,
    ALPNProtocols: ['h2', 'http/1.1'],
    SNICallback: (name, done) => {
      names.push(name);
      done(null);
    },
  });
  const send = createClient(certificates.ca);
  for (let i = 0; i < 2; i++) {
    const outcome = await send('good.test', server);
    expect(outcome).toMatchObject({ statusCode: 200 });
    expect(outcome.kind === 'response' && (await outcome.body).toString()).toBe('ok');
    await nextTurn();
  }
  expect(names).toEqual(['good.test']);
  expect(server.sockets).toHaveLength(1);
});

test('a literal address that is in the certificate is taken', async () => {
  const server = await serve({ cert: certificates.good });
  expect(await createClient(certificates.ca)('127.0.0.1', server)).toMatchObject({
    statusCode: 200,
  });
});

test.each([
  ['expired', 'good.test', 'expired', true],
  ['self-signed', 'good.test', 'selfSigned', true],
  ['from an unknown authority', 'good.test', 'good', false],
  ['for a different host name', 'other.test', 'good', true],
] as const)('a certificate that is %s is class tls', async (what, host, cert, isTrusted) => {
  const server = await serve({ cert: certificates[cert] });
  const outcome = await createClient(isTrusted ? certificates.ca : undefined)(host, server);
  expect(outcome).toMatchObject({ kind: 'error', errorClass: 'tls' });
  expect(outcome.kind === 'error' && outcome.message).toContain(what);
  await server.closed(0);
});

test('no environment variable turns the check off', async () => {
  const server = await serve({ cert: certificates.selfSigned });
  // A separate process, because Node reads this variable when it starts.
  const script = `
    const { createEgressClient } = await import(${JSON.stringify(sourceUrl('client.ts'))});
    const { createAddressGuard } = await import(${JSON.stringify(sourceUrl('address-guard.ts'))});
    const guard = createAddressGuard({ allow: ['127.0.0.0/8'] });
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const client = createEgressClient({ guard, lookup });
    const url = 'https://good.test:${server.port}/';
    const limits = { timeoutMs: 5000, maxResponseBytes: 10 };
    const outcome = await client.send({ url, method: 'GET', headers: {}, ...limits });
    console.log(outcome.errorClass ?? outcome.kind);
    await client.stop();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    { env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
  );
  expect(stdout.trim()).toBe('tls');
});

test('TLS 1.1 is class tls', async () => {
  const server = await serve({
    cert: certificates.good,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  expect(await createClient(certificates.ca)('good.test', server)).toMatchObject({
    errorClass: 'tls',
  });
});

test.each([
  ['speaks plain HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['hangs up', ''],
])('a receiver that %s in the handshake is class tls', async (_what, answer) => {
  const server = await listen((socket) => socket.once('data', () => socket.end(answer)));
  stops.push(server.stop);
  const outcome = await createClient(certificates.ca)('good.test', server);
  expect(outcome).toMatchObject({
    errorClass: 'tls',
    message: expect.stringMatching(/^The TLS handshake failed \(\w+\)\.$/),
  });
});

test('a handshake that stalls is class timeout at the deadline, and the socket is closed', async () => {
  const begun = Promise.withResolvers<void>();
  const server = await listen((socket) => void socket.once('data', () => begun.resolve()));
  stops.push(server.stop);
  const time = holdTime();
  const sent = createClient(certificates.ca)('good.test', server, 300);
  await begun.promise;
  await time.advance(300);
  expect(await sent).toMatchObject({ errorClass: 'timeout', durationMs: 300 });
  await server.closed(0);
});
