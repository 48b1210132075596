import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ownFolder, processStartTime } from '../../src/standalone/postgres/owner.ts';
import { spawnUnreaped, statOf, untilZombie } from './processes.ts';

/**
 * `parley.pid` (contract/running.md#data-folder) names the owner of the data folder to people, scripts and the next
 * start.
 */

let dataDir: string;
let file: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'parley-owner-'));
  file = path.join(dataDir, 'parley.pid');
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test('names its owner and when that started, is alone in the folder, and goes with the release', async () => {
  const release = await ownFolder(dataDir);
  const text = await readFile(file, 'utf8');
  expect(text).toBe(`${process.pid} ${processStartTime(process.pid)}`);
  expect(await readdir(dataDir)).toEqual(['parley.pid']);
  await expect(ownFolder(dataDir)).rejects.toThrow(`in use by another parley (pid ${process.pid})`);
  expect(await readdir(dataDir)).toEqual(['parley.pid']);
  await release();
  expect(await readdir(dataDir)).toEqual([]);
});

test('is never seen half written', async () => {
  const seen = new Set<string>();
  const over = new AbortController();
  const look = async (): Promise<void> => {
    while (!over.signal.aborted) seen.add(await readFile(file, 'utf8').catch(() => 'none'));
  };
  const looking = [look(), look()];
  for (let i = 0; i < 50; i += 1) await (await ownFolder(dataDir))();
  over.abort();
  await Promise.all(looking);
  seen.delete('none');
  expect([...seen]).toEqual([`${process.pid} ${processStartTime(process.pid)}`]);
});

test.each(['', 'gibberish', '1', `${process.pid} 1`])(
  'a file that says %j is nobody',
  async (text) => {
    await writeFile(file, text);
    const release = await ownFolder(dataDir);
    expect(await readFile(file, 'utf8')).toMatch(`${process.pid} `);
    await release();
  },
);

(process.platform === 'linux' ? describe : describe.skip)('on Linux', () => {
  test('a process that has ended and was not reaped owns nothing', async () => {
    const parent = spawnUnreaped(['/bin/sh', '-c', 'echo $$']);
    const [line] = await once(createInterface(parent.stdout), 'line');
    const pid = Number(line);
    try {
      await untilZombie(pid);
      await writeFile(file, `${pid} ${statOf(pid)[19]}`);
      await (
        await ownFolder(dataDir)
      )();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});
