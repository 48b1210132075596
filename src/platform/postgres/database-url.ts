import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { codeOf, reasonOf, StartupError } from '../../errors.ts';

/**
 * Connection settings from a `DATABASE_URL`. The TLS parameters have the meaning that PostgreSQL documents (section
 * 34.19), whereas the `pg` library would treat every mode as `verify-full`.
 */
export type Connecting = Pick<pg.ClientConfig, 'connectionString' | 'ssl' | 'sslnegotiation'>;

/** Value of `sslrootcert` that selects the system's certificate authorities. */
const SYSTEM = 'system';

/**
 * URL parameters that this file handles. They are removed from the URL, because the `pg` library interprets them
 * differently.
 */
const READ = [
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
];

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/**
 * Reads the connection settings from `DATABASE_URL`.
 * @throws StartupError for an unknown mode, for a mode whose required certificate authority is missing, or for a file
 * that cannot be read
 */
export function readDatabaseUrl(databaseUrl: string): Connecting {
  const { address, query } = split(databaseUrl);
  const of = (name: string): string | undefined => query.get(name) || undefined;
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

/** Returns true if `DATABASE_URL` itself sets a session parameter, by name or within `options`. */
export function setsParameter(databaseUrl: string, name: string): boolean {
  const { query } = split(databaseUrl);
  return query.has(name) || (query.get('options') ?? '').includes(`${name}=`);
}

function split(databaseUrl: string): { address: string; query: URLSearchParams } {
  const at = databaseUrl.indexOf('?');
  if (at < 0) return { address: databaseUrl, query: new URLSearchParams() };
  const query = new URLSearchParams(databaseUrl.slice(at + 1));
  return { address: databaseUrl.slice(0, at), query };
}

/**
 * Returns the TLS mode, or undefined if none is set. Accepts `no-verify` as another name for `require`, because Node's
 * libraries use it.
 */
function modeIn(text: string | undefined, authority: string | undefined): Mode | undefined {
  if (text === undefined) return authority === SYSTEM ? 'verify-full' : undefined;
  const mode = MODES.find((one) => one === (text === 'no-verify' ? 'require' : text));
  if (mode === undefined)
    throw new StartupError(`DATABASE_URL: sslmode must be one of ${MODES.join(', ')}.`);
  if (authority === SYSTEM && mode !== 'verify-full')
    throw new StartupError('DATABASE_URL: sslrootcert=system requires sslmode=verify-full.');
  if (authority === undefined && mode === 'verify-ca')
    throw new StartupError(
      "DATABASE_URL: sslmode=verify-ca requires sslrootcert, the file with the certificate authority's certificate. Or use verify-full, which also checks the host name.",
    );
  return mode;
}

/**
 * Returns the options that determine how the client verifies the server's certificate. `verify-full` without a file
 * trusts the authorities in Node.js and in `NODE_EXTRA_CA_CERTS`. `verify-ca` requires a file, because it does not
 * check the host name: any host can get a certificate from a public authority, so such a certificate would prove
 * nothing.
 */
function checksOf(mode: Mode, authority: string | undefined): object {
  const ca = authority === SYSTEM ? {} : fileOf('ca', 'sslrootcert', authority);
  if (mode === 'verify-full') return ca;
  // As in PostgreSQL, `require` also verifies the certificate if a certificate authority is given.
  const checksAuthority = authority !== undefined && (mode === 'verify-ca' || mode === 'require');
  return checksAuthority
    ? { ...ca, checkServerIdentity: () => undefined }
    : { rejectUnauthorized: false };
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

/**
 * Returns advice on what to change in `DATABASE_URL` after a failed connection, or undefined if TLS is not the cause.
 */
export function tlsAdvice(error: unknown): string | undefined {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (UNTRUSTED.has(code)) {
    return "set sslrootcert to the file with the server's CA certificate, or use sslmode=require, which encrypts but does not verify the server";
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "use the host name in the server's certificate, or sslmode=verify-ca, which does not check the host name";
  if (/does not support SSL/.test(reason))
    return 'the server does not support TLS: use sslmode=disable';
  if (code === '28000' && /no encryption|SSL off/.test(reason))
    return 'the server requires TLS: add sslmode=require or sslmode=verify-full';
  return undefined;
}
