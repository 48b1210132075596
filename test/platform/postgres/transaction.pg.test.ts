import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import { createTestDatabase } from './postgres.ts';

let pool: Pool;

beforeEach(async () => {
  pool = createPool((await createTestDatabase()).url, { log: pino({ level: 'silent' }), max: 4 });
  await pool.query('create table boxes (name text primary key, value int not null)');
  await pool.query(`insert into boxes values ('a', 0), ('b', 0)`);
});

afterEach(async () => {
  await pool.end();
});

const add = (client: Pick<Pool, 'query'>, name: string) =>
  client.query('update boxes set value = value + 1 where name = $1', [name]);

test('F-14: of two transactions in a deadlock one is run again, and both happen once', async () => {
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const crossings: Promise<void>[] = [];
  let runs = 0;
  const cross = (first: string, second: string, mine: number): Promise<void> => {
    let isAgain = false;
    return inTransaction(pool, async (client) => {
      runs += 1;
      // Otherwise it may be first at the row that the other one waits for, and they would deadlock again.
      if (isAgain) await crossings[1 - mine];
      isAgain = true;
      await add(client, first);
      both[mine]!.resolve();
      await both[1 - mine]!.promise;
      await add(client, second);
    });
  };
  crossings.push(cross('a', 'b', 0), cross('b', 'a', 1));
  await Promise.all(crossings);
  expect(runs).toBe(3);
  const { rows } = await pool.query('select name, value from boxes order by name');
  expect(rows).toEqual([
    { name: 'a', value: 2 },
    { name: 'b', value: 2 },
  ]);
});

test('what fails of something else is not run again, nor what fails always', async () => {
  let runs = 0;
  const failing = (code: string): Promise<void> =>
    inTransaction(pool, async (client) => {
      runs += 1;
      await add(client, 'a');
      throw Object.assign(new Error('no'), { code });
    });
  await expect(failing('23505')).rejects.toThrow('no');
  expect(runs).toBe(1);
  await expect(failing('40001')).rejects.toThrow('no');
  expect(runs).toBe(4);
  const { rows } = await pool.query(`select value from boxes where name = 'a'`);
  expect(rows).toEqual([{ value: 0 }]);
});
