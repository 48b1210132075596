import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Fetcher } from '../../../src/knowledge/sources/fetching.ts';
import { claimSync } from '../../../src/knowledge/syncs/claims.sql.ts';
import { LEASE_TIMES } from '../../../src/knowledge/syncs/hold-lease.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { holdTime } from '../../clock.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';
import { createTestDatabase, shiftTime } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { startRunner } from './runner.ts';
import { ask, countEvents, countStaged, foundIn, insertWebsite, statusOf } from './sources.ts';

/** A sync whose database is away for longer than its lease: read by one process at a time, applied once. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let proxy: FaultProxy;
let source: string;
/** `a begins`, `a ends`, in the order in which processes did so. */
let reads: string[];
let held: PromiseWithResolvers<void>;
/** Resolves when a process knows that the first document is staged, and asks for the second. */
let isStaged: PromiseWithResolvers<void>;
const runners: { stop: () => Promise<void> }[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(database.url);
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  await maintainPartitions(pool, Date.now());
  source = await insertWebsite(pool, { url: 'http://site.test/' });
  reads = [];
  held = Promise.withResolvers();
  isStaged = Promise.withResolvers();
});
afterEach(async () => {
  held.resolve();
  proxy.accept();
  proxy.resume();
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  await pool.end();
  await proxy.stop();
  await database.drop();
}, 60_000);

/** Two documents, between which it waits until it is let go on. */
function heldFetcher(who: string): Fetcher {
  const document = (path: string) => ({
    kind: 'document' as const,
    path,
    title: path,
    text: `Text of ${path}.`,
    url: null,
    language: null,
    validators: { etag: null, lastModified: null },
  });
  return async function* fetchHeld({ signal }) {
    reads.push(`${who} begins`);
    const end = (): void => void reads.push(`${who} ends`);
    signal.addEventListener('abort', end, { once: true });
    yield document('a');
    isStaged.resolve();
    await held.promise;
    yield document('b');
    signal.removeEventListener('abort', end);
    end();
    return { unseen: 'remove', cursor: null };
  };
}

async function expectEndedOnce(sync: string): Promise<void> {
  const isDone = async () => (await statusOf(pool, sync)) === 'succeeded';
  await until('the sync', isDone, { timeoutMs: 60_000, everyMs: 50 });
  await until('nothing to be staged', async () => (await countStaged(pool)) === 0);
  expect(await foundIn(pool, source)).toEqual({ a: ['Text of a.'], b: ['Text of b.'] });
  expect(await countEvents(pool)).toBe(1);
  const { rows } = await pool.query('select status, changed, failed from knowledge_syncs');
  expect(rows).toEqual([{ status: 'succeeded', changed: 2, failed: 0 }]);
}

describe.each(['refuses', 'hangs'] as const)(
  'a database that %s for longer than the lease',
  (how) => {
    test('all processes give the sync up, and one ends it when it is back', async () => {
      const time = holdTime();
      const url = proxy.through(database.url);
      const sync = await ask(pool, source);
      for (const who of ['a', 'b']) {
        runners.push(startRunner(url, { website: heldFetcher(who) }, LEASE_TIMES));
      }
      await isStaged.promise;
      if (how === 'refuses') proxy.refuse();
      else proxy.hang();
      await time.advance(LEASE_TIMES.leaseMs - LEASE_TIMES.checkMs);
      const [who] = reads[0]!.split(' ');
      expect(reads).toEqual([`${who} begins`, `${who} ends`]);
      await shiftTime(pool, LEASE_TIMES.leaseMs);
      held.resolve();
      if (how === 'refuses') proxy.accept();
      else proxy.resume();
      time.release();
      await expectEndedOnce(sync);
      const [last] = reads[2]!.split(' ');
      expect(reads.slice(2)).toEqual([`${last} begins`, `${last} ends`]);
    }, 120_000);
  },
);

test('a process cut off from the database stops reading before another may begin', async () => {
  const { leaseMs, checkMs } = LEASE_TIMES;
  const time = holdTime();
  const sync = await ask(pool, source);
  const fetchers = { website: heldFetcher('cut-off') };
  runners.push(startRunner(proxy.through(database.url), fetchers, LEASE_TIMES));
  await isStaged.promise;
  proxy.hang();
  await time.advance(leaseMs - checkMs);
  expect(reads).toEqual(['cut-off begins', 'cut-off ends']);
  // Its database connection hangs, so the lease still has its original end.
  expect(await claimSync(pool, { namespaces: [], leaseMs })).toBeUndefined();
  await shiftTime(pool, leaseMs);
  // What it held up reaches the database when it is another's, and must change nothing.
  expect(await claimSync(pool, { namespaces: [], leaseMs })).toBeDefined();
  proxy.resume();
  time.release();
  runners.push(startRunner(database.url, { website: heldFetcher('other') }, LEASE_TIMES));
  await shiftTime(pool, 2 * leaseMs);
  await until('another', () => reads.length > 2);
  expect(reads.slice(2)).toEqual([expect.stringMatching(/^(cut-off|other) begins$/)]);
  held.resolve();
  await expectEndedOnce(sync);
}, 60_000);
