import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { Pool } from 'undici';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { distribution, ms, openLoop, print, quantile, residentMemory } from './figures.ts';
import { startRecorder, type Recorder } from './start-recorder.ts';

/**
 * The figures of the README, on this machine, in one run: start, delivery latency, throughput,
 * a manifest's way, memory. Beside the latency stands the limit of the machine at that moment, a
 * bare keep-alive POST loop at the same rate to the same receiver: compare ratios, not machines.
 *
 *   npm run bench -- summary            about two minutes
 */

const RATE = 200;
const LATENCY_SEC = 20;
const LOAD_RATE = 800;
const LOAD_SEC = 20;
const LOAD_ENDPOINTS = 100;
const EDITS = 15;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
let apiPool: Pool | undefined;
const log = pino({ level: 'silent' });
try {
  await benchStart();
  await benchDelivery();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function benchStart(): Promise<void> {
  const dataDir = path.join(folder, 'start');
  const times: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    const startedMs = performance.now();
    const parley = await startParley({ dataDir });
    times.push(performance.now() - startedMs);
    await parley.stop();
  }
  const [first, ...warm] = times;
  print('start, first (initdb)', ms(first!));
  print('start, warm, median of 5', ms(quantile(warm, 0.5)));
}

async function benchDelivery(): Promise<void> {
  const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'delivery'), log });
  const { url: databaseUrl } = await postgres.start();
  const recorder = await startRecorder();
  const manifests = path.join(folder, 'manifests');
  const parley = await startParley({
    dataDir: path.join(folder, 'data'),
    manifests: await seedManifests(manifests),
    env: { DATABASE_URL: databaseUrl },
  });
  try {
    print('memory, idle', residentMemory(parley.pids[0]!));
    await benchManifest(parley, recorder, manifests);
    await benchLatency(parley, recorder, databaseUrl);
    await benchBaseline(recorder);
    await benchLoad(parley, recorder);
    print('memory, after the load', residentMemory(parley.pids[0]!));
  } finally {
    await apiPool?.close();
    await parley.stop();
    recorder.stop();
    await postgres.stop();
  }
}

/** From the statement that commits an event to its arrival: the commit itself is in it. */
async function benchLatency(
  parley: Parley,
  recorder: Recorder,
  databaseUrl: string,
): Promise<void> {
  const { body: endpoint } = await parley.call('POST', '/v1/webhooks', { url: recorder.url });
  await openLoop({ rate: RATE, seconds: 3 }, () => test(parley, endpoint.id));
  await recorder.dump();
  const ids = await openLoop({ rate: RATE, seconds: LATENCY_SEC }, () => test(parley, endpoint.id));
  await settled(parley, endpoint.id);
  const arrivals = await recorder.dump();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ body: string; at: string }>(
    `select convert_from(body, 'UTF8') as body, extract(epoch from created_at) * 1000 as at from events
      where created_at > now() - interval '10 minutes'`,
  );
  await client.end();
  const committed = new Map(rows.map(({ body, at }) => [eventId(body), Number(at)]));
  const waits = ids.map((id) => arrivals.get(id)! - committed.get(id)!);
  print(`commit → arrival at ${RATE}/s`, distribution(waits));
  await parley.call('DELETE', `/v1/webhooks/${endpoint.id}`);
}

async function benchBaseline(recorder: Recorder): Promise<void> {
  const pool = new Pool(new URL(recorder.url).origin, { connections: 32 });
  const sent = new Map<string, number>();
  let next = 0;
  await openLoop({ rate: RATE, seconds: 5 }, async () => {
    const id = `direct-${next++}`;
    sent.set(id, performance.timeOrigin + performance.now());
    const { body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'x-id': id },
      body: '{}'.padEnd(400),
    });
    await body.dump();
    return id;
  });
  const arrivals = await recorder.dump();
  print(
    `  a bare POST at ${RATE}/s`,
    distribution([...sent].map(([id, at]) => arrivals.get(id)! - at)),
  );
  await pool.close();
}

async function benchLoad(parley: Parley, recorder: Recorder): Promise<void> {
  const endpoints: string[] = [];
  for (let i = 0; i < LOAD_ENDPOINTS; i += 1) {
    const { body } = await parley.call('POST', '/v1/webhooks', { url: `${recorder.url}${i}` });
    endpoints.push(body.id);
  }
  let next = 0;
  const startedMs = performance.now();
  const ids = await openLoop({ rate: LOAD_RATE, seconds: LOAD_SEC }, () =>
    test(parley, endpoints[next++ % endpoints.length]!),
  );
  const acceptedSec = (performance.now() - startedMs) / 1_000;
  for (const id of endpoints) await settled(parley, id);
  const arrivals = await recorder.dump();
  const lastMs = Math.max(...arrivals.values()) - performance.timeOrigin;
  const deliveredSec = (lastMs - startedMs) / 1_000;
  const lost = ids.filter((id) => !arrivals.has(id)).length;
  print(
    `load of ${LOAD_RATE}/s to ${LOAD_ENDPOINTS} endpoints, ${LOAD_SEC} s`,
    `${Math.round(ids.length / acceptedSec)}/s accepted, ` +
      `${Math.round(arrivals.size / deliveredSec)}/s delivered, ${lost} lost`,
  );
}

async function benchManifest(parley: Parley, recorder: Recorder, manifests: string): Promise<void> {
  const { body: endpoint } = await parley.call('POST', '/v1/webhooks', { url: recorder.url });
  const waits: number[] = [];
  for (let i = 0; i < EDITS; i += 1) {
    const savedMs = performance.timeOrigin + performance.now();
    await writeFile(path.join(manifests, 'agent.yaml'), manifest(`text ${i}`));
    let arrivals = await recorder.dump();
    while (arrivals.size === 0) arrivals = await recorder.dump();
    waits.push([...arrivals.values()][0]! - savedMs);
  }
  print('manifest saved → agent.published arrived', distribution(waits));
  await parley.call('DELETE', `/v1/webhooks/${endpoint.id}`);
}

/** As a service would call it: a bounded pool of kept connections. */
async function test({ url, apiKey }: Parley, endpointId: string): Promise<string> {
  apiPool ??= new Pool(url, { connections: 64 });
  const { statusCode, body } = await apiPool.request({
    method: 'POST',
    path: `/v1/webhooks/${endpointId}/test`,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const text = await body.text();
  if (statusCode !== 202) throw new Error(`${statusCode} ${text}`);
  return (JSON.parse(text) as { event_id: string }).event_id;
}

/** Nothing of the endpoint is on its way any more. */
async function settled({ call }: Parley, endpointId: string): Promise<void> {
  for (;;) {
    const route = `/v1/webhooks/${endpointId}/deliveries?limit=1&status=`;
    const pending = await call('GET', `${route}pending`);
    const retrying = await call('GET', `${route}retrying`);
    if (pending.body.data.length + retrying.body.data.length === 0) return;
  }
}

async function seedManifests(manifests: string): Promise<string> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir(manifests, { recursive: true });
  await writeFile(path.join(manifests, 'agent.yaml'), manifest('first'));
  return manifests;
}

function manifest(prompt: string): string {
  return `apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: bench }
spec: { prompt: ${prompt} }
`;
}

function eventId(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}
