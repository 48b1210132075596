import { createHook } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import type { EgressClient, EgressOutcome } from '../../../src/platform/egress/client.ts';
import { createNameLookup } from '../../../src/platform/egress/name-lookup.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startDnsServer, type DnsAnswer, type DnsServer, type DnsType } from './dns-server.ts';
import { bodyOf, createClient, post, receiver, stopAll } from './harness.ts';
import { onRequest, respond, type Receiver } from './servers.ts';

/** Name servers that fail, lie and change their answers (rows F-23 and F-24 of the fault matrix). */
let zone: Record<string, DnsAnswer | ((type: DnsType) => DnsAnswer)>;
let server: DnsServer;

beforeEach(async () => {
  zone = {};
  server = await startDnsServer((name, type) => {
    const said = zone[name] ?? (name.startsWith('silent-') ? 'silence' : { error: 'NXDOMAIN' });
    return typeof said === 'function' ? said(type) : said;
  });
});
afterEach(async () => {
  await stopAll();
  await server.stop();
});

/** Closes the connection after each answer, so that each request resolves its name again. */
const closing: Parameters<typeof receiver>[0] = (socket) =>
  onRequest(socket, () => socket.end(respond('200 OK', 'ok', 'connection: close\r\n')));
const lookup = () => createNameLookup({ servers: [server.address] });
const send = (client: EgressClient, name: string, { port }: { port: number }) =>
  client.send(post(`http://${name}:${port}/`, { timeoutMs: 10_000 }));

/** src/platform/egress/name-lookup.ts */
const LOOKUP_MAX_MS = 8_000;

describe('a name server', () => {
  test('F-23: that says no, nothing or nonsense is a failure of class dns before the attempt’s deadline', async () => {
    const client = createClient({ lookup: lookup() });
    const said: Record<string, DnsAnswer> = {
      'nxdomain.test': { error: 'NXDOMAIN' },
      'servfail.test': { error: 'SERVFAIL' },
      'refused.test': { error: 'REFUSED' },
      'empty.test': { addresses: [] },
      'garbage.test': 'garbage',
      'silent.test': 'silence',
      'nine-seconds.test': { addresses: ['127.0.0.1'], delayMs: 9_000 },
    };
    zone = said;
    const time = holdTime();
    const outcomes = Object.keys(said).map(async (name) => {
      const outcome = await send(client, name, { port: 9 });
      expect([name, outcome]).toMatchObject([name, { kind: 'error', errorClass: 'dns' }]);
      expect(outcome.kind === 'error' && outcome.message).not.toMatch(/\d\.\d|\.test/);
    });
    await Promise.all(outcomes.slice(0, 4)); // Time stands still.
    await time.advance(LOOKUP_MAX_MS);
    await Promise.all(outcomes);
  });

  test('F-23: that takes seconds is waited for', async () => {
    const target = await receiver(closing);
    zone['slow.test'] = { addresses: ['127.0.0.1'], delayMs: 300 };
    const time = holdTime();
    const sent = send(createClient({ lookup: lookup() }), 'slow.test', target);
    await until('both questions', () => server.questions.length === 2);
    await time.advance(LOOKUP_MAX_MS - 1); // The client repeats its query until then.
    expect(await sent).toMatchObject({ statusCode: 200 });
  });

  test('F-23: that names a thousand addresses is asked over TCP, and a few of them are tried', async () => {
    const target = await receiver(closing);
    const thousand = Array.from({ length: 999 }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
    zone['first.test'] = { addresses: ['127.0.0.1', ...thousand] };
    zone['last.test'] = { addresses: [...thousand, '127.0.0.1'] };
    const client = createClient({ lookup: lookup() });
    expect(await send(client, 'first.test', target)).toMatchObject({ statusCode: 200 });
    expect(server.questions.some(({ overTcp }) => overTcp)).toBe(true);
    expect(await send(client, 'last.test', target)).toMatchObject({ errorClass: 'connect' });
    expect(target.sockets).toHaveLength(1); // The first request's socket.
  });

  test.each([0, 86_400])(
    'F-23: is asked again for each connection, whatever it said of keeping: %i s',
    async (ttlSec) => {
      const target = await receiver(closing);
      zone['ttl.test'] = { addresses: ['127.0.0.1'], ttlSec };
      const client = createClient({ lookup: lookup() });
      for (let i = 0; i < 5; i += 1) {
        expect(await bodyOf(await send(client, 'ttl.test', target))).toBe('ok');
        await target.closed(i);
      }
      expect(server.questions.filter(({ type }) => type === 'A')).toHaveLength(5);
    },
  );

  test('F-23: that knows IPv6 only is enough', async () => {
    const target = await receiver(closing, { host: '::1' });
    zone['six.test'] = { addresses: ['::1'] };
    const outcome = await send(createClient({ lookup: lookup() }), 'six.test', target);
    expect(await bodyOf(outcome)).toBe('ok');
  });

  test('F-23: that is silent for many names at once delays no other name', async () => {
    const target = await receiver(closing);
    zone['healthy.test'] = { addresses: ['127.0.0.1'] };
    const client = createClient({ lookup: lookup() });
    const time = holdTime();
    const hung = Array.from({ length: 60 }, (_, i) => send(client, `silent-${i}.test`, target));
    await until('their questions', () => server.questions.length >= 2 * hung.length);
    for (let i = 0; i < 20; i += 1) {
      expect(await bodyOf(await send(client, 'healthy.test', target))).toBe('ok');
    }
    await time.advance(LOOKUP_MAX_MS);
    for (const outcome of await Promise.all(hung)) {
      expect(outcome).toMatchObject({ errorClass: 'dns', durationMs: LOOKUP_MAX_MS });
    }
  });

  test('F-23: is asked without a thread: by default, too, no lookup goes to getaddrinfo', async () => {
    const kinds: string[] = [];
    const hook = createHook({ init: (_id, kind) => void kinds.push(kind) }).enable();
    const outcome = await send(createClient(), 'nobody.invalid', { port: 9 });
    hook.disable();
    expect(outcome).toMatchObject({ errorClass: 'dns' });
    expect(kinds).toContain('QUERYWRAP');
    expect(kinds).not.toContain('GETADDRINFOREQWRAP');
  });
});

/** 127.0.0.2 stands for the public internet. 127.0.0.1 and ::1 are internal addresses, where a canary listens. */
describe('rebinding', () => {
  const OUTSIDE = '127.0.0.2';
  const INSIDE = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
  const guard = createAddressGuard({ allow: [`${OUTSIDE}/32`] });
  let outside: Receiver;
  let canaries: Receiver[];
  let client: EgressClient;

  beforeEach(async () => {
    outside = await receiver(closing, { host: OUTSIDE });
    canaries = await Promise.all(
      ['127.0.0.1', '::1'].map((host) => receiver(closing, { host, port: outside.port })),
    );
    client = createClient({ guard, lookup: lookup() });
  });

  const accepted = (): number => canaries.reduce((sum, { sockets }) => sum + sockets.length, 0);
  const times = async (name: string, count: number): Promise<EgressOutcome[]> => {
    const outcomes: EgressOutcome[] = [];
    for (let i = 0; i < count; i += 1) {
      const reached = outside.sockets.length;
      outcomes.push(await send(client, name, outside));
      if (outside.sockets.length > reached) await outside.closed(reached);
    }
    return outcomes;
  };
  /** Answers the queries of a family with these sets in turn, and then with the last set forever. */
  const inTurn = (...sets: string[][]) => {
    const asked = { A: 0, AAAA: 0 };
    return (type: DnsType): DnsAnswer => {
      const addresses = sets[Math.min(asked[type], sets.length - 1)]!;
      asked[type] += 1;
      return { addresses, ttlSec: 0 };
    };
  };

  test.each(INSIDE)('F-24: public first, then %s: the canary accepts nothing', async (inside) => {
    zone['rebind.test'] = inTurn([OUTSIDE], [inside]);
    const [first, ...later] = await times('rebind.test', 6);
    expect(first).toMatchObject({ statusCode: 200 });
    for (const outcome of later) expect(outcome).toMatchObject({ errorClass: 'blocked' });
    expect(accepted()).toBe(0);
  });

  test('F-24: alternating, a hundred connections: each goes outside or nowhere', async () => {
    let turn = 0;
    zone['alternate.test'] = (type) => {
      if (type === 'AAAA') return { addresses: [] };
      turn += 1;
      return { addresses: [turn % 2 === 0 ? '127.0.0.1' : OUTSIDE], ttlSec: 0 };
    };
    const outcomes = await times('alternate.test', 100);
    const reached = outcomes.filter(({ kind }) => kind === 'response');
    // Every second request succeeds. The tolerance allows for queries that a busy machine repeats.
    const repeated = turn - outcomes.length;
    expect(repeated).toBeLessThanOrEqual(5);
    expect(Math.abs(reached.length - 50)).toBeLessThanOrEqual(repeated);
    expect(outside.sockets).toHaveLength(reached.length);
    expect(accepted()).toBe(0);
  });

  test('F-24: many at once while the answer changes', async () => {
    let turn = 0;
    zone['storm.test'] = () => {
      turn += 1;
      return { addresses: [turn % 3 === 0 ? OUTSIDE : '127.0.0.1'], ttlSec: 0, delayMs: turn % 7 };
    };
    const clients = Array.from({ length: 20 }, () => createClient({ guard, lookup: lookup() }));
    const sent = clients.flatMap((one) =>
      Array.from({ length: 10 }, () => send(one, 'storm.test', outside)),
    );
    const outcomes = await Promise.all(sent);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['response', 'error']));
    expect(accepted()).toBe(0);
  });

  test.each([
    [[...INSIDE, OUTSIDE]],
    [[OUTSIDE, ...INSIDE]],
    [['127.0.0.1', OUTSIDE, '127.0.0.1', '::1']],
  ])(
    'F-24: the mixed set %j is reached outside only, also when nobody listens there',
    async (set) => {
      zone['mixed.test'] = { addresses: set };
      expect(await times('mixed.test', 3)).toMatchObject([
        { statusCode: 200 },
        { statusCode: 200 },
        { statusCode: 200 },
      ]);
      await outside.stop();
      expect(await times('mixed.test', 2)).toMatchObject([
        { errorClass: 'connect' },
        { errorClass: 'connect' },
      ]);
      expect(accepted()).toBe(0);
    },
  );
});
