import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Fetcher } from '../../../src/knowledge/sources/fetching.ts';
import { claimSync } from '../../../src/knowledge/syncs/claims.sql.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';
import { createTestDatabase, shiftTime } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { QUICK, startRunner } from './runner.ts';
import { ask, countEvents, countStaged, foundIn, insertWebsite, statusOf } from './sources.ts';

/** A sync whose database is away for longer than its lease: read by one process at a time, applied once. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let proxy: FaultProxy;
let source: string;
/** `a begins`, `a ends`, in the order in which processes did so. */
let reads: string[];
let held: PromiseWithResolvers<void>;
const runners: { stop: () => Promise<void> }[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(database.url);
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  await maintainPartitions(pool, Date.now());
  source = await insertWebsite(pool, { url: 'http://site.test/' });
  reads = [];
  held = Promise.withResolvers();
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
      const url = proxy.through(database.url);
      for (const who of ['a', 'b']) {
        runners.push(startRunner(url, { website: heldFetcher(who) }));
      }
      const sync = await ask(pool, source);
      await until('it to be staged', async () => (await countStaged(pool)) > 0);
      if (how === 'refuses') proxy.refuse();
      else proxy.hang();
      await until('it to be given up', () => reads.length === 2);
      const [who] = reads[0]!.split(' ');
      expect(reads).toEqual([`${who} begins`, `${who} ends`]);
      await shiftTime(pool, QUICK.leaseMs);
      held.resolve();
      if (how === 'refuses') proxy.accept();
      else proxy.resume();
      await expectEndedOnce(sync);
      const [last] = reads[2]!.split(' ');
      expect(reads.slice(2)).toEqual([`${last} begins`, `${last} ends`]);
    }, 120_000);
  },
);

test('a process cut off from the database stops reading before another may begin', async () => {
  runners.push(startRunner(proxy.through(database.url), { website: heldFetcher('cut-off') }));
  const sync = await ask(pool, source);
  await until('it to be staged', async () => (await countStaged(pool)) > 0);
  proxy.hang();
  // At once: a process that looks each second could come late by chance.
  const { leaseMs } = QUICK;
  const look = () => claimSync(pool, { namespaces: [], leaseMs });
  await until('the lease to run out', look, { everyMs: 1 });
  expect(reads).toEqual(['cut-off begins', 'cut-off ends']);
  // What it held up reaches the database when it is another's, and must change nothing.
  proxy.resume();
  runners.push(startRunner(database.url, { website: heldFetcher('other') }));
  await until('another', () => reads.length > 2);
  expect(reads.slice(2)).toEqual([expect.stringMatching(/^(cut-off|other) begins$/)]);
  held.resolve();
  await expectEndedOnce(sync);
}, 60_000);
