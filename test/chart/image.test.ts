import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What the image is made of. That it starts is tested where there is a container runtime. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

describe('the Dockerfile', () => {
  test('starts node itself, as a numbered user', () => {
    expect(dockerfile).toContain('ENTRYPOINT ["node", "/app/dist/main.js"]');
    expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toBe('65532:65532');
  });

  test('sets the heap flags of the other ways to start', () => {
    const text = readFileSync(join(root, 'bin', 'heap-flags.json'), 'utf8');
    const flags = (JSON.parse(text) as string[]).join(' ');
    expect(dockerfile).toContain(`NODE_OPTIONS="${flags}"`);
  });

  test('lets its base be chosen, and installs without scripts and without what pods never use', () => {
    expect(dockerfile).toContain('ARG BASE_IMAGE=node:24-bookworm-slim');
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual([
      '${BASE_IMAGE}',
      '${BASE_IMAGE}',
    ]);
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
  });

  test('copies what exists and what .dockerignore lets through', () => {
    const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) =>
      names!.split(' '),
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const name of copied) {
      expect({ name, exists: existsSync(join(root, name)) }).toEqual({ name, exists: true });
      expect(ignore).toContain(`!${name.split('/')[0]}`);
    }
  });
});

describe('the program without its types', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-dist-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const flags = ['--disable-warning=ExperimentalWarning'];
    const build = join(root, 'bin', 'build.mjs');
    await run(process.execPath, [...flags, build, join(folder, 'dist')]);
  });

  afterAll(async () => rm(folder, { recursive: true, force: true }));

  test('runs every command it has, without the type stripper', async () => {
    const node = (...args: string[]) =>
      run(
        process.execPath,
        ['--no-experimental-strip-types', join(folder, 'dist/main.js'), ...args],
        {
          env: {},
        },
      );
    expect((await node('--help')).stdout).toContain('Usage: parley');
    // A start without settings loads a role's modules and then says what is missing.
    const roles = ['operator', 'api', 'delivery', 'migrate'];
    await Promise.all(roles.map((role) => expect(node(role)).rejects.toThrow(/DATABASE_URL/)));
  });

  test('has the thread that cuts texts', async () => {
    const cutter = join(folder, 'dist/knowledge/passages/text-cutter.js');
    const program = `
      const { createTextCutter } = await import(${JSON.stringify(cutter)});
      const cutter = createTextCutter({ waitingMax: 1, log: console });
      const text = 'word '.repeat(100_000);
      console.log((await cutter.cut({ path: 'a', title: 'a', text })).passages);
      await cutter.stop();`;
    const flags = ['--no-experimental-strip-types', '--input-type=module', '-e', program];
    const { stdout } = await run(process.execPath, flags, { cwd: folder, env: {} });
    expect(Number(stdout)).toBeGreaterThan(200);
  });

  test('keeps the line numbers of the sources', () => {
    const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length;
    expect(lines(join(folder, 'dist/config.js'))).toBe(lines(join(root, 'src/config.ts')));
  });
});
