import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  endpointHeadersPlace,
  endpointSecretPlace,
  markCopied,
  readSealedEndpoint,
  updateSecrets,
} from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import {
  countUnfinished,
  listEndpointHealth,
  listEndpoints,
  markEndpointDeleted,
  readEndpoint,
  updateEndpointCondition,
  upsertEndpoint,
  type EndpointProjection,
} from '../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each statement about endpoints, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES, 'endpoint_health');
const { addEndpoint, addQueued } = queueRows(stored);

const GONE = { deleted_at: minutesAgo(1) };
const rowOf = async (id: string): Promise<Columns> =>
  (await stored.rowOf('webhook_endpoints', id))!;

test('an endpoint is read by its namespace and id until it is deleted', async () => {
  const id = await addEndpoint();
  const gone = await addEndpoint(GONE);
  const read = async (namespace: string, of: string): Promise<string | undefined> =>
    (await readEndpoint(stored.pool, { namespace, id: of }))?.id;
  expect(await read('default', id)).toBe(id);
  expect(await read('other', id)).toBeUndefined();
  expect(await read('default', gone)).toBeUndefined();
  expect(await read('default', newUuid())).toBeUndefined();
});

test('deliveries that are not finished are counted for their endpoint, up to a number', async () => {
  const [own, other] = [newUuid(), newUuid()];
  for (const endpoint_id of [own, own, other]) await addQueued({ endpoint_id });
  expect(await countUnfinished(stored.pool, { endpointId: own, max: 9 })).toBe(2);
  expect(await countUnfinished(stored.pool, { endpointId: own, max: 1 })).toBe(1);
});

describe('the health of an endpoint', () => {
  const [EARLIER, EARLY, LATE] = [minutesAgo(3), minutesAgo(2), minutesAgo(1)];
  const withHealth = async (health: Columns, columns: Columns = {}): Promise<string> => {
    const id = await addEndpoint({ ready: true, ...columns });
    await stored.add('endpoint_health', { endpoint_id: id, ...health });
    return id;
  };
  const read = async (id: string) =>
    (await readEndpoint(stored.pool, { namespace: 'default', id }))!;

  test.each([
    ['no failure', { last_success_at: EARLY, failed_attempts: 5, failing_since: EARLIER }, null, 0],
    [
      'a failure before the last success',
      { last_failure_at: EARLY, last_success_at: LATE, failed_attempts: 5, failing_since: EARLIER },
      null,
      0,
    ],
    [
      'a failure at the moment of the last success',
      { last_failure_at: LATE, last_success_at: LATE, failed_attempts: 5, failing_since: EARLIER },
      null,
      0,
    ],
    [
      'failures since a moment after the last success',
      { last_failure_at: LATE, last_success_at: EARLIER, failed_attempts: 5, failing_since: EARLY },
      EARLY,
      5,
    ],
    [
      'failures without any success',
      { last_failure_at: LATE, failed_attempts: 5, failing_since: EARLY },
      EARLY,
      5,
    ],
    [
      'a beginning that an older release left behind',
      { last_failure_at: LATE, last_success_at: EARLY, failed_attempts: 0, failing_since: EARLIER },
      LATE,
      1,
    ],
    [
      'a beginning at the moment of the last success',
      { last_failure_at: LATE, last_success_at: EARLY, failed_attempts: 2, failing_since: EARLY },
      LATE,
      2,
    ],
    ['a failure without a beginning', { last_failure_at: LATE }, LATE, 1],
  ] as [string, Columns, Date | null, number][])(
    'is told with %s',
    async (_, health, since, failedAttempts) => {
      await withHealth({ last_failure_at: minutesAgo(0), failing_since: EARLIER });
      const id = await withHealth(health);
      const failingSince = since?.getTime() ?? null;
      expect(await read(id)).toMatchObject({ failingSince, failedAttempts });
    },
  );

  test('is a status that endpoints are listed by', async () => {
    const failing = { last_failure_at: LATE, last_success_at: EARLY };
    const recovered = { last_failure_at: EARLY, last_success_at: LATE };
    const same = { last_failure_at: LATE, last_success_at: LATE };
    const ids = {
      fresh: await addEndpoint({ ready: true }),
      recovered: await withHealth(recovered),
      same: await withHealth(same),
      failing: await withHealth(failing),
      waiting: await addEndpoint({ ready: false }),
      waitingFailing: await withHealth(failing, { ready: false }),
      disabled: await addEndpoint({ ready: true, enabled: false }),
      disabledFailing: await withHealth(failing, { enabled: false }),
    };
    await addEndpoint({ ready: true, ...GONE });
    await addEndpoint({ ready: true, namespace: 'other' });
    type Filter = Partial<Parameters<typeof listEndpoints>[1]>;
    const list = async (over: Filter): Promise<string[]> => {
      const filter = { namespace: 'default', before: undefined, limit: 9, ...over };
      return (await listEndpoints(stored.pool, filter)).map(({ id }) => id).toReversed();
    };
    expect(await list({})).toEqual(Object.values(ids));
    expect(await list({ status: 'healthy' })).toEqual([ids.fresh, ids.recovered, ids.same]);
    expect(await list({ status: 'failing' })).toEqual([ids.failing]);
    expect(await list({ status: 'not_ready' })).toEqual([ids.waiting, ids.waitingFailing]);
    expect(await list({ status: 'disabled' })).toEqual([ids.disabled, ids.disabledFailing]);
    expect(await list({ enabled: false })).toEqual([ids.disabled, ids.disabledFailing]);
    expect(await list({ before: ids.recovered })).toEqual([ids.fresh]);
    expect(await list({ limit: 1 })).toEqual([ids.disabledFailing]);
    const health = await listEndpointHealth(stored.pool);
    expect(health.filter(({ namespace }) => namespace === 'default')).toHaveLength(8);
    expect(health).toHaveLength(9);
  });
});

const declared = (id: string, over: Partial<EndpointProjection> = {}): EndpointProjection => ({
  id,
  namespace: 'default',
  name: `e-${id}`,
  uid: id,
  generation: 1,
  managedBy: 'api',
  url: 'https://example.com/',
  eventTypes: [],
  description: '',
  enabled: true,
  metadata: {},
  ready: true,
  reason: 'Ready',
  message: '',
  suspendedBy: null,
  secret: null,
  headers: { sealed: null, names: [] },
  ...over,
});

test('a declaration without a secret keeps the last one and its rotation', async () => {
  const [first, second, third] = [Buffer.alloc(1, 1), Buffer.alloc(1, 2), Buffer.alloc(1, 3)];
  const next = { secret: second, atMs: 1_000, oldUntilMs: 2_000 };
  const id = newUuid();
  await upsertEndpoint(stored.pool, declared(id, { secret: first, next }));
  const rotation = { next_secret: second, next_secret_at: 1_000, old_secret_until: 2_000 };
  await upsertEndpoint(stored.pool, declared(id));
  expect(await rowOf(id)).toMatchObject({ secret: first, ...rotation });
  await upsertEndpoint(stored.pool, declared(id, { secret: third }));
  const none = { next_secret: null, next_secret_at: null, old_secret_until: null };
  expect(await rowOf(id)).toMatchObject({ secret: third, ...none });
});

test('a declaration moves the time of the last change with its generation or uid', async () => {
  const id = await addEndpoint({ updated_at: new Date(0) });
  const rewind = () =>
    stored.pool.query('update webhook_endpoints set updated_at = $1', [new Date(0)]);
  await upsertEndpoint(stored.pool, declared(id));
  await upsertEndpoint(stored.pool, declared(id, { message: 'other' }));
  await rewind();
  await upsertEndpoint(stored.pool, declared(id));
  expect(await rowOf(id)).toMatchObject({ updated_at: 0 });
  await upsertEndpoint(stored.pool, declared(id, { generation: 2 }));
  expect((await rowOf(id))['updated_at']).toBeGreaterThan(0);
  await rewind();
  await upsertEndpoint(stored.pool, declared(id, { generation: 2, uid: newUuid() }));
  expect((await rowOf(id))['updated_at']).toBeGreaterThan(0);
});

test('a condition is noted at its endpoint, until it is deleted', async () => {
  const [id, other] = [await addEndpoint(), await addEndpoint()];
  const gone = await addEndpoint(GONE);
  for (const one of [id, gone]) {
    const condition = { uid: one, generation: 7, ready: false, reason: 'Refused', message: 'why' };
    await updateEndpointCondition(stored.pool, { id: one, ...condition });
  }
  expect(await rowOf(id)).toMatchObject({ generation: 7, reason: 'Refused', message: 'why' });
  for (const one of [other, gone]) expect(await rowOf(one)).toMatchObject({ generation: 1 });
});

test('an endpoint is deleted by its name once, unless it is the one to keep', async () => {
  const columns = { name: 'east', declared_header_names: ['b'], rest_header_names: ['a'] };
  const id = await addEndpoint(columns);
  const others = [await addEndpoint({ name: 'east', namespace: 'other' }), await addEndpoint()];
  await addEndpoint({ name: 'east', ...GONE });
  const key = { namespace: 'default', name: 'east' };
  expect(await markEndpointDeleted(stored.pool, key, id)).toBeUndefined();
  const gone = await markEndpointDeleted(stored.pool, key, newUuid());
  expect(gone).toMatchObject({ id, headerNames: ['a', 'b'] });
  expect(await markEndpointDeleted(stored.pool, key)).toBeUndefined();
  const again = await addEndpoint({ name: 'east' });
  expect((await markEndpointDeleted(stored.pool, key))?.id).toBe(again);
  for (const one of others) expect(await rowOf(one)).toMatchObject({ deleted_at: null });
});

test('secrets are read, written and marked as copied at their endpoint', async () => {
  const [id, other] = [await addEndpoint(), await addEndpoint()];
  const secret = Buffer.alloc(1, 1);
  await updateSecrets(stored.pool, { id, secret, next: null });
  const read = (of: string) => readSealedEndpoint(stored.pool, of);
  expect(await read(id)).toMatchObject({ secrets: { secret, next: null }, isCopied: false });
  expect(await read(other)).toMatchObject({ secrets: null, isCopied: true });
  expect(await read(newUuid())).toBeUndefined();
  await updateSecrets(stored.pool, { id: other, secret, next: null });
  await markCopied(stored.pool, id, 1);
  expect(await read(id)).toMatchObject({ isCopied: true });
  expect(await read(other)).toMatchObject({ isCopied: false });
});

test('secrets and headers have a place of their own in each namespace and endpoint', () => {
  const places = [endpointSecretPlace, endpointHeadersPlace].flatMap((place) => [
    place('a', 'x'),
    place('b', 'x'),
    place('a', 'y'),
  ]);
  expect(new Set(places).size).toBe(6);
});
