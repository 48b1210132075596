import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { runner } from 'node-pg-migrate';
import { watchLocks } from './lock-watch.ts';
import { queryOnce, startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { runMigrations } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/**
 * Migrations may be run by two at once, and be killed between any two of them: whoever comes next
 * goes on. Meanwhile nobody waits for a lock for over a second, also when a long query is in the way.
 */

const FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
/** src/platform/postgres/migrate.ts */
const LOCK = [0x7061, 0x726c];
const LOCK_MS = 1_000;
const KILLED = { PARLEY_FAILPOINTS: 'migration.applied=kill@1' };

let postgres: OwnPostgres;
let files: string[];
let url: string;
let number = 0;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).toSorted();
}, 60_000);
afterAll(() => postgres?.stop(), 60_000);

beforeEach(async () => {
  const name = `empty_${(number += 1)}`;
  await postgres.query(`create database ${name}`);
  url = postgres.url.replace(/\/postgres$/, `/${name}`);
});

const applied = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    url,
    'select name from schema_migrations order by id',
  );
  return rows.map(({ name }) => `${name}.sql`);
};

test('F-48: two migrators at once: one works, the other waits, each migration is applied once', async () => {
  const first = new pg.Client({ connectionString: url });
  await first.connect();
  await first.query('select pg_advisory_lock($1, $2)', LOCK);
  const both = Promise.all([runMigrations(url), runMigrations(url)]);
  await waiting('advisory', 2, both);
  await expect(applied()).rejects.toThrow('does not exist');
  await first.end();
  await both;
  expect(await applied()).toEqual(files);
});

test('F-48: a migrator killed after each of the migrations: the next one goes on', async () => {
  for (let done = 1; done <= files.length; done += 1) {
    const killed = runMigrations(url, undefined, KILLED);
    await expect(killed).rejects.toThrow('migrate failed');
    expect(await applied()).toEqual(files.slice(0, done));
  }
  await runMigrations(url);
  expect(await applied()).toEqual(files);
}, 60_000);

test('F-48: under load and behind a long query, no lock is waited for over a second', async () => {
  await applyFirst(files.length - 1);
  const tables = await queryOnce<{ name: string }>(
    url,
    `select format('%I', c.relname) as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'schema_migrations'`,
  );
  const names = tables.map(({ name }) => name);
  const reader = await holdingAll(names);
  const locks = await watchLocks(url);
  const load = startLoad(names);
  const migrated = runMigrations(url);
  await waiting('relation', 1, migrated);
  await delay(2 * LOCK_MS); // The reader is in the way for so much longer.
  await reader.end();
  await migrated;
  const longestMs = await load.stop();
  await locks.stop();
  const { count } = locks.looks();
  console.info(
    `F-48: longest wait of ${load.count()} statements ${Math.round(longestMs)} ms; ${count} looks at the locks: ${Math.round(locks.longest()?.waitedMs ?? 0)} ms`,
  );
  expect(await applied()).toEqual(files);
  expect(longestMs).toBeLessThan(LOCK_MS);
  expect(locks.longest()?.waitedMs ?? 0).toBeLessThan(LOCK_MS);
}, 60_000);

/** Resolves when so many wait for such a lock, or when they need none and are done. */
async function waiting(type: string, count: number, over: Promise<unknown>): Promise<void> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  void over.then(end, end);
  const look = (): Promise<unknown[]> =>
    queryOnce(
      url,
      `select 1 from pg_locks l join pg_stat_activity a using (pid)
        where not l.granted and l.locktype = $1 and a.application_name = 'parley'
          and a.datname = current_database()`,
      [type],
    );
  const isSo = async (): Promise<boolean> => state.isOver || (await look()).length >= count;
  await until(`${count} who wait for a ${type}`, isSo, { timeoutMs: 60_000 });
}

/** As the version before this one left it. */
async function applyFirst(count: number): Promise<void> {
  const migrationsTable = 'schema_migrations';
  const log = (): void => undefined;
  await runner({ databaseUrl: url, dir: FOLDER, direction: 'up', count, migrationsTable, log });
}

/** A report or a dump: it reads everything, and does not end. */
async function holdingAll(names: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  for (const name of names) await client.query(`lock table ${name} in access share mode`);
  return client;
}

/** What a writer needs of each table, again and again; `stop` resolves with how long the slowest took. */
function startLoad(names: readonly string[]) {
  const state = { isOver: false };
  let longestMs = 0;
  let count = 0;
  const writer = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while (!state.isOver) {
      for (const name of names) {
        const fromMs = performance.now();
        await client.query(`begin; lock table ${name} in row exclusive mode; commit`);
        longestMs = Math.max(longestMs, performance.now() - fromMs);
        count += 1;
        await delay(5); // The rhythm of the load.
      }
    }
    await client.end();
  };
  const writing = Promise.all([writer(), writer()]);
  return {
    count: () => count,
    stop: async (): Promise<number> => {
      state.isOver = true;
      await writing;
      return longestMs;
    },
  };
}
