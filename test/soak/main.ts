import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRoleProcesses } from '../webhooks/ledger/role-processes.ts';
import { createLedger, startRecorders, type Counts } from '../webhooks/ledger/ledger.ts';
import { startOwnPostgres } from '../platform/postgres/own-postgres.ts';
import { freePort } from '../free-port.ts';
import { runMigrations, temporaryFolder, type Answer } from '../roles/parley-process.ts';
import { createSeeded } from '../random/seeded.ts';
import { createFaults, type CallOptions } from './faults.ts';
import { sampleDatabase, sampleHeap, sampleProcess } from './samples.ts';
import { judgeSoak, printLine, type Sample } from './verdict.ts';

/**
 * An hour of events with a random fault every 20 s: is anything lost, does anything grow?
 *
 *   node bin/bootstrap.mjs run test/soak/main.ts [minutes = 60] [JSON file]
 *
 * Two API and two delivery processes, of which one each is never killed, so that an hour of its
 * memory and descriptors is seen. 2xx only count: what is refused while something is down is
 * repeated by nobody. Ends with 1 when a line of the verdict is bad.
 */
const MINUTES = Number(process.argv[2] ?? 60);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const FILE = process.argv[3] ?? path.join(tmpdir(), `parley-soak-${SEED}.json`);
const RATE = 200;
const ENDPOINTS = 100;
const FAULT_EVERY_MS = 20_000;
const SAMPLE_MS = 10_000;
const PROGRESS_EVERY = 6;
/** A third: V8 finds the size of its heap within some collections of all of it, minutes apart. */
const WARM_UP_SEC = MINUTES * 20;
/** After the longest time that an endpoint failed: the breaker waits ten minutes at most. */
const SETTLE_MS = 900_000;
const ELDERS = ['delivery-elder', 'api-elder', 'operator'];
const NAMES = [...ELDERS, 'api', 'delivery'];
const MB = 1 << 20;

/** What to stop at the end, the last first. */
const stops: (() => Promise<unknown>)[] = [];
try {
  process.exitCode = await soak(await setUp());
} finally {
  for (const stop of stops.toReversed()) await stop();
}

type Setup = Awaited<ReturnType<typeof setUp>>;

async function setUp() {
  const folder = await temporaryFolder();
  stops.push(folder.remove);
  const postgres = await startOwnPostgres({ settings: { max_connections: '150' } });
  stops.push(postgres.stop);
  const recorders = await startRecorders(folder.path, 2);
  stops.push(() => Promise.all(recorders.map((recorder) => recorder.stop())));
  await runMigrations(postgres.url);
  const ports = [await freePort(), await freePort()] as const;
  const env = (port: number) => ({ PARLEY_PORT: String(port), PARLEY_RATE_LIMIT: '0' });
  const roles = await startRoleProcesses(postgres.url, [
    { name: 'operator', role: 'operator' },
    { name: 'api-elder', role: 'api', env: env(ports[0]) },
    { name: 'api', role: 'api', env: env(ports[1]) },
    { name: 'delivery-elder', role: 'delivery' },
    { name: 'delivery', role: 'delivery' },
  ]);
  stops.push(roles.stop);
  const { apiKey } = roles.get('api').parley;
  let turn = 0;
  const ledger = createLedger({
    folder: folder.path,
    // As a balancer that knows nothing of health.
    api: () => ({ url: `http://127.0.0.1:${ports[turn++ % ports.length]}`, apiKey }),
    connections: 128,
  });
  stops.push(ledger.close);
  const call = callerOf(`http://127.0.0.1:${ports[0]}`, apiKey);
  return { postgres, recorders, roles, ledger, call };
}

async function soak(setup: Setup): Promise<number> {
  const { postgres, recorders, roles, ledger, call } = setup;
  const seeded = createSeeded(SEED);
  print(`seed ${SEED}, ${MINUTES} minutes at ${RATE}/s to ${ENDPOINTS} endpoints, JSON in ${FILE}`);
  const count = ENDPOINTS / recorders.length;
  const making = recorders.map((recorder) => ledger.createEndpoints({ recorder, count }));
  const endpoints = (await Promise.all(making)).flat();
  const startedMs = performance.now();
  const elapsedSec = (): number => (performance.now() - startedMs) / 1_000;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), MINUTES * 60_000);
  // Asked to end, it ends early and is judged.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort());
  const faults = createFaults({ seeded, roles, postgres, ledger, recorders, endpoints, call });
  const struck: { atSec: number; name: string; what: string }[] = [];
  const samples: Sample[] = [];
  const producing = ledger.openLoop({ endpoints, rate: RATE, until: over.signal });
  const striking = every(FAULT_EVERY_MS, over.signal, async () => {
    const name = seeded.pick(faults.names);
    const atSec = Math.round(elapsedSec());
    const what = await faults
      .strike(name)
      .catch((error: unknown) => `did not work: ${(error as Error).message}`);
    struck.push({ atSec, name, what });
  });
  const sampling = every(SAMPLE_MS, over.signal, async () => {
    samples.push(await look(setup, elapsedSec()));
    if (samples.length % PROGRESS_EVERY !== 0) return;
    print(progress(samples.at(-1)!, ledger.counts(), struck.at(-1)?.what));
  });
  await Promise.all([producing, striking, sampling]);
  clearTimeout(timer);
  await faults.heal();
  print('all is healed; waiting for what is on its way');
  const isSettled = await ledger.settled(SETTLE_MS);
  const settledSec = Math.round(elapsedSec() - MINUTES * 60);
  const verdict = await ledger.verdict();
  const replayed = faults.replayed();
  const lines = judgeSoak({
    samples,
    elders: ELDERS.map((name) => `${name}#1`),
    fromSec: WARM_UP_SEC,
    ledger: verdict,
    replayed,
    unexpected: roles.unexpected(),
    ratePlanned: RATE,
  });
  const result = { seed: SEED, minutes: MINUTES, settledSec, isSettled, replayed, verdict, lines };
  const unexpected = roles.unexpected();
  writeFileSync(FILE, JSON.stringify({ ...result, unexpected, struck, samples }, null, 1));
  for (const line of lines) print(printLine(line));
  for (const words of unexpected) print(words);
  print(
    `seed ${SEED}: ${verdict.accepted} accepted at ${verdict.acceptedPerSecond}/s, ` +
      `${verdict.lost} lost, ${verdict.duplicates} again (${replayed} of them asked for), ` +
      `${verdict.refused} refused, ${verdict.unknown} unknown, ${struck.length} faults, ` +
      `settled after ${settledSec} s`,
  );
  if (verdict.lost > 0) print(JSON.stringify(verdict.examples));
  return lines.every(({ isGood }) => isGood) ? 0 : 1;
}

/** In the rhythm, however long each takes; not at the same time as itself. */
async function every(ms: number, until: AbortSignal, act: () => Promise<void>): Promise<void> {
  const startedMs = performance.now();
  for (let round = 1; !until.aborted;) {
    const waitMs = startedMs + round * ms - performance.now();
    await delay(Math.max(0, waitMs), undefined, { signal: until }).catch(() => undefined);
    if (until.aborted) return;
    await act();
    round = Math.max(round + 1, Math.ceil((performance.now() - startedMs) / ms));
  }
}

async function look({ roles, recorders, postgres }: Setup, atSec: number): Promise<Sample> {
  const processes: Sample['processes'] = {};
  const seen = (name: string, pid: number): void => {
    const sample = sampleProcess(pid);
    if (sample !== undefined) processes[name] = sample;
  };
  for (const name of NAMES) {
    const { pid, generation } = roles.get(name);
    seen(`${name}#${generation}`, pid);
  }
  for (const [i, { pid }] of recorders.entries()) seen(`receiver-${i}`, pid);
  seen('soak', process.pid);
  for (const name of ELDERS) {
    const heapMb = await sampleHeap(roles.get(name).parley.url);
    const sample = processes[`${name}#1`];
    if (sample !== undefined && heapMb !== undefined) sample.heapMb = heapMb;
  }
  const database = await sampleDatabase(postgres).catch(() => undefined);
  return { atSec: Math.round(atSec), processes, ...(database && { database }) };
}

function progress(
  { atSec, processes, database }: Sample,
  { accepted, acceptedPerSecond, refused, unknown }: Counts,
  lastFault = 'no fault yet',
): string {
  const memory = ELDERS.map((name) => {
    const { rssMb = 0, fds = 0 } = processes[`${name}#1`] ?? {};
    return `${name} ${Math.round(rssMb)} MB ${fds} fds`;
  });
  const queueMb = (database?.tables['delivery_queue'] ?? 0) / MB;
  const queue = `${database?.queued ?? '?'} queued in ${queueMb.toFixed(1)} MB`;
  return [
    `${String(Math.round(atSec / 60)).padStart(3)} min  ${accepted} accepted (${Math.round(acceptedPerSecond)}/s)`,
    `${refused} refused, ${unknown} unknown`,
    `${queue}, ${database?.dead['delivery_queue'] ?? '?'} dead`,
    memory.join(', '),
    lastFault,
  ].join('; ');
}

function callerOf(url: string, apiKey: string) {
  return async (
    method: 'GET' | 'POST',
    route: string,
    { json, key }: CallOptions = {},
  ): Promise<Answer> => {
    const response = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
