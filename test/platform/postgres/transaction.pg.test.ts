import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import type { Session } from '../../../src/platform/postgres/session.ts';
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

/** Runs a transaction. Returns each statement with the number of bytes that had been read when it was sent. */
async function readWhenSent(
  work: (client: Pick<Pool, 'query'>) => Promise<unknown>,
  last?: (client: Pick<Pool, 'query'>) => Promise<void>,
): Promise<[text: string, bytesRead: number][]> {
  const sent: [string, number][] = [];
  const only = createPool((await createTestDatabase()).url, {
    log: pino({ level: 'silent' }),
    max: 1,
  });
  try {
    const client = await only.connect();
    const { socket } = client as unknown as Session;
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    vi.spyOn(client, 'query').mockImplementation((...args: unknown[]) => {
      sent.push([String(args[0]), socket.bytesRead]);
      return query(...args) as never;
    });
    client.release();
    await inTransaction(only, work, last);
  } finally {
    await only.end();
  }
  return sent;
}

test('begin is sent with the first statement, and the last one with commit', async () => {
  const sent = await readWhenSent(
    async (client) => {
      await client.query('select 1');
      await client.query('select 2');
    },
    async (client) => {
      await client.query('select 3');
    },
  );
  expect(sent.map(([text]) => text)).toEqual([
    'begin',
    'select 1',
    'select 2',
    'select 3',
    'commit',
  ]);
  const [begin, first, second, last, commit] = sent.map(([, bytesRead]) => bytesRead);
  expect(first).toBe(begin);
  expect(second).toBeGreaterThan(first!);
  expect(last).toBeGreaterThan(second!);
  expect(commit).toBe(last);
});

test('a last statement that fails rolls everything back, and is run again after a conflict', async () => {
  const failing = (text: string) => {
    let runs = 0;
    const done = inTransaction(
      pool,
      async (client) => {
        runs += 1;
        await add(client, 'a');
      },
      async (client) => {
        await client.query(text);
      },
    );
    return { done, runs: () => runs };
  };
  const duplicate = failing(`insert into boxes values ('b', 0)`);
  await expect(duplicate.done).rejects.toMatchObject({ code: '23505' });
  expect(duplicate.runs()).toBe(1);
  const conflict = failing(`do $$ begin raise exception 'no' using errcode = '40001'; end $$`);
  await expect(conflict.done).rejects.toMatchObject({ code: '40001' });
  expect(conflict.runs()).toBe(3);
  const { rows } = await pool.query(`select value from boxes where name = 'a'`);
  expect(rows).toEqual([{ value: 0 }]);
});
