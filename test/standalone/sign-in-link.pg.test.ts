import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';

/** Contract §2: `start` gives a link to the dashboard that signs in once. */

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

const start = (env: Record<string, string> = {}): Promise<Parley> =>
  startParley({
    dataDir: path.join(folder.path, 'data'),
    env: { DATABASE_URL: database.url, ...env },
  });

/** As the page does that the link leads to. */
function redeem({ url, dashboard }: Parley): Promise<Response> {
  return fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ sign_in_token: new URL(dashboard!).hash.replace('#sign-in=', '') }),
  });
}

test('the link of each start signs in once, with the key that is shown', async () => {
  parley = await start({ PARLEY_LOG_LEVEL: 'trace' });
  expect(parley.dashboard).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[0-9a-z]{26}$/);
  expect(parley.output()).toContain(parley.dashboard);
  const first = await redeem(parley);
  expect(first.status).toBe(201);
  const cookie = first.headers.getSetCookie()[0]!.split(';')[0]!;
  const me = await fetch(`${parley.url}/v1/me`, { headers: { cookie } });
  expect(await me.json()).toMatchObject({
    namespace: 'default',
    name: expect.stringMatching(/./),
    api_key: { prefix: parley.apiKey.slice(0, 15) },
    scopes: ['read', 'write', 'publish', 'replay', 'keys'],
  });
  expect((await redeem(parley)).status).toBe(401);
  expect(parley.output()).not.toContain(cookie.split('=')[1]); // No log of the process has it.
  await parley.stop();
  parley = await start({ PARLEY_BASE_URL: 'https://parley.example' });
  expect(parley.dashboard).toMatch(/^https:\/\/parley\.example\/#sign-in=[0-9a-z]{26}$/);
  expect((await redeem(parley)).status).toBe(201);
}, 60_000);
