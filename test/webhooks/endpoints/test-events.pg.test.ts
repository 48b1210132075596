import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { fromUuid, toUuid } from '../../../src/ids.ts';
import { REQUESTED_MAX } from '../../../src/webhooks/queue/requested-room.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { newTenant } from '../../roles/api/shared-api.ts';

/** What somebody sends to see whether it arrives is marked, and apart from what happened. */
let api: Pick<Api, 'engine' | 'url' | 'key' | 'call'>;
let receiver: Receiver;
let namespace: string;

beforeEach(async () => {
  const tenant = await newTenant();
  ({ namespace } = tenant);
  api = { ...tenant.api, ...tenant };
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

const get = async (path: string): Promise<Reply['body']> => (await api.call('GET', path)).body;

async function endpoint(fields: object = {}): Promise<string> {
  const json = { url: receiver.url, ...fields };
  const { status, body } = await api.call('POST', '/v1/webhooks', { json });
  expect({ status, body }).toMatchObject({ status: 201 });
  const { id } = body;
  await api.engine.eventually(async () => (await get(`/v1/webhooks/${id}`)).ready === true);
  return id;
}

async function emit(): Promise<string> {
  const data = EVENT_SAMPLES['agent.published'];
  const event = { namespace, type: 'agent.published' as const, data };
  const { eventId } = await emitEvent(api.engine.pool, event, Date.now());
  return fromUuid('evt', eventId);
}

const queueIsEmpty = (): Promise<boolean> =>
  api.engine.eventually(async () => {
    const { rows } = await api.engine.pool.query(
      'select 1 from delivery_queue where namespace = $1',
      [namespace],
    );
    return rows.length === 0;
  });

/** The ids of the first events of a stream. */
async function streamed(query: string, count: number): Promise<string[]> {
  const { body } = await fetch(`${api.url}/v1/events/stream?${query}`, {
    headers: { authorization: `Bearer ${api.key}` },
  });
  let text = '';
  for await (const chunk of body!) {
    text += Buffer.from(chunk).toString();
    const ids = [...text.matchAll(/^id: ?(evt_\w+)$/gm)].map(([, id]) => id!);
    if (ids.length < count) continue;
    return ids; // Which ends the reading, and so the request.
  }
  return [];
}

const idsIn = async (path: string): Promise<string[]> =>
  (await get(path)).data.map(({ id }: { id: string }) => id);

test('a test event says so at every attempt, in its shape and those of its deliveries, replays too', async () => {
  const id = await endpoint();
  const sent = await api.call('POST', `/v1/webhooks/${id}/test`);
  await queueIsEmpty();
  const replay = await api.call('POST', `/v1/events/${sent.body.event_id}/replay`);
  expect(replay.body).toMatchObject({ delivery_ids: [expect.any(String)], also_pending: [] });
  await queueIsEmpty();
  const real = await emit();
  await receiver.until(({ length }) => length >= 3);
  await queueIsEmpty();
  expect(receiver.received.map(({ headers }) => headers['parley-test'])).toEqual([
    'true',
    'true',
    undefined,
  ]);
  expect((await get(`/v1/events/${sent.body.event_id}`)).test).toBe(true);
  expect((await get(`/v1/events/${real}`)).test).toBe(false);
  const own = (await get(`/v1/webhooks/${id}/deliveries`)).data;
  expect(own.map((one: Reply['body']) => [one.trigger, one.test])).toEqual([
    ['schedule', false],
    ['replay', true],
    ['test', true],
  ]);
});

test('lists and the stream leave them out, unless they are asked for', async () => {
  const id = await endpoint();
  const since = await emit();
  const { body } = await api.call('POST', `/v1/webhooks/${id}/test`);
  const last = await emit();
  await queueIsEmpty();
  expect(await idsIn('/v1/events')).toEqual([last, since]);
  expect(await idsIn('/v1/events?test=false&type=agent.*')).toEqual([last, since]);
  expect(await idsIn('/v1/events?test=true')).toEqual([last, body.event_id, since]);
  const delivered = async (query = ''): Promise<string[]> =>
    (await get(`/v1/deliveries${query}`)).data.map((one: { event_id: string }) => one.event_id);
  expect(await delivered()).toEqual([last, since]);
  expect(await delivered('?test=true')).toEqual([last, body.event_id, since]);
  expect(await streamed(`last_event_id=${since}`, 1)).toEqual([last]);
  expect(await streamed(`last_event_id=${since}&test=true`, 2)).toEqual([body.event_id, last]);
});

test('no metric counts them: not the event, its attempts, its failures, its backlog, its end', async () => {
  const own = await startApi({ delivery: true }); // Its metrics are those of this test alone.
  onTestFinished(own.stop);
  api = own;
  namespace = 'default';
  const counted = async (): Promise<string[]> =>
    (await api.engine.metrics.render())
      .split('\n')
      .filter((line) => /^parley_(webhook_(deliver|queue|request)|events)/.test(line))
      .filter((line) => !/_pending|_age_seconds/.test(line) && !line.endsWith(' 0'));
  receiver.answer((_, response) => void response.writeHead(500).end());
  const id = await endpoint();
  await api.call('POST', `/v1/webhooks/${id}/test`);
  await receiver.until(({ length }) => length >= 1);
  await api.engine.eventually(async () => {
    const { rows } = await api.engine.pool.query('select 1 from delivery_attempts');
    return rows.length === 1;
  });
  receiver.answer((_, response) => void response.writeHead(200).end());
  const delivery = (await get(`/v1/webhooks/${id}/deliveries`)).data[0];
  await api.call('POST', `/v1/deliveries/${delivery.id}/retry`);
  await queueIsEmpty();
  const { body } = await api.call('POST', `/v1/webhooks/${id}/test`);
  await queueIsEmpty();
  await api.call('POST', `/v1/events/${body.event_id}/replay`);
  await queueIsEmpty();
  expect(await counted()).toEqual([]);
  await emit();
  await queueIsEmpty();
  expect(await counted()).not.toEqual([]);
});

test('without a type it is one that the endpoint is subscribed to', async () => {
  for (const [eventTypes, type] of [
    [null, 'agent.published'],
    [['*'], 'agent.published'],
    [['agent.rolled_back'], 'agent.rolled_back'],
    [['knowledge.source.*', 'escalation.accepted'], 'escalation.accepted'],
  ] as const) {
    const id = await endpoint({ event_types: eventTypes });
    const { body } = await api.call('POST', `/v1/webhooks/${id}/test`);
    expect((await get(`/v1/events/${body.event_id}`)).type).toBe(type);
  }
});

test('its replay to another endpoint is 422 and names the field', async () => {
  const [own, other] = [await endpoint(), await endpoint()];
  const { body } = await api.call('POST', `/v1/webhooks/${own}/test`);
  const path = `/v1/events/${body.event_id}/replay`;
  const refused = await api.call('POST', path, { json: { endpoint_id: other } });
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
  expect(refused.body.errors).toMatchObject([{ pointer: '/endpoint_id' }]);
  expect((await api.call('POST', path, { json: { endpoint_id: own } })).status).toBe(202);
});

test('while too many that requests created wait, test events and replays are 429, and real events are not', async () => {
  const id = await endpoint();
  const event = await emit();
  await queueIsEmpty();
  await api.engine.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, run_at, due_at)
     select parley_uuid_v7(), $1, $2, $3, 'agent.published', 'test', now() + interval '1 h',
            now() + interval '1 h'
       from generate_series(1, $4::int)`,
    [namespace, toUuid('we', id), toUuid('evt', event), REQUESTED_MAX],
  );
  onTestFinished(async () => {
    await api.engine.pool.query('delete from delivery_queue where namespace = $1', [namespace]);
  });
  const before = receiver.received.length;
  for (const path of [`/v1/webhooks/${id}/test`, `/v1/events/${event}/replay`]) {
    const refused = await api.call('POST', path);
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_in_flight' } });
    expect(refused.body.detail).toContain(`${REQUESTED_MAX} unfinished deliveries`);
    expect(refused.headers.get('retry-after')).toBe('10');
  }
  const shown = await api.call('POST', `/v1/webhooks/${id}/test`, { json: { dry_run: true } });
  expect(shown.status).toBe(200);
  const since = Math.floor(Date.now() / 1_000) - 3_600;
  const job = await api.call('POST', `/v1/webhooks/${id}/replay`, { json: { since, mode: 'all' } });
  expect(job.status).toBe(202);
  await emit();
  await receiver.until(({ length }) => length >= before + 2);
});
