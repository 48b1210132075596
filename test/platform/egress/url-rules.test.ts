import { describe, expect, test } from 'vitest';

import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { checkUrl } from '../../../src/platform/egress/url-rules.ts';

const strict = createAddressGuard({ allow: [] });
const local = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });

const problemOf = (raw: string, guard = strict): string => {
  const result = checkUrl(raw, guard);
  return 'problem' in result ? result.problem : '';
};

test.each([
  'https://example.com/hook?a=1',
  'https://example.com.',
  'https://EXAMPLE.com:8443/x',
  'https://bücher.example/',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]:444/',
  'https://my_host.example.com/',
  'https://localhost.example.com/',
  'https://example.com/@user',
])('accepts %s', (raw) => {
  expect(problemOf(raw)).toBe('');
});

describe('spelling', () => {
  test.each([
    ['https://user@example.com/', 'user name or password'],
    ['https://user:pw@example.com/', 'user name or password'],
    ['https://@example.com/', 'user name or password'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com/#x', 'fragment'],
    ['https://example.com\\@internal/', 'backslash'],
    [' https://example.com/', 'space'],
    ['https://exam\tple.com/', 'control character'],
    ['https://example.com/\n', 'control character'],
    ['https://example.com/\u00a0', 'space'],
    ['https://example.com/\u200b', 'control character'],
    ['https:example.com', 'must start with https://'],
    ['https:///example.com', 'must start with https://'],
    ['ftp://example.com/', 'must start with https://'],
    ['//example.com/', 'must start with https://'],
    ['', 'must start with https://'],
    ['https://example.com:99999/', 'The URL is invalid'],
    ['https://exa%00mple.com/', 'The URL is invalid'],
    [`https://example.com/${'a'.repeat(2048)}`, '2048'],
  ])('%j is refused: %s', (raw, part) => {
    expect(problemOf(raw)).toContain(part);
  });

  test('2048 characters are enough for everyone, exactly', () => {
    const start = 'https://example.com/';
    expect(problemOf(start + 'a'.repeat(2048 - start.length))).toBe('');
    expect(problemOf(start + 'a'.repeat(2049 - start.length))).not.toBe('');
  });
});

test.each(['home.arpa', 'router.home.arpa', 'rx.default.svc'])(
  'https://%s/ ends as only a private network can resolve it',
  (host) => {
    expect(problemOf(`https://${host}/`)).toContain('which only a private network can resolve');
    expect(problemOf(`https://${host}.example.com/`)).toBe('');
  },
);

describe('literal addresses in any spelling', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '2130706433',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    '0',
    '169.254.169.254',
    '[::1]',
    '[::]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[fd00:ec2::254]',
  ])('https://%s/ is refused', (host) => {
    expect(problemOf(`https://${host}/`)).toContain('is not public');
  });

  test.each(['127.0.0.1', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])(
    'http and https to %s pass when loopback is opened',
    (host) => {
      expect(problemOf(`http://${host}:8080/`, local)).toBe('');
      expect(problemOf(`https://${host}/`, local)).toBe('');
    },
  );

  test('opened loopback opens no other private address', () => {
    expect(problemOf('http://10.0.0.1/', local)).toContain('is not public');
    expect(problemOf('http://[64:ff9b::127.0.0.1]/', local)).toContain('is not public');
  });
});

describe('http', () => {
  test.each(['http://example.com/', 'http://1.1.1.1/', 'HTTP://example.com/'])(
    '%s is refused even with loopback opened',
    (raw) => {
      expect(problemOf(raw, local)).toContain('must use https');
    },
  );

  test.each([
    'http://localhost:3000/',
    'https://localhost/',
    'http://app.localhost/',
    'http://LOCALHOST./',
  ])('%s needs loopback to be opened', (raw) => {
    expect(problemOf(raw)).toContain('this machine itself');
    expect(problemOf(raw, local)).toBe('');
  });
});

test.each([
  'intranet',
  'kubernetes',
  'metadata',
  'metadata.google.internal',
  'metadata.azure.internal',
  'printer.local',
  'printer.local.',
  'kubernetes.default.svc',
  'kubernetes.default.svc.',
  'db.prod.svc.cluster.local',
  'DB.PROD.SVC.CLUSTER.LOCAL',
  'cluster.local',
  'host.localdomain',
  'nas.home.arpa',
  'nas.lan',
  'git.corp',
  'wiki.intranet',
  'nas.home',
  'x.private',
  'kubernetes.default',
  'rx.default',
  'rx.default.svc',
])('the inner name %s is refused without DNS, opened loopback or not', (host) => {
  expect(problemOf(`https://${host}/`)).toMatch(/only a private network can resolve/);
  expect(problemOf(`https://${host}/`, local)).toMatch(/only a private network can resolve/);
});

test.each(['a..example.com', 'example.com..', `${'a'.repeat(64)}.example.com`])(
  'the malformed name %s is refused',
  (host) => {
    expect(problemOf(`https://${host}/`)).not.toBe('');
  },
);

describe('a host that PARLEY_EGRESS_ALLOW names', () => {
  const guard = createAddressGuard({
    allow: ['*.default.svc', 'git.corp', '*.cluster.local', '*.default'],
  });

  test.each(['rx.default.svc', 'RX.default.svc.', 'git.corp', 'rx.team.svc.cluster.local'])(
    'passes with http and https: %s',
    (host) => {
      expect(problemOf(`http://${host}:8080/hook`, guard)).toBe('');
      expect(problemOf(`https://${host}/hook`, guard)).toBe('');
      expect(problemOf(`https://${host}/hook`)).toContain(
        'ask the operator to add the host to PARLEY_EGRESS_ALLOW',
      );
    },
  );

  test.each([
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.',
    'KUBERNETES.default.svc.cluster.local',
  ])('is never the API server: %s', (host) => {
    expect(problemOf(`https://${host}/`, guard)).toContain('PARLEY_EGRESS_ALLOW cannot allow');
  });

  test('leaves other hosts as they were', () => {
    expect(problemOf('http://rx.team.svc/', guard)).toContain('only a private network can resolve');
    expect(problemOf('http://example.com/', guard)).toContain('must use https');
    expect(problemOf('http://10.96.0.7/', guard)).toContain('is not public');
  });
});

test.each([
  ['http://127.0.0.1:8080/metrics', true],
  ['http://localhost:8080/', true],
  ['http://tenant.localhost:8080/', true],
  ['http://[::1]:8080/', true],
  ['https://127.0.0.1/', true],
  ['http://127.0.0.1/', true],
  ['http://127.0.0.1:8081/', false],
  ['https://example.com:8080/', false],
])('%s is our own address: %s', (raw, isOwn) => {
  const guard = createAddressGuard({ allow: ['127.0.0.0/8', '::1/128'] });
  guard.setOwnPorts([8080, 443, 80]);
  expect(problemOf(raw, guard)).toMatch(isOwn ? /^Port \d+ of this machine is used/ : /^$/);
});
