import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Client } from 'pg';
import { fromUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { startFaultProxy } from '../../platform/fault-proxy.ts';
import { databaseUrl } from '../../platform/postgres/postgres.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { letTimePass, startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';
import { until } from '../../until.ts';

const CUTS = 20;
/** Of the deliverer (src/webhooks/delivery/deliverer.ts) and of a listener (platform/postgres/notifications.ts). */
const IDLE_SWEEP_MS = 1_000;
const RECONNECT_MS = 250;

/** What is lost, doubled or late when the database goes away or the engine stops. */
let fixture: DeliveryFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
  // Registered before any test holds time, so it runs after: a stop takes time.
  onTestFinished(async () => {
    await fixture.stop();
    await receiver.close();
  });
  await fixture.addEndpoint({ url: receiver.url });
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

test('connections cut again and again: all deliveries arrive once and the engine lives on', async () => {
  const events = 300;
  for (let i = 0; i < events; i += 1) await fixture.emit();
  answerAfter(50);
  const admin = new Client(databaseUrl('postgres'));
  await admin.connect();
  const database = new URL(fixture.databaseUrl).pathname.slice(1);
  const engine = await fixture.startDelivery();
  for (let i = 0; i < CUTS; i += 1) {
    await until('a connection to cut', async () => {
      const { rowCount } = await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [database],
      );
      return rowCount! > 0;
    });
  }
  await admin.end();
  // The process continues, and delivers new events. Connections that were cut may still be in the pool. Commits on them
  // fail.
  const last = await until('a connection', () => fixture.emit().catch(() => undefined));
  await receiver.until((all) =>
    all.some(({ headers }) => headers['parley-event-id'] === fromUuid('evt', last)),
  );
  // A claim whose answer was cut off is found again when its lease runs out. What is leased after a stop is that alone.
  await engine.stop();
  await fixture.travel(30_000, 'lease_token is not null');
  await fixture.startDelivery();
  await until('the queue to be empty', async () => (await queued()).total === 0);
  expect(receiver.received.length).toBe(events + 1);
  expect(new Set(countPerEvent())).toEqual(new Set([1]));
  const { rows } = await fixture.pool.query('select status, count(*) from deliveries group by 1');
  expect(rows).toEqual([{ status: 'delivered', count: events + 1 }]);
}, 60_000);

test('the wake-up connection is cut: it is made anew, and what was missed is delivered', async () => {
  const time = holdTime();
  await fixture.startDelivery();
  const cut = await fixture.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'listen parley_deliveries'`,
  );
  expect(cut.rowCount).toBe(1);
  await time.armed(RECONNECT_MS);
  await fixture.emit();
  await until('another wake-up connection', async () => {
    // The pool has a timer of the same length, so the one that connects may not have been armed before.
    await time.advance(RECONNECT_MS);
    const { rows } = await fixture.pool.query<{ n: number }>(
      `select count(*) as n from pg_stat_activity
        where datname = current_database() and query = 'listen parley_deliveries'`,
    );
    return rows[0]!.n === 1;
  });
  await receiver.until(({ length }) => length >= 1);
});

test('the wake-up connection falls silent: each sweep delivers, at the latest after a second', async () => {
  const proxy = await startFaultProxy(fixture.databaseUrl);
  onTestFinished(proxy.stop);
  onTestFinished(() => delivery.stop());
  const time = holdTime();
  const delivery = await fixture.startDelivery({ databaseUrl: proxy.through(fixture.databaseUrl) });
  proxy.freeze();
  for (let i = 0; i < 3; i += 1) {
    await fixture.emit();
    await time.advance(IDLE_SWEEP_MS);
    await receiver.until(({ length }) => length >= i + 1);
  }
});

test('a wake-up delivers without any sweep', async () => {
  holdTime(); // So none comes.
  await fixture.startDelivery();
  for (let i = 0; i < 5; i += 1) {
    await fixture.emit();
    await receiver.until(({ length }) => length >= i + 1);
  }
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
  for (let i = 0; i < 3; i += 1) {
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
  await receiver.until(({ length }) => length >= 1);
  let stopped = false;
  const stopping = engine.stop().then(() => (stopped = true));
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'pending' });
  expect(stopped).toBe(false);
  release.resolve();
  await stopping;
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'delivered', attemptCount: 1 });
});

test('a stop while the database is away ends, and what it cannot record is sent again', async () => {
  const proxy = await startFaultProxy(fixture.databaseUrl);
  onTestFinished(proxy.stop);
  const answer = Promise.withResolvers<void>();
  receiver.answer((_, response) => void answer.promise.then(() => response.writeHead(200).end()));
  const time = holdTime();
  const engine = await fixture.startDelivery({ databaseUrl: proxy.through(fixture.databaseUrl) });
  const eventId = await fixture.emit();
  await receiver.until(({ length }) => length >= 1);
  await proxy.stop(); // It never comes back, and the wake-up connection is gone too.
  answer.resolve();
  letTimePass(time);
  await engine.stop();
  expect(await queued()).toEqual({ total: 1, leased: 1 });

  await fixture.travel(30_000);
  await fixture.startDelivery();
  await receiver.until(({ length }) => length >= 2);
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
});
