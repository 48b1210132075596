import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ATTEMPT_TIMEOUT_MS } from '../../../src/webhooks/delivery/attempt.ts';
import { IN_FLIGHT_MAX } from '../../../src/webhooks/delivery/budgets.ts';
import { newUuid } from '../../../src/ids.ts';
import { freePort } from '../../free-port.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { listen, type Receiver as RawReceiver } from '../../platform/egress/servers.ts';
import { letTimePass, startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

let fixture: DeliveryFixture;
let healthy: Receiver;
let hanging: RawReceiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  healthy = await startReceiver();
  hanging = await listen((socket) => socket.resume());
  // Registered before the test holds time, so it runs after: a stop takes time.
  onTestFinished(async () => {
    await hanging.stop();
    await fixture.stop();
    await healthy.close();
  });
});

/** More endpoints than the process has slots. */
const HANGING = 600;

test('F-26: a namespace of 600 endpoints that hang holds half of the slots, and delays another in nothing', async () => {
  const urls = Array.from({ length: HANGING }, (_, i) => `http://127.0.0.1:${hanging.port}/${i}`);
  await Promise.all(urls.map((url) => fixture.addEndpoint({ url, namespace: 'hanging' })));
  await fixture.emit({ namespace: 'hanging' });
  const time = holdTime(); // None of them ends before the test says so.
  await fixture.startDelivery();
  const hangs = (): number => time.waiting().filter((ms) => ms === ATTEMPT_TIMEOUT_MS).length;
  await until('as many as may hang', () => hangs() >= IN_FLIGHT_MAX / 2);
  expect(await leases()).toEqual({ hanging: IN_FLIGHT_MAX / 2 });

  await fixture.addEndpoint({ url: healthy.url });
  const deliver = async (): Promise<void> => {
    const before = healthy.received.length;
    await fixture.emit();
    await healthy.until((received) => received.length > before);
  };
  for (let i = 0; i < 20; i += 1) await deliver();
  expect(await attempts('timeout')).toEqual([]);
  expect((await leases())['hanging']).toBe(IN_FLIGHT_MAX / 2);
  // Receivers of a third namespace hang too. It gets half of the free slots.
  const url = `http://127.0.0.1:${hanging.port}/other`;
  for (let i = 0; i < 8; i += 1) await fixture.addEndpoint({ url, namespace: 'other' });
  for (let i = 0; i < 20; i += 1) await fixture.emit({ namespace: 'other' });
  await until('what the third may hold', () => hangs() >= IN_FLIGHT_MAX / 2 + 64);
  expect((await leases())['other']).toBeLessThanOrEqual(IN_FLIGHT_MAX / 4);
  await deliver();
  // The moment when all of them fail together is no other.
  const failing = time.advance(ATTEMPT_TIMEOUT_MS);
  for (let i = 0; i < 20; i += 1) await deliver();
  await failing;
  letTimePass(time); // Their results are recorded together, after a moment.
  await until('the failures', async () => (await attempts('timeout')).length >= 30);
  expect(new Set(await attempts('timeout'))).toEqual(new Set([ATTEMPT_TIMEOUT_MS]));
  const { rows } = await fixture.pool.query(
    `select distinct error_class as class from delivery_attempts where error_class is not null`,
  );
  expect(rows).toEqual([{ class: 'timeout' }]);
});

test('F-25: a dead endpoint with a backlog holds a healthy one up in nothing, and keeps its backlog', async () => {
  const backlog = 1_000;
  const url = `http://127.0.0.1:${await freePort()}/`;
  const dead = await fixture.addEndpoint({ url, namespace: 'dead' });
  await fixture.addEndpoint({ url: healthy.url });
  await fixture.emit({ namespace: 'dead' });
  await fixture.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     select n.id, namespace, endpoint_id, event_id, event_type, trigger
       from delivery_queue q, unnest($2::uuid[]) as n (id) where endpoint_id = $1`,
    [dead, Array.from({ length: backlog }, () => newUuid())],
  );
  const time = holdTime(); // The pauses of the breaker end when the test says so.
  await fixture.startDelivery();
  for (let i = 1; i <= 20; i += 1) {
    await fixture.emit();
    await healthy.until(({ length }) => length >= i);
    await time.advance(20);
  }
  await until('the first failures', async () => {
    await time.advance(20);
    return (await attempts('connect')).length >= 5;
  });
  // A few dozen at first, then one at a time with pauses: each would cost the others.
  expect((await attempts('connect')).length).toBeLessThan(100);
  // Nothing of the backlog was given up.
  const { rows } = await fixture.pool.query('select 1 from delivery_queue where endpoint_id = $1', [
    dead,
  ]);
  expect(rows).toHaveLength(backlog + 1);
});

/** How many deliveries of each namespace are being attempted. */
async function leases(): Promise<Record<string, number>> {
  const { rows } = await fixture.pool.query<{ namespace: string; count: number }>(
    `select namespace, count(*) as count from delivery_queue
      where lease_token is not null and run_at > now() group by 1`,
  );
  return Object.fromEntries(rows.map(({ namespace, count }) => [namespace, count]));
}

/** How long each attempt of this class took. */
async function attempts(errorClass: string): Promise<number[]> {
  const { rows } = await fixture.pool.query<{ ms: number }>(
    'select duration_ms as ms from delivery_attempts where error_class = $1',
    [errorClass],
  );
  return rows.map(({ ms }) => ms);
}
