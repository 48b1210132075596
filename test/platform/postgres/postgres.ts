import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

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
  await administer(`create database ${name} template ${TEMPLATE}`);
  return {
    url: databaseUrl(name),
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

async function administer(statement: string): Promise<void> {
  const client = new Client(databaseUrl('postgres'));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
