import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { codeOf, reasonOf, StartupError } from '../../errors.ts';

/**
 * What a DATABASE_URL says of TLS, with the meaning that PostgreSQL gives it (its documentation, 34.19). pg takes every
 * mode for `verify-full`.
 */
export type Connecting = Pick<pg.ClientConfig, 'connectionString' | 'ssl' | 'sslnegotiation'>;

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/** Parameters that are read here. pg gets the rest of the address. */
const READ = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'];

/** @throws StartupError when a mode is none, or a file cannot be read */
export function readDatabaseUrl(databaseUrl: string): Connecting {
  const { address, query } = split(databaseUrl);
  const of = (name: string): string | undefined =>
    query.get(name) ?? process.env[`PG${name.toUpperCase()}`];
  const mode = modeIn(of('sslmode'), of('sslrootcert'));
  if (mode === undefined) return { connectionString: databaseUrl };
  const rest = new URLSearchParams([...query].filter(([name]) => !READ.includes(name)));
  const connectionString = rest.size === 0 ? address : `${address}?${rest.toString()}`;
  if (mode === 'disable') return { connectionString, ssl: false };
  const ssl = {
    ...checksOf(mode, of('sslrootcert')),
    ...fileOf('cert', 'sslcert', of('sslcert')),
    ...fileOf('key', 'sslkey', of('sslkey')),
  };
  const negotiation = of('sslnegotiation') === 'direct' ? 'direct' : undefined;
  return { connectionString, ssl, ...(negotiation && { sslnegotiation: negotiation }) };
}

/** Whether the address itself sets a parameter of the session. */
export function setsParameter(databaseUrl: string, name: string): boolean {
  return split(databaseUrl).query.has(name);
}

function split(databaseUrl: string): { address: string; query: URLSearchParams } {
  const at = databaseUrl.indexOf('?');
  if (at < 0) return { address: databaseUrl, query: new URLSearchParams() };
  const query = new URLSearchParams(databaseUrl.slice(at + 1));
  return { address: databaseUrl.slice(0, at), query };
}

/** `no-verify` is what Node's libraries call `require`. */
function modeIn(text: string | undefined, authority: string | undefined): Mode | undefined {
  if (text === undefined) return authority === SYSTEM ? 'verify-full' : undefined;
  const mode = MODES.find((one) => one === (text === 'no-verify' ? 'require' : text));
  if (mode === undefined)
    throw new StartupError(`DATABASE_URL: sslmode must be one of ${MODES.join(', ')}.`);
  if (authority === SYSTEM && mode !== 'verify-full')
    throw new StartupError('DATABASE_URL: sslrootcert=system needs sslmode=verify-full.');
  return mode;
}

/** A `sslrootcert` that means the authorities of the system. */
const SYSTEM = 'system';

/** Without a file the authorities are Node's own and those of NODE_EXTRA_CA_CERTS. */
function checksOf(mode: Mode, authority: string | undefined): object {
  const ca = authority === SYSTEM ? {} : fileOf('ca', 'sslrootcert', authority);
  switch (mode) {
    case 'verify-full':
      return ca;
    case 'verify-ca':
      return { ...ca, checkServerIdentity: () => undefined };
    // As in PostgreSQL, whoever names an authority wants it checked.
    case 'require':
      return authority === undefined
        ? { rejectUnauthorized: false }
        : { ...ca, checkServerIdentity: () => undefined };
    default:
      return { rejectUnauthorized: false };
  }
}

function fileOf(
  option: 'ca' | 'cert' | 'key',
  name: string,
  file: string | undefined,
): Record<string, string> {
  if (file === undefined) return {};
  try {
    return { [option]: readFileSync(file, 'utf8') };
  } catch (cause) {
    const detail = `DATABASE_URL: ${name}: cannot read ${file}: ${reasonOf(cause)}`;
    throw new StartupError(detail, { cause });
  }
}

const UNTRUSTED = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Returns what to change in DATABASE_URL after a connection failed, or undefined if it is not about TLS. */
export function tlsAdvice(error: unknown): string | undefined {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (UNTRUSTED.has(code)) {
    return 'name the file of its authority in sslrootcert, or use sslmode=require, which encrypts and checks nothing';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'use the host name of its certificate, or sslmode=verify-ca';
  if (/does not support SSL/.test(reason)) return 'it has no TLS: use sslmode=disable';
  if (code === '28000' && /no encryption|SSL off/.test(reason))
    return 'it wants TLS: add sslmode=require, or verify-full';
  return undefined;
}
