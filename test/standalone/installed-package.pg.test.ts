import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pdfWithCMap } from '../knowledge/formats/making.ts';
import { findBinaries } from '../../src/standalone/postgres/binaries.ts';
import { consumer, CONSUMED, FOR_NODE, projectWith, ROOT } from '../client/pack.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { canNobodyRun, NOBODY } from './processes.ts';

/**
 * `npm install parley` somewhere else: what `npm pack` makes of this tree. Nightly npm installs it with all it depends on;
 * else it has the packages of this tree, and must import none that it does not name.
 */

let project: Awaited<ReturnType<typeof projectWith>>;
/** Who installed it and who runs it are two, where that can be. */
const other =
  process.getuid?.() === 0 &&
  (IS_NIGHTLY || canNobodyRun(process.execPath, findBinaries().postgres))
    ? { uid: NOBODY, gid: NOBODY }
    : undefined;

beforeAll(async () => {
  project = await projectWith(ROOT, { linksPackages: !IS_NIGHTLY });
}, 300_000);

afterAll(() => project.remove());

describe('the package parley, installed', () => {
  test('has the program, what it reads, and neither sources nor tests', () => {
    const { files } = project;
    expect(files).toEqual(
      expect.arrayContaining([
        'bin/bootstrap.mjs',
        'dist/main.js',
        'dist/client/client.d.ts',
        'dist/cmaps/90ms-RKSJ-H.bcmap',
        'dist/cmaps/LICENSE',
        'dist/dashboard/index.html',
        'dist/dashboard/licenses.txt',
        'dist/sbom.cdx.json',
        'LICENSE',
        'README.md',
      ]),
    );
    const tops = new Set(files.map((file) => file.split('/')[0]));
    expect([...tops].map(String).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'crds',
      'dist',
      'examples',
      'migrations',
      'package.json',
    ]);
  });

  test('imports no package that it does not name', async () => {
    const home = path.join(project.path, 'node_modules/parley');
    const text = await readFile(path.join(home, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    const programs = project.files.filter((file) =>
      /^dist\/(?!widget|dashboard).*\.js$/.test(file),
    );
    const imported = new Set<string>();
    for (const file of programs)
      for (const name of packagesIn(await readFile(path.join(home, file), 'utf8')))
        imported.add(name);
    expect([...imported].filter((name) => !(name in dependencies))).toEqual([]);
    expect(imported.size).toBeGreaterThan(30);
  });

  test('`parley start` serves, run by a user who may not write where it is installed', async () => {
    const home = path.join(project.path, 'home');
    await chmod(project.path, 0o755);
    await mkdir(home);
    if (other) await chown(home, other.uid, other.gid);
    const command = path.join(project.path, 'node_modules/.bin/parley');
    const parley = spawn(command, ['start'], {
      ...other,
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        PARLEY_PORT: '0',
        // Has the packages of this tree, which the short run links.
        ...(!IS_NIGHTLY && { NODE_COMPILE_CACHE: COMPILE_CACHE }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const { url, api_key: key } = await ready(parley);
      const answer = await fetch(`${url}/docs`);
      expect(answer.status).toBe(200);
      expect(await (await fetch(url)).text()).toContain('<div id="root">');
      await writeFile(path.join(project.path, 'program.ts'), consumer('parley/client'));
      expect(await project.check('program.ts', ...FOR_NODE)).toBe('');
      const consumed: unknown = JSON.parse(await project.node('program.ts', url, key));
      expect(consumed).toMatchObject({ ...CONSUMED, prompts: expect.any(Array) });
      expect(await found({ url, key }, FORM, '返品')).toEqual(['返品は30日以内']);
    } finally {
      parley.kill('SIGTERM');
      if (parley.exitCode === null) await once(parley, 'exit');
    }
    expect(parley.exitCode).toBe(0);
  }, 120_000);

  test('gives nothing else of the package away', async () => {
    const inside = "await import('parley/dist/config.js')";
    await expect(project.node('--input-type=module', '-e', inside)).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});

const IMPORTS =
  /^(?:import '|(?:import|export|\}) ?[^'\n]*\bfrom '|.*\bimport\(')((?:@[a-z][\w.-]*\/)?[a-z][\w.-]*)(?:\/[^'\n]*)?'/gm;

/** Packages that a module imports by name. */
function packagesIn(code: string): string[] {
  const names = code.matchAll(IMPORTS);
  return [...names].map(([, name]) => name!);
}

/** A PDF that refers to a predefined CMap. */
const FORM = pdfWithCMap({ encoding: '90ms-RKSJ-H', ordering: 'Japan1' }, [
  '95D4956982CD333093FA88C893E0',
]);

/** Uploads a PDF and returns the texts that a search finds in it. */
async function found(
  { url, key }: { url: string; key: string },
  pdf: Buffer,
  query: string,
): Promise<string[]> {
  const call = async (path: string, init: RequestInit = {}, type = 'application/json') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type };
    const response = await fetch(`${url}/v1/knowledge/${path}`, { ...init, headers });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as { id: string; data: { text: string }[] };
  };
  const body = JSON.stringify({ type: 'file', name: 'form' });
  const { id } = await call('sources', { method: 'POST', body });
  const upload = { method: 'PUT', body: new Uint8Array(pdf) };
  await call(`sources/${id}/content?file_name=form.pdf`, upload, 'application/pdf');
  const { data } = await call(`search?q=${encodeURIComponent(query)}`);
  return data.map(({ text }) => text);
}

/** The line by which it says that it serves. @throws with what it wrote instead */
async function ready(parley: ChildProcess): Promise<{ url: string; api_key: string }> {
  let said = '';
  parley.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(parley, 'close').then(() => {
    throw new Error(`it ended: ${said}`);
  });
  ended.catch(() => undefined);
  const line = once(createInterface(parley.stdout!), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, ended]);
  return JSON.parse(text) as { url: string; api_key: string };
}
