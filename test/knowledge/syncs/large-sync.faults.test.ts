import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { createDeferredEvents } from '../../../src/events/deferred-events.ts';
import { readStream, readStreamStart } from '../../../src/events/event-stream.sql.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { startSite, type Site } from './site.ts';
import { ask, countEvents, insertWebsite, statusOf } from './sources.ts';
import { startSyncProcess, type SyncProcess } from './sync-process.ts';

/** A sync that writes much keeps no reader of events waiting, and its own event is not lost. */

const log = pino({ level: 'silent' });
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };
/** More passages than a transaction writes in a second. */
const PAGES = 4;
const page = (number: number): string =>
  Array.from(
    { length: 300 },
    (_, at) => `# Part ${number}.${at}\n\n${`Word${at} of part ${number}. `.repeat(12)}`,
  ).join('\n\n');

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let site: Site;
let sync: string;
let child: SyncProcess | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log, max: 4 });
  await maintainPartitions(pool, Date.now());
  site = await startSite(
    Object.fromEntries(Array.from({ length: PAGES }, (_, at) => [`p${at}`, page(at)])),
  );
  sync = await ask(pool, await insertWebsite(pool, { url: site.url }));
}, 60_000);

afterEach(async () => {
  child?.signal('SIGKILL');
  await child?.ended;
  child = undefined;
  await pool.end();
  await site.stop();
  await database.drop();
}, 60_000);

test('while all is written and not committed, other events are read', async () => {
  child = startSyncProcess(database.url, 'sync.applied=stop@1');
  await until('the process to be stopped', child.isStopped, PATIENCE);
  const { rows } = await pool.query<{ running: number }>(
    `select count(*)::int as running from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and backend_xid is not null`,
  );
  expect(rows).toEqual([{ running: 1 }]);

  const namespace = 'other';
  const { position: after } = await readStreamStart(pool);
  const event = {
    namespace,
    type: 'agent.published',
    data: EVENT_SAMPLES['agent.published'],
  } as const;
  const { eventId } = await emitEvent(pool, event, Date.now());
  const input = { namespace, after, filter: { withTests: false }, limit: 10, sinceMs: Date.now() };
  // An autovacuum may also hold readers back for a moment. The stopped sync would do so until it continues.
  const events = await until('the other event', async () => {
    const read = await readStream(pool, input);
    return !read.isHeldBack && read.events;
  });
  expect(events.map(({ id }) => id)).toEqual([eventId]);

  child.signal('SIGCONT');
  await until('the sync', async () => (await statusOf(pool, sync)) === 'succeeded', PATIENCE);
  await until('its event', async () => (await countEvents(pool)) === 1, PATIENCE);
}, 120_000);

test('killed between its commit and its event, the event is emitted by whoever looks, once', async () => {
  child = startSyncProcess(database.url, 'sync.finished=kill');
  expect(await child.ended).toBe('SIGKILL');
  expect(await statusOf(pool, sync)).toBe('succeeded');
  expect(await countEvents(pool)).toBe(0);
  const deferred = createDeferredEvents({
    pool,
    log,
    announce: () => undefined,
    nowMs: Date.now,
  });
  deferred.start();
  await until('its event', async () => (await countEvents(pool)) === 1, PATIENCE);
  deferred.wake();
  await deferred.stop();
  expect(await countEvents(pool)).toBe(1);
}, 120_000);
