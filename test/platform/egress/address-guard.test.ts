import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';

import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { StartupError } from '../../../src/errors.ts';

/** An address of each special range. All of them are closed by default. */
const REFUSED_V4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  '168.63.129.16',
];
const REFUSED_V6 = [
  '::',
  '::1',
  'fe80::1',
  'fe80::1%lo',
  '2606:4700:4700::1111%lo',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2620:4f:8000::1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:8.8.8.8',
  '::ffff:0:169.254.169.254',
  '::169.254.169.254',
  '::a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::808:808',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2002:808:808::1',
  '2001:0:a9fe:a9fe::1',
  '4000::1',
  'a000::1',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001::1',
  '2400:cb00::1',
];

const strict = createAddressGuard({ allow: [] });

describe('with nothing opened', () => {
  test.each([...REFUSED_V4, ...REFUSED_V6])('%s is refused', (address) => {
    expect(strict.isAllowed(address)).toBe(false);
    expect(strict.isListed(address)).toBe(false);
  });

  test.each(PUBLIC)('%s is allowed, yet on no list', (address) => {
    expect(strict.isAllowed(address)).toBe(true);
    expect(strict.isListed(address)).toBe(false);
  });

  test.each([
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x8080808',
    '010.8.8.8',
    '8.8.8.8/32',
    '[::1]',
  ])('what is not a plain address is refused: %j', (text) => {
    expect(strict.isAllowed(text)).toBe(false);
  });
});

describe('what the operator opens', () => {
  const local = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
    'loopback opens %s',
    (address) => {
      expect(local.isAllowed(address)).toBe(true);
      expect(local.isListed(address)).toBe(true);
    },
  );

  test.each([...REFUSED_V4, ...REFUSED_V6].filter((a) => !a.startsWith('127.') && a !== '::1'))(
    'loopback does not open %s',
    (address) => {
      expect(local.isAllowed(address)).toBe(false);
    },
  );

  test.each(['::127.0.0.1', '64:ff9b::127.0.0.1', '::ffff:0:127.0.0.1', '2002:7f00:1::'])(
    'loopback does not open it in the transition form %s',
    (address) => {
      expect(local.isAllowed(address)).toBe(false);
    },
  );

  test('a NAT64 prefix opens public addresses behind it, not private ones', () => {
    const nat64 = createAddressGuard({ allow: ['64:ff9b::/96'] });
    expect(nat64.isAllowed('64:ff9b::8.8.8.8')).toBe(true);
    expect(nat64.isAllowed('64:ff9b::10.0.0.1')).toBe(false);
    expect(nat64.isAllowed('64:ff9b::a9fe:a9fe')).toBe(false);
  });

  test.each([
    ['64:ff9b:1::8.8.8.8', '64:ff9b:1::10.0.0.1'],
    ['64:ff9b:1:1::8.8.8.8', '64:ff9b:1:1::10.0.0.1'],
    // Prefixes of 48, 56 and 64 bits. The closed addresses also contain a public address as a decoy.
    ['64:ff9b:1:808:8:800::', '64:ff9b:1:a00:0:100:808:808'],
    ['64:ff9b:1:8:8:808::', '64:ff9b:1:a:0:1:808:808'],
    ['64:ff9b:1::8:808:800:0', '64:ff9b:1::a:0:108:808'],
  ])('a local NAT64 prefix opens %s, not %s', (open, closed) => {
    const nat64 = createAddressGuard({ allow: ['64:ff9b:1::/48'] });
    expect(nat64.isAllowed(open)).toBe(true);
    expect(nat64.isAllowed(closed)).toBe(false);
  });

  test.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1:a9:fe:a9fe::',
    '64:ff9b:1::a9:fea9:fe00:0',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    '2002:a9fe:a9fe::1',
  ])('no list opens the metadata service %s', (address) => {
    const open = createAddressGuard({ allow: ['0.0.0.0/0', '::/0', '169.254.169.254/32'] });
    expect(open.isAllowed(address)).toBe(false);
    expect(open.isListed(address)).toBe(false);
  });

  test.each([
    '10/8',
    '10.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    'fd00::/129',
    'all',
    '',
    '::ffff:10.0.0.0/104',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '*',
    '*.',
    '*.*.svc',
    'rx.*.svc',
    '.svc',
    'svc',
    'rx..svc',
    'http://rx.default.svc',
    'rx.default.svc:80',
    '*.0.0.1',
    'localhost',
    '*.localhost',
    'app.localhost',
    `${'a'.repeat(64)}.svc`,
    `${'a.'.repeat(125)}svc1`,
  ])('%j is no CIDR and no host pattern, and the error names it', (cidr) => {
    const make = (): unknown => createAddressGuard({ allow: ['10.0.0.0/8', cidr] });
    expect(make).toThrow(StartupError);
    expect(make).toThrow(`"${cidr}"`);
  });
});

describe('a host pattern', () => {
  test('has at most 253 characters', () => {
    const longest = `${'a.'.repeat(125)}svc`;
    expect(createAddressGuard({ allow: [longest] }).isListedHost(longest)).toBe(true);
  });

  const SERVICE = '10.96.7.7';
  const listed = createAddressGuard({
    allow: ['*.default.svc', 'rx.team-a.svc', '*.Cluster.LOCAL'],
  });

  test.each(['rx.default.svc', 'pod.rx.default.svc', 'rx.team-a.svc', 'rx.b.svc.cluster.local'])(
    'opens private addresses to %s alone',
    (host) => {
      expect(listed.isListedHost(host)).toBe(true);
      for (const address of [SERVICE, '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1']) {
        expect(listed.isAllowed(address, host)).toBe(true);
        expect(listed.isListed(address, host)).toBe(true);
        expect(listed.isAllowed(address)).toBe(false);
        expect(listed.isAllowed(address, 'example.com')).toBe(false);
      }
      expect(listed.isAllowed('1.1.1.1', host)).toBe(true);
    },
  );

  test.each([
    'default.svc',
    '.default.svc',
    'xdefault.svc',
    'rx.team-b.svc',
    'x.rx.team-a.svc',
    'rx.default.svc.evil.com',
  ])('does not match %s', (host) => {
    expect(listed.isListedHost(host)).toBe(false);
    expect(listed.isAllowed(SERVICE, host)).toBe(false);
  });

  test.each([
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.1.1',
    'fe80::1',
    'fd00:ec2::254',
    '168.63.129.16',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '::ffff:10.96.7.7',
    '64:ff9b::10.96.7.7',
    '2002:a60:707::',
  ])('never opens %s', (address) => {
    expect(listed.isAllowed(address, 'rx.default.svc')).toBe(false);
    expect(listed.isListed(address, 'rx.default.svc')).toBe(false);
  });
});

describe('the API server of the cluster', () => {
  const allow = ['10.96.0.0/12', 'fd00::/8', '64:ff9b::/96', '*.default.svc'];
  const guard = createAddressGuard({ allow, apiServer: '10.96.0.1' });

  test.each(['10.96.0.1', '::ffff:10.96.0.1', '64:ff9b::10.96.0.1'])(
    'is not reached at %s, by whatever list',
    (address) => {
      for (const host of [undefined, 'rx.default.svc']) {
        expect(guard.isAllowed(address, host)).toBe(false);
        expect(guard.isListed(address, host)).toBe(false);
      }
    },
  );

  test('nor at what its names mean by now', () => {
    expect(guard.isAllowed('fd00::1')).toBe(true);
    guard.setApiServerAddresses(['fd00:0::1', '10.96.0.9']);
    expect(guard.isAllowed('fd00::1')).toBe(false);
    expect(guard.isAllowed('10.96.0.9', 'rx.default.svc')).toBe(false);
    expect(guard.isAllowed('10.96.0.1')).toBe(false);
    expect(guard.isAllowed('10.96.0.2')).toBe(true);
    guard.setApiServerAddresses([]);
    expect(guard.isAllowed('10.96.0.9')).toBe(true);
    expect(guard.isAllowed('10.96.0.1')).toBe(false);
  });
});

test('our own ports are closed on every address of this machine, and open elsewhere', () => {
  const guard = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });
  expect(guard.isOwnPort('127.0.0.1', 8080)).toBe(false);
  guard.setOwnPorts([8080, 5432]);
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'no address']) {
    expect([address, guard.isOwnPort(address, 8080)]).toEqual([address, true]);
    expect([address, guard.isOwnPort(address, 5432)]).toEqual([address, true]);
    expect([address, guard.isOwnPort(address, 8081)]).toEqual([address, false]);
  }
  const [outward] = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  if (outward) expect(guard.isOwnPort(outward.address, 8080)).toBe(true);
  expect(guard.isOwnPort('1.1.1.1', 8080)).toBe(false);
  guard.setOwnPorts([5432]);
  expect(guard.isOwnPort('127.0.0.1', 8080)).toBe(false);
});
