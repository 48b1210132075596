import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pino } from 'pino';
import { Pool } from 'undici';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { until } from '../until.ts';
import { startParley } from '../roles/parley-process.ts';
import { readCpu, spentBetween } from './delivery/cpu.ts';
import { print } from './figures.ts';

/**
 * Measures conversations of 32 API clients with a `parley start`: starts and ends with one delivery for each
 * conversation, and messages that are answered from knowledge or by small talk. The CPU time of Parley and PostgreSQL is
 * added up, and divided by that of a bare `GET /v1/agents/{id}` in the same run. Then the bench measures lists and
 * statistics over all these conversations. Exits with 1 if a bound is exceeded.
 *
 *   npm run bench -- conversations     CONVERSATIONS (default 4000)
 */

const COUNT = Number(process.env['CONVERSATIONS'] ?? 4_000);
const CALLERS = 32;
const UNITS_MAX = { end: 6, both: 9, knowledge: 5.4, smallTalk: 4 };
const LIST_MS_MAX = 10;
const KNOWLEDGE =
  '# Returns\n\nYou can return an item within 30 days.\n\n# Shipping\n\nShipping takes three days.';

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const dataDir = path.join(folder, 'pg');
const postgres = createEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
const databaseUrl = (await postgres.start()).url;
const env = { DATABASE_URL: databaseUrl, PARLEY_RATE_LIMIT: '0' };
const parley = await startParley({ dataDir: folder, env });
const pool = createPool(databaseUrl, { log: pino({ level: 'silent' }), max: 1 });
const http = new Pool(parley.url, { connections: CALLERS, pipelining: 1 });
/** Deliveries that a measurement waits for. */
let awaited = { left: 0, all: Promise.withResolvers<void>() };
const receiver = createServer((request, response) => {
  awaited.left -= 1;
  if (awaited.left === 0) awaited.all.resolve();
  request.resume();
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
try {
  await once(receiver, 'listening');
  await bench();
} finally {
  receiver.close();
  receiver.closeAllConnections();
  await http.close();
  await pool.end();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function send(method: 'GET' | 'POST', route: string, json?: object): Promise<string> {
  const { statusCode, body } = await http.request({
    method,
    path: route,
    headers: { authorization: `Bearer ${parley.apiKey}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${route} was answered ${statusCode}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

type Cost = {
  cpuMs: number;
  postgresMs: number;
  walBytes: number;
  perSec: number;
  foreignCores: number;
};

/** Calls `act` `count` times by all callers. Returns what one call costs, until all deliveries have arrived. */
async function measure(
  count: number,
  act: (caller: number) => Promise<unknown>,
  deliveries = 0,
): Promise<Cost> {
  const groups = {
    parley: { pids: [parley.pids.at(-1)!] },
    postgres: { pids: [postmaster()], withChildren: true },
  };
  awaited = { left: deliveries, all: Promise.withResolvers() };
  const walBefore = await readWalBytes();
  const before = readCpu(groups);
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      while (next < count) {
        next += 1;
        await act(caller);
      }
    }),
  );
  const seconds = (performance.now() - before.atMs) / 1_000;
  if (deliveries > 0) await awaited.all.promise;
  const spent = spentBetween(before, readCpu(groups));
  const cpuSec = Object.values(spent.groups).reduce((sum, one) => sum + one, 0);
  return {
    cpuMs: (cpuSec / count) * 1_000,
    postgresMs: ((spent.groups['postgres'] ?? 0) / count) * 1_000,
    walBytes: ((await readWalBytes()) - walBefore) / count,
    perSec: count / seconds,
    foreignCores: spent.foreignCores,
  };
}

/** Bytes of write-ahead log that PostgreSQL has written since it started. */
async function readWalBytes(): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return rows[0]!.bytes;
}

function postmaster(): number {
  return Number(
    readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
}

async function bench(): Promise<void> {
  const { port } = receiver.address() as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  await send('POST', '/v1/webhooks', { url, event_types: ['conversation.ended'] });
  const agentId = await send('POST', '/v1/agents', { prompt: 'Help.' });
  const get = () => send('GET', `/v1/agents/${agentId}`);
  const start = () => send('POST', '/v1/conversations', { agent_id: agentId });
  const end = (id: string) => send('POST', `/v1/conversations/${id}/end`, {});
  const both = async () => end(await start());

  await measure(COUNT / 4, both, COUNT / 4); // Warms up.
  const before = await measure(2 * COUNT, get);
  const started: string[] = [];
  await measure(COUNT, async () => started.push(await start()));
  const ended = await measure(COUNT, async () => end(started.pop()!), COUNT);
  const cycle = await measure(COUNT, both, COUNT);
  const turns = await measureTurns();
  const after = await measure(2 * COUNT, get);

  const unit = (before.cpuMs + after.cpuMs) / 2;
  print('a bare GET', `${before.cpuMs.toFixed(2)} and ${after.cpuMs.toFixed(2)} ms of CPU time`);
  show('an end', ended, unit, UNITS_MAX.end);
  show('a start and an end', cycle, unit, UNITS_MAX.both);
  show('a turn from knowledge', turns.knowledge, unit, UNITS_MAX.knowledge);
  show('small talk', turns.smallTalk, unit, UNITS_MAX.smallTalk);
  for (const route of ['/v1/deliveries', '/v1/deliveries?event_type=agent.published', '/v1/stats'])
    await showList(route);
}

/** Measures messages to one conversation of each caller. */
async function measureTurns(): Promise<{ knowledge: Cost; smallTalk: Cost }> {
  const source = { name: 'faq', type: 'text', text: KNOWLEDGE };
  const sourceId = await send('POST', '/v1/knowledge/sources', source);
  const agent_id = await send('POST', '/v1/agents', {
    prompt: 'Help.',
    knowledge: { source_ids: [sourceId] },
  });
  await until('the source to be searchable', async () => {
    const { rows } = await pool.query('select 1 from knowledge_chunks limit 1');
    return rows.length > 0;
  });
  const ids = await Promise.all(
    Array.from({ length: CALLERS }, () => send('POST', '/v1/conversations', { agent_id })),
  );
  const say = (text: string) => (caller: number) =>
    send('POST', `/v1/conversations/${ids[caller]}/messages`, { text });
  const question = say('How many days do I have to return an item?');
  await measure(COUNT / 8, question); // Warms up.
  const knowledge = await measure(COUNT / 2, question);
  return { knowledge, smallTalk: await measure(COUNT / 2, say('Thanks!')) };
}

/** Shows the median time of a request, one after the other. */
async function showList(route: string): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 41; i += 1) {
    const startedMs = performance.now();
    await send('GET', route);
    times.push(performance.now() - startedMs);
  }
  const ms = times.toSorted((a, b) => a - b)[20]!;
  if (ms > LIST_MS_MAX) process.exitCode = 1;
  print(`GET ${route}`, `p50 ${ms.toFixed(1)} ms (at most ${LIST_MS_MAX})`);
}

function show(
  what: string,
  { cpuMs, postgresMs, walBytes, perSec, foreignCores }: Cost,
  unit: number,
  max: number,
): void {
  const units = cpuMs / unit;
  if (units > max) process.exitCode = 1;
  print(
    what,
    `${cpuMs.toFixed(2)} ms (PostgreSQL ${postgresMs.toFixed(2)}), ${units.toFixed(1)} units (at most ${max}${units > max ? ': MISSED' : ''}), ` +
      `${perSec.toFixed(0)}/s, ${(walBytes / 1_024).toFixed(1)} KiB of WAL, other work ${foreignCores.toFixed(1)} cores`,
  );
}
