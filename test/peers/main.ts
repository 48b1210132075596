import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { until } from '../until.ts';
import { startClerk } from './clerk.ts';

/**
 * Clients of OpenAI's protocol, as they are published, talk to an agent of a `parley start`: they are
 * what `/v1/chat/completions` is for, so what they make of an answer is asked of them. They are
 * installed once below ~/.cache/parley, by npm (with its lock) and by pip.
 *
 *   npm run test:peers [-- openai-node langchain ...]
 */

const HERE = import.meta.dirname;
const PEERS = ['openai-node', 'openai_python', 'langchain', 'ai-sdk'];

const asked = process.argv.slice(2);
const home = await install();
const folder = await temporaryFolder();
await mkdir(path.join(folder.path, 'manifests'));
await cp(path.join(HERE, 'knowledge.yaml'), path.join(folder.path, 'manifests/shop.yaml'));
const parley = await startParley({
  dataDir: path.join(folder.path, 'data'),
  manifests: path.join(folder.path, 'manifests'),
});
const clerk = await startClerk(parley);
let passed = 0;
let failed = 0;
try {
  const agent = await agentOf(parley);
  for (const peer of PEERS.filter((name) => asked.length === 0 || asked.includes(name))) {
    const lines = await run(peer, { parley, agent, more: clerk.env });
    passed += lines.filter((line) => line.startsWith('ok ')).length;
    failed += lines.filter((line) => line.startsWith('not ok ')).length;
  }
} finally {
  await parley.stop();
  await clerk.stop();
  await folder.remove();
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** A folder for each state of the lists of packages; the scripts stand beside what they import. */
async function install(): Promise<string> {
  const lists = ['package.json', 'package-lock.json', 'requirements.txt'];
  const hash = createHash('sha256');
  for (const list of lists) hash.update(readFileSync(path.join(HERE, list)));
  const into = path.join(homedir(), '.cache/parley', `peers-${hash.digest('hex').slice(0, 16)}`);
  await mkdir(into, { recursive: true });
  const scripts = readdirSync(HERE).filter((name) => /\.(mjs|py)$/.test(name));
  for (const name of [...lists, ...scripts]) cpSync(path.join(HERE, name), path.join(into, name));
  const done = path.join(into, 'installed');
  if (existsSync(done)) return into;
  const options = { cwd: into, stdio: 'inherit' } as const;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
  execFileSync('python3', ['-m', 'venv', 'python'], options);
  execFileSync(
    path.join(into, 'python/bin/pip'),
    ['install', '--quiet', '-r', 'requirements.txt'],
    options,
  );
  writeFileSync(done, '');
  return into;
}

/** Once its knowledge can be searched. */
async function agentOf({ call }: Parley): Promise<string> {
  return until('an agent that is ready', async () => {
    const { body } = await call('GET', '/v1/agents?name=shop&ready=true');
    return (body.data as { id: string }[])[0]?.id;
  });
}

/** Lines `ok …` and `not ok …`; a script that ends otherwise than well is a failure too. */
async function run(
  peer: string,
  { parley, agent, more }: { parley: Parley; agent: string; more: Record<string, string> },
): Promise<string[]> {
  const isPython = existsSync(path.join(home, `${peer}.py`));
  const program = isPython ? 'python/bin/python' : process.execPath;
  const child = spawn(program, [isPython ? `${peer}.py` : `${peer}.mjs`], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PARLEY_URL: parley.url,
      PARLEY_KEY: parley.apiKey,
      PARLEY_AGENT: agent,
      ...more,
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  console.log(`\n${peer}`);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    console.log(`  ${line}`);
  }
  const code = await ended;
  return code === 0 ? lines : [...lines, `not ok ${peer}: exit code ${code}`];
}
