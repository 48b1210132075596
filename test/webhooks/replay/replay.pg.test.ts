import { afterEach, beforeEach, expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { replayEvent } from '../../../src/webhooks/replay/replay-event.ts';
import { createSendTestEvent } from '../../../src/webhooks/endpoints/send-test-event.ts';
import { completeAttempts } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import {
  agentPublished,
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';

const DAY = 86_400_000;
let fixture: DeliveryFixture;
let woken: string[];

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  woken = [];
});

afterEach(async () => {
  await fixture.stop();
});

const replay = (
  id: string,
  {
    endpointId = null,
    namespace = 'default',
    nowMs = Date.now(),
    days,
  }: {
    endpointId?: string | null;
    namespace?: string;
    nowMs?: number;
    days?: number;
  } = {},
): Promise<{ deliveryIds: string[] }> => {
  const notifier = {
    notify: (_: string, items: readonly string[]) => void woken.push(...items),
    stop: () => Promise.resolve(),
  };
  return replayEvent(
    {
      pool: fixture.pool,
      notifier,
      nowMs: () => nowMs,
      ...(days !== undefined && { retention: { events: days } }),
    },
    { namespace, id, endpointId },
  );
};

const endpointsOf = async (deliveryIds: string[]): Promise<string[]> => {
  const { rows } = await fixture.pool.query<{ id: string }>(
    'select endpoint_id as id from delivery_queue where id = any($1) order by 1',
    [deliveryIds],
  );
  return rows.map(({ id }) => id);
};

test('a replay makes new deliveries with a full schedule, for each enabled endpoint subscribed now', async () => {
  const gone = await fixture.addEndpoint({ enabled: false });
  const eventId = await fixture.emit({ nowMs: Date.now() - 2 * 3_600_000 });
  const [all, agents, published] = [
    await fixture.addEndpoint(),
    await fixture.addEndpoint({ eventTypes: ['agent.*'] }),
    await fixture.addEndpoint({ eventTypes: ['agent.published'] }),
  ];
  await fixture.addEndpoint({ eventTypes: ['conversation.*', 'agent.rolled_back'] });
  await fixture.addEndpoint({ namespace: 'other' });
  const { deliveryIds } = await replay(eventId);
  expect(await endpointsOf(deliveryIds)).toEqual([all, agents, published].sort());
  expect(woken.sort()).toEqual([all, agents, published].sort());
  expect(woken).not.toContain(gone);

  const [claimed] = await fixture.claim(all);
  expect(claimed).toMatchObject({ trigger: 'replay', attempt: 1, eventId });
  // Its schedule begins at the request, not at the event.
  expect(Math.floor(claimed!.ageMs / 3_600_000)).toBe(0);
  await completeAttempts(fixture.pool, [resultOf(claimed!, failure(5_000))]);
  const { rows } = await fixture.pool.query('select trigger, number from delivery_attempts');
  expect(rows).toEqual([{ trigger: 'replay', number: 1 }]);
});

test('the deliveries before a replay stay as they were', async () => {
  const endpoint = await fixture.addEndpoint();
  const eventId = await fixture.emit();
  const [first] = await fixture.claim(endpoint);
  await completeAttempts(fixture.pool, [resultOf(first!)]);
  await replay(eventId);
  const [second] = await fixture.claim(endpoint);
  expect(second!.id).not.toBe(first!.id);
  expect(second!.body!.equals(first!.body!)).toBe(true);
  await completeAttempts(fixture.pool, [resultOf(second!)]);
  const { rows } = await fixture.pool.query(
    'select id, status, trigger from deliveries order by id',
  );
  expect(rows).toEqual([
    { id: first!.id, status: 'delivered', trigger: 'schedule' },
    { id: second!.id, status: 'delivered', trigger: 'replay' },
  ]);
});

test('to one endpoint, whatever it subscribes to; a disabled or a foreign one is refused', async () => {
  const [endpoint, off, foreign] = [
    await fixture.addEndpoint({ eventTypes: ['conversation.*'] }),
    await fixture.addEndpoint({ enabled: false }),
    await fixture.addEndpoint({ namespace: 'other' }),
  ];
  const eventId = await fixture.emit();
  const { deliveryIds } = await replay(eventId, { endpointId: endpoint });
  expect(await endpointsOf(deliveryIds)).toEqual([endpoint]);
  await expect(replay(eventId, { endpointId: off })).rejects.toMatchObject({
    code: 'endpoint_disabled',
  });
  await expect(replay(eventId, { endpointId: foreign })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(replay(eventId, { namespace: 'other' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(replay(newUuid())).rejects.toMatchObject({ code: 'not_found' });
});

test('a test event goes to its own endpoint only, replayed too', async () => {
  const [own, other] = [
    await fixture.addEndpoint({ eventTypes: ['conversation.*'] }),
    await fixture.addEndpoint(),
  ];
  const { eventId, deliveryId } = await createSendTestEvent({
    pool: fixture.pool,
    batchPool: fixture.pool,
    announce: () => undefined,
    nowMs: Date.now,
  })({
    namespace: 'default',
    endpointId: own,
    type: 'agent.published' as const,
    data: agentPublished('x'),
  });
  expect(await endpointsOf([deliveryId])).toEqual([own]);
  expect(await fixture.claim(other)).toEqual([]);
  expect(await endpointsOf((await replay(eventId)).deliveryIds)).toEqual([own]);
  await expect(replay(eventId, { endpointId: other })).rejects.toMatchObject({
    code: 'invalid_body',
    errors: [{ pointer: '/endpoint_id' }],
  });
  expect(await fixture.claim(own)).toMatchObject([{ trigger: 'test' }, { trigger: 'replay' }]);
});

test('an event can be replayed for thirty days and no second more', async () => {
  const endpoint = await fixture.addEndpoint();
  const nowMs = Date.now();
  await maintainPartitions(fixture.pool, nowMs - 30 * DAY); // Makes the days of then.
  const at = async (ageMs: number): Promise<string> => {
    const id = lowestUuidAt(nowMs - ageMs).replace(/.{12}$/, newUuid().slice(-12));
    await fixture.pool.query(
      `insert into events (id, namespace, type, body) values ($1, 'default', 'agent.published', '{}')`,
      [id],
    );
    return id;
  };
  const [young, old] = [await at(30 * DAY), await at(30 * DAY + 1_000)];
  await maintainPartitions(fixture.pool, nowMs);
  await expect(replay(young, { nowMs, days: 29 })).rejects.toMatchObject({
    code: 'event_expired',
    message: expect.stringContaining('29 days'),
  });
  expect((await replay(young, { nowMs })).deliveryIds).toHaveLength(1);
  await expect(replay(old, { nowMs })).rejects.toMatchObject({
    code: 'event_expired',
    status: 410,
  });
  expect(await fixture.claim(endpoint)).toMatchObject([{ eventId: young }]);

  // Two days on it is past its 31 days, and its last attempt still has the bytes.
  await fixture.travel(2 * DAY);
  await fixture.pool.query('update delivery_queue set lease_token = null');
  await maintainPartitions(fixture.pool, nowMs + 3 * DAY);
  const [retry] = await fixture.claim(endpoint);
  expect(retry!.body!.toString()).toBe('{}');
});
