import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUuid, newUuid, toUuid } from '../../../src/ids.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { eraseEvents } from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';

/** Why an event has not got to an endpoint: each reason, brought about as it comes about. */
let api: Api;
let namespaces = 0;

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
});

/** A namespace with one endpoint; nobody delivers in it unless a test does. */
async function newNamespace(fields: object = {}) {
  const namespace = `why-${(namespaces += 1)}`;
  const key = await api.newKey(namespace);
  const create = async (json: object): Promise<{ id: string; name: string; path: string }> => {
    const { body } = await api.call('POST', '/v1/webhooks', {
      key,
      json: { url: 'https://example.com/', ...json },
    });
    return { id: body.id, name: body.name, path: `/v1/webhooks/${body.id}` };
  };
  const endpoint = await create(fields);
  return {
    key,
    create,
    endpoint,
    patch: (json: object) => api.call('PATCH', endpoint.path, { key, json }),
    settled: () => api.engine.settled('WebhookEndpoint', endpoint.name, namespace),
    emit: async ({ agoMs = 0, conversationId = '', sequence = 1 } = {}): Promise<string> => {
      const { eventId } = await emitEvent(
        api.engine.pool,
        {
          namespace,
          type: 'conversation.transcript.ready',
          data: EVENT_SAMPLES['conversation.transcript.ready'],
          ...(conversationId !== '' && { conversationId, sequence }),
        },
        Date.now() - agoMs,
      );
      return fromUuid('evt', eventId);
    },
    why: async (event: string, endpointId = endpoint.id) => {
      const path = `/v1/events/${event}/explanation?endpoint_id=${endpointId}`;
      const { status, body } = await api.call('GET', path, { key });
      expect(status).toBe(200);
      expect(body).toMatchObject({ event_id: event, endpoint_id: endpointId });
      expect(body.detail).toMatch(/^.{11,}$/s);
      return body;
    },
    finish: (event: string, status: string) =>
      api.engine.pool.query(
        `with gone as (delete from delivery_queue where event_id = $1 returning *)
         insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                                 attempt_count, delivered_at)
         select id, namespace, endpoint_id, event_id, event_type, trigger, $2, 3, now() from gone`,
        [toUuid('evt', event), status],
      ),
    claim: () =>
      claimDeliveries(
        api.engine.pool,
        [{ endpointId: toUuid('we', endpoint.id)!, slots: 1, yieldingSlots: 1 }],
        { leaseToken: newUuid(), processNumber: null },
      ),
    sql: (text: string) =>
      api.engine.pool.query(`${text} where endpoint_id = $1`, [toUuid('we', endpoint.id)]),
  };
}

test('on its way: pending, in flight, waiting for a retry, for its order, for the endpoint', async () => {
  const { emit, why, claim, sql, patch, settled, endpoint } = await newNamespace();
  const conversationId = newUuid();
  const event = await emit({ conversationId });
  expect(await why(event)).toMatchObject({
    reason: 'pending',
    delivery_id: expect.stringMatching(/^dlv_/),
    next_attempt_at: expect.any(Number),
  });
  const second = await emit({ conversationId, sequence: 2 });
  expect((await why(second)).reason).toBe('waiting_in_order');
  await claim();
  expect((await why(event)).reason).toBe('in_flight');
  await sql('update delivery_queue set lease_token = null, started = true, attempt = 1');
  expect((await why(event)).reason).toBe('waiting_for_retry');
  await patch({ enabled: false });
  expect((await why(event)).reason).toBe('endpoint_disabled');
  await patch({ enabled: true });
  await settled();
  const id = toUuid('we', endpoint.id);
  // An operator that is late writes the row once more.
  const notReady = await until('the endpoint not to be ready', async () => {
    await api.engine.pool.query(
      `update webhook_endpoints set ready = false, message = 'no secret' where id = $1`,
      [id],
    );
    const explained = await why(event);
    return explained.reason === 'endpoint_not_ready' && explained;
  });
  expect(notReady.detail).toContain('no secret');
  await api.engine.pool.query('update webhook_endpoints set ready = true where id = $1', [id]);
});

test('finished: delivered, failed, canceled; one that arrived counts more than a later failure', async () => {
  const { emit, why, finish, endpoint, key } = await newNamespace();
  for (const status of ['failed', 'canceled', 'delivered'] as const) {
    const event = await emit();
    await finish(event, status);
    expect(await why(event)).toMatchObject({ reason: status, next_attempt_at: null });
  }
  const event = await emit();
  await finish(event, 'delivered');
  const json = { endpoint_id: endpoint.id };
  await api.call('POST', `/v1/events/${event}/replay`, { key, json });
  expect((await why(event)).reason).toBe('pending');
  await finish(event, 'failed');
  expect((await why(event)).reason).toBe('delivered');
});

test('never made: disabled, not subscribed, before the endpoint, a test of another, erased', async () => {
  const { emit, why, patch, create, endpoint, key } = await newNamespace({ enabled: false });
  const missed = await emit();
  expect(await why(missed)).toMatchObject({
    reason: 'made_while_disabled',
    delivery_id: null,
    detail: expect.stringContaining('Enable it'),
  });
  await patch({ enabled: true, event_types: ['agent.*'] });
  expect((await why(await emit())).reason).toBe('not_subscribed');
  await patch({ event_types: null });
  const before = await emit({ agoMs: 3_600_000 });
  await api.engine.pool.query('delete from delivery_queue where event_id = $1', [
    toUuid('evt', before),
  ]);
  expect((await why(before)).reason).toBe('created_before_endpoint');
  const other = await create({});
  const { body } = await api.call('POST', `${other.path}/test`, { key });
  expect((await why(body.event_id)).reason).toBe('test_event_of_another_endpoint');
  expect((await why(body.event_id, other.id)).reason).toBe('pending');
  const conversationId = newUuid();
  const erased = await emit({ conversationId });
  await eraseEvents(api.engine.pool, { conversationId, events: 'cancel', erased: '…' });
  expect((await why(erased)).reason).toBe('erased');
  expect((await api.call('POST', `/v1/events/${erased}/replay`, { key })).body.code).toBe(
    'event_erased',
  );
  const { body: shown } = await api.call('GET', `/v1/events/${erased}`, { key });
  expect(shown).toMatchObject({ data: {}, deliveries: { canceled: 2, pending: 0 } });
  expect(endpoint.id).toMatch(/^we_/);
});

test('an event or endpoint that is not there, or not the caller’s, is 404; no endpoint is 400', async () => {
  const [own, foreign] = [await newNamespace(), await newNamespace()];
  const event = await own.emit();
  const path = `/v1/events/${event}/explanation`;
  const status = async (query: string, key = own.key): Promise<number> =>
    (await api.call('GET', path + query, { key })).status;
  expect(await status('')).toBe(400);
  expect(await status(`?endpoint_id=${foreign.endpoint.id}`)).toBe(404);
  expect(await status(`?endpoint_id=${own.endpoint.id}`, foreign.key)).toBe(404);
  expect(await status(`?endpoint_id=${own.endpoint.id}`)).toBe(200);
});
