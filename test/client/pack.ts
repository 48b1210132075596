import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { copyTree } from '../mutants/private-copy.ts';

/** Our packages as other projects have them: packed by `npm pack`, installed by `npm install`. */

const run = promisify(execFile);
export const ROOT = path.resolve(import.meta.dirname, '../..');

/** As in a shell of somebody else: nothing of the npm or the bootstrap that runs the tests. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|PARLEY_|NODE_OPTIONS$)/i.test(name)),
);

/** An npm project beside nothing of ours. */
export type Project = {
  path: string;
  /** A program of Node there; resolves with its stdout. */
  node: (...args: string[]) => Promise<string>;
  /** What the compiler says of `file`, '' when it finds nothing. */
  check: (file: string, ...options: string[]) => Promise<string>;
  remove: () => Promise<void>;
};

const Packed = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

/** `npm pack --json` of a folder of ours. All of stdout has to be JSON. */
export async function pack(home: string, into: string): Promise<{ file: string; files: string[] }> {
  const args = ['pack', '--json', '--pack-destination', into];
  const { stdout } = await run('npm', args, { cwd: home, env: ENV, maxBuffer: 1 << 26 });
  const [{ filename, files }] = Packed.parse(JSON.parse(stdout));
  return { file: path.join(into, filename), files: files.map((one) => one.path) };
}

/**
 * Creates a project that depends on the package in `home`. npm installs it with its install scripts. With `linksPackages`
 * the package is only unpacked, beside a link to the packages of this tree: npm takes 15 seconds of a core for the 18,000
 * files that the product depends on. Builds the package in a copy of this tree, because other tests read `dist` of the
 * tree at the same time.
 */
export async function projectWith(
  home: string,
  { linksPackages = false } = {},
): Promise<Project & { files: string[] }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-consumer-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const copy = await copyTree(ROOT);
  try {
    await mkdir(path.join(folder, 'packed'));
    const copied = path.join(copy.root, path.relative(ROOT, home));
    const { file, files } = await pack(copied, path.join(folder, 'packed'));
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    if (linksPackages) await unpack(file, folder);
    else {
      const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
      await run('npm', ['install', file, ...quiet], { cwd: folder, env: ENV });
    }
    return { ...project(folder, remove), files };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await copy.remove();
  }
}

/** Lays the package `parley` out like npm, without the packages that it depends on. */
async function unpack(file: string, folder: string): Promise<void> {
  const home = path.join(folder, 'node_modules/parley');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', home]);
  const packages = await realpath(path.join(ROOT, 'node_modules'));
  await symlink(packages, path.join(home, 'node_modules'));
  const { bin } = JSON.parse(await readFile(path.join(home, 'package.json'), 'utf8')) as Package;
  await mkdir(path.join(folder, 'node_modules/.bin'));
  for (const [name, program] of Object.entries(bin)) {
    await chmod(path.join(home, program), 0o755);
    const link = path.join(folder, 'node_modules/.bin', name);
    await symlink(path.join('../parley', program), link);
  }
}

type Package = { bin: Record<string, string> };

const OPTIONS = ['--noEmit', '--ignoreConfig', '--strict', '--target', 'es2024', '--types', 'node'];

function project(folder: string, remove: () => Promise<void>): Project {
  const node = async (...args: string[]): Promise<string> => {
    const flags = ['--disable-warning=ExperimentalWarning', ...args];
    return (await run(process.execPath, flags, { cwd: folder, env: ENV })).stdout;
  };
  const check = (file: string, ...options: string[]): Promise<string> => {
    // The types of Node that such a project has.
    const types = ['--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    return node(tsc, ...OPTIONS, ...types, ...options, file).then(
      () => '',
      (failed: { stdout: string }) => failed.stdout,
    );
  };
  return { path: folder, node, check, remove };
}

export const FOR_NODE = ['--module', 'nodenext'];
export const FOR_BUNDLERS = [
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--exactOptionalPropertyTypes',
  '--lib',
  'es2024,dom,dom.asynciterable',
];

/** A program that uses what the client has, with the name that it is imported by. */
export const consumer = (specifier: string): string => `
import { createParleyClient, ok, verifyWebhook, type Agent, type ParleyEvent } from '${specifier}';

const parley = createParleyClient({ baseUrl: process.argv[2]!, apiKey: process.argv[3]! });
let made: Agent = await ok(parley.POST('/v1/agents', { body: { prompt: 'from outside' } }));
const params = { path: { id: made.id } };
// A 202 answers before the operator has published the version.
while (made.active_version === null) made = await ok(parley.GET('/v1/agents/{id}', { params }));
const prompts: string[] = [];
for await (const { prompt } of parley.list('/v1/agents')) prompts.push(String(prompt));
const { error } = await parley.GET('/v1/agents/{id}', { params: { path: { id: 'agt_x' } } });
const refused = await verifyWebhook('{}', {}, 'whsec_x').catch((reason: Error) => reason.name);
export function csatOf(event: ParleyEvent): number {
  return event.type === 'conversation.ended' ? event.data.csat_predicted : 0;
}
console.log(JSON.stringify({ version: made.active_version, prompts, code: error?.code, refused }));
`;

export const CONSUMED = {
  version: 1,
  prompts: ['from outside'],
  code: 'not_found',
  refused: 'WebhookSignatureError',
};
