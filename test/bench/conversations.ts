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
import { startParley } from '../roles/parley-process.ts';
import { readCpu, spentBetween } from './delivery/cpu.ts';
import { print } from './figures.ts';

/**
 * CPU time of conversations that start and end, of all processes of Parley and PostgreSQL, in units of a bare
 * `GET /v1/agents/{id}` of the same run. 32 callers, one delivery for each conversation. Exits with 1 if an end takes
 * more than 6 units, or start and end more than 9.
 *
 *   npm run bench -- conversations     CONVERSATIONS (default 4000)
 */

const COUNT = Number(process.env['CONVERSATIONS'] ?? 4_000);
const CALLERS = 32;
const UNITS_MAX = { end: 6, both: 9 };

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const dataDir = path.join(folder, 'pg');
const postgres = createEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
const databaseUrl = (await postgres.start()).url;
const env = { DATABASE_URL: databaseUrl, PARLEY_RATE_LIMIT: '0' };
const parley = await startParley({ dataDir: folder, env });
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

type Cost = { cpuMs: number; postgresMs: number; perSec: number; foreignCores: number };

/** Calls `act` `count` times by all callers. Returns what one call costs, until all deliveries have arrived. */
async function measure(count: number, act: () => Promise<unknown>, deliveries = 0): Promise<Cost> {
  const groups = {
    parley: { pids: [parley.pids.at(-1)!] },
    postgres: { pids: [postmaster()], withChildren: true },
  };
  awaited = { left: deliveries, all: Promise.withResolvers() };
  const before = readCpu(groups);
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (next < count) {
        next += 1;
        await act();
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
    perSec: count / seconds,
    foreignCores: spent.foreignCores,
  };
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
  const after = await measure(2 * COUNT, get);

  const unit = (before.cpuMs + after.cpuMs) / 2;
  print('a bare GET', `${before.cpuMs.toFixed(2)} and ${after.cpuMs.toFixed(2)} ms of CPU time`);
  show('an end', ended, unit, UNITS_MAX.end);
  show('a start and an end', cycle, unit, UNITS_MAX.both);
}

function show(
  what: string,
  { cpuMs, postgresMs, perSec, foreignCores }: Cost,
  unit: number,
  max: number,
): void {
  const units = cpuMs / unit;
  if (units > max) process.exitCode = 1;
  print(
    what,
    `${cpuMs.toFixed(2)} ms (PostgreSQL ${postgresMs.toFixed(2)}), ${units.toFixed(1)} units (at most ${max}${units > max ? ': MISSED' : ''}), ` +
      `${perSec.toFixed(0)}/s, other work ${foreignCores.toFixed(1)} cores`,
  );
}
