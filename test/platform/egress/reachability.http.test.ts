/**
 * Addresses that the client connects to. A canary listens where no connection may go. The proof is that it accepts
 * none, not that the client returns an error.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressClient } from '../../../src/platform/egress/client.ts';
import type { EgressClient, EgressOutcome } from '../../../src/platform/egress/client.ts';
import type { Lookup, ResolvedAddress } from '../../../src/platform/egress/name-lookup.ts';
import { listen, onRequest, respond } from './servers.ts';
import type { Receiver } from './servers.ts';

/** 127.0.0.2 stands for the public internet, 127.0.0.1 for internal addresses. */
const OUTSIDE = '127.0.0.2';
const guard = createAddressGuard({ allow: [`${OUTSIDE}/32`] });
const strict = createAddressGuard({ allow: [] });

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const clients: EgressClient[] = [];
let canary: Receiver;
let outside: Receiver;

const answer: Parameters<typeof listen>[0] = (socket) =>
  onRequest(socket, () => socket.end(respond('200 OK', 'ok', 'connection: close\r\n')));

beforeEach(async () => {
  canary = await listen(answer);
  outside = await listen(answer, { host: OUTSIDE, port: canary.port });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()));
  await canary.stop();
  await outside.stop();
});

const send = async (
  host: string,
  options: { guard?: typeof guard; lookup?: Lookup } = {},
): Promise<EgressOutcome> => {
  const client = createEgressClient({ guard, ...options });
  clients.push(client);
  return await sendWith(client, host);
};
const sendWith = async (client: EgressClient, host: string): Promise<EgressOutcome> =>
  await client.send({
    url: `http://${host}:${canary.port}/`,
    method: 'POST',
    headers: {},
    timeoutMs: 5000,
    maxResponseBytes: 10,
  });

test('the outside is reached by address and by name', async () => {
  expect(await send(OUTSIDE)).toMatchObject({ statusCode: 200 });
  expect(await send('example.test', { lookup: async () => [v4(OUTSIDE)] })).toMatchObject({
    statusCode: 200,
  });
  expect(outside.sockets).toHaveLength(2);
});

test.each([
  '127.0.0.1',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0.0.0.0',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::]',
])('the literal address %s is blocked, before any lookup', async (host) => {
  let lookups = 0;
  const lookup: Lookup = async () => {
    lookups += 1;
    return [v4(OUTSIDE)];
  };
  expect(await send(host, { lookup })).toMatchObject({ errorClass: 'blocked' });
  expect(lookups).toBe(0);
  expect(canary.sockets).toHaveLength(0);
});

test.each([
  ['the address', '127.0.0.1', undefined],
  ['a name', 'tenant.test', async () => [v4('127.0.0.1')]],
])('our own port is blocked by %s, though the list opens the network', async (_, host, lookup) => {
  const open = createAddressGuard({ allow: ['127.0.0.0/8'] });
  open.setOwnPorts([canary.port]);
  const outcome = await send(host, { guard: open, ...(lookup && { lookup }) });
  expect(outcome).toMatchObject({ errorClass: 'blocked' });
  expect(canary.sockets).toHaveLength(0);
  open.setOwnPorts([canary.port + 1]);
  const again = await send(host, { guard: open, ...(lookup && { lookup }) });
  expect(again).toMatchObject({ statusCode: 200 });
});

describe('a name', () => {
  test.each<[string, ResolvedAddress[]]>([
    ['inside', [v4('127.0.0.1')]],
    ['inside, mapped', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['inside, twice', [v4('127.0.0.1'), { address: '::1', family: 6 }]],
    ['nonsense', [v4('localhost')]],
  ])('that resolves %s is blocked, and the message names no address', async (_what, answers) => {
    const outcome = await send('evil.test', { lookup: async () => answers });
    expect(outcome).toMatchObject({ errorClass: 'blocked' });
    expect(outcome.kind === 'error' && outcome.message).not.toMatch(/127|::1/);
    expect(canary.sockets).toHaveLength(0);
  });

  test('that turns inward after its first answer (rebinding) is blocked from then on', async () => {
    let lookups = 0;
    const lookup: Lookup = async () => {
      lookups += 1;
      return [v4(lookups === 1 ? OUTSIDE : '127.0.0.1')];
    };
    const client = createEgressClient({ guard, lookup });
    clients.push(client);
    expect(await sendWith(client, 'evil.test')).toMatchObject({ statusCode: 200 });
    expect(lookups).toBe(1);
    await outside.closed(0);
    expect(await sendWith(client, 'evil.test')).toMatchObject({ errorClass: 'blocked' });
    expect(lookups).toBe(2);
    expect(canary.sockets).toHaveLength(0);
  });

  test('with a mixed answer is reached only where it may be, also when that fails', async () => {
    const answers = [v4('127.0.0.1'), v4(OUTSIDE), v4('127.0.0.1')];
    const mixed = async () => answers;
    expect(await send('mixed.test', { lookup: mixed })).toMatchObject({ statusCode: 200 });
    expect(outside.sockets).toHaveLength(1);
    await outside.stop();
    expect(await send('mixed.test', { lookup: mixed })).toMatchObject({ errorClass: 'connect' });
    expect(canary.sockets).toHaveLength(0);
  });

  test('whose first address refuses is reached at the next', async () => {
    const both = createAddressGuard({ allow: ['127.0.0.2/31'] });
    const answers = [v4('127.0.0.3'), v4(OUTSIDE)];
    const lookup = async () => answers;
    expect(await send('two.test', { guard: both, lookup })).toMatchObject({ statusCode: 200 });
  });

  test.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])(
    'that fails with %s is class dns',
    async (code) => {
      const lookup: Lookup = async () => {
        throw Object.assign(new Error(`getaddrinfo ${code} inner.host`), { code });
      };
      const outcome = await send('gone.test', { lookup });
      expect(outcome).toMatchObject({ errorClass: 'dns' });
      expect(outcome.kind === 'error' && outcome.message).not.toContain('inner.host');
    },
  );

  test('without any address is class dns', async () => {
    expect(await send('empty.test', { lookup: async () => [] })).toMatchObject({
      errorClass: 'dns',
    });
  });

  test('is looked up once for all who wait, and again for the next', async () => {
    const waiting: (() => void)[] = [];
    const lookup: Lookup = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return [v4(OUTSIDE)];
    };
    const client = createEgressClient({ guard, lookup });
    clients.push(client);
    const sending = Array.from({ length: 5 }, async () => await sendWith(client, 'busy.test'));
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    for (const outcome of await Promise.all(sending))
      expect(outcome).toMatchObject({ statusCode: 200 });
    const next = sendWith(client, 'busy.test');
    expect(waiting).toHaveLength(2);
    waiting[1]?.();
    expect(await next).toMatchObject({ statusCode: 200 });
  });
});

test('the peer is judged once more when connected', async () => {
  let asked = 0;
  // A guard that changes its answer simulates a kernel that connected elsewhere.
  const fickle = { ...strict, isAllowed: () => ++asked === 1 };
  const outcome = await send('127.0.0.1', { guard: fickle });
  expect(outcome).toMatchObject({ errorClass: 'blocked' });
  expect(asked).toBe(2);
});

test('opened loopback means 127.0.0.1 and ::1, by name too; nothing is reached when it is not', async () => {
  const local = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });
  expect(await send('localhost', { guard: local })).toMatchObject({ statusCode: 200 });
  expect(await send('127.0.0.1', { guard: local })).toMatchObject({ statusCode: 200 });
  const accepted = canary.sockets.length;
  for (const host of [
    'localhost',
    '127.0.0.1',
    '[::1]',
    '0.0.0.0',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
  ]) {
    expect(await send(host, { guard: strict })).toMatchObject({ errorClass: 'blocked' });
  }
  expect(canary.sockets).toHaveLength(accepted);
});
