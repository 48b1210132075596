import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { createTestDatabase, shiftTime } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { RUNNER_TIMES, startRunner } from './runner.ts';
import { startSite, type Site } from './site.ts';
import { ask, countEvents, countStaged, foundIn, insertWebsite, statusOf } from './sources.ts';
import { startSyncProcess, type SyncProcess } from './sync-process.ts';

/** A sync is applied once and whole, or not at all, whatever becomes of the process that runs it. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let site: Site;
let source: string;
let first: SyncProcess | undefined;
let second: { stop: () => Promise<void> } | undefined;

const OLD = { a: ['Apples are red.'], b: ['Bananas are yellow.'] };
const NEW = { a: ['Apples are green.'], c: ['Cherries are small.'], d: ['Dates are sweet.'] };
const PATIENCE = { timeoutMs: 40_000, everyMs: 50 };

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  await maintainPartitions(pool, Date.now());
  site = await startSite({ a: OLD.a[0]!, b: OLD.b[0]! });
  source = await insertWebsite(pool, { url: site.url });
  second = startRunner(database.url);
  const before = await ask(pool, source);
  await until(
    'the first sync',
    async () => (await statusOf(pool, before)) === 'succeeded',
    PATIENCE,
  );
  await second.stop();
  second = undefined;
  site.pages = new Map(Object.entries(NEW).map(([path, texts]) => [path, texts[0]!]));
}, 60_000);

afterEach(async () => {
  first?.signal('SIGKILL');
  await first?.ended;
  first = undefined;
  await second?.stop();
  second = undefined;
  await pool.end();
  await site.stop();
  await database.drop();
}, 60_000);

const finished = (sync: string) =>
  until('the sync', async () => (await statusOf(pool, sync)) === 'succeeded', PATIENCE);

async function expectAppliedOnce(): Promise<void> {
  expect(await foundIn(pool, source)).toEqual(NEW);
  expect(await countEvents(pool)).toBe(2);
  await until('nothing to be staged', async () => (await countStaged(pool)) === 0, PATIENCE);
  const { rows } = await pool.query(
    `select documents, chunks, last_sync - 'duration_sec' as last from knowledge_sources`,
  );
  const last = { documents: 3, added: 2, updated: 1, removed: 1, failed: 0 };
  expect(rows).toEqual([{ documents: 3, chunks: 3, last }]);
}

const BEFORE = [
  'sync.claimed',
  'sync.staging',
  'sync.staged',
  'sync.staged=kill@3',
  'sync.applying',
  'sync.applied',
  'transaction.committing',
];
const AFTER = ['transaction.committed', 'sync.finished'];

const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;
/** One before the commit and one after it; the nightly lane takes all. */
const KILLED = isNightly ? [...BEFORE, ...AFTER] : ['sync.applied', 'transaction.committed'];
const STOPPED = isNightly
  ? ['sync.claimed', 'sync.staging', 'sync.applying', 'sync.applied']
  : ['sync.applying'];

describe.each(KILLED)('killed at %s', (point) => {
  test('the old index serves until another process has applied all, once', async () => {
    const sync = await ask(pool, source);
    first = startSyncProcess(database.url, point.includes('=') ? point : `${point}=kill`);
    expect(await first.ended).toBe('SIGKILL');
    expect(await foundIn(pool, source)).toEqual(AFTER.includes(point) ? NEW : OLD);
    await shiftTime(pool, RUNNER_TIMES.leaseMs);
    second = startRunner(database.url);
    await finished(sync);
    await expectAppliedOnce();
  }, 90_000);
});

describe.each(STOPPED)('stopped at %s for longer than its lease', (point) => {
  test('another process ends the sync, and the first one writes nothing more', async () => {
    const sync = await ask(pool, source);
    first = startSyncProcess(database.url, `${point}=stop@1`);
    await until('the process to be stopped', first.isStopped, PATIENCE);
    expect(await foundIn(pool, source)).toEqual(OLD);
    await shiftTime(pool, RUNNER_TIMES.leaseMs);
    second = startRunner(database.url);
    await finished(sync);
    const { rows: before } = await pool.query('select * from knowledge_syncs order by id');
    first.signal('SIGCONT');
    // Whatever it still wants to write it has tried when it takes the next sync.
    await second.stop();
    second = undefined;
    const next = await ask(pool, source);
    await finished(next);
    const { rows: after } = await pool.query(
      'select * from knowledge_syncs where id <> $1 order by id',
      [next],
    );
    expect(after).toEqual(before);
    expect(await foundIn(pool, source)).toEqual(NEW);
    expect(await countEvents(pool)).toBe(3);
  }, 120_000);
});

test('what a dead process has staged is not read again', async () => {
  const sync = await ask(pool, source);
  first = startSyncProcess(database.url, 'sync.staged=kill@3');
  await first.ended;
  await shiftTime(pool, RUNNER_TIMES.leaseMs);
  expect(await countStaged(pool)).toBe(6);
  const asked: string[] = [];
  site.hold = (path, response) => {
    response.once('finish', () => asked.push(`${path} ${response.statusCode}`));
    return Promise.resolve();
  };
  second = startRunner(database.url);
  await finished(sync);
  expect(asked).toEqual([' 200', 'a 304', 'c 304', 'd 304']);
  await expectAppliedOnce();
}, 90_000);

test('a process that is told to end gives its sync back at once', async () => {
  const sync = await ask(pool, source);
  const arrived = Promise.withResolvers<void>();
  site.hold = (path) => {
    if (path !== 'c') return Promise.resolve();
    arrived.resolve();
    return new Promise(() => undefined);
  };
  first = startSyncProcess(database.url);
  await arrived.promise;
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(await statusOf(pool, sync)).toBe('queued');
  site.hold = () => Promise.resolve();
  second = startRunner(database.url);
  await finished(sync);
  await expectAppliedOnce();
}, 90_000);

test('with the database away a sync is broken off, and goes on when it is back', async () => {
  const sync = await ask(pool, source);
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  site.hold = (path) => {
    if (path !== 'c') return Promise.resolve();
    arrived.resolve();
    return released.promise;
  };
  second = startRunner(database.url);
  await arrived.promise;
  const cut = () =>
    pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  await cut();
  released.resolve();
  await cut();
  await shiftTime(pool, RUNNER_TIMES.leaseMs); // Nobody could give its lease back.
  await finished(sync);
  await expectAppliedOnce();
}, 90_000);
