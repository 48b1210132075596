import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startRole, type Parley } from '../roles/parley-process.ts';
import { until } from '../until.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** The API dies in the middle of removing what is past its retention. */

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
  const env = {
    PARLEY_PORT: String(await freePort()),
    PARLEY_RETENTION_CONVERSATIONS: '10',
    PARLEY_FAILPOINTS: failpoints,
  };
  return startRole('api', { databaseUrl: database.url, env });
}

async function left(): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int as count from conversations where ended_at is not null`,
  );
  return rows[0]!.count;
}

// What a dead API leaves is a matter of audit-kill.faults.test.ts in the normal lane.
test.runIf(IS_NIGHTLY)(
  'F-06: what a killed process left is removed by the next, and what goes on stays',
  async () => {
    await admin.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, ended_at,
                                max_duration_sec, silence_timeout_sec, summary)
     select gen_random_uuid(), 'default', gen_random_uuid(), 1, 'chat',
            case when i = 0 then 'active' else 'ended' end,
            case when i = 0 then null else now() - interval '11 days' end, 3600, 3600, ''
       from generate_series(0, 120) as i`,
    );
    // It removes as soon as it has started, so the start itself may be what fails.
    const dying = startApi('retention.removed=kill').catch(() => undefined);
    await until('the first batch', async () => (await left()) < 120);
    await (await dying)?.kill();
    expect(await left()).toBe(70); // One batch, whole.
    const api = await startApi('');
    await until('all to be gone', async () => (await left()) === 0);
    const { rows } = await admin.query(`select 1 from conversations where ended_at is null`);
    expect(rows).toHaveLength(1);
    await api.stop();
  },
);
