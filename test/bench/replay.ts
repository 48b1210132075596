import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { freePort } from '../free-port.ts';
import { runMigrations, startRole, type Parley } from '../roles/parley-process.ts';
import { distribution, openLoop, print } from './figures.ts';
import { startRecorder } from './start-recorder.ts';
import { until } from '../until.ts';

/**
 * Replay of 100,000 events to one endpoint: deliveries a second, and what live events to that very
 * endpoint and to another one wait meanwhile, beside what they wait without it in the same run.
 *
 *   node bin/bootstrap.mjs run test/bench/replay.ts       about three minutes
 */
const EVENTS = Number(process.argv[2] ?? 100_000);
const LIVE_RATE = 40;
const BASELINE_SEC = Number(process.argv[3] ?? 15);

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const postgres = createEmbeddedPostgres({
  dataDir: folder,
  log: pino({ level: 'silent' }),
});
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
  await bench(`http://127.0.0.1:${port}`, roles[2]!.apiKey);
} finally {
  await Promise.all(roles.map((role) => role.stop()));
  recorder.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function bench(url: string, apiKey: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const call = async (method: string, route: string, json?: object) => {
    const response = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    // What we asked for ourselves.
    return (await response.json()) as Record<string, unknown> & {
      id: string;
      event_id: string;
      status: string;
      progress: { total: number; done: number };
    };
  };
  const endpoints = [
    await call('POST', '/v1/webhooks', { url: recorder.url }),
    await call('POST', '/v1/webhooks', { url: `${recorder.url}other` }),
  ];
  await client.query(
    `insert into events (id, namespace, type, body)
     select id, 'default', 'agent.published',
            convert_to(format('{"id":"%s","data":{"filler":"%s"}}', id, repeat('x', 400)), 'UTF8')
       from (select parley_uuid_v7() as id from generate_series(1, $1)) e`,
    [EVENTS],
  );
  await client.query('analyze events');
  /** Live events to both endpoints in turn; how long each took from commit to arrival. */
  const live = async (seconds: number) => {
    let next = 0;
    const ids = await openLoop({ rate: LIVE_RATE, seconds }, async () => {
      const to = next++ % 2;
      const { event_id: id } = await call('POST', `/v1/webhooks/${endpoints[to]!.id}/test`);
      return { id, to };
    });
    return ids;
  };
  const committed = async (): Promise<Map<string, number>> => {
    const { rows } = await client.query<{ body: string; at: string }>(
      `select convert_from(body, 'UTF8') as body, extract(epoch from created_at) * 1000 as at
         from events where endpoint_id is not null`,
    );
    return new Map(
      rows.map(({ body, at }) => [(JSON.parse(body) as { id: string }).id, Number(at)]),
    );
  };
  const printRun = async (
    what: string,
    ids: { id: string; to: number }[],
    arrivals: Map<string, number>,
  ): Promise<void> => {
    const at = await committed();
    for (const to of [0, 1]) {
      const waits = ids
        .filter((one) => one.to === to)
        .map(({ id }) => (arrivals.get(id) ?? NaN) - at.get(id)!);
      const which = to === 0 ? 'the same endpoint' : 'another endpoint';
      print(`live, ${which}, ${what}`, distribution(waits));
    }
  };

  await live(3);
  await recorder.dump();
  const before = await live(BASELINE_SEC);
  await delay(500); // The last are on their way.
  await printRun('alone', before, await recorder.dump());

  const cpuBefore = cpuMs();
  const startedMs = performance.now();
  const job = await call('POST', `/v1/webhooks/${endpoints[0]!.id}/replay`, {
    since: Math.floor(Date.now() / 1_000) - 3_600,
    mode: 'missing',
    types: ['agent.published'],
  });
  print('counted and accepted in', `${Math.round(performance.now() - startedMs)} ms`);
  const over = new AbortController();
  const during: { id: string; to: number }[] = [];
  const meanwhile = (async () => {
    while (!over.signal.aborted) during.push(...(await live(1)));
  })();
  const isOver = async (): Promise<boolean> =>
    (await call('GET', `/v1/jobs/${job.id}`)).status !== 'running';
  await until('the job', isOver, { timeoutMs: 3_600_000, everyMs: 200 });
  const sec = (performance.now() - startedMs) / 1_000;
  over.abort();
  await meanwhile;
  await delay(1_000); // The last are on their way.
  const arrivals = await recorder.dump();
  print(
    `replay of ${job.progress.total} events`,
    `${Math.round(job.progress.total / sec)}/s, ${arrivals.size - during.length} arrived`,
  );
  // On a machine that is busy with other things this says more than the rate does.
  const spent = (cpuMs() - cpuBefore) / job.progress.total;
  print('time of a core in delivery and API, per event', `${spent.toFixed(2)} ms`);
  await printRun('during the replay', during, arrivals);
  await client.end();
}

/** Of the delivery and the API process: user and system, at 100 ticks a second. */
function cpuMs(): number {
  const pids = roles.slice(1).flatMap((role) => role.pids);
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
}
