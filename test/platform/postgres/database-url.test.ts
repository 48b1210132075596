import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { StartupError } from '../../../src/errors.ts';
import {
  readDatabaseUrl,
  setsParameter,
  tlsAdvice,
} from '../../../src/platform/postgres/database-url.ts';

/** What `sslmode` means is written in PostgreSQL's documentation, 34.19. */

const BASE = 'postgresql://parley:s%3Fcret@db.example.com:5432/parley';

let folder: string;
let authority: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-database-url-'));
  authority = path.join(folder, 'root.crt');
  writeFileSync(authority, 'an authority');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of ['PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY', 'PGSSLNEGOTIATION'])
    vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

const UNCHECKED = { rejectUnauthorized: false };
const NAME_UNCHECKED = { checkServerIdentity: expect.any(Function) };

describe('sslmode', () => {
  test.each([
    ['disable', false],
    ['allow', UNCHECKED],
    ['prefer', UNCHECKED],
    ['require', UNCHECKED],
    ['no-verify', UNCHECKED],
    ['verify-ca', NAME_UNCHECKED],
    ['verify-full', {}],
  ])('%s', (mode, ssl) => {
    expect(readDatabaseUrl(`${BASE}?sslmode=${mode}`)).toEqual({ connectionString: BASE, ssl });
  });

  test.each([
    ['require', { ca: 'an authority', ...NAME_UNCHECKED }],
    ['verify-ca', { ca: 'an authority', ...NAME_UNCHECKED }],
    ['verify-full', { ca: 'an authority' }],
    ['prefer', UNCHECKED],
  ])('%s with an authority of its own', (mode, ssl) => {
    const url = `${BASE}?sslmode=${mode}&sslrootcert=${authority}`;
    expect(readDatabaseUrl(url).ssl).toEqual(ssl);
  });

  test('comes from PGSSLMODE where the address has none, and the address wins', () => {
    vi.stubEnv('PGSSLMODE', 'require');
    expect(readDatabaseUrl(BASE).ssl).toEqual(UNCHECKED);
    expect(readDatabaseUrl(`${BASE}?sslmode=verify-full`).ssl).toEqual({});
  });

  test('of the system is verify-full', () => {
    expect(readDatabaseUrl(`${BASE}?sslrootcert=system`).ssl).toEqual({});
    expect(readDatabaseUrl(`${BASE}?sslmode=verify-full&sslrootcert=system`).ssl).toEqual({});
    expect(() => readDatabaseUrl(`${BASE}?sslmode=require&sslrootcert=system`)).toThrow(
      new StartupError('DATABASE_URL: sslrootcert=system needs sslmode=verify-full.'),
    );
  });

  test('that is none is named with those that are', () => {
    expect(() => readDatabaseUrl(`${BASE}?sslmode=on`)).toThrow(
      new StartupError(
        'DATABASE_URL: sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full.',
      ),
    );
  });
});

test('a certificate of the client goes along', () => {
  const [cert, key] = ['client.crt', 'client.key'].map((name) => path.join(folder, name));
  writeFileSync(cert!, 'mine');
  writeFileSync(key!, 'secret');
  const url = `${BASE}?sslmode=require&sslcert=${cert}&sslkey=${key}`;
  expect(readDatabaseUrl(url).ssl).toEqual({ ...UNCHECKED, cert: 'mine', key: 'secret' });
});

test.each(['sslrootcert', 'sslcert', 'sslkey'])('a file of %s that is not there', (name) => {
  const url = `${BASE}?sslmode=verify-full&${name}=/nowhere/x.crt`;
  expect(() => readDatabaseUrl(url)).toThrow(StartupError);
  expect(() => readDatabaseUrl(url)).toThrow(`DATABASE_URL: ${name}: cannot read /nowhere/x.crt: `);
});

test('what is not about TLS stays in the address', () => {
  const url = `${BASE}?host=/run/postgresql&sslmode=require&connect_timeout=3&uselibpqcompat=true`;
  expect(readDatabaseUrl(url).connectionString).toBe(
    `${BASE}?host=%2Frun%2Fpostgresql&connect_timeout=3`,
  );
  expect(readDatabaseUrl(BASE)).toEqual({ connectionString: BASE });
  expect(readDatabaseUrl(`${BASE}?sslmode=require&sslnegotiation=direct`)).toEqual({
    connectionString: BASE,
    ssl: UNCHECKED,
    sslnegotiation: 'direct',
  });
});

test('a parameter of the session that the address sets is known', () => {
  expect(setsParameter(`${BASE}?statement_timeout=5`, 'statement_timeout')).toBe(true);
  expect(setsParameter(`${BASE}?statement_timeout=5`, 'jit')).toBe(false);
  expect(setsParameter(BASE, 'jit')).toBe(false);
});

const failed = (message: string, code?: string) => Object.assign(new Error(message), { code });

test.each([
  ['an authority that nobody knows', failed('x', 'SELF_SIGNED_CERT_IN_CHAIN'), 'sslrootcert'],
  ['a certificate by itself', failed('x', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'sslmode=require'],
  ['a chain that is not whole', failed('x', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'sslrootcert'],
  ['another name', failed('x', 'ERR_TLS_CERT_ALTNAME_INVALID'), 'sslmode=verify-ca'],
  [
    'a server without TLS',
    failed('The server does not support SSL connections'),
    'sslmode=disable',
  ],
  [
    'a server that wants TLS',
    failed(
      'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption',
      '28000',
    ),
    'sslmode=require',
  ],
])('%s: the failure says what to change', (_, error, advice) => {
  expect(tlsAdvice(error)).toContain(advice);
});

test.each([
  ['a wrong password', failed('password authentication failed', '28P01')],
  [
    'a role that may not',
    failed('no pg_hba.conf entry for host "10.0.0.1", SSL encryption', '28000'),
  ],
  ['nobody there', failed('connect ECONNREFUSED', 'ECONNREFUSED')],
  ['nothing known', 'x'],
])('%s is not about TLS', (_, error) => {
  expect(tlsAdvice(error)).toBeUndefined();
});
