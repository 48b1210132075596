import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import heapFlags from '../../bin/heap-flags.json' with { type: 'json' };
import { freePort, temporaryFolder } from '../roles/parley-process.ts';
import { leashOf, postmasterPid, spawnUnreaped, statOf, untilZombie } from './processes.ts';

/** Killed and started again at once, as a supervisor does in a container whose pid 1 reaps nobody. */

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');
const SERVING_WITHIN_MS = 3_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let parents: ChildProcess[];
beforeEach(async () => {
  folder = await temporaryFolder();
  parents = [];
});
afterEach(async () => {
  for (const parent of parents) parent.kill('SIGKILL');
  await folder.remove();
});

/** Resolves with its pid once it is serving. */
async function start(port: number): Promise<number> {
  const parent = spawnUnreaped([process.execPath, ...heapFlags, MAIN, 'start'], {
    PATH: process.env['PATH'],
    PARLEY_DATA_DIR: folder.path,
    PARLEY_MANIFESTS: path.join(folder.path, 'no-manifests'),
    PARLEY_DEMO: '0',
    PARLEY_PORT: String(port),
  });
  parents.push(parent);
  let said = '';
  parent.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const lines = createInterface(parent.stdout);
  const ended = once(lines, 'close').then(() => Promise.reject(new Error(said)));
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  ended.catch(() => undefined); // When it is killed.
  const { url } = JSON.parse(String(line)) as { url: string };
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  return Number.parseInt(await readFile(path.join(folder.path, 'parley.pid'), 'utf8'), 10);
}

const onLinux = process.platform === 'linux' ? test.each : test.skip.each;

onLinux([
  ['alone', async () => []],
  ['with the shell that would stop its PostgreSQL', async (pid: number) => [await leashOf(pid)]],
  ['with its PostgreSQL', async () => [postmasterPid(folder.path)]],
])(
  `F-06: start is serving again within ${SERVING_WITHIN_MS} ms of SIGKILL, though a zombie is left: %s`,
  async (what, others) => {
    const port = await freePort();
    const pid = await start(port);
    const pids = [...(await others(pid)), pid];

    const killedAt = performance.now();
    for (const each of pids) process.kill(each, 'SIGKILL');
    await untilZombie(pid);
    const next = await start(port);
    const tookMs = Math.round(performance.now() - killedAt);

    console.info(`killed ${what}: serving again after ${tookMs} ms`);
    expect(tookMs).toBeLessThan(SERVING_WITHIN_MS);
    expect(next).not.toBe(pid);
    expect(statOf(pid)[0]).toBe('Z');
    process.kill(next, 'SIGTERM');
    await untilZombie(next);
  },
);
