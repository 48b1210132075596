import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { startParley } from '../roles/parley-process.ts';
import { distribution, openLoop, print, quantile, residentMemory } from './figures.ts';

/**
 * A site of 500 pages on this machine, some 20 kB each with 40 links: read for the first time, and
 * again when nothing has changed; then what others wait while such a site is read: reads of the API and
 * turns of conversations. Everything is one process, as `start` runs it.
 *
 *   npm run bench -- website [PAGES]
 */

const PAGES = Number(process.argv[2] ?? 500);
const ALLOWED_SEC = { first: 30, again: 5 };
/** Of others, while a site is read: p99 at most so many times that of before, or so many ms. */
const ALLOWED_BESIDE = { ratio: 2, ms: 25 };
const BESIDE_SEC = 6;
const READS_PER_SEC = 60;
const TURNS_PER_SEC = 20;
const LINKS = 40;

const WORDS =
  `parcel refund kettle warranty invoice delivery account password return shipping order price month
  customer address payment repair service agent question answer opening hours branch`.split(/\s+/);

function pageOf(n: number): string {
  const links = Array.from({ length: LINKS }, (_, i) => `/page-${(n * LINKS + i + 1) % PAGES}`);
  const menu = links.map((link) => `<li><a href="${link}">${link}</a>`).join('');
  const sections = Array.from({ length: 12 }, (_, section) => {
    const words = Array.from(
      { length: 200 },
      (_, i) => WORDS[(n * 7 + section * 13 + i * (n + 3)) % WORDS.length],
    );
    return `<h2>Section ${section} of ${n}</h2><p>${words.join(' ')}.</p>`;
  });
  return `<!doctype html><html lang="en"><title>Page ${n}</title><nav><ul>${menu}</ul></nav><main><h1>Page ${n}</h1>${sections.join('')}</main></html>`;
}

const log = pino({ level: 'silent' });
const pages = new Map(Array.from({ length: PAGES }, (_, n) => [`/page-${n}`, pageOf(n)]));
let requests = 0;
const site = createServer((request, response) => {
  requests += 1;
  const body = pages.get(request.url!);
  if (body === undefined) return response.writeHead(404).end();
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
  return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(body);
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const { port } = site.address() as AddressInfo;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'pg'), log });
const databaseUrl = (await postgres.start()).url;
const parley = await startParley({ dataDir: folder, env: { DATABASE_URL: databaseUrl } });
const pool = createPool(databaseUrl, { log });
try {
  await bench();
} finally {
  await pool.end();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
  site.close();
}

async function bench(): Promise<void> {
  const { body: created } = await parley.call('POST', '/v1/knowledge/sources', {
    type: 'website',
    website: { url: `http://127.0.0.1:${port}/page-0`, delay_ms: 0, max_pages: PAGES },
  });
  const route = `/v1/knowledge/sources/${created.id}`;
  print('memory of the process before', residentMemory(parley.pids[0]!));
  const startedMs = performance.now();
  const first = await settled(route);
  show(`${PAGES} pages, read for the first time`, startedMs, ALLOWED_SEC.first);
  print('  documents, passages', `${first.documents}, ${first.chunks}`);
  const before = await rows();
  requests = 0;
  const againMs = performance.now();
  await parley.call('POST', `${route}/sync`);
  const again = await settled(route);
  show('the same, unchanged', againMs, ALLOWED_SEC.again);
  const { added, updated, removed, failed } = again.last_sync;
  print('  added, updated, removed, failed', [added, updated, removed, failed].join(', '));
  const isUntouched = (await rows()) === before;
  print(
    '  requests; rows of documents and passages',
    `${requests}; ${isUntouched ? 'untouched' : 'WRITTEN'}`,
  );
  print('memory of the process', residentMemory(parley.pids[0]!, { peak: true }));
  await beside();
}

/** What others wait before another such site is read, and while. */
async function beside(): Promise<void> {
  const { body: agent } = await parley.call('POST', '/v1/agents', { prompt: 'Help.' });
  const talks = await Promise.all(
    Array.from({ length: TURNS_PER_SEC }, async () => {
      const { body } = await parley.call('POST', '/v1/conversations', { agent_id: agent.id });
      return `/v1/conversations/${body.id}/messages`;
    }),
  );
  let next = 0;
  const act = {
    reads: () => timed(() => parley.call('GET', `/v1/agents/${agent.id}`)),
    turns: () =>
      timed(() => parley.call('POST', talks[(next += 1) % talks.length]!, { text: 'Thank you' })),
  };
  const others = async () => {
    const [reads, turns] = await Promise.all([
      openLoop({ rate: READS_PER_SEC, seconds: BESIDE_SEC }, act.reads),
      openLoop({ rate: TURNS_PER_SEC, seconds: BESIDE_SEC }, act.turns),
    ]);
    return { reads, turns };
  };
  await others(); // So that nothing is done for the first time.
  const before = await others();
  const { body: created } = await parley.call('POST', '/v1/knowledge/sources', {
    type: 'website',
    website: { url: `http://127.0.0.1:${port}/page-1`, delay_ms: 0, max_pages: PAGES },
  });
  const during = await others();
  const { body: source } = await parley.call('GET', `/v1/knowledge/sources/${created.id}`);
  print(
    'others, while a site is read',
    source.sync === null ? 'it was read sooner' : 'all the time',
  );
  for (const what of ['reads', 'turns'] as const) {
    const ratio = quantile(during[what], 0.99) / quantile(before[what], 0.99);
    const isKept =
      ratio <= ALLOWED_BESIDE.ratio || quantile(during[what], 0.99) <= ALLOWED_BESIDE.ms;
    print(`  ${what} before`, distribution(before[what]));
    print(`  ${what} during`, distribution(during[what]));
    print('  p99', `${ratio.toFixed(2)} times  ${isKept ? 'kept' : 'NOT KEPT'}`);
  }
}

async function timed(act: () => Promise<{ status: number }>): Promise<number> {
  const sinceMs = performance.now();
  const { status } = await act();
  if (status !== 200) throw new Error(`answered ${status}`);
  return performance.now() - sinceMs;
}

async function settled(route: string): Promise<Awaited<ReturnType<typeof parley.call>>['body']> {
  for (;;) {
    const { body } = await parley.call('GET', route);
    if (body.sync === null && body.last_sync !== null) return body;
    if (body.status === 'error') throw new Error(`${JSON.stringify(body)}\n${parley.output()}`);
    await delay(50);
  }
}

/** Which version of each row there is. */
async function rows(): Promise<string> {
  const { rows } = await pool.query<{ all: string }>(
    `select md5((select string_agg(id::text || xmin::text, ',' order by id) from knowledge_documents)
        || (select string_agg(id::text || xmin::text, ',' order by id) from knowledge_chunks)) as all`,
  );
  return rows[0]!.all;
}

function show(what: string, sinceMs: number, allowedSec: number): void {
  const seconds = (performance.now() - sinceMs) / 1000;
  const kept = seconds <= allowedSec ? 'kept' : 'NOT KEPT';
  print(what, `${seconds.toFixed(1)} s (${allowedSec} s allowed)  ${kept}`);
}
