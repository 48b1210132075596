import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../../src/commands/keys.ts';
import { runMigrate } from '../../src/commands/migrate.ts';
import { readConfig } from '../../src/config.ts';

/** A command that needs a database says where to find one, or what to do without it. */

const KEY = { namespace: 'default', scopes: undefined, name: undefined, expires: undefined };

async function dataDir(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-keys-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('keys create beside `parley start` says where its keys are made, and where the first one is', async () => {
  const folder = await dataDir();
  const file = path.join(folder, 'api-key');
  await writeFile(file, 'parley_x');
  const creating = createKey(readConfig({ PARLEY_DATA_DIR: folder }), KEY);
  await expect(creating).rejects.toThrow(
    `DATABASE_URL is not set, so there is no database to store the key in. You can also create keys under ` +
      `Settings > API keys in the dashboard of \`parley start\`, or with POST /v1/api_keys; the first key is in ${file}.`,
  );
});

test('keys create without either asks for the database of the roles', async () => {
  const creating = createKey(readConfig({ PARLEY_DATA_DIR: await dataDir() }), KEY);
  await expect(creating).rejects.toThrow(/Set it to the database that the roles use\./);
  await expect(creating).rejects.not.toThrow(/first key is in/);
});

test('migrate says what to set', async () => {
  await expect(runMigrate(readConfig({}))).rejects.toThrow(/such as postgresql:\/\//);
});
