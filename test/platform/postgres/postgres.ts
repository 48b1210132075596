import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/**
 * A test's database looks `now()` and `clock_timestamp()` up in `public` before `pg_catalog`, so that `shiftTime` moves
 * the time of every session, of this process and of others, and of prepared statements too.
 */
const SEARCH_PATH = 'public, pg_catalog';

/** The database with the schema and no rows. Nobody connects to it: it could not be cloned then. */
export const TEMPLATE = 'parley_template';

/** The URL of a database of the run's server, as the superuser. */
export function databaseUrl(name: string): string {
  const server = process.env['PARLEY_TEST_POSTGRES'];
  if (server === undefined)
    throw new Error('no test server: test/setup/start-postgres.ts did not run');
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * A database of the test's own with the current schema, in 24 ms. `drop` also cuts the
 * connections that are still open to it.
 */
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

/** Makes the database that others are cloned from; `migrate` fills it. */
export async function createTemplate(migrate: (url: string) => Promise<void>): Promise<void> {
  await administer(
    `drop database if exists ${TEMPLATE} with (force)`,
    `create database ${TEMPLATE}`,
    settingOf(TEMPLATE), // Before the tables, whose defaults are bound to a function when they are created.
  );
  const client = new Client(databaseUrl(TEMPLATE));
  await client.connect();
  await client.query(timeFunctions(0));
  await client.end();
  await migrate(databaseUrl(TEMPLATE));
  // The first session after a change of the schema writes what all sessions read at their start, and clones get that too.
  const first = new Client(databaseUrl(TEMPLATE));
  await first.connect();
  await first.end();
}

/**
 * Moves the time of a test's database to `ms` after the real one (negative: before). `db` is any connection to it. Moves
 * neither the clock of this process (test/clock.ts) nor what is stored already.
 */
export async function shiftTime(
  db: { query: (sql: string) => Promise<unknown> },
  ms: number,
): Promise<void> {
  await db.query(timeFunctions(ms));
}

/** Replacing a function also ends the plans that its text was inlined into. */
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

/** A clone has the contents of its template, and none of its settings. */
const settingOf = (name: string): string =>
  `alter database ${name} set search_path = ${SEARCH_PATH}`;

let administrator: Promise<Client> | undefined;

/** One after the other: a database is not created in a transaction. All files of a worker use one connection. */
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
