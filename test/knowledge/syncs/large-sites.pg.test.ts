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

/** What a sync takes: of time where nothing has changed, of memory whatever there is. */

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

test('500 pages that have not changed are looked at in five seconds', async () => {
  for (let number = 0; number < 500; number += 1) site.pages.set(`p${number}`, page(number, 20));
  const source = await insertWebsite(pool, { url: site.url });
  const first = await sync(source);
  const again = await sync(source);
  console.info(`read in ${first['duration_sec']} s, again in ${again['duration_sec']} s`);
  expect(again).toMatchObject({ documents: 500, added: 0, updated: 0, removed: 0 });
  expect(again['duration_sec']).toBeLessThan(5);
}, 300_000);

async function memoryMb(field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${runner.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
}

test('a sync takes no more than 200 MB, whatever the source holds', async () => {
  for (let number = 0; number < 400; number += 1) site.pages.set(`p${number}`, page(number, 300));
  site.pages.set('large', page(1, 120_000));
  const bytes = [...site.pages.values()].reduce((sum, text) => sum + text.length, 0);
  const source = await insertWebsite(pool, { url: site.url });
  const isLoaded = async () => (await memoryMb('VmRSS')) > 60;
  await until('the process', isLoaded, { timeoutMs: 20_000, everyMs: 100 });
  const idle = await memoryMb('VmRSS');
  const { documents, duration_sec } = await sync(source);
  const most = await memoryMb('VmHWM');
  console.info(
    `${documents} documents of ${Math.round(bytes / 1e6)} MB in ${duration_sec} s: ${Math.round(idle)} MB idle, ${Math.round(most)} MB at most`,
  );
  expect(most - idle).toBeLessThan(200);
}, 300_000);
