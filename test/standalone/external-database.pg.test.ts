import { afterEach, beforeEach, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let parley: Parley | undefined;
beforeEach(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), createTestDatabase()]);
});
afterEach(async () => {
  await parley?.stop();
  await database.drop();
  await folder.remove();
});

test('with DATABASE_URL the data folder has one owner too: its keys are kept there', async () => {
  const start = (): Promise<Parley> =>
    startParley({ dataDir: folder.path, env: { DATABASE_URL: database.url } });
  parley = await start();
  const file = path.join(folder.path, 'parley.pid');
  expect((await readFile(file, 'utf8')).split(' ')[0]).toBe(String(parley.pids[0]));
  await expect(start()).rejects.toThrow(`in use by another parley (pid ${parley.pids[0]})`);

  expect(await parley.stop()).toEqual([0]);
  expect(existsSync(file)).toBe(false);

  parley = await start();
  await parley.kill();
  parley = await start();
  expect((await readFile(file, 'utf8')).split(' ')[0]).toBe(String(parley.pids[0]));
});

test('what is set and not used is a line, and a cluster as the store is refused', async () => {
  const env = { DATABASE_URL: database.url, PARLEY_WATCH_NAMESPACES: 'a' };
  await expect(
    startParley({ dataDir: folder.path, env: { ...env, PARLEY_STORE: 'kubernetes' } }),
  ).rejects.toThrow('parley: PARLEY_STORE=kubernetes: start keeps');
  parley = await startParley({ dataDir: folder.path, env });
  expect(parley.output()).toMatch(/PARLEY_WATCH_NAMESPACES: not used without a cluster/);
});
