import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endpointView } from '../../../src/webhooks/endpoints/endpoint.view.ts';
import { listStaleEndpoints } from '../../../src/webhooks/endpoints/read-endpoint-health.ts';
import { listEndpoints } from '../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import type { Condition, ResourceEvent } from '../../../src/platform/resources/resource-store.ts';
import type { Operator } from '../../../src/roles/operator/run.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';

/** What kubectl shows of an endpoint is what became of its deliveries, and what REST answers too. */

const HOOK = { namespace: 'default', name: 'hook' };
const URL = 'http://127.0.0.1:9/';

let engine: Engine;
let operator: Operator;
let events: ResourceEvent[];
let looks = 0;
beforeEach(async () => {
  engine = await startEngine();
  events = [];
  operator = await startOperator();
  await engine.declareEndpoint('hook', { url: URL });
  await engine.settled('WebhookEndpoint', 'hook');
});
afterEach(() => engine.stop());

const startOperator = () =>
  engine.startOperator({
    record: ({ kind }, event) => void (kind === 'WebhookEndpoint' && events.push(event)),
  });

/** As delivery notes it; times as intervals before now. */
async function attempted(outcome: {
  success?: string;
  failure?: string;
  status?: number;
  errorClass?: string;
}): Promise<void> {
  const { success = null, failure = null, status = null, errorClass = 'http_status' } = outcome;
  await engine.pool.query(
    `insert into endpoint_health as e (endpoint_id, last_success_at, last_failure_at, last_failure)
     select id, now() - $1::interval, now() - $2::interval,
            jsonb_build_object('delivery_id', id, 'status_code', $3::int, 'error_class', $4::text)
       from webhook_endpoints
     on conflict (endpoint_id) do update set last_success_at = excluded.last_success_at,
       last_failure_at = excluded.last_failure_at, last_failure = excluded.last_failure,
       failing_since = case when excluded.last_failure_at > excluded.last_success_at
                            then coalesce(e.failing_since, excluded.last_failure_at) end`,
    [success, failure, status, errorClass],
  );
}

/** The operator looks again, as it does once a minute at what is stale. */
async function looked() {
  looks += 1;
  const { metadata } = (await engine.store.get('WebhookEndpoint', HOOK))!;
  await engine.store.annotate('WebhookEndpoint', HOOK, { 'example.com/look': String(looks) });
  await engine.eventually(async () => (await listStaleEndpoints(engine)).length === 0);
  return shown(metadata.generation);
}

async function shown(generation: number) {
  return engine.eventually(async () => {
    const object = await engine.store.get('WebhookEndpoint', HOOK);
    if (Number(object?.status['observedGeneration']) < generation) return undefined;
    const conditions = object!.status['conditions'] as Condition[];
    const of = (type: string): string | undefined => {
      const found = conditions.find((one) => one.type === type);
      return found && `${found.status} ${found.reason}: ${found.message}`;
    };
    return { health: object!.status['health'], of };
  });
}

async function declared(spec: Record<string, unknown>) {
  await engine.declareEndpoint('hook', spec);
  const { metadata } = (await engine.store.get('WebhookEndpoint', HOOK))!;
  return shown(metadata.generation);
}

const rest = async () =>
  endpointView((await listEndpoints(engine.pool, { namespace: 'default', limit: 1 }))[0]!);
const said = (): string[] =>
  events
    .filter(({ reason }) => reason.startsWith('Delivery'))
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

test('Delivering follows what became of the last attempt, with its time; both turns are Events', async () => {
  const first = await shown(1);
  expect(first.of('Delivering')).toBe('Unknown NothingSent: no event has been sent yet');
  expect(first.of('Ready')).toMatch(/^True InForce: active/);
  expect(first.health).toBe('Unknown');

  await attempted({ success: '1 hour' });
  const good = await looked();
  expect(good.health).toBe('Healthy');
  expect(good.of('Delivering')).toMatch(
    /^True Acknowledged: the last attempt was acknowledged; as of 20\d\d-[-\dT:.]+Z$/,
  );
  expect(said()).toEqual([]);

  await attempted({ success: '1 hour', failure: '2 minutes', status: 503 });
  const bad = await looked();
  expect(bad.health).toBe('Failing');
  expect(bad.of('Delivering')).toMatch(
    /^False Failing: the last attempt failed: status 503; as of 20\d\d-[-\dT:.]+Z$/,
  );
  expect(await rest()).toMatchObject({ status: 'failing', last_failure: { status_code: 503 } });
  expect(said()).toEqual(['Warning DeliveryFailing: deliveries fail: status 503']);

  // The same again is no news: not to the status, and not as an Event.
  await attempted({ success: '1 hour', failure: '1 minute', status: 503 });
  expect(await listStaleEndpoints(engine)).toEqual([]);
  await attempted({ success: '1 hour', failure: '1 minute', errorClass: 'timeout' });
  expect((await looked()).of('Delivering')).toMatch(/failed: timeout; as of/);
  expect(said()).toHaveLength(1);

  await attempted({ success: '1 second', failure: '1 minute' });
  expect((await looked()).of('Delivering')).toMatch(/^True Acknowledged/);
  expect(said().slice(1)).toEqual(['Normal DeliveryRecovered: deliveries are acknowledged again']);
});

test('a suspended endpoint says so in each condition and by REST', async () => {
  await attempted({ success: '1 hour' });
  const { health, of } = await declared({ url: URL, suspend: true });
  expect(health).toBe('Disabled');
  expect(of('Ready')).toBe('True Suspended: suspended: no deliveries are made');
  expect(of('Delivering')).toBe('False Suspended: `spec.suspend` is true: no deliveries are made');
  expect(await rest()).toMatchObject({
    status: 'disabled',
    status_message: 'no deliveries are made: `spec.suspend` is true, set by kubectl',
  });
});

test('one that was refused is not healthy, by kubectl, by REST and in its list', async () => {
  await attempted({ success: '1 hour' });
  expect((await looked()).health).toBe('Healthy');
  const { health, of } = await declared({ url: 'http://10.0.0.1/' });
  expect(health).toBe('NotReady');
  expect(of('Stalled')).toMatch(/^True InvalidUrl/);
  expect(of('Reconciling')).toBeUndefined();
  // The last good declaration goes on.
  expect(of('Delivering')).toMatch(/^True Acknowledged/);
  expect(await rest()).toMatchObject({ status: 'not_ready', ready: false });
  const found = async (status: 'not_ready' | 'healthy') =>
    (await listEndpoints(engine.pool, { namespace: 'default', limit: 9, status })).length;
  expect([await found('not_ready'), await found('healthy')]).toEqual([1, 0]);

  expect((await declared({ url: URL })).health).toBe('Healthy');
});

describe('a key in the headers of a manifest', () => {
  const warned = () => events.filter(({ reason }) => reason === 'KeyInClear');

  test.each(['Authorization', 'authorization', 'API-Key', 'x-api-key', 'Cookie'])(
    '%s is reported, and the endpoint stays active',
    async (name) => {
      const { of } = await declared({ url: URL, headers: { [name]: 'secret', 'X-Team': 'a' } });
      expect(of('Degraded')).toMatch(
        new RegExp(
          String.raw`^True KeyInClear: \x60headers\x60 expose a key .* \(${name}\): .* \x60headersFrom\x60$`,
        ),
      );
      expect(of('Degraded')).not.toContain('secret');
      expect(of('Ready')).toMatch(/^True InForce/);
      // The operator records an Event after it has written the status.
      await engine.eventually(async () => warned().length > 0);
      await looked();
      expect(warned()).toHaveLength(1);
      expect((await declared({ url: URL })).of('Degraded')).toBeUndefined();
    },
  );

  test('is none in other headers', async () => {
    const headers = { 'X-Authorization-Kind': 'none', 'X-Team': 'a' };
    expect((await declared({ url: URL, headers })).of('Degraded')).toBeUndefined();
    expect(warned()).toEqual([]);
  });
});

test('one that is ready and that the database does not know is reported once, for a second release', async () => {
  const adopted = () => events.filter(({ reason }) => reason === 'Adopted');
  expect(adopted()).toEqual([]);
  await operator.stop();
  await engine.pool.query('delete from webhook_endpoints');
  await startOperator();
  await engine.eventually(async () => adopted().length > 0);
  await declared({ url: URL, description: 'changed' });
  expect(adopted()).toMatchObject([
    {
      type: 'Warning',
      note: expect.stringContaining('another installation of Parley also watches'),
    },
  ]);
});

test('one that was refused from the first is not ready either', async () => {
  await engine.declareEndpoint('new', { url: 'http://10.0.0.1/' });
  const { status } = await engine.settled('WebhookEndpoint', 'new');
  expect(status).toMatchObject({ health: 'NotReady' });
});

test('a missing Secret heals by waiting: Reconciling; one that may not be used does not: Stalled', async () => {
  const secretRef = { name: 'mine', key: 'key' };
  const missing = await declared({ url: URL, secretRef });
  expect(missing.health).toBe('NotReady');
  expect(missing.of('Reconciling')).toMatch(/^True SecretNotFound/);
  expect(missing.of('Stalled')).toBeUndefined();
  await engine.store.apply(
    { kind: 'Secret', namespace: 'default', name: 'mine', spec: { data: { key: 'x' } } },
    { fieldManager: 'kubectl' },
  );
  await engine.eventually(async () => {
    const { of } = await shown(1);
    return of('Stalled')?.startsWith('True SecretNotAllowed') && of('Reconciling') === undefined;
  });
});
