import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase, shiftTime } from './postgres.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }) });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const DAY_MS = 86_400_000;

test('shifted time is seen by statements, prepared ones and defaults, of every session', async () => {
  const [one, other] = [await pool.connect(), await pool.connect()];
  await one.query('create table stamped (at timestamptz not null default now())');
  const read = async (client: typeof one): Promise<number[]> => {
    const text = `with made as (insert into stamped default values returning at)
                  select round(extract(epoch from x.at - pg_catalog.now()) / 86400)::int as days
                    from (select now() as at union all select clock_timestamp()
                          union all select at from made) x`;
    const { rows } = await client.query<{ days: number }>({ name: 'read', text });
    return rows.map(({ days }) => days);
  };
  expect(await read(other)).toEqual([0, 0, 0]);
  await shiftTime(one, 3 * DAY_MS);
  expect([await read(one), await read(other)]).toEqual([
    [3, 3, 3],
    [3, 3, 3],
  ]);
  await shiftTime(pool, 0);
  expect(await read(other)).toEqual([0, 0, 0]);
  one.release();
  other.release();
});
