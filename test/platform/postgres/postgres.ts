import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/**
 * A test's database looks `now()` and `clock_timestamp()` up in `public` before `pg_catalog`, so that `shiftTime` moves
 * the time of every session, of this process and of others, and of prepared statements too.
 */
const SEARCH_PATH = 'public, pg_catalog';

/** The database with the schema and no rows. It must have no connections, or it could not be cloned. */
export const TEMPLATE = 'parley_template';

/** Returns the URL of a database of the test server, as the superuser. */
export function databaseUrl(name: string): string {
  const server = process.env['PARLEY_TEST_POSTGRES'];
  if (server === undefined)
    throw new Error('no test server: test/setup/start-postgres.ts did not run');
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates a database with the current schema for one test, in 24 ms. `drop` also cuts its open connections. */
export async function createTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(
    `create database ${name} template ${TEMPLATE} strategy file_copy`,
    settingOf(name),
  );
  return {
    url: databaseUrl(name),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

/** Creates the template of the test databases. `migrate` fills it. */
export async function createTemplate(migrate: (url: string) => Promise<void>): Promise<void> {
  await administer(
    `drop database if exists ${TEMPLATE} with (force)`,
    `create database ${TEMPLATE}`,
    settingOf(TEMPLATE), // Must precede the tables, whose defaults are bound to a function when they are created.
  );
  const client = new Client(databaseUrl(TEMPLATE));
  await client.connect();
  await client.query(timeFunctions(0));
  await client.end();
  await migrate(databaseUrl(TEMPLATE));
  // The first session after a change of the schema writes the cache that all sessions read at their start. Clones get
  // it too.
  const first = new Client(databaseUrl(TEMPLATE));
  await first.connect();
  await first.end();
}

/**
 * Moves the time of a test's database to `ms` after the real time (negative: before it). `db` is any connection to the
 * database. Changes neither the clock of this process (test/clock.ts) nor stored times.
 */
export async function shiftTime(
  db: { query: (sql: string) => Promise<unknown> },
  ms: number,
): Promise<void> {
  await db.query(timeFunctions(ms));
}

/** Returns statements that replace the functions. That also invalidates the plans that inlined them. */
function timeFunctions(ms: number): string {
  const shift = ms === 0 ? '' : ` + interval '${ms} ms'`;
  return ['now stable', 'clock_timestamp volatile']
    .map((one) => one.split(' '))
    .map(
      ([name, volatility]) =>
        `create or replace function public.${name}() returns timestamptz language sql
         ${volatility} parallel safe as $$ select pg_catalog.${name}()${shift} $$`,
    )
    .join('; ');
}

/** Returns the statement for the settings, which a clone does not inherit from its template. */
const settingOf = (name: string): string =>
  `alter database ${name} set search_path = ${SEARCH_PATH}`;

let administrator: Promise<Client> | undefined;

/**
 * Runs statements one after the other, because a database cannot be created in a transaction. All files of a worker use
 * one connection.
 */
async function administer(...statements: string[]): Promise<void> {
  administrator ??= connectAdministrator();
  const client = await administrator;
  for (const statement of statements) await client.query(statement);
}

async function connectAdministrator(): Promise<Client> {
  const client = new Client(databaseUrl('postgres'));
  const forget = (): void => {
    administrator = undefined;
  };
  client.on('error', forget);
  client.on('end', forget);
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  return client;
}
