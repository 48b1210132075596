import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';

/** Output and state of `start` (contract/running.md#start), over three starts on one data folder and one database. */

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Used instead of a PostgreSQL of its own, which takes longer to make than all the rest. */
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let running: Parley | undefined;

beforeEach(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), createTestDatabase()]);
});
afterEach(async () => {
  await running?.stop();
  await database.drop();
  await folder.remove();
});

const start = async (env: Record<string, string> = {}): Promise<Parley> => {
  const dataDir = folder.path;
  running = await startParley({ dataDir, env: { DATABASE_URL: database.url, ...env } });
  return running;
};

test('each start shows a key that works and a link that signs in once, and owns its folder', async () => {
  const first = await start({ PARLEY_LOG_LEVEL: 'trace', PARLEY_WATCH_NAMESPACES: 'a' });
  expect(first.output()).toMatch(/PARLEY_WATCH_NAMESPACES: not used without a cluster/);
  await ownsFolder(first);
  await signsInOnce(first);
  await sendsNothingToItself(first);
  await revokeKey(first);
  expect(await first.stop()).toEqual([0]);
  expect(existsSync(ownerFile())).toBe(false);

  const second = await start({ PARLEY_BASE_URL: 'https://parley.example' });
  expect(second.apiKey).not.toBe(first.apiKey); // That one was revoked.
  expect((await second.call('GET', '/v1/agents')).status).toBe(200);
  expect(second.dashboard).toMatch(/^https:\/\/parley\.example\/#sign-in=[0-9a-z]{26}$/);
  expect((await redeem(second)).status).toBe(201);
  await second.kill();

  const third = await start();
  expect(await ownerOf()).toBe(String(third.pids[0]));
  expect(third.apiKey).toBe(second.apiKey);
  await revokeKey(third);
  await third.stop();
  await expect(start({ PARLEY_API_KEY: third.apiKey })).rejects.toThrow(
    'PARLEY_API_KEY was revoked',
  );
}, 60_000);

const ownerFile = (): string => path.join(folder.path, 'parley.pid');
const ownerOf = async (): Promise<string> => (await readFile(ownerFile(), 'utf8')).split(' ')[0]!;

/** Also with DATABASE_URL, because its keys are kept there. */
async function ownsFolder({ pids: [pid] }: Parley): Promise<void> {
  expect(await ownerOf()).toBe(String(pid));
  const another = startParley({ dataDir: folder.path, env: { DATABASE_URL: database.url } });
  await expect(another).rejects.toThrow(`in use by another parley (pid ${pid})`);
}

async function signsInOnce(parley: Parley): Promise<void> {
  expect(parley.dashboard).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[0-9a-z]{26}$/);
  expect(parley.output()).toContain(parley.dashboard);
  const answer = await redeem(parley);
  expect(answer.status).toBe(201);
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  const me = await fetch(`${parley.url}/v1/me`, { headers: { cookie } });
  expect(await me.json()).toMatchObject({
    namespace: 'default',
    name: expect.stringMatching(/./),
    api_key: { prefix: parley.apiKey.slice(0, 15) },
    scopes: ['read', 'write', 'publish', 'replay', 'keys'],
  });
  expect((await redeem(parley)).status).toBe(401);
  expect(parley.output()).not.toContain(cookie.split('=')[1]); // No log of the process has it.
}

/** The list of `start` opens loopback, where its own metrics of all namespaces are, and the database. */
async function sendsNothingToItself({ url, call }: Parley): Promise<void> {
  for (const own of [`${url}/metrics`, `http://localhost:${new URL(database.url).port}/`]) {
    const website = { type: 'website', website: { url: own } };
    const refused = await call('POST', '/v1/knowledge/sources', website);
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toContain('used by Parley itself');
    expect((await call('POST', '/v1/webhooks', { url: own })).status).toBe(422);
  }
}

/** Sends what the page sends that the link leads to. */
function redeem({ url, dashboard }: Parley): Promise<Response> {
  return fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(dashboard!).origin },
    body: JSON.stringify({ sign_in_token: new URL(dashboard!).hash.replace('#sign-in=', '') }),
  });
}

/** Revokes the key that is shown. The last key that may manage keys cannot be revoked, so it creates another one. */
async function revokeKey({ apiKey, call }: Parley): Promise<void> {
  const { body: keys } = await call('GET', '/v1/api_keys');
  const shown = keys.data.find(({ prefix }: { prefix: string }) => apiKey.startsWith(prefix));
  const scopes = ['read', 'write', 'publish', 'replay', 'keys'];
  expect((await call('POST', '/v1/api_keys', { name: 'mine', scopes })).status).toBe(201);
  expect((await call('DELETE', `/v1/api_keys/${shown.id}`)).status).toBe(204);
}
