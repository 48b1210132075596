import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import heapFlags from '../../bin/heap-flags.json' with { type: 'json' };
import { COMPILE_CACHE } from '../compile-cache.ts';
import { freePort } from '../free-port.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { memoryFolder } from '../memory-folder.ts';
import { copyCluster } from '../platform/postgres/made-cluster.ts';
import { temporaryFolder } from '../roles/parley-process.ts';
import { processStartTime } from '../../src/standalone/postgres/owner.ts';
import {
  endGroup,
  leashOf,
  postmasterPid,
  spawnUnreaped,
  statOf,
  untilGone,
  untilZombie,
} from './processes.ts';

/** Killed and started again at once, as a supervisor does in a container whose pid 1 reaps nobody. */

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let parents: ChildProcess[];
let pids: number[];
beforeEach(async () => {
  folder = await temporaryFolder(memoryFolder());
  await copyCluster(folder.path, { migrated: true });
  parents = [];
  pids = [];
});
afterEach(async () => {
  for (const pid of pids) {
    if (processStartTime(pid) !== undefined) process.kill(pid, 'SIGTERM');
    await untilGone(pid);
  }
  parents.forEach(endGroup);
  await folder.remove();
});

/** Resolves with its pid once it is serving. */
async function start(port: number): Promise<number> {
  const parent = spawnUnreaped([process.execPath, ...heapFlags, MAIN, 'start'], {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: COMPILE_CACHE,
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
  const pid = Number.parseInt(await readFile(path.join(folder.path, 'parley.pid'), 'utf8'), 10);
  pids.push(pid);
  return pid;
}

const onLinux = process.platform === 'linux' ? test : test.skip;
const KILLED: [string, (pid: number) => Promise<number[]>][] = [
  ['alone', async () => []],
  ['with the shell that would stop its PostgreSQL', async (pid: number) => [await leashOf(pid)]],
  ['with its PostgreSQL', async () => [postmasterPid(folder.path)]],
];

onLinux.each(IS_NIGHTLY ? KILLED : KILLED.slice(-1))(
  'F-06: start is serving again after SIGKILL, though a zombie is left: %s',
  async (_, others) => {
    const port = await freePort();
    const first = await start(port);
    const killed = [...(await others(first)), first];
    for (const one of killed) process.kill(one, 'SIGKILL');
    await untilZombie(first);
    const next = await start(port);
    expect(next).not.toBe(first);
    expect(statOf(first)[0]).toBe('Z');
  },
  60_000,
);
