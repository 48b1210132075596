import { afterEach, beforeEach, expect, test } from 'vitest';
import { replayEvent, type Replayed } from '../../../src/webhooks/replay/replay-event.ts';
import { completeAttempts } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { readDelivery, type DeliveryRow } from '../../../src/webhooks/queue/deliveries.sql.ts';
import {
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';

/** A replay while an older delivery of the event still waits: nobody is sent it for nothing. */
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const HOUR = 3_600_000;

const replay = (id: string, endpointId: string | null = null): Promise<Replayed> =>
  replayEvent(
    {
      pool: fixture.pool,
      notifier: { notify: () => undefined, stop: () => Promise.resolve() },
      nowMs: Date.now,
    },
    { namespace: 'default', id, endpointId },
  );

const read = async (id: string): Promise<DeliveryRow> =>
  (await readDelivery(fixture.pool, { namespace: 'default', id }))!;

const fail = async (endpoint: string): Promise<void> => {
  const claimed = await fixture.claim(endpoint);
  await completeAttempts(
    fixture.pool,
    claimed.map((one) => resultOf(one, failure(4 * HOUR))),
  );
};

test('it is told, keeps its schedule, and is delivered with the new one', async () => {
  const [one, two] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  const eventId = await fixture.emit();
  await fail(one);
  await fail(two);
  const other = await fixture.emit();
  await fail(one);
  const { rows } = await fixture.pool.query<{ id: string; endpointId: string; eventId: string }>(
    'select id, endpoint_id as "endpointId", event_id as "eventId" from delivery_queue',
  );
  const idOf = (endpointId: string, event: string): string =>
    rows.find((row) => row.endpointId === endpointId && row.eventId === event)!.id;
  const older = idOf(one, eventId);

  const { deliveryIds, alsoPending } = await replay(eventId, one);
  expect(alsoPending).toEqual([older]);
  const again = await replay(eventId, one);
  expect(again.alsoPending).toEqual([older, ...deliveryIds].sort());
  expect(await read(older)).toMatchObject({ status: 'retrying', deliveredBy: null });

  const claimed = await fixture.claim(one);
  const first = claimed.find(({ id }) => id === deliveryIds[0])!;
  await completeAttempts(fixture.pool, [resultOf(first)]);
  const [newer, before] = [await read(first.id), await read(older)];
  expect(newer).toMatchObject({ status: 'delivered', deliveredBy: null, attemptCount: 1 });
  expect(before).toMatchObject({
    status: 'delivered',
    deliveredBy: first.id,
    deliveredAt: newer.deliveredAt,
    nextAttemptAt: null,
    attemptCount: 1,
  });
  expect(before.attempts).toHaveLength(1);
  expect((await read(idOf(two, eventId))).status).toBe('retrying');
  expect((await read(idOf(one, other))).status).toBe('retrying');
  // Asked for later, and being attempted.
  expect((await read(again.deliveryIds[0]!)).status).toBe('pending');
});

test('one that is attempted right now is left to its own attempt', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  const [held] = await fixture.claim(endpoint);
  const { alsoPending } = await replay(eventId);
  expect(alsoPending).toEqual([held!.id]);
  const [newer] = await fixture.claim(endpoint);
  await completeAttempts(fixture.pool, [resultOf(newer!)]);
  expect(await read(held!.id)).toMatchObject({ status: 'pending', deliveredBy: null });
  const counted = await completeAttempts(fixture.pool, [resultOf(held!, failure(5_000))]);
  expect(counted).toEqual(new Set([held!.id]));
  expect(await read(held!.id)).toMatchObject({ status: 'retrying', attemptCount: 1 });
});

test('a replay that fails, and a delivery that is no replay, end nothing beside them', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  await fail(endpoint);
  await replay(eventId);
  await fail(endpoint);
  const { rows } = await fixture.pool.query<{ id: string }>('select id from delivery_queue');
  expect(rows).toHaveLength(2);
  await fixture.travel(4 * HOUR, `trigger = 'schedule'`);
  const [retried] = await fixture.claim(endpoint);
  expect(retried!.trigger).toBe('schedule');
  await completeAttempts(fixture.pool, [resultOf(retried!)]);
  const left = await fixture.pool.query('select trigger from delivery_queue');
  expect(left.rows).toEqual([{ trigger: 'replay' }]);
});
