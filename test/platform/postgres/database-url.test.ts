import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartupError } from '../../../src/errors.ts';
import {
  readDatabaseUrl,
  setsParameter,
  tlsAdvice,
} from '../../../src/platform/postgres/database-url.ts';

/** PostgreSQL's documentation, section 34.19.1, defines `sslmode`. */

const BASE = 'postgresql://parley:s%3Fcret@db.example.com:5432/parley';

let folder: string;
let authority: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-database-url-'));
  authority = path.join(folder, 'root.crt');
  writeFileSync(authority, 'an authority');
});
afterAll(() => rmSync(folder, { recursive: true }));

const UNCHECKED = { rejectUnauthorized: false };
const NAME_UNCHECKED = { checkServerIdentity: expect.any(Function) };

describe('sslmode', () => {
  test.each([
    ['disable', false],
    ['allow', UNCHECKED],
    ['prefer', UNCHECKED],
    ['require', UNCHECKED],
    ['no-verify', UNCHECKED],
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

  test('is verify-full with the authorities of the system', () => {
    expect(readDatabaseUrl(`${BASE}?sslrootcert=system`).ssl).toEqual({});
    expect(readDatabaseUrl(`${BASE}?sslmode=verify-full&sslrootcert=system`).ssl).toEqual({});
    expect(() => readDatabaseUrl(`${BASE}?sslmode=require&sslrootcert=system`)).toThrow(
      new StartupError('DATABASE_URL: sslrootcert=system requires sslmode=verify-full.'),
    );
  });

  test('of an unknown name is refused', () => {
    expect(() => readDatabaseUrl(`${BASE}?sslmode=on`)).toThrow(
      new StartupError(
        'DATABASE_URL: sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full.',
      ),
    );
  });
});

test('the certificate and key of the client are read', () => {
  const [cert, key] = ['client.crt', 'client.key'].map((name) => path.join(folder, name));
  writeFileSync(cert!, 'mine');
  writeFileSync(key!, 'secret');
  const url = `${BASE}?sslmode=require&sslcert=${cert}&sslkey=${key}`;
  expect(readDatabaseUrl(url).ssl).toEqual({ ...UNCHECKED, cert: 'mine', key: 'secret' });
});

test.each(['sslrootcert', 'sslcert', 'sslkey'])('a missing file of %s is named', (name) => {
  const url = `${BASE}?sslmode=verify-full&${name}=/nowhere/x.crt`;
  expect(() => readDatabaseUrl(url)).toThrow(StartupError);
  expect(() => readDatabaseUrl(url)).toThrow(`DATABASE_URL: ${name}: cannot read /nowhere/x.crt: `);
});

test('parameters other than those of TLS stay in the address', () => {
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

test('parameters of the session that the address sets are found, by name and within options', () => {
  expect(setsParameter(`${BASE}?statement_timeout=5`, 'statement_timeout')).toBe(true);
  expect(setsParameter(`${BASE}?statement_timeout=5`, 'jit')).toBe(false);
  expect(setsParameter(BASE, 'jit')).toBe(false);
  const withOptions = `${BASE}?options=${encodeURIComponent('-c jit=on')}`;
  expect(setsParameter(withOptions, 'jit')).toBe(true);
  expect(setsParameter(withOptions, 'enable_seqscan')).toBe(false);
});

const failed = (message: string, code?: string) => Object.assign(new Error(message), { code });

test.each([
  ['an unknown authority', failed('x', 'SELF_SIGNED_CERT_IN_CHAIN'), 'sslrootcert'],
  ['a self-signed certificate', failed('x', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'sslmode=require'],
  ['an incomplete chain', failed('x', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'sslrootcert'],
  ['another name', failed('x', 'ERR_TLS_CERT_ALTNAME_INVALID'), 'sslmode=verify-ca'],
  [
    'a server without TLS',
    failed('The server does not support SSL connections'),
    'sslmode=disable',
  ],
  [
    'a server that requires TLS',
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
    'a role without access',
    failed('no pg_hba.conf entry for host "10.0.0.1", SSL encryption', '28000'),
  ],
  ['a refused connection', failed('connect ECONNREFUSED', 'ECONNREFUSED')],
  ['something that is no Error', 'x'],
])('%s is not about TLS', (_, error) => {
  expect(tlsAdvice(error)).toBeUndefined();
});
