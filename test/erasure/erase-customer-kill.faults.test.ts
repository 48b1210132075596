import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startRole, type Parley } from '../roles/parley-process.ts';
import { until } from '../until.ts';

/** The API dies in the middle of the erasure of a customer. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  admin = new Client(database.url);
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await database.drop();
});

async function startApi(failpoints: string): Promise<Parley> {
  const env = { PARLEY_PORT: String(await freePort()), PARLEY_FAILPOINTS: failpoints };
  return startRole('api', { databaseUrl: database.url, env });
}

async function countOf(condition: string): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int as count from conversations where ${condition}`,
  );
  return rows[0]!.count;
}

test('F-06: the next process continues the erasure of a customer where a killed one stopped', async () => {
  await admin.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status, ended_at, user_id,
                                max_duration_sec, silence_timeout_sec, summary, tally)
     select parley_uuid_v7(), 'default', gen_random_uuid(), 1, 'chat', 'ended', now(),
            case when i = 0 then 'ada' else 'maria' end, 3600, 3600, '', '{"escalations": {}}'
       from generate_series(0, 6) as i`,
  );
  await admin.query(
    `insert into customer_erasures (id, namespace, user_id, status, events, actor, total)
     values (parley_uuid_v7(), 'default', 'maria', 'running', 'deliver', 'cli', 6)`,
  );
  // It erases as soon as it has started, so the start itself may be what fails.
  const dying = startApi('erasure.erasing=kill@4').catch(() => undefined);
  await until('three to be erased', async () => (await countOf('deleted_at is not null')) === 3);
  await (await dying)?.kill();
  const api = await startApi('');
  const state = async () => (await admin.query('select * from customer_erasures')).rows[0];
  await until('the erasure to be done', async () => (await state()).status === 'done');
  expect(await state()).toMatchObject({ done: 6, total: 6, user_id: null });
  expect(await countOf(`user_id = 'maria'`)).toBe(0);
  expect(await countOf(`user_id = 'ada' and deleted_at is null`)).toBe(1);
  await api.stop();
});
