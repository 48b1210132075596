import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUuid, lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { readDeliveryStats } from '../../../src/webhooks/queue/delivery-stats.sql.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** `GET /v1/deliveries/stats`: outcomes and latency of a window (contract/deliveries.md#figures). */
let api: Api;
beforeAll(async () => {
  api = await startApi({ operator: false });
});
afterAll(() => api?.stop());

/** In the middle of a minute some minutes ago. */
const BEGIN = Math.floor(Date.now() / 60_000) * 60 - 600;

let numbers = 0;
async function endpointIn(namespace: string): Promise<string> {
  const id = newUuid();
  await api.engine.pool.query(
    `insert into webhook_endpoints (id, namespace, name, uid, generation, managed_by, url,
                                    event_types, description, enabled, headers, metadata)
     values ($1, $2, $3, $1, 1, 'api', 'https://example.com/', '{}', '', true, '{}', '{}')`,
    [id, namespace, `e${(numbers += 1)}`],
  );
  return id;
}

type Finished = {
  endpointId: string;
  namespace: string;
  /** After BEGIN */
  sec: number;
  latencyMs?: number;
  status?: string;
  attempts?: number;
  trigger?: string;
  isTest?: boolean;
  deliveredBy?: string;
};

/** An id of that very millisecond, as the database makes them. */
async function finish(given: Finished): Promise<void> {
  const { endpointId, namespace, sec, latencyMs, status = 'delivered', attempts = 1 } = given;
  const ms = (BEGIN + sec) * 1_000;
  const id = lowestUuidAt(ms).slice(0, 14) + newUuid().slice(14);
  await api.engine.pool.query(
    `insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, test, status,
                             attempt_count, delivered_at, delivered_by)
     values ($1, $2, $3, $1, 'agent.published', $4, $5, $6, $7, to_timestamp($8), $9)`,
    [
      id,
      namespace,
      endpointId,
      given.trigger ?? 'schedule',
      given.isTest ?? false,
      status,
      attempts,
      latencyMs === undefined ? null : (ms + latencyMs) / 1_000,
      given.deliveredBy ?? null,
    ],
  );
}

const stats = (query: string, key: string): Promise<Reply> =>
  api.call('GET', `/v1/deliveries/stats?${query}`, { key });

const WINDOW = `from=${BEGIN}&to=${BEGIN + 600}&bucket_sec=60`;

test('outcomes, attempts and the latency of first attempts are counted, by bucket and endpoint', async () => {
  const namespace = 'counted';
  const key = await api.newKey(namespace);
  const [one, two] = [await endpointIn(namespace), await endpointIn(namespace)];
  const of = { namespace, endpointId: one };
  await finish({ ...of, sec: 0, latencyMs: 100 });
  await finish({ ...of, sec: 59, latencyMs: 200 });
  await finish({ ...of, sec: 60, latencyMs: 900 });
  // Not by the first attempt: acknowledged, and no latency of a first one.
  await finish({ ...of, sec: 61, latencyMs: 9_000, attempts: 2 });
  await finish({ ...of, sec: 62, latencyMs: 50, trigger: 'replay' });
  await finish({ ...of, sec: 63, latencyMs: 50, deliveredBy: newUuid() });
  await finish({ ...of, sec: 120, status: 'failed', attempts: 12 });
  await finish({ ...of, sec: 121, status: 'canceled', attempts: 0 });
  // Counted nowhere: tests, their replays, and what is outside.
  await finish({ ...of, sec: 122, latencyMs: 1, trigger: 'test', isTest: true });
  await finish({ ...of, sec: 122, latencyMs: 1, trigger: 'replay', isTest: true });
  await finish({ ...of, sec: -1, latencyMs: 1 });
  await finish({ ...of, sec: 600, latencyMs: 1 });
  await finish({ ...of, endpointId: two, sec: 180, latencyMs: 300 });
  await api.engine.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger, test, attempt)
     values ($1, $2, $3, $1, 'agent.published', 'schedule', false, 3),
            ($4, $2, $3, $4, 'agent.published', 'test', true, 1)`,
    [lowestUuidAt((BEGIN + 10) * 1_000), namespace, one, lowestUuidAt((BEGIN + 11) * 1_000)],
  );
  const { status, body } = await stats(WINDOW, key);
  expect(status).toBe(200);
  const { buckets, ...figures } = body;
  expect(figures).toEqual({
    from: BEGIN,
    to: BEGIN + 600,
    endpoint_id: null,
    counted_from: BEGIN,
    acknowledged: 7,
    failed: 1,
    canceled: 1,
    unfinished: 1,
    attempts: 6 + 2 + 12 + 3,
    failed_attempts: 1 + 1 + 12 + 3,
    latency_count: 4,
    latency_p50_ms: 250,
    latency_p95_ms: expect.any(Number),
    within_500_ms_rate: 0.75,
    bucket_sec: 60,
  });
  expect(buckets).toHaveLength(10);
  const none = { latency_p50_ms: null, latency_p95_ms: null };
  const first = { acknowledged: 2, failed: 0, failed_attempts: 3 };
  const second = { acknowledged: 4, failed: 0, failed_attempts: 2 };
  const third = { acknowledged: 0, failed: 1, failed_attempts: 12 };
  const fourth = { acknowledged: 1, failed: 0, failed_attempts: 0 };
  expect(buckets.slice(0, 4)).toEqual([
    { at: BEGIN, ...first, latency_p50_ms: 150, latency_p95_ms: 195 },
    { at: BEGIN + 60, ...second, latency_p50_ms: 900, latency_p95_ms: 900 },
    { at: BEGIN + 120, ...third, ...none },
    { at: BEGIN + 180, ...fourth, latency_p50_ms: 300, latency_p95_ms: 300 },
  ]);
  const alone = await stats(`${WINDOW}&endpoint_id=${fromUuid('we', two)}`, key);
  expect(alone.body).toMatchObject({ acknowledged: 1, unfinished: 0, latency_p50_ms: 300 });
  const foreign = await api.newKey('elsewhere');
  expect((await stats(WINDOW, foreign)).body).toMatchObject({
    acknowledged: 0,
    attempts: 0,
    within_500_ms_rate: null,
  });
  expect((await stats(`endpoint_id=${fromUuid('we', two)}`, foreign)).status).toBe(404);
});

test('of more than is read only the newest are counted, and from when on they are all', async () => {
  const namespace = 'many';
  const [busy, quiet] = [await endpointIn(namespace), await endpointIn(namespace)];
  for (const [endpointId, count] of [
    [busy, 3_000],
    [quiet, 10],
  ] as const) {
    await api.engine.pool.query(
      `insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                               attempt_count, delivered_at)
       select id, 'many', $1, id, 'agent.published', 'schedule', 'delivered', 1,
              to_timestamp(ms / 1000.0 + 0.2)
         from (select ms, encode(overlay(uuid_send(gen_random_uuid())
                 placing substring(int8send(ms) from 3) from 1 for 6), 'hex')::uuid as id
                 from (select $2::bigint * 1000 + i * 600000 / $3::int as ms
                         from generate_series(0, $3::int - 1) i) m) r`,
      [endpointId, BEGIN, count],
    );
  }
  const span = {
    namespace,
    endpointId: undefined,
    from: BEGIN,
    to: BEGIN + 600,
    bucketSec: 60,
  };
  const [all] = await readDeliveryStats(api.engine.pool, span);
  expect(all).toMatchObject({ acknowledged: 3_010, countedFrom: BEGIN, latencyP50Ms: 200 });
  // Each endpoint has 1,000 at least: of the busy one that is the last third of the window.
  const [cut, ...buckets] = await readDeliveryStats(api.engine.pool, span, 2);
  expect(cut).toMatchObject({ countedFrom: BEGIN + 400, acknowledged: 1_003 });
  expect(buckets.every(({ bucket }) => bucket! >= 6)).toBe(true);
});

test('a window without an end, too long, or in too many buckets is refused', async () => {
  const now = Math.floor(Date.now() / 1_000);
  const { body } = await stats('', api.key);
  expect(body.to - body.from).toBe(3_600);
  expect(body).toMatchObject({ acknowledged: 0, latency_p50_ms: null, bucket_sec: 60 });
  expect(body.buckets).toHaveLength(60);
  for (const query of [
    `from=${now}&to=${now}`,
    `from=${now - 32 * 86_400}`,
    'bucket_sec=1',
    'bucket_sec=0',
    'endpoint_id=x',
  ]) {
    const refused = await stats(query, api.key);
    expect({ query, code: refused.body.code }).toEqual({ query, code: 'invalid_parameter' });
  }
  expect((await stats('', await api.newKey('default', ['write']))).status).toBe(403);
});
