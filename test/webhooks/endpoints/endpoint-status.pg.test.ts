import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../../roles/api/api-setup.ts';
import { startReceiver, type Receiver } from '../receiver.ts';

/** What an endpoint says of itself is true, also when deliveries fail. */
let api: Api;
let receiver: Receiver;
beforeEach(async () => {
  api = await startApi({ delivery: true });
  receiver = await startReceiver();
});
afterEach(async () => {
  await api.stop();
  await receiver.close();
});

async function create(json: object = {}) {
  const made = await api.call('POST', '/v1/webhooks', { json: { url: receiver.url, ...json } });
  return { ...made, path: `/v1/webhooks/${made.body.id}` };
}
const read = async (path: string) => (await api.call('GET', path)).body;
/** What is read once it satisfies the condition. */
const once = (path: string, condition: (body: Awaited<ReturnType<typeof read>>) => boolean) =>
  api.engine.eventually(async () => {
    const body = await read(path);
    return condition(body) ? body : undefined;
  });
const send = (path: string) => api.call('POST', `${path}/test`, { json: {} });

describe('an endpoint', () => {
  test('that fails says since when, how often, and how much waits, and claims no delivery', async () => {
    const { path, body: made } = await create();
    const well = { failing_since: null, failed_attempts: 0, disabled_reason: null };
    expect(await read(path)).toMatchObject({
      status: 'healthy',
      unfinished_deliveries: 0,
      ...well,
    });
    await send(path);
    const good = await once(path, (body) => body.last_success_at !== null);
    expect(good.status_message).toContain('the last attempt was acknowledged');

    receiver.answer((_, response) => void response.writeHead(503).end());
    await send(path);
    const first = await once(path, ({ status }) => status === 'failing');
    expect(first).toMatchObject({ ready: true, unfinished_deliveries: 1 });
    expect(first.failing_since).toEqual(expect.any(Number));
    expect(first.failed_attempts).toBeGreaterThanOrEqual(1);
    expect(first.status_message).toMatch(/fail.*status 503/);
    expect(first.status_message).not.toMatch(/delivered|are sent|acknowledged/);
    // As if it had failed for an hour.
    await api.engine.pool.query(
      `update endpoint_health set failing_since = failing_since - interval '1 hour',
              last_success_at = last_success_at - interval '2 hours'`,
    );
    await send(path);
    const second = await once(path, (body) => body.failed_attempts > first.failed_attempts);
    const began = first.failing_since - 3_600;
    expect(second).toMatchObject({ failing_since: began, unfinished_deliveries: 2 });
    const { body: listed } = await api.call('GET', '/v1/webhooks?status=failing');
    expect(listed.data).toMatchObject([{ id: made.id, failing_since: began }]);
    expect(listed.data[0].unfinished_deliveries).toBeNull();

    receiver.answer((_, response) => void response.writeHead(200).end());
    await send(path);
    expect(await once(path, ({ status }) => status === 'healthy')).toMatchObject(well);
  });

  test('goes on to fail when a success was recorded after it but is older: processes cross', async () => {
    const { path, body: made } = await create();
    await api.engine.pool.query(
      `insert into endpoint_health (endpoint_id, last_failure_at, failing_since, failed_attempts)
       select id, now() + interval '1 minute', now() - interval '1 hour', 7 from webhook_endpoints`,
    );
    await send(path);
    const crossed = await once(path, (body) => body.last_success_at !== null);
    expect(crossed).toMatchObject({ id: made.id, status: 'failing', failed_attempts: 7 });
  });

  test('that is off says who switched it off, and how', async () => {
    const { path } = await create();
    await api.call('PATCH', path, { json: { enabled: false } });
    const off = await once(path, ({ disabled_reason: reason }) => reason !== null);
    expect(off).toMatchObject({ status: 'disabled', enabled: false });
    expect(off.disabled_reason).toBe('`enabled` is false, set through the API');
    expect(off.status_message).toContain(off.disabled_reason);
    await api.call('PATCH', path, { json: { enabled: true } });
    expect(await once(path, ({ enabled }) => enabled)).toMatchObject({ disabled_reason: null });

    await api.engine.declareEndpoint('hook', { url: receiver.url, suspend: true });
    const { status } = await api.engine.settled('WebhookEndpoint', 'hook');
    const declared = await read(`/v1/webhooks/${String(status['endpointId'])}`);
    expect(declared.disabled_reason).toMatch(/^`spec\.suspend` is true, set by /);
  });

  test('of a manifest keeps Ready for what is in force, and Delivering for how it goes', async () => {
    receiver.answer((_, response) => void response.writeHead(500).end());
    await api.engine.declareEndpoint('hook', { url: receiver.url });
    const declared = await api.engine.settled('WebhookEndpoint', 'hook');
    const path = `/v1/webhooks/${String(declared.status['endpointId'])}`;
    await send(path);
    const { failing_since: since } = await once(path, ({ status }) => status === 'failing');
    const key = { namespace: 'default', name: 'hook' };
    await api.engine.store.annotate('WebhookEndpoint', key, { 'example.com/look': '1' });
    const status = await api.engine.eventually(async () => {
      const shown = (await api.engine.store.get('WebhookEndpoint', key))?.status;
      return shown?.['health'] === 'Failing' ? shown : undefined;
    });
    expect(status['failingSince']).toBe(new Date(since * 1_000).toISOString().replace('.000', ''));
    const conditions = status['conditions'] as { type: string; status: string; message: string }[];
    const ready = conditions.find(({ type }) => type === 'Ready');
    expect(ready?.status).toBe('True');
    expect(ready?.message).not.toMatch(/deliver|are sent/);
    expect(conditions.find(({ type }) => type === 'Delivering')?.status).toBe('False');
  });
});

describe('event_types', () => {
  test('that are none are refused; null is every type, also where an object is stored with []', async () => {
    const refused = await create({ event_types: [] });
    expect([refused.status, refused.body.errors?.[0]]).toEqual([
      422,
      {
        pointer: '/event_types',
        code: 'invalid_value',
        detail: 'must name at least one type or group; omit it or send null for all types',
      },
    ]);
    const { path, status, body } = await create({ event_types: null });
    expect([status, body.event_types]).toEqual([201, null]);
    expect((await api.call('PATCH', path, { json: { event_types: [] } })).status).toBe(422);
    await api.call('PATCH', path, { json: { event_types: ['agent.*'] } });
    const all = await api.call('PATCH', path, { json: { event_types: null } });
    expect(all.body.event_types).toBeNull();

    await api.engine.declareEndpoint('hook', { url: receiver.url, eventTypes: [] });
    const declared = await api.engine.settled('WebhookEndpoint', 'hook');
    const read = await api.call('GET', `/v1/webhooks/${String(declared.status['endpointId'])}`);
    expect(read.body).toMatchObject({ ready: true, event_types: null });
  });
});
