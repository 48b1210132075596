import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createNameLookup } from '../../../src/platform/egress/name-lookup.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startDnsServer, type DnsAnswer, type DnsServer, type DnsType } from './dns-server.ts';

/** src/platform/egress/name-lookup.ts */
const OTHER_FAMILY_MS = 50;
const AGAIN_AFTER_MS = 250;

let server: DnsServer;
let answer: (name: string, type: DnsType) => DnsAnswer;
let folder: string;

beforeEach(async () => {
  server = await startDnsServer((name, type) => answer(name, type));
  folder = mkdtempSync(path.join(tmpdir(), 'hosts-'));
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const lookup = (options: Parameters<typeof createNameLookup>[0] = {}) =>
  createNameLookup({ servers: [server.address], hostsFile: path.join(folder, 'none'), ...options });
const hosts = (text: string): string => {
  const file = path.join(folder, 'hosts');
  writeFileSync(file, text);
  return file;
};

test('the families take turns, IPv4 first', async () => {
  answer = () => ({ addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3', 'fd00::1', 'fd00::2'] });
  expect(await lookup()('a.test')).toEqual([
    { address: '10.0.0.1', family: 4 },
    { address: 'fd00::1', family: 6 },
    { address: '10.0.0.2', family: 4 },
    { address: 'fd00::2', family: 6 },
    { address: '10.0.0.3', family: 4 },
  ]);
});

test.each<[string, (type: DnsType) => DnsAnswer, string]>([
  ['a name that is not there', () => ({ error: 'NXDOMAIN' }), 'ENOTFOUND'],
  ['a name without addresses', () => ({ addresses: [] }), 'ENODATA'],
  ['a server that fails', () => ({ error: 'SERVFAIL' }), 'EAI_AGAIN'],
  ['a server that refuses', () => ({ error: 'REFUSED' }), 'EAI_AGAIN'],
  [
    'one family that fails and one that is empty',
    (type) => (type === 'A' ? { error: 'SERVFAIL' } : { addresses: [] }),
    'EAI_AGAIN',
  ],
])('%s has a code of getaddrinfo', async (_what, said, code) => {
  answer = (_name, type) => said(type);
  await expect(lookup()('a.test')).rejects.toMatchObject({ code });
});

test('a family whose server is silent does not hold up the other', async () => {
  const time = holdTime();
  for (const silent of ['A', 'AAAA']) {
    answer = (_name, type) =>
      type === silent ? 'silence' : { addresses: ['10.0.0.1', 'fd00::1'] };
    const found = lookup()('a.test');
    await time.armed(OTHER_FAMILY_MS); // The first family has answered.
    await time.advance(OTHER_FAMILY_MS);
    expect(await found).toHaveLength(1);
  }
});

test('a packet that is lost costs a quarter of a second', async () => {
  const asked = new Set<DnsType>();
  answer = (_name, type) => {
    if (asked.has(type)) return { addresses: ['10.0.0.1'] };
    asked.add(type);
    return 'silence';
  };
  const time = holdTime();
  const found = lookup()('a.test');
  await until('both questions', () => server.questions.length === 2);
  await time.advance(AGAIN_AFTER_MS - 1);
  expect(server.questions).toHaveLength(2);
  await time.advance(1);
  expect(await found).toHaveLength(1);
});

test('a name server that is gone is passed over for the next', async () => {
  answer = () => ({ addresses: ['10.0.0.1'] });
  const gone = await startDnsServer(() => 'silence');
  await gone.stop();
  const both = lookup({ servers: [gone.address, server.address] });
  expect(await both('a.test')).toHaveLength(1);
});

test('a name server that is silent is not waited for when there is another', async () => {
  answer = () => ({ addresses: ['10.0.0.1'] });
  const silent = await startDnsServer(() => 'silence');
  const time = holdTime();
  const found = lookup({ servers: [silent.address, server.address] })('a.test');
  await until('both questions', () => silent.questions.length === 2);
  await time.advance(AGAIN_AFTER_MS);
  expect(await found).toHaveLength(1);
  await silent.stop();
});

test('a slow answer counts although it was asked for again', async () => {
  const time = holdTime();
  answer = () =>
    server.questions.length <= 2 ? { addresses: ['10.0.0.1'], delayMs: 200 } : 'silence';
  const found = lookup()('a.test');
  await until('both questions', () => server.questions.length === 2);
  await time.advance(AGAIN_AFTER_MS);
  expect(await found).toHaveLength(1);
});

test('the hosts file comes before any server, in any case, and its changes are seen', async () => {
  answer = () => ({ error: 'NXDOMAIN' });
  let nowMs = 0;
  const hostsFile = hosts('10.0.0.1 a.test A.two # c.test\n\n  fd00::1\ta.test\n10.0.0 b.test\n');
  const find = lookup({ hostsFile, nowMs: () => nowMs });
  expect(await find('A.Test')).toEqual([
    { address: '10.0.0.1', family: 4 },
    { address: 'fd00::1', family: 6 },
  ]);
  expect(await find('a.two')).toHaveLength(1);
  expect(server.questions).toEqual([]);
  for (const absent of ['b.test', 'c.test', '10.0.0.1.test']) {
    await expect(find(absent)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  }
  writeFileSync(hostsFile, '10.0.0.9 b.test');
  nowMs = 2_000;
  expect(await find('b.test')).toEqual([{ address: '10.0.0.9', family: 4 }]);
  rmSync(hostsFile);
  nowMs = 4_000;
  expect(await find('b.test')).toHaveLength(1);
});

test('localhost and what is under it is this machine, and nobody is asked', async () => {
  for (const name of ['localhost', 'LOCALHOST', 'app.localhost']) {
    const found = await lookup({ hostsFile: hosts('10.0.0.1 localhost') })(name);
    expect(found.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  }
  expect(server.questions).toEqual([]);
});

test('a name is asked for as it stands: search domains give it no other meaning', async () => {
  answer = () => ({ error: 'NXDOMAIN' });
  await expect(lookup()('db.prod')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(new Set(server.questions.map(({ name }) => name))).toEqual(new Set(['db.prod']));
});

describe('search domains, when they are asked for', () => {
  const resolv = (text: string): string => {
    const file = path.join(folder, 'resolv.conf');
    writeFileSync(file, text);
    return file;
  };
  const POD =
    'nameserver 10.96.0.10\nsearch parley.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n';
  const only =
    (known: string) =>
    (name: string): DnsAnswer =>
      name === known ? { addresses: ['10.96.7.7'] } : { error: 'NXDOMAIN' };
  const asked = (): string[] => [...new Set(server.questions.map(({ name }) => name))];

  test('a Service is found by its short name, and not without them', async () => {
    answer = only('rx.default.svc.cluster.local');
    const look = lookup({ resolvFile: resolv(POD) });
    expect(await look('rx.default.svc', { search: true })).toEqual([
      { address: '10.96.7.7', family: 4 },
    ]);
    expect(asked()).toEqual([
      'rx.default.svc.parley.svc.cluster.local',
      'rx.default.svc.svc.cluster.local',
      'rx.default.svc.cluster.local',
    ]);
    await expect(look('rx.default.svc')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each([
    ['options ndots:2\nsearch a.test. B.test', 'x.y.z', ['x.y.z', 'x.y.z.a.test', 'x.y.z.b.test']],
    ['domain a.test\nsearch b.test', 'x.y', ['x.y', 'x.y.b.test']],
    ['search a.test\ndomain b.test c.test', 'x.y', ['x.y', 'x.y.b.test']],
    ['nameserver 10.0.0.1', 'x.y', ['x.y']],
    ['options ndots:3\nsearch a.test', 'x.y', ['x.y.a.test', 'x.y']],
  ])('%j: %s is asked for as %j', async (text, name, names) => {
    answer = () => ({ error: 'NXDOMAIN' });
    const look = lookup({ resolvFile: resolv(text) });
    await expect(look(name, { search: true })).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked()).toEqual(names);
  });

  test('a server that fails ends it: the next name would be another one', async () => {
    answer = () => ({ error: 'SERVFAIL' });
    const look = lookup({ resolvFile: resolv(POD) });
    await expect(look('rx.default.svc', { search: true })).rejects.toMatchObject({
      code: 'EAI_AGAIN',
    });
    expect(asked()).toHaveLength(1);
  });
});
