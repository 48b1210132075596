import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { runner } from 'node-pg-migrate';
import { LOCK_TIMEOUT_MS } from '../../../src/platform/postgres/lock-retry.ts';
import { queryOnce, startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { runMigrations } from '../../roles/parley-process.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { until } from '../../until.ts';

/**
 * Two processes may run migrations concurrently, and may be killed between any two of them; the next process continues.
 * Meanwhile nothing waits for a lock for over a second, even if a long query blocks the migration.
 */

const FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
/** src/platform/postgres/migrate.ts */
const LOCK = [0x7061, 0x726c];
const KILLED = { PARLEY_FAILPOINTS: 'migration.applied=kill@1' };

let postgres: OwnPostgres;
let files: string[];
let url: string;
let number = 0;

beforeAll(async () => {
  postgres = await startOwnPostgres({ inMemory: true });
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

test('F-48: a migrator killed after a migration: the next one goes on', async () => {
  const each = files.map((_, i) => i + 1);
  // At night the test kills after each migration.
  const points = IS_NIGHTLY ? each : [1, ...each.slice(-2)];
  let last = 0;
  for (const done of points) {
    if (done > last + 1) await applyNext(done - last - 1);
    last = done;
    const killed = runMigrations(url, undefined, KILLED);
    await expect(killed).rejects.toThrow('migrate failed');
    expect(await applied()).toEqual(files.slice(0, done));
  }
  await runMigrations(url);
  expect(await applied()).toEqual(files);
}, 60_000);

test('F-48: under load and behind a long query, the migrator gives its locks up and asks again', async () => {
  await applyNext(files.length - 1);
  const tables = await queryOnce<{ name: string }>(
    url,
    `select format('%I', c.relname) as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'schema_migrations'`,
  );
  const names = tables.map(({ name }) => name);
  const reader = await holdingAll(names);
  const load = startLoad(names);
  const migrated = runMigrations(url);
  await waiting('relation', 1, migrated);
  // The reader still blocks the migration. Writers that waited for the migrator permanently would not pass.
  const passed = load.count();
  await until('the writers to pass', () => load.count() >= passed + 4 * names.length, {
    timeoutMs: 60_000,
  });
  await reader.end();
  await migrated;
  await load.stop();
  expect(await applied()).toEqual(files);
  expect(LOCK_TIMEOUT_MS).toBe(500); // A writer waits this long behind one try of the migrator.
}, 120_000);

/** Resolves when this number of sessions wait for such a lock, or when `over` has settled. */
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

/** Applies migrations in this process. */
async function applyNext(count: number): Promise<void> {
  const migrationsTable = 'schema_migrations';
  const log = (): void => undefined;
  await runner({ databaseUrl: url, dir: FOLDER, direction: 'up', count, migrationsTable, log });
}

/** Opens a transaction that has read everything and does not end, like a report or a dump. */
async function holdingAll(names: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  for (const name of names) await client.query(`lock table ${name} in access share mode`);
  return client;
}

/** Takes and releases a writer's lock on each table repeatedly. */
function startLoad(names: readonly string[]) {
  const state = { isOver: false };
  let count = 0;
  const writer = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while (!state.isOver) {
      for (const name of names) {
        await client.query(`begin; lock table ${name} in row exclusive mode; commit`);
        count += 1;
      }
    }
    await client.end();
  };
  const writing = Promise.all([writer(), writer()]);
  return {
    count: () => count,
    stop: async (): Promise<void> => {
      state.isOver = true;
      await writing;
    },
  };
}
