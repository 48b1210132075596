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
 * Starts one PostgreSQL for the whole run, with the schema in a template that each test's database is
 * cloned from. PARLEY_TEST_POSTGRES (a superuser's URL) names a running server to use instead.
 */
export async function setup(): Promise<void> {
  await startPostgres();
}

/** Starts it once, though several kinds of test need it. */
export function startPostgres(): Promise<void> {
  return (started ??= start());
}

async function start(): Promise<void> {
  process.env['PARLEY_TEST_POSTGRES'] ??= await startServer();
  if (process.env[TEMPLATE_IS_THERE] !== undefined) return;
  await makeTemplate();
  process.env[TEMPLATE_IS_THERE] = 'true';
}

/** Inherited by the runs that test/mutants starts, so that they do not make the template again. */
const TEMPLATE_IS_THERE = 'PARLEY_TEST_TEMPLATE';

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(path.join(memoryFolder(), 'parley-test-'));
  await copyCluster(dataDir);
  // Nothing of this outlives the run, so nothing is made durable.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    'parley.may_lose_data': 'on', // Else the roles refuse such a server.
    // Four workers with several APIs and operators each.
    max_connections: '400',
    // The tests connect thousands of times, and each time a password is compared with as many iterations.
    scram_iterations: '1',
    // It visits each database so often, and each test has one: at the usual ten seconds several visits a second.
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
    await stop(); // No teardown runs after a setup that failed.
    throw error;
  }
}

/**
 * Stores the password anew, because its stored form keeps the number of iterations that it was made with, and asks for it
 * as it is: the exchange of SCRAM takes a client two milliseconds.
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
  // With the partitions of today, which would take each test's start 70 ms.
  await createTemplate((url) => migrateDatabase({ databaseUrl: url, log }));
}
