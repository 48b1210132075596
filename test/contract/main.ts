import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { coverageOf, type Operation } from './coverage.ts';
import { lintDocument } from './lint.ts';

/**
 * Whether Parley keeps what /v1/openapi.json promises, asked by somebody else's tool: schemathesis
 * makes requests from the document, right and wrong ones, follows its links from one operation to
 * the next, and compares every answer with it. After that, every operation must have been answered
 * 2xx at least once, or nothing was learned about it.
 *
 *   CONTRACT_EXAMPLES   cases for each operation, and sequences of operations (default 5000)
 *   CONTRACT_SEED       to repeat a run
 *   SCHEMATHESIS        its program; default: installed once below ~/.cache/parley, with Python 3
 *
 * Further arguments go to schemathesis, such as --include-operation-id createAgent.
 */

const VERSION = '4.32.5';

/** A stream never ends, so it has no answer to compare; test/events/event-stream.pg.test.ts asks it. */
const LEFT_OUT = ['/v1/events/stream'];

const examples = process.env['CONTRACT_EXAMPLES'] ?? '5000';
const program = process.env['SCHEMATHESIS'] ?? install();
const folder = await temporaryFolder();
const parley = await startParley({
  dataDir: path.join(folder.path, 'data'),
  env: {
    PARLEY_RATE_LIMIT: '0',
    PARLEY_LOG_LEVEL: 'error',
    // One key makes thousands of everything.
    PARLEY_QUOTA_AGENTS: '0',
    PARLEY_QUOTA_WEBHOOK_ENDPOINTS: '0',
    PARLEY_QUOTA_KNOWLEDGE_SOURCES: '0',
    PARLEY_QUOTA_MODEL_PROVIDERS: '0',
    PARLEY_QUOTA_TELEPHONY_PROVIDERS: '0',
    PARLEY_QUOTA_API_KEYS: '0',
    PARLEY_LIMIT_REPLAY_JOBS: '0',
  },
});
let exitCode = 1;
try {
  const { body: document } = await parley.call('GET', '/v1/openapi.json');
  const findings = await lintDocument(document, folder.path);
  for (const finding of findings) console.log(`redocly: ${finding}`);
  console.log(`redocly lint: ${findings.length} findings`);
  const code = await runSchemathesis(parley);
  const untried = await report(parley);
  const serverErrors = parley.output().match(/"msg":"a request failed".*/g) ?? [];
  for (const line of serverErrors.slice(0, 5)) console.log(line);
  exitCode = code !== 0 || untried > 0 || findings.length > 0 ? 1 : 0;
} finally {
  await parley.stop();
  await folder.remove();
}
process.exitCode = exitCode;

/** Into a folder of its own: it is Python, and no part of what Parley is made of. */
function install(): string {
  const home = path.join(homedir(), '.cache/parley', `schemathesis-${VERSION}`);
  const installed = path.join(home, 'bin/schemathesis');
  if (existsSync(installed)) return installed;
  const stdio = 'inherit';
  execFileSync('python3', ['-m', 'venv', home], { stdio });
  const pip = path.join(home, 'bin/pip');
  execFileSync(pip, ['install', '--quiet', `schemathesis==${VERSION}`], { stdio });
  return installed;
}

async function runSchemathesis({ url, apiKey, call }: Parley): Promise<number> {
  const options: Record<string, string> = {
    header: `Authorization: Bearer ${apiKey}`,
    phases: 'examples,coverage,fuzzing,stateful',
    mode: 'all',
    'max-examples': examples,
    // A rule between two fields, or one about an address, is more than a schema can say. The second
    // leaves the key out, which the header above puts back; ignored_auth asks the same.
    'exclude-checks': 'positive_data_acceptance,missing_required_header',
    'generation-database': 'none',
    'suppress-health-check': 'all',
    ...(process.env['CONTRACT_SEED'] && { seed: process.env['CONTRACT_SEED'] }),
  };
  const args = [
    `--config-file=${path.join(import.meta.dirname, 'schemathesis.toml')}`,
    'run',
    `${url}/v1/openapi.json`,
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...LEFT_OUT.flatMap((left) => ['--exclude-path', left]),
    '--continue-on-failure',
    '--no-shrink',
    '--no-color',
    ...process.argv.slice(2),
  ];
  const child = spawn(program, args, {
    cwd: folder.path,
    stdio: 'inherit',
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: path.join(import.meta.dirname, 'hooks.py'),
      PYTHONDONTWRITEBYTECODE: '1',
      PARLEY_URL: url,
      PARLEY_KEY: apiKey,
      PARLEY_KEY_ID: await ownKeyId({ apiKey, call }),
    },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Which of the keys it must not delete: the one it asks with. */
async function ownKeyId({ apiKey, call }: Pick<Parley, 'apiKey' | 'call'>): Promise<string> {
  const { body } = await call('GET', '/v1/api_keys?limit=100');
  const own = (body.data as { id: string; prefix: string }[]).find(({ prefix }) =>
    apiKey.startsWith(prefix),
  );
  if (!own) throw new Error('the API does not list the key that it printed');
  return own.id;
}

/** Prints what was answered by each operation; resolves with how many never answered 2xx. */
async function report({ url, call }: Parley): Promise<number> {
  const { body } = await call('GET', '/v1/openapi.json');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const rows = coverageOf(body, metrics).filter(({ route }) => !LEFT_OUT.includes(route));
  for (const { name, answers } of rows) console.log(`${name.padEnd(58)} ${answers.join('  ')}`);
  const untried = rows.filter(({ isTried }: Operation) => !isTried);
  const total = rows.reduce((sum, { requests }) => sum + requests, 0);
  console.log(`\n${total} requests, ${rows.length} operations, left out: ${LEFT_OUT.join(', ')}`);
  for (const { name } of untried) console.log(`never answered 2xx: ${name}`);
  const failed = rows.filter(({ hasServerError }) => hasServerError);
  for (const { name } of failed) console.log(`answered 5xx: ${name}`);
  return untried.length + failed.length;
}
