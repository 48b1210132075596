import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { installOnce } from '../install-once.ts';
import { until } from '../until.ts';
import { startClerk } from './clerk.ts';
import { startPhones } from './phones.ts';
import { tryFeed } from './three-sources/feed.ts';
import { tryFiles } from './three-sources/files.ts';
import { openStory, type Story } from './three-sources/story.ts';
import { tryWebsite } from './three-sources/website.ts';

/**
 * What others made meets a `parley start`. Clients of OpenAI's protocol, as they are published, talk to an
 * agent: they are what `/v1/chat/completions` is for, so what they make of an answer is asked of them.
 * They are installed once below ~/.cache/parley, by npm (with its lock) and by pip. And documents of others
 * become knowledge: a site that Debian packs, files that LibreOffice makes, the feed of `examples/`.
 * And the packages of Twilio and Telnyx sign requests for us, and read what we answer and ask; Pipecat's
 * serializers carry the sound of calls.
 *
 *   npm run test:nightly -- peers [openai-node langchain website libreoffice feed telephony telnyx pipecat ...]
 *
 * A name that begins with one of the words is asked for.
 */

const HERE = import.meta.dirname;
const PEERS = [
  'openai-node',
  'openai_python',
  'langchain',
  'ai-sdk',
  'telephony',
  'telnyx',
  'pipecat_python',
];
/** Of documents; LibreOffice is used where it is installed. */
const SOURCES: Record<string, (story: Story) => Promise<void>> = {
  website: async (story) => tryWebsite(story, keyOf('other')),
  libreoffice: tryFiles,
  feed: (story) => tryFeed(story, manifests),
};

const asked = process.argv.slice(2);
const isAsked = (name: string): boolean =>
  asked.length === 0 || asked.some((word) => name.startsWith(word));
const clients = PEERS.filter(isAsked);
const home = clients.length === 0 ? '' : install();
const folder = await temporaryFolder();
const manifests = path.join(folder.path, 'manifests');
await mkdir(manifests);
await cp(path.join(HERE, 'knowledge.yaml'), path.join(manifests, 'shop.yaml'));
await cp(path.join(HERE, 'telephony.yaml'), path.join(manifests, 'carrier.yaml'));
// In a database that `keys create` reaches too.
const postgres = createEmbeddedPostgres({
  dataDir: path.join(folder.path, 'postgres'),
  log: pino({ level: 'silent' }),
});
const databaseUrl = (await postgres.start()).url;
const parley = await startParley({
  dataDir: path.join(folder.path, 'data'),
  manifests,
  env: { DATABASE_URL: databaseUrl },
});
const clerk = await startClerk(parley);
const phones = await startPhones(parley);
let passed = 0;
let failed = 0;
try {
  const agent = await agentOf(parley);
  for (const peer of clients)
    count(await run(peer, { parley, agent, more: { ...clerk.env, ...phones.env } }));
  for (const [name, tell] of Object.entries(SOURCES)) {
    if (!isAsked(name)) continue;
    console.log(`\n${name}`);
    const story = await openStory(parley, folder.path);
    try {
      await tell(story);
    } finally {
      await story.stop();
    }
    count(story.lines);
  }
} finally {
  await parley.stop();
  await clerk.stop();
  await phones.stop();
  await postgres.stop();
  await folder.remove();
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function count(lines: readonly string[]): void {
  passed += lines.filter((line) => line.startsWith('ok ')).length;
  failed += lines.filter((line) => line.startsWith('not ok ')).length;
}

/** The first key of a namespace. */
function keyOf(namespace: string): string {
  const main = path.join(HERE, '../../src/main.ts');
  const options = { env: { ...process.env, DATABASE_URL: databaseUrl }, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, [main, 'keys', 'create', '-n', namespace], options).trim();
}

/** Packages in a folder for each state of their lists; the scripts stand beside what they import. */
function install(): string {
  const lists = ['package.json', 'package-lock.json', 'requirements.txt'];
  const copyInto = (folder: string, names: readonly string[]): void => {
    for (const name of names) cpSync(path.join(HERE, name), path.join(folder, name));
  };
  const state = lists.map((list) => readFileSync(path.join(HERE, list)));
  const into = installOnce('peers', state, (folder) => {
    copyInto(folder, lists);
    const options = { cwd: folder, stdio: 'inherit' } as const;
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
    execFileSync('python3', ['-m', 'venv', 'python'], options);
    const pip = path.join(folder, 'python/bin/pip');
    execFileSync(pip, ['install', '--quiet', '-r', 'requirements.txt'], options);
  });
  const isScript = (name: string): boolean => /\.(mjs|py)$/.test(name);
  copyInto(into, readdirSync(HERE).filter(isScript));
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
