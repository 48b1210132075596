import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { insertApiKey, newKeyText } from '../../src/access/api-keys.sql.ts';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { SCOPES } from '../../src/platform/http/authorize.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { freePort } from '../free-port.ts';
import { runMigrations, startRole, type Parley } from '../roles/parley-process.ts';
import { keepSending, sharedBytes, showStatuses } from './greedy.ts';
import { ms, openLoop, print, quantile, residentMemory } from './figures.ts';
import { startRecorder } from './start-recorder.ts';

/**
 * One greedy key takes all it can get: event streams, uploads at once, replay jobs. What another
 * tenant's requests (a list, a message to an agent) take before, during each and all, and after.
 *
 *   npm run bench -- shares [seconds a phase, 15] [MiB an upload, 20]       about two minutes
 */
const SECONDS = Number(process.argv[2] ?? 15);
const UPLOAD_BYTES = Number(process.argv[3] ?? 20) * 1024 * 1024;
const RATE = 20;
/** Of the quiet tenant, each in its turn: messages to one wait for each other. */
const CONVERSATIONS = 50;
const STREAMS_TRIED = 600;
const UPLOADERS = 8;
const EVENTS = 20_000;
const RATIO_MAX = 2;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const log = pino({ level: 'silent' });
const postgres = createEmbeddedPostgres({ dataDir: folder, log });
const { url: databaseUrl } = await postgres.start();
const recorder = await startRecorder();
const roles: Parley[] = [];
try {
  await runMigrations(databaseUrl);
  const port = String(await freePort());
  for (const role of ['operator', 'delivery', 'api'] as const) {
    const env = { PARLEY_PORT: port, PARLEY_RATE_LIMIT: '0' };
    roles.push(await startRole(role, { databaseUrl, env }));
  }
  await bench(`http://127.0.0.1:${port}`, roles[2]!);
} finally {
  await Promise.all(roles.map((role) => role.stop()));
  recorder.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

type Json = Record<string, unknown> & { id: string };

async function bench(url: string, api: Parley): Promise<void> {
  const pool = createPool(databaseUrl, { log, max: 2 });
  const newKey = async (namespace: string): Promise<string> => {
    const text = newKeyText();
    await insertApiKey(pool, { namespace, scopes: SCOPES, text });
    return text;
  };
  const callAs = (key: string) => async (method: string, route: string, json?: object) => {
    const response = await fetch(url + route, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(json && { body: JSON.stringify(json) }),
    });
    // What we asked for ourselves.
    return { status: response.status, body: (await response.json()) as Json };
  };
  const [greedyKey, quietKey] = [await newKey('greedy'), await newKey('quiet')];
  const [greedy, quiet] = [callAs(greedyKey), callAs(quietKey)];

  const agent = (await quiet('POST', '/v1/agents', { name: 'support', prompt: 'help' })).body;
  const conversations: string[] = [];
  for (let i = 0; i < CONVERSATIONS; i += 1) {
    const { body } = await quiet('POST', '/v1/conversations', { agent_id: agent.id });
    conversations.push(body.id);
  }
  let turn = 0;
  const quietRequest = async (): Promise<number> => {
    const startedMs = performance.now();
    turn += 1;
    const { status } =
      turn % 2 === 0
        ? await quiet('GET', '/v1/agents?limit=20')
        : await quiet('POST', `/v1/conversations/${conversations[turn % CONVERSATIONS]}/messages`, {
            text: 'when do you open?',
          });
    if (status !== 200) throw new Error(`the quiet tenant was answered ${status}`);
    return performance.now() - startedMs;
  };
  const phase = async (what: string): Promise<number> => {
    const took = await openLoop({ rate: RATE, seconds: SECONDS }, quietRequest);
    const p99 = quantile(took, 0.99);
    print(`quiet tenant, ${what}`, `p50 ${ms(quantile(took, 0.5))}  p99 ${ms(p99)}`);
    return p99;
  };

  await openLoop({ rate: RATE, seconds: 3 }, quietRequest);
  const before = await phase('before');
  const ratio = (what: string, p99: number): void =>
    print(`  p99 ${what} to before`, `${(p99 / before).toFixed(2)} (at most ${RATIO_MAX})`);

  const streams = openStreams(url, greedyKey);
  print('streams the greedy key got', `${await streams.opened} of ${STREAMS_TRIED}`);
  ratio('with streams', await phase('with streams'));

  const sourceIds: string[] = [];
  for (let i = 0; i < UPLOADERS; i += 1) {
    const { body } = await greedy('POST', '/v1/knowledge/sources', { type: 'file' });
    sourceIds.push(body.id);
  }
  const uploads = keepUploading(url, greedyKey, sourceIds);
  ratio('with streams and uploads', await phase('with streams and uploads'));
  print('uploads', showStatuses(await uploads.stop()));

  const endpoint = (await greedy('POST', '/v1/webhooks', { url: recorder.url })).body;
  await pool.query(
    `insert into events (id, namespace, type, body)
     select id, 'greedy', 'agent.published',
            convert_to(format('{"id":"%s","data":{"filler":"%s"}}', id, repeat('x', 400)), 'UTF8')
       from (select parley_uuid_v7() as id from generate_series(1, $1)) e`,
    [EVENTS],
  );
  await pool.query('analyze events');
  const replays = keepReplaying(url, greedyKey, endpoint.id);
  ratio('with streams and replays', await phase('with streams and replays'));
  const all = keepUploading(url, greedyKey, sourceIds);
  ratio('with all', await phase('with all'));
  print('uploads', showStatuses(await all.stop()));
  print('requests to replay', showStatuses(await replays.stop()));
  print('memory of the API', residentMemory(api.pids.at(-1)!, { peak: true }));
  streams.close();
  ratio('after', await phase('after'));
  await pool.end();
}

/** As many as are let in, and not one of them is read. */
function openStreams(url: string, key: string) {
  const asked = Array.from({ length: STREAMS_TRIED }, () =>
    request(`${url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${key}` },
      agent: false,
    }).end(),
  );
  const statuses = asked.map(
    (one) =>
      new Promise<number>((resolve) => {
        one.on('response', ({ statusCode = 0 }) => resolve(statusCode));
        one.on('error', () => resolve(0));
      }),
  );
  return {
    opened: Promise.all(statuses).then((all) => all.filter((status) => status === 200).length),
    close: () => asked.forEach((one) => one.destroy()),
  };
}

/** So many at once, each to a source of its own; those that are refused come again. */
function keepUploading(url: string, key: string, sourceIds: readonly string[]) {
  const line = 'The shop in the market street opens at nine and closes at six. ';
  const text = line.repeat(Math.ceil(UPLOAD_BYTES / line.length)).slice(0, UPLOAD_BYTES);
  const body = sharedBytes(Buffer.from(text));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
  const requests = sourceIds.map((id) => {
    const route = `/v1/knowledge/sources/${id}/content`;
    return { method: 'PUT' as const, path: route, headers, body };
  });
  return keepSending({ url, requests, pauseMs: 0, refusedPauseMs: 100 });
}

function keepReplaying(url: string, key: string, endpointId: string) {
  const since = Math.floor(Date.now() / 1_000) - 3_600;
  const request = {
    method: 'POST' as const,
    path: `/v1/webhooks/${endpointId}/replay`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: sharedBytes(Buffer.from(JSON.stringify({ since, mode: 'all' }))),
  };
  const requests = Array.from({ length: 4 }, () => request);
  return keepSending({ url, requests, pauseMs: 50, refusedPauseMs: 50 });
}
