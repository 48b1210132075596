import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { startFloodingReceiver } from '../webhooks/delivery/processes/flooding-receiver.ts';
import { distribution, openLoop, print, quantile } from './figures.ts';
import { startRecorder } from './start-recorder.ts';

/**
 * What one tenant notices of another whose receivers answer with 103 Early Hints without end: from
 * the call that makes an event to its arrival, before, during and after.
 *
 *   npm run bench -- early-hints        SECONDS (default 20) of each, RATE (default 20) events/s
 */

const SECONDS = Number(process.env['SECONDS'] ?? 20);
const RATE = Number(process.env['RATE'] ?? 20);
/** Endpoints that flood, each sent FLOOD_RATE events/s. */
const FLOODERS = 8;
const FLOOD_RATE = 2;
const WARM_SEC = 3;
/** What has not arrived so long after the last one was sent counts as never. */
const ARRIVAL_MAX_MS = 60_000;
/** During / before, of p50 and p99. */
const BOUND = 2;

const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');

type Call = Parley['call'];
/** One test event to this endpoint, and when it was asked for (Unix ms, with fractions). */
type Sent = { eventId: string; atMs: number };

const folder = await mkdtemp(path.join(tmpdir(), 'parley-early-hints-'));
const log = pino({ level: 'silent' });
const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'db'), log });
const { url: databaseUrl } = await postgres.start();
const parley = await startParley({
  dataDir: path.join(folder, 'data'),
  env: { DATABASE_URL: databaseUrl },
});
const recorder = await startRecorder();
const flooding = await startFloodingReceiver();
try {
  const quiet = await callerIn('quiet');
  const quietId = await addEndpoint(quiet, recorder.url);
  const measure = async (what: string): Promise<number[]> => {
    const times = await deliver(quiet, quietId, SECONDS);
    print(what, distribution(times));
    return times;
  };
  await deliver(quiet, quietId, WARM_SEC);
  const before = await measure('before');

  const ids = await Promise.all(
    Array.from({ length: FLOODERS }, () => addEndpoint(parley.call, flooding.url)),
  );
  const sending = openLoop({ rate: FLOOD_RATE, seconds: SECONDS + WARM_SEC }, () =>
    Promise.all(ids.map((id) => sendTo(parley.call, id))),
  );
  await deliver(quiet, quietId, 1);
  const during = await measure('during the flood');
  await sending;
  print('connections that were flooded', String(await flooding.connections()));
  for (const id of ids) await parley.call('DELETE', `/v1/webhooks/${id}`);
  await measure('after');

  for (const q of [0.5, 0.99]) {
    const ratio = quantile(during, q) / quantile(before, q);
    const mark = ratio > BOUND ? '  MISSED' : '';
    print(`during / before, p${q * 100}`, `${ratio.toFixed(2)} (at most ${BOUND})${mark}`);
  }
} finally {
  flooding.stop();
  recorder.stop();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** How long each event of `seconds` took from the call that makes it to its arrival, ms. */
async function deliver(call: Call, id: string, seconds: number): Promise<number[]> {
  const sent = await openLoop({ rate: RATE, seconds }, () => sendTo(call, id));
  const arrivals = new Map<string, number>();
  const untilMs = performance.now() + ARRIVAL_MAX_MS;
  while (arrivals.size < sent.length && performance.now() < untilMs) {
    for (const [eventId, atMs] of await recorder.dump()) {
      if (!arrivals.has(eventId)) arrivals.set(eventId, atMs);
    }
    await new Promise((resolve) => setTimeout(resolve, 50)); // Between two looks.
  }
  return sent.map(({ eventId, atMs }) => (arrivals.get(eventId) ?? Infinity) - atMs);
}

async function sendTo(call: Call, id: string): Promise<Sent> {
  const atMs = performance.timeOrigin + performance.now();
  const { status, body } = await call('POST', `/v1/webhooks/${id}/test`, {});
  if (status !== 202) throw new Error(`test event: ${status} ${JSON.stringify(body)}`);
  return { eventId: body.event_id, atMs };
}

async function addEndpoint(call: Call, url: string): Promise<string> {
  const { status, body } = await call('POST', '/v1/webhooks', { url });
  if (status !== 201) throw new Error(`endpoint: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** The API as a key of that namespace sees it. */
async function callerIn(namespace: string): Promise<Call> {
  const args = [MAIN, 'keys', 'create', '-n', namespace];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const headers = {
    authorization: `Bearer ${stdout.trim()}`,
    'content-type': 'application/json',
  };
  return async (method, route, body) => {
    const request = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${parley.url}${route}`, request);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}
