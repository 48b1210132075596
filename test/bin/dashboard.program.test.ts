import { execFile } from 'node:child_process';
import {
  appendFile,
  cp,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

/**
 * The dashboard of a checkout: built when it is not of its sources, and never in the way of a start. Three builds take 15
 * seconds of a core, so the dashboard here is one module; test/chart/image builds the real one.
 */

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const COPIED = [
  'bin',
  'package.json',
  'package-lock.json',
  'packages/client/src',
  'packages/dashboard',
  'src/voice/audio',
  'packages/widget',
  'tsconfig.json',
];
const BUILT = /^parley: built the dashboard \(\d+\.\d s\)$/;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'parley-checkout-'));
  for (const name of COPIED)
    await cp(path.join(ROOT, name), path.join(root, name), { recursive: true });
  await writeFile(main(), "document.title = 'made here';\n");
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

type Started = { isOfSources: boolean; said: string[] };

/** As bootstrap.mjs does before a start, in a process of its own. */
async function start(): Promise<Started> {
  const program = `
    const { ensureDashboard } = await import(${JSON.stringify(path.join(root, 'bin/built-pages.mjs'))});
    console.log(await ensureDashboard({ root: ${JSON.stringify(root)}, nodes: [process.execPath] }));`;
  const args = ['--input-type=module', '-e', program];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: root });
  return { isOfSources: stdout.trim() === 'true', said: stderr.split('\n').filter(Boolean) };
}

const main = (): string => path.join(root, 'packages/dashboard/src/main.tsx');
const built = (name: string): string => path.join(root, 'dist/dashboard', name);

test('is built once by two starts at the same moment, and again when a source changes, unless that fails', async () => {
  const both = await Promise.all([start(), start()]);
  expect(both.map(({ isOfSources }) => isOfSources)).toEqual([true, true]);
  const said = both.flatMap((one) => one.said);
  expect(said.filter((line) => BUILT.test(line))).toHaveLength(1);
  expect(await readdir(path.join(root, 'dist'))).toEqual(['dashboard']);
  expect(await readFile(built('index.html'), 'utf8')).toContain('<div id="root">');
  expect(await start()).toEqual({ isOfSources: true, said: [] });

  await utimes(main(), new Date(), new Date()); // Touched, and not changed.
  expect((await start()).said).toEqual([]);

  await appendFile(main(), "document.title = 'changed here';\n");
  expect(await start()).toEqual({ isOfSources: true, said: [expect.stringMatching(BUILT)] });
  const scripts = (await readdir(built('assets'))).filter((name) => /^index-.*\.js$/.test(name));
  expect(scripts).toHaveLength(1); // The earlier one is gone.
  expect(await readFile(built(`assets/${scripts[0]!}`), 'utf8')).toContain('changed here');

  await leavesWhatIsThere();
}, 60_000);

/** When the sources cannot be built. */
async function leavesWhatIsThere(): Promise<void> {
  const before = await readFile(built('index.html'), 'utf8');
  await appendFile(main(), 'this is ( no program');
  const { isOfSources, said } = await start();
  expect(isOfSources).toBe(false);
  expect(said.join('\n')).toContain('main.tsx');
  expect(said.at(-1)).toBe(
    'parley: building the dashboard failed, see the output above; the API runs without it',
  );
  expect(await readFile(built('index.html'), 'utf8')).toBe(before);
  expect(await readdir(path.join(root, 'dist'))).toEqual(['dashboard']);
}

test('is left out in a line without the development packages, and where nothing can be written', async () => {
  await rm(path.join(root, 'node_modules'));
  const without = await start();
  expect(without.isOfSources).toBe(false);
  expect(without.said).toEqual([
    "parley: the dashboard is not built: the development packages are missing (run 'npm ci')",
  ]);
  expect(existsSync(path.join(root, 'dist'))).toBe(false);
});
