import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHeaders } from '../../../src/webhooks/endpoints/endpoint-headers.ts';
import {
  cancelDeliveries,
  finishExpired,
} from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import {
  claimDeliveries,
  completeAttempts,
  markStarted,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { markEndpointDeleted } from '../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import {
  dueIn,
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';

const HOUR = 3_600_000;
const LEASE_MS = 30_000;
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const aLease = () => ({ leaseToken: randomUUID(), processNumber: null });

const emitMany = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await fixture.emit());
  return ids;
};

test('each endpoint gives at most its slots, however much waits', async () => {
  const [a, b] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  await emitMany(10);
  const claimed = await claimDeliveries(
    fixture.pool,
    [
      { endpointId: a, slots: 3, yieldingSlots: 3 },
      { endpointId: b, slots: 7, yieldingSlots: 7 },
    ],
    aLease(),
  );
  const of = (id: string): number => claimed.filter(({ endpointId }) => endpointId === id).length;
  expect([of(a), of(b)]).toEqual([3, 7]);
  expect(await fixture.claim(a)).toHaveLength(7);
  expect(await fixture.claim(a)).toHaveLength(0);
});

test('a claim carries all that its attempt needs', async () => {
  const headers = { 'x-team': 'blue' };
  const endpoint = await fixture.addEndpoint({ url: 'https://receiver.test/a', headers });
  const eventId = await fixture.emit();
  const token = randomUUID();
  const [claimed] = await fixture.claim(endpoint, 1, token);
  const { rows } = await fixture.pool.query<{ body: Buffer }>('select body from events');
  expect(claimed).toMatchObject({
    eventId,
    endpointId: endpoint,
    eventType: 'agent.published',
    trigger: 'schedule',
    attempt: 1,
    leaseToken: token,
    lost: false,
    url: 'https://receiver.test/a',
    plainHeaders: {},
    restHeaders: null,
    namespace: 'default',
    conversationId: null,
  });
  const place = { id: endpoint, namespace: 'default' };
  expect(openHeaders(fixture.sealer, place, claimed!.declaredHeaders)).toEqual(headers);
  expect(claimed!.body!.equals(rows[0]!.body)).toBe(true);
});

test('a claim says how old the delivery is, and how long it waited since it was due', async () => {
  const endpoint = await fixture.addEndpoint();
  await fixture.emit();
  await fixture.pool.query(
    `update delivery_queue set scheduled_from = now() - interval '3 hours',
                               due_at = now() - interval '1 hour'`,
  );
  const [claimed] = await fixture.claim(endpoint, 1);
  const hours = ({ ageMs, waitedMs }: ClaimedDelivery): number[] =>
    [ageMs, waitedMs].map((ms) => Math.floor(ms / 3_600_000));
  expect(hours(claimed!)).toEqual([3, 1]);
});

test('two processes that claim at once never get the same delivery, over many rounds', async () => {
  const endpoints = await Promise.all([
    fixture.addEndpoint(),
    fixture.addEndpoint(),
    fixture.addEndpoint(),
  ]);
  const events = 60;
  await emitMany(events);
  const seen: string[] = [];
  const claimer = async (seed: number): Promise<void> => {
    for (let round = 0; round < 25; round += 1) {
      const budgets = endpoints.map((endpointId, i) => ({
        endpointId,
        slots: 1 + ((seed + round + i) % 4),
        yieldingSlots: 1,
      }));
      const claimed = await claimDeliveries(fixture.pool, budgets, aLease());
      seen.push(...claimed.map(({ id }) => id));
      // Half are finished and half are due again at once, so rows come and go under the other.
      const results = claimed.map((one, i) =>
        resultOf(one, i % 2 === 0 && one.attempt < 3 ? failure(0) : {}),
      );
      const counted = await completeAttempts(fixture.pool, results);
      expect(counted.size).toBe(claimed.length);
    }
  };
  await Promise.all([claimer(0), claimer(1), claimer(2), claimer(3)]);
  const { rows } = await fixture.pool.query<{ twice: number; attempts: number; lost: number }>(
    `select count(*) as attempts, count(*) filter (where error_class = 'lost_lease') as lost,
            (select count(*) from delivery_queue where lease_token is not null) as twice
       from delivery_attempts`,
  );
  expect(rows[0]).toEqual({ attempts: seen.length, lost: 0, twice: 0 });
  const { rows: numbers } = await fixture.pool.query<{ gaps: number }>(
    `select count(*) as gaps from (select delivery_id, max(number) - count(*) as gap
       from delivery_attempts group by 1) n where gap <> 0`,
  );
  expect(numbers[0]).toEqual({ gaps: 0 });
  expect(seen.length).toBeGreaterThan(events);
});

test('a lease that ran out is claimed again, the lost attempt is recorded, the zombie changes nothing', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  const [zombie] = await fixture.claim(endpoint);
  await fixture.travel(LEASE_MS - 1_000);
  expect(await fixture.claim(endpoint)).toEqual([]);
  await fixture.travel(2_000);
  const [second] = await fixture.claim(endpoint);
  expect(second).toMatchObject({ id: zombie!.id, attempt: 2, lost: true });

  expect(await completeAttempts(fixture.pool, [resultOf(zombie!)])).toEqual(new Set());
  const between = await fixture.deliveryOf(eventId);
  expect(between).toMatchObject({ status: 'retrying', attemptCount: 1 });
  expect(between.inFlightSince).not.toBeNull();
  expect(between.attempts).toMatchObject([
    { number: 1, errorClass: 'lost_lease', statusCode: null, durationMs: null },
  ]);

  expect(await completeAttempts(fixture.pool, [resultOf(second!)])).toEqual(new Set([second!.id]));
  expect(await completeAttempts(fixture.pool, [resultOf(zombie!), resultOf(second!)])).toEqual(
    new Set(),
  );
  const after = await fixture.deliveryOf(eventId);
  expect(after).toMatchObject({ status: 'delivered', attemptCount: 2, nextAttemptAt: null });
  expect(after.attempts.map(({ errorClass }) => errorClass)).toEqual(['lost_lease', null]);
});

test('a batch is recorded whole: what lost its lease is left out and harms nobody', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitMany(4);
  const claimed = await fixture.claim(endpoint);
  const results = claimed.map((one, i) =>
    resultOf(i === 1 ? { ...one, leaseToken: randomUUID() } : one, i === 2 ? failure(5_000) : {}),
  );
  const counted = await completeAttempts(fixture.pool, results);
  expect(counted).toEqual(new Set([claimed[0]!.id, claimed[2]!.id, claimed[3]!.id]));
  const { rows } = await fixture.pool.query('select id from delivery_queue order by id');
  expect(rows.map(({ id }: { id: string }) => id).sort()).toEqual(
    [claimed[1]!.id, claimed[2]!.id].sort(),
  );
});

test('the leases of a process that is gone end at once, and its attempts are recorded as lost', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  await fixture.emit();
  await fixture.claim(endpoint, 1);
  await fixture.endLeases();
  const again = await fixture.claim(endpoint);
  expect(again.map(({ attempt, lost }) => ({ attempt, lost }))).toEqual([
    { attempt: 2, lost: true },
    { attempt: 1, lost: false },
  ]);
  expect((await fixture.deliveryOf(eventId)).attempts).toMatchObject([
    { errorClass: 'lost_lease' },
  ]);
});

test('nothing starts after 72 hours: it fails, stays visible, and leaves the queue', async () => {
  const [on, off] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  const eventId = await fixture.emit();
  const [claimed] = await fixture.claim(on);
  await completeAttempts(fixture.pool, [resultOf(claimed!, failure(5_000))]);
  await fixture.changeEndpoint(off, { enabled: false });
  await fixture.travel(72 * HOUR - 60_000);
  expect(await finishExpired(fixture.pool)).toBe(0);
  expect(await fixture.claim(on)).toHaveLength(1);
  await fixture.travel(90_000); // Past the 72 hours and the lease of the one just claimed.
  expect(await fixture.claim(on)).toEqual([]);
  expect(await finishExpired(fixture.pool)).toBe(2);
  expect(await finishExpired(fixture.pool)).toBe(0);
  const { rows } = await fixture.pool.query(
    `select endpoint_id, status, attempt_count from deliveries where event_id = $1`,
    [eventId],
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { endpoint_id: on, status: 'failed', attempt_count: 2 },
      { endpoint_id: off, status: 'failed', attempt_count: 0 },
    ]),
  );
  const mine = await fixture.pool.query(
    'select number, error_class from delivery_attempts order by 1',
  );
  expect(mine.rows).toEqual([
    { number: 1, error_class: 'http_status' },
    { number: 2, error_class: 'lost_lease' },
  ]);
});

test('an attempt under way at the end of the 72 hours is waited for', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  await fixture.travel(72 * HOUR - 5_000);
  const [claimed] = await fixture.claim(endpoint);
  await fixture.travel(10_000);
  expect(await finishExpired(fixture.pool)).toBe(0);
  await completeAttempts(fixture.pool, [resultOf(claimed!)]);
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'delivered' });
});

test('canceling takes all of one endpoint and nothing else, and late results do not count', async () => {
  const [a, b] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  const events = await emitMany(3);
  const [inFlight] = await fixture.claim(a, 1);
  expect(await cancelDeliveries(fixture.pool, a)).toBe(3);
  expect(await completeAttempts(fixture.pool, [resultOf(inFlight!)])).toEqual(new Set());
  const { rows } = await fixture.pool.query('select status, endpoint_id from deliveries');
  expect(rows).toEqual(events.map(() => ({ status: 'canceled', endpoint_id: a })));
  expect(await fixture.claim(a)).toEqual([]);
  expect(await fixture.claim(b)).toHaveLength(3);
});

test('an endpoint that is off or has no secret yet gives nothing and loses nothing', async () => {
  const endpoint = await fixture.addEndpoint({ secret: null });
  await emitMany(2);
  expect(await dueIn(fixture.pool)).toEqual([]);
  expect(await fixture.claim(endpoint)).toEqual([]);
  await fixture.changeEndpoint(endpoint, {});
  expect(await dueIn(fixture.pool)).toEqual([endpoint]);
  await fixture.changeEndpoint(endpoint, { enabled: false });
  expect(await fixture.claim(endpoint)).toEqual([]);
  expect(await dueIn(fixture.pool)).toEqual([]);
  await fixture.changeEndpoint(endpoint, { enabled: true });
  expect(await fixture.claim(endpoint)).toHaveLength(2);
});

test('a removed endpoint gives nothing even before its deliveries are canceled', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitMany(2);
  await markEndpointDeleted(fixture.pool, { namespace: 'default', name: endpoint });
  expect(await fixture.claim(endpoint)).toEqual([]);
  expect(await dueIn(fixture.pool)).toEqual([]);
});

test('the endpoints with something due are found, and only those', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => fixture.addEndpoint()));
  await emitMany(3);
  for (const id of ids.slice(0, 10)) {
    const claimed = await fixture.claim(id);
    await completeAttempts(
      fixture.pool,
      claimed.map((one) => resultOf(one, failure(60_000))),
    );
  }
  expect((await dueIn(fixture.pool)).sort()).toEqual(ids.slice(10).sort());
});

test('with a large backlog of one endpoint no statement reads the whole queue', async () => {
  const [busy, other] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  await fixture.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     select parley_uuid_v7(), 'default', $1, parley_uuid_v7(), 'agent.published', 'schedule'
       from generate_series(1, 20000)`,
    [busy],
  );
  await fixture.emit();
  await fixture.pool.query('analyze delivery_queue');
  const client = await fixture.pool.connect();
  const scans = async (): Promise<number> => {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query<{ scans: number }>(
      `select seq_scan as scans from pg_stat_user_tables where relname = 'delivery_queue'`,
    );
    return rows[0]!.scans;
  };
  const before = await scans();
  // More often than the five times after which PostgreSQL settles for one plan.
  for (let i = 0; i < 8; i += 1) {
    for (const endpointId of [busy, other]) {
      const claimed = await claimDeliveries(
        client,
        [{ endpointId, slots: 32, yieldingSlots: 16 }],
        aLease(),
      );
      await markStarted(
        client,
        claimed.map(({ id }) => id),
      );
      await completeAttempts(
        client,
        claimed.map((one, n) => resultOf(one, n % 2 === 0 ? failure(60_000) : {})),
      );
    }
    expect(await dueIn(client)).toEqual([busy]);
  }
  expect(await scans()).toBe(before);
  client.release();
});

test('what was never attempted goes before retries, and these before what jobs made, however long due', async () => {
  const endpoint = await fixture.addEndpoint();
  const [old] = [await fixture.emit(), await fixture.emit()];
  const first = await fixture.claim(endpoint);
  await completeAttempts(
    fixture.pool,
    first.map((one) => resultOf(one, failure(0))),
  );
  await fixture.pool.query(
    'update delivery_queue set job_id = gen_random_uuid(), attempt = 0 where event_id = $1',
    [old],
  );
  await fixture.travel(HOUR); // Both have been due for an hour now.
  const fresh = await emitMany(2);
  const order: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    const [one] = await fixture.claim(endpoint, 1);
    order.push(
      `${fresh.includes(one!.eventId) ? 'fresh' : one!.eventId === old ? 'job' : 'retry'} ${one!.yields}`,
    );
  }
  expect(order).toEqual(['fresh false', 'fresh false', 'retry true', 'job true']);
});

test('retries and jobs take no more than the slots that yield', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitMany(6);
  const first = await fixture.claim(endpoint, 4);
  await completeAttempts(
    fixture.pool,
    first.map((one) => resultOf(one, failure(0))),
  );
  const claimed = await claimDeliveries(
    fixture.pool,
    [{ endpointId: endpoint, slots: 5, yieldingSlots: 1 }],
    aLease(),
  );
  expect(claimed.filter(({ yields }) => yields)).toHaveLength(1);
  expect(claimed).toHaveLength(3);
});

test('what is late by more than two seconds yields too, though it was never attempted', async () => {
  const endpoint = await fixture.addEndpoint();
  await fixture.emit();
  await fixture.travel(2_500);
  await fixture.emit();
  const claimed = await fixture.claim(endpoint);
  expect(claimed.map(({ yields }) => yields)).toEqual([true, false]);
});
