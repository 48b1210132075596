import { afterEach, beforeEach, expect, test } from 'vitest';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import type { EventType } from '../../../src/events/event-types.ts';
import { fromUuid, toUuid } from '../../../src/ids.ts';
import { holdTime, type HeldClock } from '../../clock.ts';
import { letTimePass } from '../delivery-setup.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { until } from '../../until.ts';

/** After an outage: what waits for its next attempt is attempted now, and arrives once. */
let api: Pick<Tenant['api'], 'engine' | 'url'> & Omit<Tenant, 'api'>;
let receiver: Receiver;
let namespace: string;

beforeEach(async () => {
  const tenant = await newTenant();
  ({ namespace } = tenant);
  api = { ...tenant.api, ...tenant };
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const HOUR = 3_600_000;
const nowSec = (): number => Math.floor(Date.now() / 1_000);
const down = (): void => receiver.answer((_, response) => void response.writeHead(503).end());
const up = (): void => receiver.answer((_, response) => void response.writeHead(200).end());

async function endpoint(): Promise<{ id: string; path: string; uuid: string }> {
  const { body } = await api.call('POST', '/v1/webhooks', { json: { url: receiver.url } });
  return { id: body.id, path: `/v1/webhooks/${body.id}`, uuid: toUuid('we', body.id)! };
}

async function emit(type: EventType = 'agent.published', agoMs = 0): Promise<string> {
  const data = EVENT_SAMPLES[type];
  const event = { namespace, type, data };
  const { eventId } = await emitEvent(api.engine.pool, event, Date.now() - agoMs);
  return fromUuid('evt', eventId);
}

const deliveryOf = async (eventId: string): Promise<Reply['body']> =>
  (await api.call('GET', `/v1/events/${eventId}/deliveries`)).body.data.at(-1);

const deliveryWhen = (
  eventId: string,
  is: (delivery: Reply['body']) => boolean,
): Promise<Reply['body']> =>
  api.engine.eventually(
    async () => {
      const delivery = await deliveryOf(eventId);
      return delivery !== undefined && is(delivery) && delivery;
    },
    () => deliveryOf(eventId),
  );

/** Attempts that had begun when the breaker opened still arrive. Their results are recorded together, after 20 ms. */
const noneInFlight = (time: HeldClock): Promise<unknown> =>
  api.engine.eventually(async () => {
    const { rowCount } = await api.engine.pool.query(
      'select from delivery_queue where namespace = $1 and lease_token is not null',
      [namespace],
    );
    if (rowCount !== 0) await time.advance(20);
    return rowCount === 0;
  });

/** As after hours of an outage: so many attempts failed, and the next one is due in hours. */
const wait = async (where = 'true', { attempt = 6, inMs = 6 * HOUR } = {}): Promise<void> => {
  await api.engine.pool.query(
    `update delivery_queue
        set attempt = $1, started = true, lease_token = null, leased_at = null,
            scheduled_from = now() - interval '4 hours',
            due_at = now() + $2 * interval '1 ms', run_at = now() + $2 * interval '1 ms'
      where namespace = $3 and ${where}`,
    [attempt, inMs, namespace],
  );
};

/** Events that wait, without an attempt made of any; the delivery role hears of none. */
async function waiting(count: number, type?: EventType, agoMs?: number): Promise<string[]> {
  await api.engine.pool.query(
    `create or replace function asleep() returns trigger language plpgsql as $$
       begin new.run_at = now() + interval '1 hour'; return new; end $$`,
  );
  await api.engine.pool.query(
    `create trigger asleep before insert on delivery_queue for each row
       when (new.namespace = '${namespace}') execute function asleep()`,
  );
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await emit(type, agoMs));
  await api.engine.pool.query('drop trigger asleep on delivery_queue');
  await wait('attempt = 0');
  return ids;
}

const retry = (id: string): Promise<Reply> => api.call('POST', `/v1/deliveries/${id}/retry`);

const retryMany = (path: string, json: object = {}): Promise<Reply> =>
  api.call('POST', `${path}/replay`, {
    json: { mode: 'retrying', since: nowSec() - 86_400, ...json },
  });

const over = (id: string): Promise<Reply['body']> =>
  api.engine.eventually(
    async () => {
      const { body } = await api.call('GET', `/v1/jobs/${id}`);
      return body.status !== 'running' && body;
    },
    async () => (await api.call('GET', `/v1/jobs/${id}`)).body,
  );

const arrivals = (): Map<string, number> => {
  const times = new Map<string, number>();
  for (const { json } of receiver.received) times.set(json.id, (times.get(json.id) ?? 0) + 1);
  return times;
};

test('a delivery that waits for hours is attempted at once, itself, and arrives once', async () => {
  await endpoint();
  const [event] = await waiting(1);
  const before = await deliveryOf(event!);
  expect(before).toMatchObject({ status: 'retrying', trigger: 'schedule', in_flight_since: null });
  const { status, body } = await retry(before.id);
  expect(status).toBe(202);
  expect(body.id).toBe(before.id);
  // Of the six hours no whole one is left.
  expect(Math.round((before.next_attempt_at - body.next_attempt_at) / 3_600)).toBe(6);
  const after = await deliveryWhen(event!, (one) => one.status === 'delivered');
  expect(after).toMatchObject({ id: before.id, trigger: 'schedule', delivered_by: null });
  expect(after.attempts).toMatchObject([{ number: 7, trigger: 'manual', status_code: 200 }]);
  expect(arrivals()).toEqual(new Map([[event, 1]]));

  const again = await retry(before.id);
  expect([again.status, again.body.code]).toEqual([409, 'delivery_finished']);
  expect(again.body.detail).toContain(`POST /v1/events/${event}/replay`);
});

test('one that fails again goes on with its schedule: no moment is spent, none is moved', async () => {
  down();
  const { uuid } = await endpoint();
  const [event] = await waiting(1);
  const before = await deliveryOf(event!);
  await retry(before.id);
  const after = await deliveryWhen(event!, (one) => one.attempts.length === 1);
  expect(after.status).toBe('retrying');
  expect(after.next_attempt_at).toBe(before.next_attempt_at);
  expect(after.attempts).toMatchObject([{ trigger: 'manual', status_code: 503 }]);
  const { rows } = await api.engine.pool.query(
    'select manual, ahead, run_at = due_at as "isOnTime" from delivery_queue where endpoint_id = $1',
    [uuid],
  );
  expect(rows).toEqual([{ manual: false, ahead: false, isOnTime: true }]);
});

test('it goes past an open breaker and past Retry-After, and a lost wake-up does not matter', async () => {
  receiver.answer((_, response) => void response.writeHead(503, { 'retry-after': '600' }).end());
  const { id } = await endpoint();
  // Five failures in a row open the breaker, and it stays open. How many more begin before that depends on the machine.
  const events: string[] = [];
  for (let i = 0; i < 12; i += 1) events.push(await emit());
  await receiver.until(({ length }) => length >= 5);
  const delivery = await deliveryWhen(events[0]!, (one) => one.attempts.length === 1);
  const waitsSec = delivery.next_attempt_at - delivery.attempts[0].started_at;
  expect(Math.round(waitsSec / 60)).toBe(10);
  const time = holdTime(); // The breaker's pause does not end by itself.
  await noneInFlight(time);
  up();
  const seen = receiver.received.length;
  // Not by the route: nobody is woken.
  await api.engine.pool.query(
    `update delivery_queue set run_at = now(), manual = true, ahead = true where id = $1`,
    [toUuid('dlv', delivery.id)],
  );
  await until('the sweep that finds it', async () => {
    await time.advance(50);
    return receiver.received.length > seen;
  });
  letTimePass(time);
  await deliveryWhen(events[0]!, (one) => one.status === 'delivered');
  expect(receiver.received[seen]!.json.id).toBe(events[0]); // Before what was due already.
  expect(id).toMatch(/^we_/);
});

test('one that is attempted at this moment is answered as it is', async () => {
  const held = Promise.withResolvers<void>();
  receiver.answer((_, response) => {
    void held.promise.then(() => response.writeHead(200).end());
  });
  await endpoint();
  const event = await emit();
  await receiver.until(({ length }) => length >= 1);
  const { status, body } = await retry((await deliveryOf(event)).id);
  expect(status).toBe(202);
  expect(body).toMatchObject({
    status: 'pending',
    attempt_count: 0,
    attempts: [],
    in_flight_since: expect.any(Number),
  });
  held.resolve();
  const done = await deliveryWhen(event, (one) => one.status === 'delivered');
  expect(done).toMatchObject({ attempt_count: 1, in_flight_since: null });
  expect(done.attempts).toMatchObject([{ trigger: 'schedule' }]);
  expect(receiver.received).toHaveLength(1);
});

test('what cannot be retried says why, and what to do instead', async () => {
  const { path } = await endpoint();
  const [old, disabled] = await waiting(2);
  const [first, second] = [await deliveryOf(old!), await deliveryOf(disabled!)];
  await api.call('PATCH', path, { json: { enabled: false } });
  expect((await retry(second.id)).body.code).toBe('endpoint_disabled');
  await api.engine.pool.query(
    `update delivery_queue set scheduled_from = now() - interval '73 hours' where id = $1`,
    [toUuid('dlv', first.id)],
  );
  const late = await retry(first.id);
  expect([late.status, late.body.code]).toEqual([409, 'delivery_finished']);
  expect(late.body.detail).toMatch(/72-hour deadline.*replay/);
  await api.call('DELETE', path);
  expect((await retry(second.id)).body).toMatchObject({
    code: 'delivery_finished',
    detail: expect.stringContaining('The delivery is already canceled'),
  });
  expect((await retry('dlv_00000000000000000000000000')).status).toBe(404);
});

test('the mode retrying recovers what waits, the rows themselves, each once', async () => {
  const { path, uuid } = await endpoint();
  const old = await waiting(3, 'agent.published', 2 * HOUR);
  const other = await waiting(2, 'conversation.ended', 2 * HOUR);
  const recent = await waiting(4);
  const before = nowSec() - 3_600;
  expect((await retryMany(path, { dry_run: true })).body.count).toBe(9);
  expect((await retryMany(path, { dry_run: true, until: before })).body.count).toBe(5);
  expect((await retryMany(path, { dry_run: true, since: before })).body.count).toBe(4);
  expect(
    (await retryMany(path, { dry_run: true, until: before, types: ['agent.*'] })).body,
  ).toMatchObject({
    count: 3,
    mode: 'retrying',
  });

  const { status, body } = await retryMany(path, { until: before, types: ['agent.published'] });
  expect([status, body.mode, body.progress.total]).toEqual([202, 'retrying', 3]);
  expect(await over(body.id)).toMatchObject({ status: 'done', progress: { total: 3, done: 3 } });
  await receiver.until(({ length }) => length >= 3);
  expect(arrivals()).toEqual(new Map(old.map((event) => [event, 1])));
  for (const event of [...other, ...recent]) {
    expect(await deliveryOf(event)).toMatchObject({ status: 'retrying', attempts: [] });
  }
  const all = await retryMany(path);
  await over(all.body.id);
  await receiver.until(({ length }) => length >= 9);
  await api.engine.eventually(async () => {
    const { rows } = await api.engine.pool.query(
      'select 1 from delivery_queue where namespace = $1',
      [namespace],
    );
    return rows.length === 0;
  });
  const { rows } = await api.engine.pool.query(
    'select count(*) as count from deliveries where endpoint_id = $1',
    [uuid],
  );
  expect(rows).toEqual([{ count: 9 }]);
  expect([...arrivals().values()].every((times) => times === 1)).toBe(true);
});

test('a receiver that is still down is not flooded, and a stopped job gives back what it took', async () => {
  down();
  const { path } = await endpoint();
  const events = await waiting(60);
  const before = await deliveryOf(events[59]!);
  const time = holdTime(); // The breaker's pause ends when the test says so.
  const { body } = await retryMany(path);
  const atRest = (count: number): Promise<boolean> =>
    api.engine.eventually(async () => {
      const { rows } = await api.engine.pool.query(
        'select 1 from delivery_queue where namespace = $1 and lease_token is not null',
        [namespace],
      );
      // Results are recorded in batches, and a sweep that ran during a pause is followed by another one.
      const isOver = rows.length === 0 && receiver.received.length >= count;
      if (!isOver) await time.advance(20);
      return isOver;
    });
  await atRest(5);
  // As many as there are slots, and few in place of the first that failed; then one after each pause.
  expect(receiver.received.length).toBeLessThan(40);
  for (let pause = 0; pause < 2; pause += 1) {
    const seen = receiver.received.length;
    await time.advance(500 * 2 ** pause + 200); // The sweep that finds the endpoint again is at most 200 ms later.
    await atRest(seen + 1);
    expect(receiver.received).toHaveLength(seen + 1);
  }
  expect((await api.call('DELETE', `/v1/jobs/${body.id}`)).status).toBe(204);
  const after = await deliveryOf(events[59]!);
  expect(after).toMatchObject({ status: 'retrying', next_attempt_at: before.next_attempt_at });
  const { rows } = await api.engine.pool.query(
    'select count(*) as count from delivery_queue where namespace = $1 and manual',
    [namespace],
  );
  expect(rows).toEqual([{ count: 0 }]);
  expect((await api.call('GET', `/v1/jobs/${body.id}`)).body.status).toBe('stopped');
});

test('fresh events of the endpoint are not held up by many retries', async () => {
  const { path } = await endpoint();
  const retried = new Set(await waiting(64)); // More than an endpoint has slots.
  const isDelivered = Promise.withResolvers<void>();
  receiver.answer(({ json }, response) => {
    const answer = (): void => void response.writeHead(200).end();
    if (retried.has(json.id)) void isDelivered.promise.then(answer);
    else answer();
  });
  const { body } = await retryMany(path);
  await receiver.until(({ length }) => length >= 1);
  const event = await emit();
  await deliveryWhen(event, (one) => one.status === 'delivered');
  expect(arrivals().size).toBeLessThan(65); // No retry was answered, so the others wait for a slot.
  isDelivered.resolve();
  await over(body.id);
  await receiver.until(({ length }) => length >= 65);
  expect([...arrivals().values()].every((times) => times === 1)).toBe(true);
});
