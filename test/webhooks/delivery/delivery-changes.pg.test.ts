import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHmac } from 'node:crypto';
import { newEndpointSecret } from '../../../src/platform/egress/signature.ts';
import { cancelDeliveries } from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import { CHANNELS, createNotifier } from '../../../src/platform/postgres/notifications.ts';
import { markEndpointDeleted } from '../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { SECRET } from '../../roles/engine.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** Effects of a change of an endpoint on its unfinished deliveries (contract/webhooks.md#disabling). */
let fixture: DeliveryFixture;
let receiver: Receiver;
let endpoint: string;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
  endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.startDelivery();
});

afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

const refuse = (): void => receiver.answer((_, response) => void response.writeHead(500).end());
const accept = (): void => receiver.answer((_, response) => void response.writeHead(200).end());
const failedOnce = async (): Promise<string> => {
  refuse();
  const eventId = await fixture.emit();
  await fixture.deliveryWhen(
    eventId,
    ({ status, attempts }) => status === 'retrying' && attempts.length === 1,
  );
  return eventId;
};

test('F-30: the next attempt goes to the new URL', async () => {
  const eventId = await failedOnce();
  const other = await startReceiver();
  await fixture.changeEndpoint(endpoint, { url: other.url });
  await fixture.travel(10_000);
  const [moved] = await other.until(({ length }) => length >= 1);
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  expect(moved!.headers['parley-delivery-attempt']).toBe('2');
  expect(receiver.received).toHaveLength(1);
  await other.close();
});

test('F-30, F-55: the next attempt is signed with the new secret', async () => {
  await failedOnce();
  const secret = newEndpointSecret();
  await fixture.changeEndpoint(endpoint, { url: receiver.url, secret });
  await fixture.travel(10_000);
  const received = await receiver.until(({ length }) => length >= 2);
  const expected = [SECRET, secret].map((key) =>
    createHmac('sha256', key).update(received[0]!.body).digest('hex'),
  );
  expect(received.map(({ headers }) => headers['parley-signature'])).toEqual(expected);
});

test('F-30: a disabled endpoint gets nothing, keeps what waits for it, and gets it when enabled again', async () => {
  const waiting = await failedOnce();
  await fixture.changeEndpoint(endpoint, { url: receiver.url, enabled: false });
  const missed = await fixture.emit({ namespace: 'default' });
  await fixture.travel(3_600_000);
  // Another endpoint's delivery goes all the way, so the engine has looked since.
  const witness = await startReceiver();
  await fixture.addEndpoint({ url: witness.url, namespace: 'other' });
  for (let i = 0; i < 3; i += 1) {
    await fixture.emit({ namespace: 'other' });
    await witness.until(({ length }) => length >= i + 1);
  }
  expect(receiver.received).toHaveLength(1);
  expect(await fixture.deliveryOf(waiting)).toMatchObject({ status: 'retrying', attemptCount: 1 });

  accept();
  await fixture.changeEndpoint(endpoint, { url: receiver.url });
  await fixture.deliveryWhen(waiting, ({ status }) => status === 'delivered');
  const { rows } = await fixture.pool.query(
    'select id from deliveries where event_id = $1 union select id from delivery_queue where event_id = $1',
    [missed],
  );
  expect(rows).toEqual([]);
  await witness.close();
});

test('F-30: a deleted endpoint: what waited is canceled and no attempt comes after', async () => {
  const eventId = await failedOnce();
  await markEndpointDeleted(fixture.pool, { namespace: 'default', name: endpoint });
  await cancelDeliveries(fixture.pool, endpoint);
  expect(await fixture.deliveryOf(eventId)).toMatchObject({
    status: 'canceled',
    nextAttemptAt: null,
  });
  const notifier = createNotifier({ pool: fixture.pool, log: fixture.log });
  notifier.notify(CHANNELS.deliveries, [endpoint]);
  await notifier.stop();
  const witness = await startReceiver();
  await fixture.addEndpoint({ url: witness.url });
  const later = await fixture.emit();
  await witness.until(({ length }) => length >= 1);
  const { rows } = await fixture.pool.query(
    'select endpoint_id from deliveries where event_id = $1',
    [later],
  );
  expect(rows).not.toContainEqual({ endpoint_id: endpoint });
  expect(receiver.received).toHaveLength(1);
  await witness.close();
});

test('F-30: deleted while an attempt is under way: its result does not bring the delivery back', async () => {
  const release = Promise.withResolvers<void>();
  receiver.answer((_, response) => void release.promise.then(() => response.writeHead(500).end()));
  const eventId = await fixture.emit();
  await receiver.until(({ length }) => length >= 1);
  await markEndpointDeleted(fixture.pool, { namespace: 'default', name: endpoint });
  await cancelDeliveries(fixture.pool, endpoint);
  release.resolve();
  const witness = await startReceiver();
  await fixture.addEndpoint({ url: witness.url, namespace: 'other' });
  await fixture.emit({ namespace: 'other' });
  await witness.until(({ length }) => length >= 1);
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'canceled' });
  const { rows } = await fixture.pool.query('select id from delivery_queue where event_id = $1', [
    eventId,
  ]);
  expect(rows).toEqual([]);
  await witness.close();
});

test('a dead receiver that returns gets everything, each event once acknowledged', async () => {
  await receiver.close();
  const events: string[] = [];
  for (let i = 0; i < 60; i += 1) events.push(await fixture.emit());
  await fixture.deliveryWhen(events[0]!, ({ attempts }) => attempts.length >= 1);
  const failing = await fixture.pool.query(
    `select last_failure->>'error_class' as class from endpoint_health where endpoint_id = $1`,
    [endpoint],
  );
  expect(failing.rows).toEqual([{ class: 'connect' }]);
  await receiver.open();
  // The breaker has narrowed it; as it widens again, all of it comes, nothing twice.
  const keepDue = setInterval(
    () => void fixture.travel(2_000, 'lease_token is null').catch(() => undefined),
    200,
  );
  for (const eventId of events) {
    await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered', 40_000);
  }
  clearInterval(keepDue);
  expect(new Set(receiver.received.map(({ json }) => json.id)).size).toBe(events.length);
  expect(receiver.received).toHaveLength(events.length);
}, 60_000);
