import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { createSeeded } from '../../random/seeded.ts';
import { startDatabaseHarness, type Producer, type DatabaseHarness } from './database-harness.ts';

/**
 * Connections to PostgreSQL are slow, all taken, cut, or silently dead, and statements get in each
 * other's way: callers get an answer in time, 503 at worst, and all goes on by itself.
 */

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
/** A caller waits so long for a connection at most (src/platform/postgres/pool.ts), and for a statement. */
const CONNECTION_MS = 5_000;
const STATEMENT_MS = 15_000;
/** For what the machine adds. */
const SLACK_MS = 2_000;
const CALLERS = 60;
const CALLERS_SLOW = 40;
/** src/commands/run-role.ts */
const API_CONNECTIONS = 20;
/** With a second for each of a request's statements, behind those of a batch before it. */
const SLOW_DEADLINE_MS = 10_000;

let postgres: OwnPostgres;
let harness: DatabaseHarness;
let producer: Producer | undefined;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  harness = await startDatabaseHarness(postgres.url);
  await harness.arrived(await harness.emit());
}, 60_000);

afterEach(async () => {
  harness.database.delay(0);
  harness.deliveryDatabase.delay(0);
  await producer?.stop().catch(() => undefined);
  producer = undefined;
});

afterAll(async () => {
  await harness?.stop();
  await postgres?.stop();
}, 60_000);

const slowestMs = ({ answers }: Producer): number =>
  Math.max(...answers.map(({ sentMs, atMs }) => atMs - sentMs));

test('F-11: every statement takes a second: accepted or 503 in time, and delivered', async () => {
  for (const proxy of [harness.database, harness.deliveryDatabase]) proxy.delay(500);
  producer = harness.produce({ callers: CALLERS_SLOW });
  await producer.until(({ length }) => length >= 2 * CALLERS_SLOW);
  await producer.stop();
  const eventIds = [...producer.accepted.keys()];
  console.info(
    `F-11: ${producer.answers.length} answers, ${eventIds.length} accepted, slowest ${Math.round(slowestMs(producer))} ms`,
  );
  expect(producer.odd()).toEqual([]);
  expect(eventIds.length).toBeGreaterThan(0);
  expect(slowestMs(producer)).toBeLessThan(SLOW_DEADLINE_MS);
  // Slowly still, at first.
  await harness.arrived(eventIds[0]!);
  for (const proxy of [harness.database, harness.deliveryDatabase]) proxy.delay(0);
  await harness.allArrived(eventIds);
}, 60_000);

test('F-11: all connections hang on a lock: 503 in time for those who wait, and it recovers', async () => {
  const holdMs = ROUNDS > 1 ? STATEMENT_MS + CONNECTION_MS : CONNECTION_MS + 1_000;
  const holder = new pg.Client({ connectionString: postgres.url });
  await holder.connect();
  await holder.query('begin; lock table webhook_endpoints in access exclusive mode');
  const ask = async () => {
    const sentMs = performance.now();
    const { status, headers } = await harness.call('GET', `/v1/webhooks/${harness.endpointId}`);
    return { status, retryAfter: headers.get('retry-after'), tookMs: performance.now() - sentMs };
  };
  const asked = Promise.all(Array.from({ length: CALLERS }, ask));
  await delay(holdMs); // How long the lock is held.
  await holder.query('rollback');
  await holder.end();
  const freeMs = performance.now();
  await harness.arrived(await harness.emit());
  const recoveredMs = performance.now() - freeMs;
  const answers = await asked;
  const refused = answers.filter(({ status }) => status === 503);
  const slowestMs = Math.max(...refused.map(({ tookMs }) => tookMs));
  console.info(
    `F-11: ${refused.length} of ${CALLERS} refused in at most ${Math.round(slowestMs)} ms, delivered ${Math.round(recoveredMs)} ms after the lock`,
  );
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(refused.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
  // All but those who have a connection, at least.
  expect(refused.length).toBeGreaterThanOrEqual(CALLERS - API_CONNECTIONS);
  // Held for longer than a statement may take, nobody gets in.
  if (ROUNDS > 1) expect(refused.length).toBe(CALLERS);
  expect(slowestMs).toBeLessThan((ROUNDS > 1 ? STATEMENT_MS : CONNECTION_MS) + SLACK_MS);
  expect(recoveredMs).toBeLessThan(2_000);
}, 60_000);

test(
  'F-15: all connections are ended every second: no exits, nothing lost',
  async () => {
    producer = harness.produce({ callers: 4, pauseMs: 10 });
    let ended = 0;
    for (let second = 0; second < 5 * ROUNDS; second += 1) {
      const rows = await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      ended += rows.length;
      await delay(1_000); // The rhythm of the fault.
    }
    const last = await harness.emit();
    await producer.stop();
    console.info(`F-15: ${ended} connections ended, ${producer.accepted.size} accepted`);
    expect(ended).toBeGreaterThan(20 * ROUNDS);
    expect(harness.exits()).toEqual([]);
    expect(producer.odd()).toEqual([]);
    await harness.arrived(last, 2_000);
    await postgres.query(
      `update delivery_queue set run_at = now() where lease_token is not null and run_at > now()`,
    );
    await harness.allArrived(producer.accepted.keys());
  },
  60_000 + ROUNDS * 10_000,
);

test('F-16: the wake-up connection is silently lost: polling delivers within a second', async () => {
  const [listening] = await postgres.query<{ port: number }>(
    `select client_port as port from pg_stat_activity a where exists (
       select 1 from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.mode = 'ExclusiveLock')
       and client_port = any($1)`,
    [harness.deliveryDatabase.serverSidePorts()],
  );
  harness.deliveryDatabase.freeze(listening!.port);
  const latenciesMs: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const sentMs = performance.now();
    latenciesMs.push((await harness.arrived(await harness.emit())) - sentMs);
    await delay(i * 11); // At another moment of the poll each time.
  }
  console.info(`F-16: at most ${Math.round(Math.max(...latenciesMs))} ms without wake-ups`);
  expect(Math.max(...latenciesMs)).toBeLessThan(1_000);
  expect(harness.exits()).toEqual([]);
});

const SINCE_SEC = Math.floor(Date.now() / 1_000) - 600;

/** Each on its own is 2xx, 404 or 409: what it is about may be gone, or another may be changing it. */
const ACTS: Record<string, (id: string, number: number) => [string, string, object?]> = {
  publish: (id, number) => ['PATCH', `/v1/agents/${id}`, { prompt: `prompt ${number % 3}` }],
  test: (id) => ['POST', `/v1/webhooks/${id}/test`],
  change: (id, number) => ['PATCH', `/v1/webhooks/${id}`, { description: `number ${number}` }],
  rotate: (id) => ['POST', `/v1/webhooks/${id}/rotate_secret`],
  replay: (id) => ['POST', `/v1/webhooks/${id}/replay`, { since: SINCE_SEC, mode: 'missing' }],
  remove: (id) => ['DELETE', `/v1/webhooks/${id}`],
};

test(
  'F-14: replay, publish, change, rotate and delete at once: no deadlock is seen outside',
  async () => {
    console.info(`F-14: seed ${SEED}`);
    const seeded = createSeeded(SEED);
    const untilMs = performance.now() + 6_000 * ROUNDS;
    const statuses = new Map<string, number>();
    const failures: unknown[] = [];
    const ask = async (what: string, [method, route, json]: [string, string, object?]) => {
      const { status, body } = await harness.call(method, route, json);
      statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
      if (status >= 500) failures.push({ what, route, status, body });
      return body?.id as string;
    };
    const newEndpoint = () =>
      ask('create', ['POST', '/v1/webhooks', { url: harness.receiver.url }]);
    const agentId = await ask('create', ['POST', '/v1/agents', { prompt: 'x' }]);
    const endpoints = await Promise.all([newEndpoint(), newEndpoint(), newEndpoint()]);
    let number = 0;
    const worker = async (): Promise<void> => {
      while (performance.now() < untilMs) {
        const what = seeded.pick(Object.keys(ACTS));
        const place = seeded.below(endpoints.length);
        const id = what === 'publish' ? agentId : endpoints[place]!;
        await ask(what, ACTS[what]!(id, (number += 1)));
        if (what === 'remove') endpoints[place] = await newEndpoint();
      }
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    const [{ deadlocks } = {}] = await postgres.query<{ deadlocks: string }>(
      'select sum(deadlocks) as deadlocks from pg_stat_database',
    );
    const seen = [...statuses].map(([what, count]) => `${count} × ${what}`).join(', ');
    console.info(`F-14: ${seen}; ${deadlocks} deadlocks`);
    expect(failures).toEqual([]);
    for (const what of Object.keys(ACTS)) expect(seen).toMatch(new RegExp(` ${what} 20[0-4]`));
    expect(harness.exits()).toEqual([]);
  },
  30_000 + ROUNDS * 10_000,
);
