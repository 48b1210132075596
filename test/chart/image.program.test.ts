import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What the image is made of. That it starts is tested where there is a container runtime. */

const run = promisify(execFile);
/** What the parts of a program count and wait by, in the program that a test runs. */
const WAITING = `const waitingMax = { namespace: 1, all: 1 };
      const counted = { inc: () => undefined, dec: () => undefined };
      const metrics = { workWaiting: counted, workRunning: counted, workRefused: counted };`;
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

/** What the build stage copies, as `from` → `to`; its packages are ours. */
function copiedToBuild(): [string, string][] {
  const [, stage] = /AS build\n([\s\S]*?)\nFROM /.exec(dockerfile)!;
  return [...stage!.matchAll(/^COPY (.+) (\S+)$/gm)].flatMap(([, names, to]) =>
    names!
      .split(' ')
      .map((name): [string, string] => [name, to!.endsWith('/') ? join(to!, basename(name)) : to!]),
  );
}

describe('what is built from the files that the image is built from, and from no others', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-dist-'));
    for (const [name, to] of copiedToBuild())
      await cp(join(root, name), join(folder, to), { recursive: true });
    const packages = await realpath(join(root, 'node_modules'));
    await symlink(packages, join(folder, 'node_modules'));
    const args = ['--disable-warning=ExperimentalWarning', 'bin/build.mjs', 'dist'];
    await run(process.execPath, [...args, '--no-optional'], { cwd: folder });
  }, 60_000);

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
    expect((await node('start', '--help')).stdout).toContain('PARLEY_DATA_DIR');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect((await node('--version')).stdout).toBe(`${version}\n`);
    // A start without settings loads a role's modules and then says what is missing.
    const roles = ['operator', 'api', 'delivery', 'migrate'];
    await Promise.all(roles.map((role) => expect(node(role)).rejects.toThrow(/DATABASE_URL/)));
  });

  test('has the thread that cuts texts', async () => {
    const cutter = join(folder, 'dist/knowledge/passages/text-cutter.js');
    const program = `
      const { createTextCutter } = await import(${JSON.stringify(cutter)});
      ${WAITING}
      const cutter = createTextCutter({ waitingMax, metrics, log: console });
      const text = 'word '.repeat(100_000);
      console.log((await cutter.cut('default', { path: 'a', title: 'a', text })).passages);
      await cutter.stop();`;
    const flags = ['--no-experimental-strip-types', '--input-type=module', '-e', program];
    const { stdout } = await run(process.execPath, flags, { cwd: folder, env: {} });
    expect(Number(stdout)).toBeGreaterThan(200);
  });

  test('has the process that reads documents', async () => {
    const extractor = join(folder, 'dist/knowledge/formats/extractor.js');
    const program = `
      const { createExtractor } = await import(${JSON.stringify(extractor)});
      ${WAITING}
      const extractor = createExtractor({ waitingMax, metrics, log: console });
      const bytes = Buffer.from('Room;Price\\nSingle;45');
      const read = await extractor.extractFor('default')({ bytes, mediaType: null, name: 'prices.csv' });
      console.log(read.documents[0].text);
      await extractor.stop();`;
    const flags = ['--no-experimental-strip-types', '--input-type=module', '-e', program];
    const { stdout } = await run(process.execPath, flags, { cwd: folder, env: {} });
    expect(stdout).toBe('Room: Single\nPrice: 45\n');
  });

  test('has the dashboard for production, whatever the shell says, and none of its sources', () => {
    const made = readdirSync(join(folder, 'dist/dashboard'), { recursive: true }).map(String);
    expect(made.filter((name) => /\.tsx?$|tsconfig|^(app|data|pages|ui)\b/.test(name))).toEqual([]);
    const entry = made.find((name) => /^assets\/index-.*\.js$/.test(name))!;
    expect(made).toEqual(expect.arrayContaining(['index.html', `${entry}.br`, `${entry}.gz`]));
    // Vitest has set NODE_ENV=test, which would have made React's build for development.
    const script = readFileSync(join(folder, 'dist/dashboard', entry), 'utf8');
    expect(script).not.toContain('You are using development');
    expect(script).not.toContain('validateDOMNesting');
  });

  test('names the packages of the dashboard, with licences that allow it and ask to be shown', () => {
    const shown = readFileSync(join(folder, 'dist/dashboard/licenses.txt'), 'utf8');
    const packages = [...shown.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm)];
    const names = packages.map(([, name, version]) => `${name}@${version}`);
    expect(names.map((name) => name.replace(/@[^@]*$/, ''))).toEqual(
      expect.arrayContaining(['react', 'react-dom', '@tanstack/react-router', 'openapi-fetch']),
    );
    const strangers = packages.filter(
      ([, , , one]) => !['MIT', 'BSD-3-Clause', 'ISC'].includes(one!),
    );
    expect(strangers).toEqual([]);
    const [ofPackages, ofFonts] = shown.split('Fonts (OFL-1.1)');
    expect(ofPackages!.match(/Permission is hereby granted|Redistribution and use/g)).toHaveLength(
      packages.length,
    );
    expect(ofFonts).toMatch(/^Inter: Copyright[^]*^JetBrains Mono: Copyright[^]*SIL OPEN FONT/m);
    const sbom = JSON.parse(readFileSync(join(folder, 'dist/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((name) => /^(vite|vitest|rolldown)@/.test(name))).toEqual([]);
  });

  test('keeps the line numbers of the sources', () => {
    const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length;
    expect(lines(join(folder, 'dist/config.js'))).toBe(lines(join(root, 'src/config.ts')));
  });
});
