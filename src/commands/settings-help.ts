import { Help } from 'commander';
import { environment } from '../config.ts';

/** Names of all settings, except those that Kubernetes or fault tests set. A single name stands for all quotas. */
export const SETTINGS: readonly string[] = [
  ...Object.keys(environment.shape).filter(
    (name) => !/^(KUBERNETES_|PARLEY_QUOTA_|PARLEY_FAILPOINTS$)/.test(name),
  ),
  'PARLEY_QUOTA_*',
].toSorted();

/**
 * Command that the help is for: `start` runs everything in one process, and `role` runs one role, as in a deployment.
 */
type For = 'start' | 'role';

type Described = { name: string; what: string; byDefault: Record<For, string> };

const same = (text: string): Record<For, string> => ({ start: text, role: text });

/** The most common settings, in the order of the help. docs/operations/settings.md describes all settings. */
const DESCRIBED: readonly Described[] = [
  {
    name: 'DATABASE_URL',
    what: 'postgresql://USER:PASSWORD@HOST/NAME, for PostgreSQL 15 or newer',
    byDefault: { start: 'in PARLEY_DATA_DIR', role: 'required' },
  },
  {
    name: 'PARLEY_ENCRYPTION_KEY',
    what: '32 bytes in base64 for encrypting stored secrets',
    byDefault: { start: 'created in PARLEY_DATA_DIR', role: 'required' },
  },
  {
    name: 'PARLEY_DATA_DIR',
    what: 'folder for the database, the first API key and the encryption key',
    byDefault: { start: '.parley', role: 'not used' },
  },
  {
    name: 'PARLEY_PORT',
    what: 'port of the REST API and the dashboard',
    byDefault: { start: '8080, or the next free port', role: '8080' },
  },
  {
    name: 'PARLEY_HOST',
    what: 'address on which the API and the dashboard listen',
    byDefault: { start: '127.0.0.1', role: 'all addresses' },
  },
  {
    name: 'PARLEY_BASE_URL',
    what: 'URL at which users and carriers reach this API',
    byDefault: same('http://HOST:PORT'),
  },
  {
    name: 'PARLEY_API_KEY',
    what: 'first API key, with all scopes',
    byDefault: { start: 'created in PARLEY_DATA_DIR', role: 'none' },
  },
  {
    name: 'PARLEY_MODEL_URL',
    what: 'OpenAI-compatible API for agents that do not name a provider; requires PARLEY_MODEL',
    byDefault: same('none'),
  },
  {
    name: 'PARLEY_MANIFESTS',
    what: 'folder of manifests to apply and watch',
    byDefault: { start: 'examples/', role: 'none' },
  },
  {
    name: 'PARLEY_EGRESS_ALLOW',
    what: 'private addresses and hosts that Parley may call',
    byDefault: { start: 'loopback addresses', role: 'none' },
  },
  {
    name: 'PARLEY_LOG_LEVEL',
    what: 'fatal, error, warn, info, debug, trace or silent',
    byDefault: { start: 'warn', role: 'info' },
  },
];

const NAME_WIDTH = Math.max(...DESCRIBED.map(({ name }) => name.length));
/** Number of columns by which names are indented. `formatItem` uses the same indentation. */
const INDENT = 2;
const COLUMNS = 80;

/**
 * Returns the part of the help that describes the most common settings, lists all others, and says where to find more.
 */
export function settingsHelp(of: For): string {
  const described = DESCRIBED.filter(({ byDefault }) => byDefault[of] !== 'not used');
  const others = SETTINGS.filter((name) => described.every((one) => one.name !== name));
  const help = new Help();
  return [
    '',
    'Settings are environment variables:',
    ...described.map(({ name, what, byDefault }) =>
      help.formatItem(name, NAME_WIDTH, `${what} (default: ${byDefault[of]})`, help),
    ),
    '',
    'Other settings:',
    help.boxWrap(others.join(', '), COLUMNS - INDENT).replaceAll(/^/gm, ' '.repeat(INDENT)),
    '',
    'docs/operations/settings.md in the source repository describes all settings.',
    'A running API serves its reference at http://HOST:PORT/docs.',
  ].join('\n');
}
