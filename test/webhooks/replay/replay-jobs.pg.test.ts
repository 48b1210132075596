import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { YIELDING_SLOTS_MAX } from '../../../src/webhooks/delivery/slots.ts';
import type { EventType } from '../../../src/events/event-types.ts';
import { fromUuid, toUuid } from '../../../src/ids.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { OUTSTANDING_MAX, runReplayJobs } from '../../../src/webhooks/replay/run-replay-jobs.ts';
import { eraseEvents } from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';

/** Replays of many events: which, how often, and what may happen meanwhile. */
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

const now = (): number => Math.floor(Date.now() / 1_000);

async function endpoint(fields: object = {}): Promise<{ id: string; path: string }> {
  const { status, body } = await api.call('POST', '/v1/webhooks', {
    json: { url: receiver.url, ...fields },
  });
  expect(status).toBe(201);
  return { id: body.id, path: `/v1/webhooks/${body.id}` };
}

/** An event of so long ago, without waking anybody; returns its public id. */
async function emit(
  type: EventType = 'agent.published',
  {
    agoMs = 60_000,
    namespace: of = namespace,
    conversationId = undefined as string | undefined,
  } = {},
): Promise<string> {
  const { eventId } = await emitEvent(
    api.engine.pool,
    {
      namespace: of,
      type,
      data: EVENT_SAMPLES[type],
      ...(conversationId !== undefined && { conversationId }),
    },
    Date.now() - agoMs,
  );
  return fromUuid('evt', eventId);
}

const emitMany = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(await emit());
  return ids;
};

const replay = (path: string, json: object = {}): Promise<Reply> =>
  api.call('POST', `${path}/replay`, { json: { since: now() - 3_600, ...json } });

const count = async (path: string, json: object = {}): Promise<number> => {
  const { status, body } = await replay(path, { dry_run: true, ...json });
  expect(status).toBe(200);
  return body.count;
};

/** The job once it is over. */
const over = (id: string): Promise<Reply['body']> =>
  api.engine.eventually(async () => {
    const { body } = await api.call('GET', `/v1/jobs/${id}`);
    return body.status === 'running' ? undefined : body;
  });

const queueIsEmpty = (): Promise<true> =>
  api.engine.eventually(async () => {
    const { rows } = await api.engine.pool.query(
      'select 1 from delivery_queue where namespace = $1 limit 1',
      [namespace],
    );
    return rows.length === 0 ? true : undefined;
  });

const arrivals = (): Map<string, number> => {
  const times = new Map<string, number>();
  for (const { json } of receiver.received) times.set(json.id, (times.get(json.id) ?? 0) + 1);
  return times;
};

test('the time that a dry run answers is after all that it counted, also what has just happened', async () => {
  const { path } = await endpoint();
  await api.call('PATCH', path, { json: { enabled: false } });
  await emitMany(3);
  await api.call('PATCH', path, { json: { enabled: true } });
  const { body: counted } = await replay(path, { mode: 'missing', dry_run: true });
  expect(counted.count).toBe(3);
  const { since, until, mode } = counted;
  const { body: job } = await replay(path, { since, until, mode });
  expect(job).toMatchObject({ progress: { total: 3 }, until });
  await over(job.id);
  await queueIsEmpty();
});

test('what was made while an endpoint was disabled is found by missing, and sent once', async () => {
  const { id, path } = await endpoint();
  const delivered = await emitMany(2);
  await queueIsEmpty();
  await api.call('PATCH', path, { json: { enabled: false } });
  expect((await replay(path, { mode: 'missing' })).body.code).toBe('endpoint_disabled');
  const missed = await emitMany(3);
  await api.call('PATCH', path, { json: { enabled: true } });
  expect(await count(path, { mode: 'missing' })).toBe(3);
  expect(await count(path, { mode: 'all' })).toBe(5);
  expect(await count(path)).toBe(0);

  const { status, headers, body } = await replay(path, { mode: 'missing' });
  expect(status).toBe(202);
  expect(headers.get('location')).toBe(`/v1/jobs/${body.id}`);
  expect(body).toMatchObject({
    type: 'replay',
    status: 'running',
    progress: { total: 3, done: 0 },
    finished_at: null,
    endpoint_id: id,
    mode: 'missing',
  });
  expect(await over(body.id)).toMatchObject({
    status: 'done',
    progress: { total: 3, done: 3 },
    finished_at: expect.any(Number),
  });
  await receiver.until(({ length }) => length >= 5);
  await queueIsEmpty();
  expect(arrivals()).toEqual(new Map([...delivered, ...missed].map((event) => [event, 1])));
  expect(await count(path, { mode: 'missing' })).toBe(0);
  const { body: deliveries } = await api.call('GET', `${path}/deliveries`);
  const triggers = deliveries.data.map((one: { event_id: string; trigger: string }) => [
    one.event_id,
    one.trigger,
  ]);
  expect(Object.fromEntries(triggers)).toEqual({
    ...Object.fromEntries(delivered.map((event) => [event, 'schedule'])),
    ...Object.fromEntries(missed.map((event) => [event, 'replay'])),
  });
});

test('failed takes what failed or was canceled, and nothing that is under way or was delivered since', async () => {
  const { id, path } = await endpoint();
  await api.call('PATCH', path, { json: { enabled: false } });
  await api.call('PATCH', path, { json: { enabled: true } });
  const events = await emitMany(5);
  await queueIsEmpty();
  const set = (index: number, status: string): Promise<unknown> =>
    api.engine.pool.query('update deliveries set status = $1 where event_id = $2', [
      status,
      toUuid('evt', events[index]!),
    ]);
  await set(0, 'failed');
  await set(1, 'canceled');
  await set(2, 'failed');
  await set(3, 'failed');
  // 2 was delivered by hand since; 3 is on its way again.
  await api.call('POST', `/v1/events/${events[2]}/replay`, { json: { endpoint_id: id } });
  await queueIsEmpty();
  receiver.answer((_, response) => void response.writeHead(500).end());
  await api.call('POST', `/v1/events/${events[3]}/replay`, { json: { endpoint_id: id } });
  await receiver.until(({ length }) => length >= 7);
  expect(await count(path)).toBe(2);
  receiver.answer((_, response) => void response.writeHead(200).end());
  const { body } = await replay(path);
  expect((await over(body.id)).progress).toEqual({ total: 2, done: 2 });
  await receiver.until(() => (arrivals().get(events[1]!) ?? 0) === 2);
  expect(arrivals().get(events[0]!)).toBe(2);
  expect(arrivals().get(events[4]!)).toBe(1);
});

test('types, times, namespaces and subscriptions bound what is sent', async () => {
  const other = await newTenant();
  const { path } = await endpoint({ event_types: ['agent.*'], enabled: false });
  await emit('agent.published', { agoMs: 7_200_000 });
  const edge = await emit('agent.published', { agoMs: 600_000 });
  await emit('agent.rolled_back', { agoMs: 300_000 });
  await emit('knowledge.gap.detected', { agoMs: 300_000 });
  await emit('agent.published', { namespace: other.namespace });
  expect(await count(path, { mode: 'all' })).toBe(2);
  expect(await count(path, { mode: 'all', types: ['agent.rolled_back'] })).toBe(1);
  expect(await count(path, { mode: 'all', types: ['knowledge.gap.detected'] })).toBe(0);
  const { body: event } = await api.call('GET', `/v1/events/${edge}`);
  expect(await count(path, { mode: 'all', until: event.created })).toBe(0);
  expect(await count(path, { mode: 'all', until: event.created + 1 })).toBe(1);
  expect(await count(path, { mode: 'all', since: event.created + 1 })).toBe(1);
  await api.call('PATCH', path, { json: { event_types: null } });
  expect(await count(path, { mode: 'missing' })).toBe(3);
  expect(
    (await api.call('POST', `${path}/replay`, { key: other.key, json: { since: 1 } })).status,
  ).toBe(404);
});

test('test events go to their own endpoint only, erased ones to none', async () => {
  const [own, foreign] = [await endpoint(), await endpoint()];
  await api.call('POST', `${own.path}/test`);
  const conversationId = '01936a0e-7d5b-7000-8000-3a5c1f2b4d6e';
  await emit('conversation.transcript.ready', { agoMs: 0, conversationId });
  await queueIsEmpty();
  const json = { mode: 'all', since: now() - 60 };
  expect([await count(own.path, json), await count(foreign.path, json)]).toEqual([2, 1]);
  await eraseEvents(api.engine.pool, { conversationId, events: 'cancel', erased: '…' });
  expect([await count(own.path, json), await count(foreign.path, json)]).toEqual([1, 0]);
});

test('what cannot be replayed is 422 and says which field', async () => {
  const { path } = await endpoint();
  const cases: [object, string][] = [
    [{ since: now() - 31 * 86_400 }, '/since'],
    [{ since: now() + 60 }, '/since'],
    [{ since: now() - 60, until: now() - 120 }, '/since'],
    [{ since: now() - 60, until: now() + 3_600 }, '/until'],
    [{ since: -1 }, '/since'],
    [{}, '/since'],
    [{ since: now() - 60, mode: 'some' }, '/mode'],
    [{ since: now() - 60, types: ['agent.some'] }, '/types/0'],
  ];
  for (const [json, pointer] of cases) {
    const { status, body } = await api.call('POST', `${path}/replay`, { json });
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 422, pointer });
  }
});

describe('with a receiver that does not answer', () => {
  let held: (() => void)[];
  beforeEach(() => {
    held = [];
    receiver.answer((_, response) => void held.push(() => response.writeHead(200).end()));
  });
  afterEach(() => {
    receiver.answer((_, response) => void response.writeHead(200).end());
    for (const answer of held) answer();
  });

  test('a job is stopped at once: nothing more is sent, what waits is canceled', async () => {
    const { path } = await endpoint({ enabled: false });
    await emitMany(30);
    await api.call('PATCH', path, { json: { enabled: true } });
    const { body: job } = await replay(path, { mode: 'missing' });
    await receiver.until(({ length }) => length === YIELDING_SLOTS_MAX);
    expect((await api.call('DELETE', `/v1/jobs/${job.id}`)).status).toBe(204);
    const { body } = await api.call('GET', `/v1/jobs/${job.id}`);
    // The job may have been through with its batch: then there was nothing left to stop.
    expect(body).toMatchObject({ status: 'stopped', finished_at: expect.any(Number) });
    expect((await api.call('DELETE', `/v1/jobs/${job.id}`)).body.code).toBe('job_finished');
    for (const answer of held.splice(0)) answer();
    await queueIsEmpty();
    expect(receiver.received).toHaveLength(YIELDING_SLOTS_MAX);
    const { body: canceled } = await api.call(
      'GET',
      `${path}/deliveries?status=canceled&limit=100`,
    );
    expect(canceled.data).toHaveLength(30 - YIELDING_SLOTS_MAX);
  });

  test('F-32: live events pass a job by, in the queue and in flight', async () => {
    const time = holdTime(); // No attempt of the job is cut off, which would free its slot.
    const { path } = await endpoint({ enabled: false });
    await emitMany(40);
    await api.call('PATCH', path, { json: { enabled: true } });
    await replay(path, { mode: 'missing' });
    await until('all slots of the job to be taken', async () => {
      await time.advance(100); // Of a busy process fewer begin at once.
      return receiver.received.length === YIELDING_SLOTS_MAX;
    });
    const { body } = await api.call('POST', `${path}/test`);
    await receiver.until((received) => received.some(({ json }) => json.id === body.event_id));
    expect(receiver.received).toHaveLength(YIELDING_SLOTS_MAX + 1);
    // A person waits for a single replay: it goes with the live ones.
    const { body: one } = await api.call('POST', `/v1/events/${body.event_id}/replay`);
    await receiver.until(({ length }) => length === YIELDING_SLOTS_MAX + 2);
    expect(receiver.received.at(-1)!.json.id).toBe(one.event_id);
  });

  test('a job never has more than its bound outstanding, and ends when the endpoint goes', async () => {
    const { path } = await endpoint({ enabled: false });
    const many = OUTSTANDING_MAX + 300;
    await api.engine.pool.query(
      `insert into events (id, namespace, type, body)
       select parley_uuid_v7(), $2, 'agent.published', '{}' from generate_series(1, $1)`,
      [many, namespace],
    );
    await api.call('PATCH', path, { json: { enabled: true } });
    const { body: job } = await replay(path, { mode: 'missing', since: now() - 60 });
    expect(job.progress.total).toBe(many);
    const progress = async (): Promise<number> =>
      (await api.call('GET', `/v1/jobs/${job.id}`)).body.progress.done;
    await api.engine.eventually(async () => (await progress()) === OUTSTANDING_MAX || undefined);
    await receiver.until(({ length }) => length === YIELDING_SLOTS_MAX);
    for (const answer of held.splice(0)) answer();
    await receiver.until(({ length }) => length >= 2 * YIELDING_SLOTS_MAX);
    const { rows } = await api.engine.pool.query<{ count: number }>(
      'select count(*) as count from delivery_queue where namespace = $1',
      [namespace],
    );
    expect(rows[0]!.count).toBeLessThanOrEqual(OUTSTANDING_MAX);
    await api.call('DELETE', path);
    expect(await over(job.id)).toMatchObject({
      status: 'failed',
      error: 'the endpoint was deleted',
    });
  });
});

test('a job waits while its endpoint is disabled and goes on when it is enabled', async () => {
  const { path } = await endpoint({ enabled: false });
  await emitMany(4);
  await api.call('PATCH', path, { json: { enabled: true } });
  const { body: job } = await replay(path, { mode: 'missing' });
  await over(job.id);
  await receiver.until(({ length }) => length >= 4);
  await api.call('PATCH', path, { json: { enabled: false } });
  await api.engine.pool.query(
    `update jobs set status = 'running', finished_at = null, cursor = null, mode = 'all'
      where namespace = $1`,
    [namespace],
  );
  // Looked at by somebody, and left: only the endpoint is in its way.
  const looked = new AbortController();
  const { pool, metrics } = api.engine;
  const looking = runReplayJobs(
    { pool, metrics, notifier: { notify: () => undefined }, nowMs: Date.now },
    looked.signal,
  );
  for (let i = 0; i < 5; i += 1) await api.call('GET', '/v1/jobs'); // It has looked by then.
  expect((await api.call('GET', `/v1/jobs/${job.id}`)).body).toMatchObject({
    status: 'running',
    progress: { done: 4 },
  });
  await api.call('PATCH', path, { json: { enabled: true } });
  expect(await over(job.id)).toMatchObject({ status: 'done', progress: { done: 8 } });
  looked.abort();
  await looking;
  await receiver.until(({ length }) => length >= 8);
});

test('several runners share the work: every event once', async () => {
  const { path } = await endpoint({ enabled: false });
  const events = await emitMany(40);
  await api.call('PATCH', path, { json: { enabled: true } });
  const jobs = await Promise.all([
    replay(path, { mode: 'all' }),
    replay(path, { mode: 'all' }),
    replay(path, { mode: 'all' }),
  ]);
  const stop = new AbortController();
  const { pool, metrics } = api.engine;
  const notifier = { notify: () => undefined };
  const runners = Array.from({ length: 4 }, () =>
    runReplayJobs({ pool, metrics, notifier, nowMs: Date.now }, stop.signal),
  );
  for (const { body } of jobs) expect((await over(body.id)).progress.done).toBe(40);
  stop.abort();
  await Promise.all(runners);
  await receiver.until(({ length }) => length >= 120);
  await queueIsEmpty();
  expect(arrivals()).toEqual(new Map(events.map((event) => [event, 3])));
});

test('jobs are listed newest first, by status and by endpoint, and are their namespace’s', async () => {
  const [a, b] = [await endpoint(), await endpoint()];
  const jobs = [
    (await replay(a.path)).body,
    (await replay(b.path)).body,
    (await replay(a.path)).body,
  ];
  for (const { id } of jobs) await over(id);
  const ids = async (query: string): Promise<string[]> =>
    (await api.call('GET', `/v1/jobs?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([jobs[2].id, jobs[1].id, jobs[0].id]);
  expect(await ids(`endpoint_id=${a.id}`)).toEqual([jobs[2].id, jobs[0].id]);
  expect(await ids('status=running')).toEqual([]);
  expect(await ids('status=done&limit=1')).toEqual([jobs[2].id]);
  const { key } = await newTenant();
  for (const method of ['GET', 'DELETE']) {
    expect((await api.call(method, `/v1/jobs/${jobs[0].id}`, { key })).status).toBe(404);
  }
});
