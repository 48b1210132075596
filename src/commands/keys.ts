import { existsSync } from 'node:fs';
import path from 'node:path';
import { epochMs } from '../clock.ts';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { addGivenKey } from '../access/manage-keys.ts';
import { isPlainName, KEY_NAME_MAX, PLAIN_NAME_WORDS } from '../access/plain-name.ts';
import { newKeyText } from '../access/api-keys.sql.ts';
import { SCOPES, type Scope } from '../platform/http/authorize.ts';
import { createPool } from '../platform/postgres/pool.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Runs `parley keys create -n NAMESPACE [--scopes read,write] [--name NAME] [--expires 90d]`, which creates the first
 * key of a namespace. Prints the key as the only line on stdout. The key is not shown again.
 */
export async function createKey(
  config: Config,
  input: {
    namespace: string;
    scopes: string | undefined;
    name: string | undefined;
    expires: string | undefined;
  },
): Promise<void> {
  if (config.databaseUrl === undefined) {
    throw new StartupError(
      `DATABASE_URL is not set, so there is no database to store the key in. ${databaseCure(config.dataDir)}`,
    );
  }
  if (!DNS_LABEL.test(input.namespace)) {
    throw new StartupError(
      `${input.namespace} is not a valid namespace: use a DNS label such as default`,
    );
  }
  const scopes = parseScopes(input.scopes);
  const expiresAt = parseEnd(input.expires, epochMs());
  const { namespace, name = '' } = input;
  if (name !== '' && !isPlainName(name)) throw new StartupError(`--name ${PLAIN_NAME_WORDS}`);
  if (name.length > KEY_NAME_MAX) {
    throw new StartupError(`--name may have at most ${KEY_NAME_MAX} characters`);
  }
  const log = createLogger('warn', 'keys');
  const pool = createPool(config.databaseUrl, { log, max: 1 });
  try {
    const text = newKeyText();
    await addGivenKey({ pool }, 'cli', { namespace, name, scopes, text, expiresAt });
    process.stdout.write(`${text}\n`);
  } finally {
    await pool.end();
  }
}

/**
 * Returns advice for a missing DATABASE_URL: set it, create keys in the dashboard or through the API, or use the key
 * that `parley start` created on its first run.
 */
function databaseCure(dataDir: string): string {
  const keyFile = path.join(dataDir, 'api-key');
  const inDashboard =
    'You can also create keys under Settings > API keys in the dashboard of `parley start`, or with POST /v1/api_keys';
  return existsSync(keyFile)
    ? `${inDashboard}; the first key is in ${keyFile}.`
    : `Set it to the database that the roles use. ${inDashboard}.`;
}

function parseScopes(text: string | undefined): Scope[] {
  if (text === undefined) return [...SCOPES];
  return text.split(',').map((scope) => {
    const known = SCOPES.find((candidate) => candidate === scope.trim());
    if (!known) throw new StartupError(`${scope} is not a scope: use ${SCOPES.join(', ')}`);
    return known;
  });
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses the expiry of a key, and returns it in Unix milliseconds. `90d`, `12h` and `30m` are counted from now. An ISO
 * 8601 time is also accepted, and so is a date, which means the start of that day in UTC. Returns null if `text` is
 * undefined.
 * @throws StartupError if `text` has a different format or the time is in the past
 */
export function parseEnd(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const atMs =
    count === undefined
      ? Date.parse(isDate ? text : '')
      : nowMs + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (Number.isNaN(atMs)) {
    throw new StartupError(
      `--expires ${text}: use 90d, 12h or 30m from now, or a date such as 2027-01-31 or 2027-01-31T12:00:00Z`,
    );
  }
  if (atMs <= nowMs) throw new StartupError(`--expires ${text} must be in the future`);
  return atMs;
}
