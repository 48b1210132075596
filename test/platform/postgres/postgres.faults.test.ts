import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import pg from 'pg';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { IS_NIGHTLY, roundsOf } from '../../nightly.ts';
import { until } from '../../until.ts';
import { createSeeded } from '../../random/seeded.ts';
import { startDatabaseHarness, type Producer, type DatabaseHarness } from './database-harness.ts';

/**
 * PostgreSQL dies, is slow, or cannot be reached; its connections are all taken, cut, or silently dead; and statements
 * block each other. No accepted request (2xx) is lost, and callers get 503 with Retry-After at worst. None of our
 * processes ends, and everything recovers soon afterwards. All tests break one PostgreSQL below one set of processes.
 */

const ROUNDS = roundsOf(1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const CALLERS = 60;
const CALLERS_SLOW = 40;
/** src/commands/run-role.ts */
const API_CONNECTIONS = 20;
/** One-way delay to PostgreSQL when it is slow. */
const SLOW_MS = ROUNDS > 1 ? 500 : 100;
const ACTS_PER_ROUND = 150;
/** Accepted events before the fault and after it. */
const LOAD = IS_NIGHTLY ? 100 : 30;

let postgres: OwnPostgres;
let harness: DatabaseHarness;
let producer: Producer | undefined;

beforeAll(async () => {
  postgres = await startOwnPostgres({ inMemory: true });
  harness = await startDatabaseHarness(postgres.url);
  await harness.arrived(await harness.emit());
}, 60_000);

afterEach(async () => {
  harness.database.delay(0);
  harness.deliveryDatabase.delay(0);
  harness.deliveryDatabase.cut(); // Otherwise connections that a test froze would stay dead for the next one.
  await producer?.stop().catch(() => undefined);
  producer = undefined;
});

afterAll(async () => {
  await harness?.stop();
  await postgres?.stop();
}, 60_000);

/** Ends the leases of a claim that was cut off, which would otherwise run out after 30 s. */
async function endLeases(): Promise<void> {
  await postgres.query(
    `update delivery_queue set run_at = now() where lease_token is not null and run_at > now()`,
  );
}

const HEALS = {
  'what was held up passes': () => harness.deliveryDatabase.resume(),
  'its connections are reset': () => {
    harness.deliveryDatabase.cut();
    harness.deliveryDatabase.resume();
  },
  'its connections stay dead, and only new ones work': () => {
    harness.deliveryDatabase.freeze();
    harness.deliveryDatabase.resume();
  },
};

test.each(Object.entries(HEALS).slice(IS_NIGHTLY ? 0 : -1))(
  'F-04: delivery is cut off from PostgreSQL; when it heals, %s: no busy loop, and it claims',
  async (_, heal) => {
    harness.deliveryDatabase.hang();
    const fromSec = harness.deliveryCpuSec();
    const before = harness.receiver.received.length;
    const eventId = await harness.emit();
    // The outage lasts for this number of events, in which a busy loop would use the processor.
    for (let i = 0; i < LOAD; i += 1) await harness.emit();
    const busySec = harness.deliveryCpuSec() - fromSec;
    expect(harness.receiver.received).toHaveLength(before);
    heal();
    await harness.arrived(eventId);
    console.info(`F-04: ${busySec} s of a processor`);
    expect(busySec).toBeLessThan(0.5); // Far below the CPU time of a busy loop.
    expect(harness.exits()).toEqual([]);
  },
);

test.each([
  ['F-08: PostgreSQL is killed', 'SIGKILL'],
  ['F-09: PostgreSQL is restarted at once in the midst of claims and commits', 'SIGQUIT'],
] as const)(
  '%s: 503 until it is back, then 2xx and deliveries',
  async (name, signal) => {
    let refusedInAll = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      producer = harness.produce();
      await producer.accepts(LOAD);
      const upMs = await postgres.kill(signal);
      await producer.acceptedAfter(upMs);
      await producer.accepts(LOAD);
      await producer.stop();
      const [eventId] = [...producer.accepted].find(([, atMs]) => atMs >= upMs)!;
      await harness.arrived(eventId);
      const refused = producer.answers.filter(({ status }) => status === 503).length;
      console.info(`${name}: ${producer.accepted.size} accepted, ${refused} refused`);
      expect(producer.odd()).toEqual([]);
      refusedInAll += refused;
      expect(harness.exits()).toEqual([]);
      await endLeases();
      await harness.allArrived(producer.accepted.keys());
    }
    // In a single round the server may be back before any request.
    if (ROUNDS > 1) expect(refusedInAll).toBeGreaterThan(0);
  },
  30_000 + ROUNDS * 20_000,
);

test('F-11: every statement is slow: accepted or 503, and delivered', async () => {
  for (const proxy of [harness.database, harness.deliveryDatabase]) proxy.delay(SLOW_MS);
  producer = harness.produce({ callers: CALLERS_SLOW });
  await producer.until(({ length }) => length >= (ROUNDS > 1 ? 2 : 1) * CALLERS_SLOW);
  await producer.stop();
  const eventIds = [...producer.accepted.keys()];
  console.info(`F-11: ${producer.answers.length} answers, ${eventIds.length} accepted`);
  expect(producer.odd()).toEqual([]);
  expect(eventIds.length).toBeGreaterThan(0);
  // The first delivery is still slow.
  await harness.arrived(eventIds[0]!);
  for (const proxy of [harness.database, harness.deliveryDatabase]) proxy.delay(0);
  await harness.allArrived(eventIds);
}, 60_000);

test('F-11: all connections hang on a lock: 503 while it is held for those who wait, and it recovers', async () => {
  const holder = new pg.Client({ connectionString: postgres.url });
  await holder.connect();
  await holder.query('begin; lock table webhook_endpoints in access exclusive mode');
  let refused = 0;
  // At least the callers without a connection are refused. If the lock is held for longer than a statement may take,
  // all are.
  const wanted = ROUNDS > 1 ? CALLERS : CALLERS - API_CONNECTIONS;
  const enough = Promise.withResolvers<void>();
  const ask = async () => {
    const { status, headers } = await harness.call('GET', `/v1/webhooks/${harness.endpointId}`);
    if (status === 503 && (refused += 1) === wanted) enough.resolve();
    return { status, retryAfter: headers.get('retry-after') };
  };
  const asked = Promise.all(Array.from({ length: CALLERS }, ask));
  await enough.promise; // The lock is still held.
  await holder.query('rollback');
  await holder.end();
  await harness.arrived(await harness.emit());
  const answers = await asked;
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const refusals = answers.filter(({ status }) => status === 503);
  expect(refusals.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
}, 60_000);

test(
  'F-15: all connections are ended again and again: no exits, nothing lost',
  async () => {
    producer = harness.produce({ callers: 4, pauseMs: 10 });
    let ended = 0;
    for (let round = 0; round < 3 * ROUNDS; round += 1) {
      await producer.accepts(40); // They have connections again.
      const rows = await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      ended += rows.length;
    }
    await producer.accepts(40);
    await producer.stop();
    console.info(`F-15: ${ended} connections ended, ${producer.accepted.size} accepted`);
    expect(ended).toBeGreaterThan(10 * ROUNDS);
    expect(harness.exits()).toEqual([]);
    expect(producer.odd()).toEqual([]);
    await endLeases();
    await harness.allArrived(producer.accepted.keys());
  },
  60_000 + ROUNDS * 10_000,
);

test('F-16: the wake-up connection is silently lost: polling delivers', async () => {
  const listening = await until('the wake-up connection', async () => {
    const [found] = await postgres.query<{ port: number }>(
      `select client_port as port from pg_stat_activity a where exists (
       select 1 from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.mode = 'ExclusiveLock')
       and client_port = any($1)`,
      [harness.deliveryDatabase.serverSidePorts()],
    );
    return found;
  });
  harness.deliveryDatabase.freeze(listening.port);
  for (let i = 0; i < (ROUNDS > 1 ? 3 : 1) * ROUNDS; i += 1)
    await harness.arrived(await harness.emit());
  expect(harness.exits()).toEqual([]);
});

const SINCE_SEC = Math.floor(Date.now() / 1_000) - 600;

/**
 * Requests that may answer 2xx, 404 or 409, because their object may be gone, or another request may be changing it.
 */
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
      while (number < ACTS_PER_ROUND * ROUNDS) {
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
  100_000 + ROUNDS * 10_000,
);
