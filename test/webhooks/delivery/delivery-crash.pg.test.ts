import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Client } from 'pg';
import { startFaultProxy } from '../../platform/fault-proxy.ts';
import { databaseUrl } from '../../platform/postgres/postgres.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';
import { until } from '../../until.ts';

/** What is lost, doubled or late when the database goes away or the engine stops. */
let fixture: DeliveryFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
  await fixture.addEndpoint({ url: receiver.url });
});

afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

const answerAfter = (ms: number): void =>
  receiver.answer((_, response) => void setTimeout(() => response.writeHead(200).end(), ms));

const countPerEvent = (): number[] =>
  [...Map.groupBy(receiver.received, ({ json }) => json.id).values()].map(({ length }) => length);

const queued = async (): Promise<{ total: number; leased: number }> => {
  const { rows } = await fixture.pool.query<{ total: number; leased: number }>(
    `select count(*) as total, count(*) filter (where lease_token is not null) as leased
       from delivery_queue`,
  );
  return rows[0]!;
};

test('connections cut every 50 ms: all deliveries arrive once and the engine lives on', async () => {
  const events = 300;
  for (let i = 0; i < events; i += 1) await fixture.emit();
  answerAfter(200);
  const admin = new Client(databaseUrl('postgres'));
  await admin.connect();
  const database = new URL(fixture.databaseUrl).pathname.slice(1);
  await fixture.startDelivery();
  let cut = 0;
  for (let i = 0; i < 40; i += 1) {
    const { rowCount } = await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [database],
    );
    cut += rowCount ?? 0;
    await delay(50); // The rhythm of the cuts.
  }
  await admin.end();
  expect(cut).toBeGreaterThan(10); // Again and again, not only at the start.
  // A claim whose answer was cut off is found again when its lease runs out; the rest goes on.
  for (let left = await queued(); left.total > 0; left = await queued()) {
    const arrived = receiver.received.length;
    await delay(400); // Longer than what is under way takes.
    if (receiver.received.length === arrived)
      await fixture.travel(30_000, 'lease_token is not null');
  }
  expect(receiver.received.length).toBe(events);
  expect(new Set(countPerEvent())).toEqual(new Set([1]));
  const { rows } = await fixture.pool.query('select status, count(*) from deliveries group by 1');
  expect(rows).toEqual([{ status: 'delivered', count: events }]);
  await fixture.emit();
  await receiver.until(({ length }) => length === events + 1);
}, 60_000);

test('the wake-up connection is cut: the sweep delivers meanwhile, and it is made anew', async () => {
  await fixture.startDelivery();
  const cut = await fixture.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen parley_deliveries'`,
  );
  expect(cut.rowCount).toBe(1);
  const committedMs = performance.now();
  await fixture.emit();
  await receiver.until(({ length }) => length === 1);
  expect(performance.now() - committedMs).toBeLessThan(1_000);
  await until('another wake-up connection', async () => {
    const { rows } = await fixture.pool.query<{ n: number }>(
      `select count(*) as n from pg_stat_activity
        where datname = current_database() and query = 'listen parley_deliveries'`,
    );
    return rows[0]!.n === 1;
  });
});

test('the wake-up connection falls silent: the sweep delivers within a second', async () => {
  const proxy = await startFaultProxy(fixture.databaseUrl);
  const delivery = await fixture.startDelivery({ databaseUrl: proxy.through(fixture.databaseUrl) });
  proxy.freeze();
  for (let i = 0; i < 5; i += 1) {
    const committedMs = performance.now();
    await fixture.emit();
    await receiver.until(({ length }) => length === i + 1);
    expect(performance.now() - committedMs).toBeLessThan(1_000);
  }
  await delivery.stop();
  await proxy.stop();
});

test('a wake-up delivers sooner than any sweep would', async () => {
  await fixture.startDelivery();
  const latencies: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    const committedMs = performance.now();
    await fixture.emit();
    await receiver.until(({ length }) => length === i + 1);
    latencies.push(performance.now() - committedMs);
  }
  // Each is sent as the one before arrived: by sweeps alone each would wait for a whole one, of 200 ms.
  expect(latencies.sort((a, b) => a - b)[15]).toBeLessThan(100);
});

test('stopped and started again under load: every event arrives once', async () => {
  answerAfter(15);
  let engine = await fixture.startDelivery();
  const load = { emitting: true };
  let events = 0;
  const emitted = (async () => {
    while (load.emitting) {
      await fixture.emit();
      events += 1;
    }
  })();
  for (let i = 0; i < 6; i += 1) {
    const before = receiver.received.length;
    await receiver.until(({ length }) => length >= before + 30);
    await Promise.all([engine.stop(), engine.stop()]);
    // Nothing is under way once it has stopped.
    expect((await queued()).leased).toBe(0);
    const stopped = receiver.received.length;
    await fixture.emit();
    events += 1;
    expect(receiver.received).toHaveLength(stopped);
    engine = await fixture.startDelivery();
  }
  load.emitting = false;
  await emitted;
  await receiver.until(({ length }) => length >= events);
  await until('the queue to be empty', async () => (await queued()).total === 0);
  expect(countPerEvent()).toEqual(Array.from({ length: events }, () => 1));
}, 60_000);

test('a stop waits for the attempt under way and records it', async () => {
  const release = Promise.withResolvers<void>();
  receiver.answer((_, response) => void release.promise.then(() => response.writeHead(200).end()));
  const engine = await fixture.startDelivery();
  const eventId = await fixture.emit();
  await receiver.until(({ length }) => length === 1);
  let stopped = false;
  const stopping = engine.stop().then(() => (stopped = true));
  await fixture.pool.query('select pg_sleep(0.3)');
  expect(stopped).toBe(false);
  release.resolve();
  await stopping;
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'delivered', attemptCount: 1 });
});
