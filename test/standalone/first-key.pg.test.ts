import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';

/** The key that `start` shows is one that works, whatever became of the one before. */

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Instead of a PostgreSQL of its own, which takes longer to make than all the rest. */
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

const start = (env: Record<string, string> = {}): Promise<Parley> =>
  startParley({
    dataDir: path.join(folder.path, 'data'),
    env: { DATABASE_URL: database.url, ...env },
  });

async function revokeFirstKey({ call }: Parley): Promise<void> {
  const { body: first } = await call('GET', '/v1/api_keys');
  const scopes = ['read', 'write', 'publish', 'replay', 'keys'];
  expect((await call('POST', '/v1/api_keys', { name: 'mine', scopes })).status).toBe(201);
  expect((await call('DELETE', `/v1/api_keys/${first.data[0].id}`)).status).toBe(204);
}

test('after the first key was revoked, the next start shows another one', async () => {
  parley = await start();
  const before = parley.apiKey;
  await revokeFirstKey(parley);
  await parley.stop();
  parley = await start();
  expect(parley.apiKey).not.toBe(before);
  expect((await parley.call('GET', '/v1/agents')).status).toBe(200);
  const shown = parley.apiKey;
  await parley.stop();
  parley = await start();
  expect(parley.apiKey).toBe(shown);
}, 60_000);

test('a key of the environment that was revoked stays so, and the start says it', async () => {
  const PARLEY_API_KEY = `parley_${'e'.repeat(40)}`;
  parley = await start({ PARLEY_API_KEY });
  await revokeFirstKey(parley);
  await parley.stop();
  parley = undefined;
  await expect(start({ PARLEY_API_KEY })).rejects.toThrow('PARLEY_API_KEY was revoked');
}, 60_000);
