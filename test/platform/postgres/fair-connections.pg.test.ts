import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asWork } from '../../../src/platform/observability/work.ts';
import { createPool, isUnavailable, type Pool } from '../../../src/platform/postgres/pool.ts';
import { holdTime } from '../../clock.ts';
import { createTestDatabase } from './postgres.ts';

let pool: Pool;
let connected: string[];
let clients: Map<string, PoolClient>;

beforeEach(async () => {
  pool = createPool((await createTestDatabase()).url, { log: pino({ level: 'silent' }), max: 2 });
  connected = [];
  clients = new Map();
});

afterEach(() => pool.end());

/** Requests a connection for work. The first letter of its name is its namespace. */
const ask = (name: string): Promise<void> =>
  asWork({ name: 'test', namespace: name[0] }, () =>
    pool.connect().then((client) => {
      connected.push(name);
      clients.set(name, client);
    }),
  );

async function release(name: string): Promise<void> {
  clients.get(name)!.release();
  await turnOfLoop();
}

test('a free connection goes to the namespace that holds the fewest', async () => {
  await ask('a1');
  await ask('a2');
  const others = [ask('a3'), ask('a4'), ask('b1'), ask('b2'), ask('c1')];
  await release('a1');
  expect(connected).toEqual(['a1', 'a2', 'b1']);
  await release('a2');
  expect(connected.at(-1)).toBe('a3'); // Of the waiting namespaces only b holds a connection, and a waited first.
  await release('b1');
  expect(connected.at(-1)).toBe('c1');
  for (let at = 3; at < 7; at += 1) await release(connected[at]!);
  await Promise.all(others);
  expect(connected.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

test('statements wait in the same line, each in the context of its own work', async () => {
  await ask('a1');
  await ask('a2');
  const order: string[] = [];
  const query = (name: string): Promise<unknown> =>
    asWork({ name: 'test', namespace: name }, () =>
      pool.query('select 1').then(() => order.push(name)),
    );
  const all = [query('a'), query('a'), query('b')];
  await release('a1');
  await Promise.all(all);
  expect(order).toEqual(['b', 'a', 'a']);
  await release('a2');
});

test('a connection that cannot be made leaves its place to the next', async () => {
  const broken = createPool('postgresql://u:p@127.0.0.1:1/d', {
    log: pino({ level: 'silent' }),
    max: 1,
  });
  const asked = Array.from({ length: 3 }, () => broken.query('select 1').catch((error) => error));
  for (const error of await Promise.all(asked)) expect(isUnavailable(error)).toBe(true);
  await broken.end();
});

test('who waits for five seconds is told that the database is unavailable, and takes no place later', async () => {
  await ask('a1');
  await ask('a2');
  const time = holdTime();
  const late = ask('b1').catch((error: unknown) => error);
  await time.advance(5_000);
  expect(isUnavailable(await late)).toBe(true);
  time.release();
  const next = ask('c1');
  await release('a1');
  await next;
  expect(connected).toEqual(['a1', 'a2', 'c1']);
  await release('a2');
  await release('c1');
});

test('what waits when the pool ends is refused', async () => {
  await ask('a1');
  await ask('a2');
  const waiting = expect(ask('b1')).rejects.toThrow('after calling end');
  const ended = pool.end();
  await release('a1');
  await waiting;
  await release('a2');
  await ended;
  pool = createPool('postgresql://u:p@127.0.0.1:1/d', { log: pino({ level: 'silent' }) });
});
