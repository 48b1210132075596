import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { startSite, type Site } from './site.ts';
import { ask, insertWebsite, statusOf } from './sources.ts';
import { startSyncProcess, type SyncProcess } from './sync-process.ts';

/** What a sync of a large site takes: requests where nothing has changed, memory whatever there is. */

/** The full size indexes 40 MB. */
const SHARE = process.env['PARLEY_NIGHTLY'] === undefined ? 0.1 : 1;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let site: Site;
let runner: SyncProcess;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  await maintainPartitions(pool, Date.now());
  site = await startSite();
  runner = startSyncProcess(database.url);
});
afterEach(async () => {
  runner.signal('SIGTERM');
  await runner.ended;
  await pool.end();
  await site.stop();
  await database.drop();
});

const sentence = (page: number, line: number): string =>
  `Line ${line % 5_000} of page ${page} tells of bicycle number ${(page * 7919 + line * 104_729) % 20_000}. `;
const page = (number: number, lines: number): string =>
  `# Page ${number}\n\n${Array.from({ length: lines }, (_, line) => sentence(number, line)).join('\n\n')}`;

async function sync(source: string): Promise<Record<string, number>> {
  const id = await ask(pool, source);
  const isOver = async () => !['queued', 'running'].includes(await statusOf(pool, id));
  await until('the sync', isOver, { timeoutMs: 240_000, everyMs: 100 });
  const { rows } = await pool.query('select * from knowledge_syncs where id = $1', [id]);
  expect(rows[0]).toMatchObject({ status: 'succeeded', error: null });
  return rows[0].result;
}

test('pages that have not changed are asked for once each, and not read', async () => {
  const pages = 500 * SHARE;
  for (let number = 0; number < pages; number += 1) site.pages.set(`p${number}`, page(number, 20));
  const source = await insertWebsite(pool, { url: site.url });
  await sync(source);
  site.asked.splice(0);
  const read: string[] = [];
  site.hold = (path, response) => {
    response.once('finish', () => response.statusCode === 200 && read.push(path));
    return Promise.resolve();
  };
  const again = await sync(source);
  expect(again).toMatchObject({ documents: pages, added: 0, updated: 0, removed: 0 });
  expect(site.asked.toSorted()).toEqual(['', ...site.pages.keys()].toSorted());
  expect(read).toEqual(['']);
}, 300_000);

async function memoryMb(field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${runner.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
}

test('a sync takes no more than 200 MB, whatever the source holds', async () => {
  for (let number = 0; number < 400 * SHARE; number += 1)
    site.pages.set(`p${number}`, page(number, 300));
  site.pages.set('large', page(1, 120_000 * SHARE));
  const source = await insertWebsite(pool, { url: site.url });
  const isLoaded = async () => (await memoryMb('VmRSS')) > 60;
  await until('the process', isLoaded, { timeoutMs: 20_000, everyMs: 100 });
  const idle = await memoryMb('VmRSS');
  await sync(source);
  const most = await memoryMb('VmHWM');
  expect(most - idle).toBeLessThan(200);
}, 300_000);
