/**
 * A process that owns an embedded PostgreSQL, for tests that kill it:
 * `node embedded-postgres-owner.ts DATA_DIR` prints the URL, and SIGTERM stops it.
 */
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';

const [dataDir = ''] = process.argv.slice(2);
const database = createEmbeddedPostgres({
  dataDir,
  log: pino({ level: 'silent' }),
  settings: { fsync: 'off' },
});
process.once('SIGTERM', () => void database.stop());
console.log((await database.start()).url);
