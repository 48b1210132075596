import { setImmediate as turnOfLoop } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asWork } from '../../../src/platform/observability/work.ts';
import { shareConnections } from '../../../src/platform/postgres/fair-connections.ts';
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

/** Requests a connection for work. The first letter of its name is its namespace; `-` is work without a namespace. */
const ask = (name: string): Promise<void> =>
  asWork({ name: 'test', namespace: name[0] === '-' ? undefined : name[0] }, () =>
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

describe('beside another active namespace', () => {
  beforeEach(async () => {
    await pool.end();
    pool = createPool((await createTestDatabase()).url, { log: pino({ level: 'silent' }), max: 6 });
    // Logs in on all connections first, which takes real time.
    const warm = await Promise.all(Array.from({ length: 6 }, () => pool.connect()));
    for (const client of warm) client.release();
  });
  afterEach(() => {
    for (const client of clients.values()) client.release();
  });

  /** Requests connections, and returns the names of those that have one. */
  const begin = async (...names: string[]): Promise<string[]> => {
    for (const name of names) void ask(name);
    await turnOfLoop();
    await turnOfLoop();
    return connected;
  };
  const give = async (...names: string[]): Promise<string[]> => {
    for (const name of names) {
      await release(name);
      clients.delete(name);
    }
    return begin();
  };

  test('a namespace uses two connections, and others have theirs at once', async () => {
    holdTime();
    expect(await begin('b1', 'a1', 'a2', 'a3', 'c1')).toEqual(['b1', 'a1', 'a2', 'c1']);
    expect((await give('a1')).at(-1)).toBe('a3');
  });

  test('a namespace alone uses all, also when the last statement of another one is a second ago', async () => {
    const time = holdTime();
    expect(await begin('a1', 'a2', 'a3')).toHaveLength(3);
    await give('a1', 'a2', 'a3');
    await begin('b1');
    await time.advance(1_000);
    expect(await begin('a4', 'a5', 'a6')).not.toContain('a6');
    await give('a4', 'a5');
    await time.advance(1);
    expect(await begin('a7', 'a8')).toContain('a8');
  });

  test('work without a namespace has no share, and takes none from others', async () => {
    const time = holdTime();
    expect(await begin('b1', '-1', '-2', '-3')).toEqual(['b1', '-1', '-2', '-3']);
    await give('b1', '-1', '-2', '-3');
    await time.advance(1_001);
    expect((await begin('-4', 'a1', 'a2', 'a3')).at(-1)).toBe('a3');
  });

  test('a connection in use for 50 ms does not count, so that no transaction waits for its own namespace', async () => {
    const time = holdTime();
    await begin('b1', 'a1', 'a2', 'a3');
    await time.advance(49);
    expect(await begin()).toEqual(['b1', 'a1', 'a2']);
    await time.advance(1);
    expect(await begin()).toEqual(['b1', 'a1', 'a2', 'a3']);
  });

  test('who waits for a share is not passed by one who asks later', async () => {
    const time = holdTime();
    await begin('b1', 'a1', 'a2');
    await time.advance(30);
    expect(await begin('a3')).toEqual(['b1', 'a1', 'a2']);
    await time.advance(20);
    expect(await begin('a4')).toEqual(['b1', 'a1', 'a2', 'a3', 'a4']);
  });
});

test('a connection that is ready only after its time-out goes back to the pool', async () => {
  let finish = (): void => undefined;
  let isSlow = false;
  const slow = new pg.Pool({
    connectionString: (await createTestDatabase()).url,
    max: 2,
    connectionTimeoutMillis: 500,
    verify: (_client, done) => {
      if (isSlow) finish = done;
      else done();
    },
  });
  shareConnections(slow, { max: 2, waitMs: 60_000 });
  (await slow.connect()).release();
  isSlow = true;
  // The idle connection serves the first. The second waits for a new one that is never set up in time.
  const [first, second] = await Promise.allSettled([slow.connect(), slow.connect()]);
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  finish();
  expect(slow.idleCount).toBe(1);
  if (first.status === 'fulfilled') first.value.release();
  const both = await Promise.all([slow.connect(), slow.connect()]);
  for (const client of both) client.release();
  await slow.end();
});
