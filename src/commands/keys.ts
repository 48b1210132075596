import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { addGivenKey } from '../access/manage-keys.ts';
import { newKeyText } from '../access/api-keys.sql.ts';
import { SCOPES, type Scope } from '../platform/http/authorize.ts';
import { createPool } from '../platform/postgres/pool.ts';

const NAME_MAX = 100;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * `parley keys create -n NAMESPACE [--scopes read,write] [--name NAME]`: the first key of a
 * namespace. Prints the key, once, as the only line on stdout.
 */
export async function createKey(
  config: Config,
  input: { namespace: string; scopes: string | undefined; name: string | undefined },
): Promise<void> {
  if (config.databaseUrl === undefined) {
    throw new StartupError('DATABASE_URL is not set: keys are kept in the database');
  }
  if (!DNS_LABEL.test(input.namespace)) {
    throw new StartupError(`${input.namespace} is no namespace: use a DNS label such as default`);
  }
  const scopes = parseScopes(input.scopes);
  const { namespace, name = '' } = input;
  if (name.length > NAME_MAX) throw new StartupError(`a name may have ${NAME_MAX} characters`);
  const log = createLogger('warn', 'keys');
  const pool = createPool(config.databaseUrl, { log, max: 1 });
  try {
    const text = newKeyText();
    await addGivenKey({ pool }, 'cli', { namespace, name, scopes, text });
    process.stdout.write(`${text}\n`);
  } finally {
    await pool.end();
  }
}

function parseScopes(text: string | undefined): Scope[] {
  if (text === undefined) return [...SCOPES];
  return text.split(',').map((scope) => {
    const known = SCOPES.find((candidate) => candidate === scope.trim());
    if (!known) throw new StartupError(`${scope} is no scope: ${SCOPES.join(', ')}`);
    return known;
  });
}
