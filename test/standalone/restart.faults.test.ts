import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import heapFlags from '../../bin/heap-flags.json' with { type: 'json' };
import { freePort } from '../free-port.ts';
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
/** Or, where the machine has other work to do, what the first start took. */
const SERVING_WITHIN_MS = 3_000;
const TRIES_MAX = 3;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let parents: ChildProcess[];
let pids: number[];
beforeEach(async () => {
  folder = await temporaryFolder();
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

/** Resolves once it is serving, with its pid and the milliseconds since `sinceMs`. */
async function start(
  port: number,
  sinceMs = performance.now(),
): Promise<{ pid: number; tookMs: number }> {
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
  const tookMs = Math.round(performance.now() - sinceMs);
  const pid = Number.parseInt(await readFile(path.join(folder.path, 'parley.pid'), 'utf8'), 10);
  pids.push(pid);
  return { pid, tookMs };
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
    const first = await start(port);
    const boundMs = Math.max(SERVING_WITHIN_MS, first.tookMs);

    // Other work on the machine only adds to a time: the quickest is nearest to what it takes.
    const tookMs: number[] = [];
    let { pid } = first;
    while (tookMs.length < TRIES_MAX && !(Math.min(...tookMs) < boundMs)) {
      const killed = [...(await others(pid)), pid];
      const killedAt = performance.now();
      for (const one of killed) process.kill(one, 'SIGKILL');
      await untilZombie(pid);
      const next = await start(port, killedAt);
      expect(next.pid).not.toBe(pid);
      expect(statOf(pid)[0]).toBe('Z');
      pid = next.pid;
      tookMs.push(next.tookMs);
    }

    console.info(
      `killed ${what}: serving again after ${tookMs.join(', ')} ms; the first start took ${first.tookMs} ms`,
    );
    expect(Math.min(...tookMs)).toBeLessThan(boundMs);
  },
  60_000,
);
