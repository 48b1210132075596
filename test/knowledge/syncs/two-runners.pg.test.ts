import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { newUuid } from '../../../src/ids.ts';
import type { Fetcher } from '../../../src/knowledge/sources/fetching.ts';
import {
  claimSync,
  countQueued,
  finishSync,
  isHeld,
  releaseSync,
  renewLease,
  type Lease,
} from '../../../src/knowledge/syncs/claims.sql.ts';
import { FAILURES_MAX, whenAgain } from '../../../src/knowledge/sources/settle-sync.ts';
import {
  stageBatches,
  stageDocument,
  unstageDocument,
} from '../../../src/knowledge/syncs/staged-documents.sql.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { startRunner } from './runner.ts';
import { ask, countEvents, countStaged, insertWebsite, statusOf } from './sources.ts';

/** Who runs which sync, and when one that failed is tried again. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  await maintainPartitions(pool, Date.now());
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('of many runners each sync is run by one', async () => {
  const runs = new Map<string, number>();
  const fetcher: Fetcher = async function* ({ source }) {
    runs.set(source.id, (runs.get(source.id) ?? 0) + 1);
    for (let number = 0; number < 5; number += 1) {
      yield {
        kind: 'document',
        path: String(number),
        title: '',
        text: `# ${number}\n\nText ${number}.`,
        url: null,
        language: null,
        validators: { etag: null, lastModified: null },
      };
    }
    return { unseen: 'remove', cursor: null };
  };
  const sources = await Promise.all(
    Array.from({ length: 8 }, (_, i) => insertWebsite(pool, { url: 'http://x/', name: `s${i}` })),
  );
  const syncs = await Promise.all(sources.map((source) => ask(pool, source)));
  const runners = [1, 2, 3].map(() => startRunner(database.url, { website: fetcher }));
  try {
    const areDone = async () =>
      (await Promise.all(syncs.map((sync) => statusOf(pool, sync)))).every(
        (status) => status === 'succeeded',
      );
    await until('all syncs', areDone, { timeoutMs: 30_000, everyMs: 50 });
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()));
  }
  expect([...runs.values()]).toEqual(sources.map(() => 1));
  expect(await countEvents(pool)).toBe(8);
}, 60_000);

test('syncs of one namespace that wait for their sites keep no other waiting', async () => {
  const began: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  // eslint-disable-next-line require-yield -- A site without pages.
  const fetcher: Fetcher = async function* ({ source }) {
    began.push(source.namespace);
    if (source.namespace === 'noisy') await gate;
    return { unseen: 'remove', cursor: null };
  };
  const insert = (namespace: string, name: string) =>
    insertWebsite(pool, { url: 'http://x/', name, namespace });
  for (let i = 0; i < 6; i += 1) await ask(pool, await insert('noisy', `s${i}`));
  const runner = startRunner(database.url, { website: fetcher });
  try {
    await until('the share of the noisy one', () => began.length >= 4);
    const quiet = await ask(pool, await insert('quiet', 's'));
    await until('the other one', async () => (await statusOf(pool, quiet)) === 'succeeded');
    expect(began).toEqual(['noisy', 'noisy', 'noisy', 'noisy', 'quiet']);
    open();
    await until('all of them', () => began.length >= 7);
  } finally {
    open();
    await runner.stop();
  }
});

test('a claim passes over namespaces without a free place, and what waits is counted', async () => {
  for (const namespace of ['a', 'a', 'b']) {
    await ask(pool, await insertWebsite(pool, { url: 'http://x/', name: newUuid(), namespace }));
  }
  const claim = async (except: string[]) =>
    (await claimSync(pool, { namespaces: [], except, leaseMs: 60_000 }))?.namespace;
  expect(await countQueued(pool, [])).toBe(3);
  expect(await countQueued(pool, ['a'])).toBe(2);
  expect([await claim(['a']), await claim(['a']), await claim(['b'])]).toEqual([
    'b',
    undefined,
    'a',
  ]);
  expect(await countQueued(pool, [])).toBe(1);
});

test('a namespace with many syncs keeps no other waiting', async () => {
  const namespaces = ['a', 'a', 'a', 'a', 'b', 'c', 'a', 'b'];
  for (const [i, namespace] of namespaces.entries()) {
    await ask(pool, await insertWebsite(pool, { url: 'http://x/', name: `s${i}`, namespace }));
  }
  const order: string[] = [];
  const claim = async () => {
    const sync = await claimSync(pool, { namespaces: [], leaseMs: 60_000 });
    order.push(sync!.namespace);
    return sync!.id;
  };
  const ended = (id: string) =>
    pool.query(`update knowledge_syncs set status = 'failed', finished_at = now() where id = $1`, [
      id,
    ]);
  const [one, two] = [await claim(), await claim()];
  await ended(one);
  await ended(two);
  for (let i = 0; i < 6; i += 1) await ended(await claim());
  expect(order.slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
  expect(await claimSync(pool, { namespaces: [], leaseMs: 60_000 })).toBeUndefined();
});

test('an operator of some namespaces runs no others', async () => {
  await ask(pool, await insertWebsite(pool, { url: 'http://x/', namespace: 'theirs' }));
  expect(await claimSync(pool, { namespaces: ['ours'], leaseMs: 60_000 })).toBeUndefined();
});

test('who was taken for dead writes nothing under its old number, while another runs the sync', async () => {
  const sync = await ask(pool, await insertWebsite(pool, { url: 'http://x/' }));
  const dead = await claimSync(pool, { namespaces: [], leaseMs: 0 });
  const alive = await claimSync(pool, { namespaces: [], leaseMs: 60_000 });
  expect([dead, alive]).toMatchObject([
    { id: sync, lease: 1 },
    { id: sync, lease: 2 },
  ]);
  const counts = { found: 9, unchanged: 9, changed: 9, failed: 9, skipped: 9 };
  const progress = { ...counts, problems: [] };
  const read = async () => (await pool.query('select * from knowledge_syncs')).rows;
  const before = await read();
  const failed = { status: 'failed', reason: 'R', error: 'e', progress } as const;
  const batches = { batchesId: newUuid(), first: 0, batches: [Buffer.from('x')] };
  const document = {
    path: 'a',
    batchesId: batches.batchesId,
    title: 'a',
    hash: Buffer.alloc(32),
    bytes: 1,
    chunks: 1,
    language: null,
    url: null,
    etag: null,
    lastModified: null,
  };
  const tries = (lease: Lease) => [
    () => isHeld(pool, lease),
    () => renewLease(pool, { ...lease, leaseMs: 60_000, progress }),
    () => stageBatches(pool, lease, batches),
    () => stageDocument(pool, lease, document),
    () => unstageDocument(pool, lease, 'a'),
    () => finishSync(pool, { ...lease, ...failed }),
  ];
  for (const attempt of tries(dead!)) expect(await attempt()).toBe(false);
  await releaseSync(pool, dead!);
  expect(await read()).toEqual(before);
  expect(await countStaged(pool)).toBe(0);
  for (const attempt of tries(alive!)) expect(await attempt()).toBe(true);
});

test('a sync that failed is tried again later and later, and not for ever', () => {
  const spec = { type: 'website' } as const;
  const pauses = Array.from({ length: FAILURES_MAX }, (_, syncFailures) =>
    whenAgain({ spec, syncFailures }, 0, () => 0.5),
  );
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, null].map((min) => min && min * 60_000));
  const hourly = { spec: { ...spec, schedule: '@hourly' }, syncFailures: 99 };
  expect(whenAgain(hourly, 1_000)).toBe(3_600_000);
  const spread = [0, 1].map((random) => whenAgain({ spec, syncFailures: 0 }, 0, () => random));
  expect(spread).toEqual([45_000, 75_000]);
});
