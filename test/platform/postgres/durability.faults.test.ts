import { afterAll, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { toUuid } from '../../../src/ids.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { assertDurable } from '../../../src/platform/postgres/durability.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { startParley, startRole, temporaryFolder } from '../../roles/parley-process.ts';
import { startDatabaseHarness, type DatabaseHarness } from './database-harness.ts';
import { IS_NIGHTLY, roundsOf } from '../../nightly.ts';
import { until } from '../../until.ts';

/**
 * Power loss. A 2xx comes after the commit of its event is on the disk, by the server's own statistics: the flushed
 * position of its WAL when the answer came, and its number of fsyncs. Killing a process would not show this, since the
 * system still writes its buffers.
 */

const SAMPLES = roundsOf(5);
/** Long enough that only a waiting commit flushes the WAL. */
const SETTINGS = { wal_writer_delay: '10s' };

let postgres: OwnPostgres;
let harness: DatabaseHarness;
let client: pg.Client;

beforeAll(async () => {
  postgres = await startOwnPostgres({ settings: SETTINGS });
  harness = await startDatabaseHarness(postgres.url);
  client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('create extension pg_walinspect');
}, 60_000);

afterAll(async () => {
  await client?.end();
  await harness?.stop();
  await postgres?.stop();
}, 60_000);

type Sample = { flushed: string; xid: string };

test(`F-13: ${SAMPLES} of ${SAMPLES} accepted events were flushed to the disk before the answer`, async () => {
  const { rows: starts } = await client.query<{ lsn: string; fsyncs: string }>(
    `select pg_current_wal_insert_lsn()::text as lsn, ${FSYNCS} as fsyncs`,
  );
  const samples: Sample[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const eventId = await harness.emit();
    // Reads the flushed position first, in one round trip, and then the transaction.
    const { rows } = await client.query<{ flushed: string }>(
      'select pg_current_wal_flush_lsn()::text as flushed',
    );
    const found = await client.query<{ xid: string }>(
      'select xmin::text as xid from events where id = $1',
      [toUuid('evt', eventId)],
    );
    samples.push({ flushed: rows[0]!.flushed, xid: found.rows[0]!.xid });
  }
  await client.query('checkpoint'); // Makes the commit records readable.
  const late = await client.query<{ xid: string; behind: string }>(
    `with sample as (select * from unnest($1::text[], $2::pg_lsn[]) as s (xid, flushed)),
          commit as (select xid::text, end_lsn from pg_get_wal_records_info($3, pg_current_wal_flush_lsn())
                      where resource_manager = 'Transaction' and record_type = 'COMMIT')
     select s.xid, c.end_lsn - s.flushed as behind
       from sample s left join commit c using (xid) where c.end_lsn is null or c.end_lsn > s.flushed`,
    [samples.map(({ xid }) => xid), samples.map(({ flushed }) => flushed), starts[0]!.lsn],
  );
  expect(late.rows).toEqual([]);
  // Sequential requests cannot share an fsync.
  const fsyncs = await reaching(Number(starts[0]!.fsyncs) + SAMPLES);
  console.info(`F-13: ${SAMPLES} samples, ${fsyncs - Number(starts[0]!.fsyncs)} fsyncs of WAL`);
}, 60_000);

const FSYNCS = `(select sum(fsyncs) from pg_stat_io where object = 'wal')`;

/** Waits for the server's statistics, which are up to a second late. */
async function reaching(wanted: number): Promise<number> {
  let fsyncs = 0;
  const look = async (): Promise<number | false> => {
    const { rows } = await client.query<{ fsyncs: string }>(`select ${FSYNCS} as fsyncs`);
    fsyncs = Number(rows[0]!.fsyncs);
    return fsyncs >= wanted && fsyncs;
  };
  return until(() => `${wanted} fsyncs, not ${fsyncs}`, look, { everyMs: 100 });
}

test.each([
  ['fsync', 'alter system set fsync = off', 'alter system reset fsync'],
  [
    'full_page_writes',
    'alter system set full_page_writes = off',
    'alter system reset full_page_writes',
  ],
  [
    'synchronous_commit',
    'alter role parley set synchronous_commit = off',
    'alter role parley reset synchronous_commit',
  ],
])(
  'F-13: a server with %s=off is refused, and the refusal names the setting',
  async (name, off, on) => {
    await change(off);
    try {
      const log = createLogger('silent', 'test');
      const sentence = new RegExp(`DATABASE_URL: .* with ${name}=off, .*Turn the settings on`);
      await expect(assertDurable(postgres.url, log)).rejects.toThrow(sentence);
    } finally {
      await change(on);
    }
  },
);

test('F-13: no role starts on such a server', async () => {
  await change('alter system set fsync = off');
  try {
    const started = startRole('delivery', { databaseUrl: postgres.url, env: {} });
    await expect(started).rejects.toThrow(/parley: DATABASE_URL: .* with fsync=off/);
  } finally {
    await change('alter system reset fsync');
  }
});

test('F-13: a server that says its data may be lost is taken', async () => {
  await change('alter system set fsync = off');
  try {
    await change(`alter role parley set parley.may_lose_data = 'on'`);
    await assertDurable(postgres.url, createLogger('silent', 'test'));
  } finally {
    await change('alter system reset fsync');
    await change('alter role parley reset parley.may_lose_data');
  }
});

test.runIf(IS_NIGHTLY)(
  'F-13: `start` refuses it too, unless the server says that its data may be lost',
  async () => {
    const folder = await temporaryFolder();
    const start = () => startParley({ dataDir: folder.path, env: { DATABASE_URL: postgres.url } });
    await change('alter system set fsync = off');
    try {
      await expect(start()).rejects.toThrow(/with fsync=off/);
      await change(`alter role parley set parley.may_lose_data = 'on'`);
      const parley = await start();
      expect(parley.output()).toContain('accepted events may be lost');
      await parley.stop();
    } finally {
      await change('alter system reset fsync');
      await change('alter role parley reset parley.may_lose_data');
      await folder.remove();
    }
  },
  30_000,
);

/** Changes a setting. Resolves when new connections have it, because the postmaster rereads its files later. */
async function change(statement: string): Promise<void> {
  await postgres.query(statement);
  const [before] = await postgres.query<{ loaded: string }>(
    'select pg_conf_load_time()::text as loaded, pg_reload_conf()',
  );
  await until('the postmaster to read its files again', async () => {
    const [now] = await postgres.query<{ loaded: string }>(
      'select pg_conf_load_time()::text as loaded',
    );
    return now!.loaded !== before!.loaded;
  });
}
