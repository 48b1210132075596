import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { migrateDatabase } from '../../src/roles/migrate-database.ts';
import { memoryFolder } from '../memory-folder.ts';
import { copyCluster } from '../platform/postgres/made-cluster.ts';
import { createTemplate } from '../platform/postgres/postgres.ts';
import { atEndOfRun } from './stop-servers.ts';

export { stopServers as teardown } from './stop-servers.ts';

const log = pino({ level: 'warn' }, pino.destination(2));

let started: Promise<void> | undefined;

/**
 * Starts one PostgreSQL for the whole run. Each test's database is cloned from a template with the schema.
 * PARLEY_TEST_POSTGRES (the URL of a superuser) selects a running server instead.
 */
export async function setup(): Promise<void> {
  await startPostgres();
}

/** Starts the server only once, although several kinds of tests need it. */
export function startPostgres(): Promise<void> {
  return (started ??= start());
}

async function start(): Promise<void> {
  process.env['PARLEY_TEST_POSTGRES'] ??= await startServer();
  if (process.env[TEMPLATE_IS_THERE] !== undefined) return;
  await makeTemplate();
  process.env[TEMPLATE_IS_THERE] = 'true';
}

/** Environment variable that runs started by test/mutants inherit, so that they do not create the template again. */
const TEMPLATE_IS_THERE = 'PARLEY_TEST_TEMPLATE';

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(path.join(memoryFolder(), 'parley-test-'));
  await copyCluster(dataDir);
  // No data is needed after the run, so nothing has to be durable.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    'parley.may_lose_data': 'on', // Otherwise the roles reject a server with these settings.
    // Enough for four workers with several APIs and operators each.
    max_connections: '400',
    // The tests connect thousands of times, and each login computes this number of iterations.
    scram_iterations: '1',
    // Autovacuum visits each database once per interval, and each test has a database. With a shorter interval, there
    // would be several visits per second.
    autovacuum_naptime: '2min',
  };
  const server = createEmbeddedPostgres({ dataDir, log, settings });
  async function stop(): Promise<void> {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  try {
    const { url } = await server.start();
    atEndOfRun(stop);
    await makeLogInCheap(url);
    return url;
  } catch (error) {
    await stop(); // Vitest runs no teardown after a failed setup.
    throw error;
  }
}

/**
 * Makes logins cheap. Stores the password again, because its stored form keeps the old number of iterations. Then
 * changes the authentication to plain passwords, because the SCRAM exchange takes a client two milliseconds.
 */
async function makeLogInCheap(url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  const { username, password } = new URL(url);
  await client.query(
    `alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`,
  );
  const { rows } = await client.query<{ hba_file: string }>('show hba_file');
  await writeFile(rows[0]!.hba_file, 'host all,replication all 127.0.0.1/32 password\n');
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function makeTemplate(): Promise<void> {
  // The template contains today's partitions. Creating them would add 70 ms to the start of each test.
  await createTemplate((url) => migrateDatabase({ databaseUrl: url, log }));
}
