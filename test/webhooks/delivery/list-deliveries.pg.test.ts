import { afterEach, beforeEach, expect, test } from 'vitest';
import { emitEvent } from '../../../src/events/emit-event.ts';
import type { EventType } from '../../../src/events/event-types.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { fromUuid, toUuid } from '../../../src/ids.ts';
import {
  completeAttempts,
  claimDeliveries,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { failure, resultOf } from '../delivery-setup.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** `GET /v1/deliveries`: what is on its way and what became of it, across endpoints. */
let api: Api;

beforeEach(async () => {
  api = await startApi();
});

afterEach(async () => {
  await api.stop();
});

const endpoint = async (key = api.key): Promise<string> => {
  const json = { url: 'https://receiver.test/' };
  return (await api.call('POST', '/v1/webhooks', { json, key })).body.id;
};

async function emit(type: EventType, namespace = 'default'): Promise<string> {
  const event = { namespace, type, data: EVENT_SAMPLES[type] };
  return fromUuid('evt', (await emitEvent(api.engine.pool, event, Date.now())).eventId);
}

/** Makes what is due for an endpoint end as asked; `retry`: it goes on waiting. */
async function end(endpointId: string, outcome: 'delivered' | 'failed' | 'retry'): Promise<void> {
  const budget = { endpointId: toUuid('we', endpointId)!, slots: 32, yieldingSlots: 32 };
  const lease = { leaseToken: '00000000-0000-4000-8000-000000000001', processNumber: null };
  const claimed = await claimDeliveries(api.engine.pool, [budget], lease);
  const change = outcome === 'retry' ? failure(3_600_000) : { outcome };
  await completeAttempts(
    api.engine.pool,
    claimed.map((one) => resultOf(one, change)),
  );
}

const found = async (query = ''): Promise<string[]> => {
  const { status, body } = await api.call('GET', `/v1/deliveries${query}`);
  expect(status).toBe(200);
  return body.data.map((one: Reply['body']) => `${one.endpoint_id} ${one.event_id} ${one.status}`);
};

test('they are listed across endpoints, newest first, page by page, by every filter', async () => {
  const [one, two] = [await endpoint(), await endpoint()];
  const published = await emit('agent.published');
  await end(one, 'delivered');
  await end(two, 'failed');
  const ended = await emit('conversation.ended');
  await end(one, 'retry');
  const theirs = await api.newKey('other');
  await endpoint(theirs);
  await emit('agent.published', 'other');
  const { body: test } = await api.call('POST', `/v1/webhooks/${one}/test`);

  const rows = {
    a: `${one} ${published} delivered`,
    b: `${two} ${published} failed`,
    c: `${one} ${ended} retrying`,
    d: `${two} ${ended} pending`,
    t: `${one} ${test.event_id} pending`,
  };
  const some = (all: string[]): string[] => all.toSorted();
  expect(some(await found())).toEqual(some([rows.a, rows.b, rows.c, rows.d]));
  expect((await found('?test=true'))[0]).toBe(rows.t);
  expect(await found('?test=true')).toHaveLength(5);
  expect(await found('?status=failed')).toEqual([rows.b]);
  expect(await found('?status=retrying')).toEqual([rows.c]);
  expect(await found('?status=pending')).toEqual([rows.d]);
  expect(await found('?status=pending&test=true')).toEqual([rows.t, rows.d]);
  expect(await found(`?endpoint_id=${one}`)).toEqual([rows.c, rows.a]);
  expect(some(await found(`?event_id=${ended}`))).toEqual(some([rows.c, rows.d]));
  expect(await found(`?event_id=${ended}&endpoint_id=${two}`)).toEqual([rows.d]);
  expect(some(await found('?event_type=conversation.*'))).toEqual(some([rows.c, rows.d]));
  expect(await found('?event_type=agent.published&status=delivered')).toEqual([rows.a]);
  const sec = Math.floor(Date.now() / 1_000);
  expect(await found(`?created_after=${sec + 60}`)).toEqual([]);
  expect(await found(`?created_before=${sec + 60}&created_after=${sec - 600}`)).toHaveLength(4);
  expect(await found('?event_id=evt_00000000000000000000000000')).toEqual([]);

  const all = await found();
  const paged: string[] = [];
  for (let query = '?limit=1'; query !== '';) {
    const { body } = await api.call('GET', `/v1/deliveries${query}`);
    paged.push(...body.data.map((item: Reply['body']) => item.id));
    query = body.next_cursor === null ? '' : `?limit=1&cursor=${body.next_cursor}`;
  }
  expect(paged).toHaveLength(all.length);
  expect(new Set(paged).size).toBe(all.length);
  expect(paged).toEqual(paged.toSorted().toReversed());

  const { body } = await api.call('GET', '/v1/deliveries', { key: theirs });
  expect(body.data).toHaveLength(1);
  // An endpoint's own list shows its tests.
  expect((await api.call('GET', `/v1/webhooks/${one}/deliveries`)).body.data).toHaveLength(3);
});
