import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventType } from '../../../src/events/event-types.ts';
import { emitEvent } from '../../../src/events/emit-event.ts';
import { EVENT_SAMPLES } from '../../../src/events/samples.ts';
import { fromUuid, newUuid, toUuid } from '../../../src/ids.ts';
import { lockCount } from '../../../src/platform/declare/quota.sql.ts';
import { eraseEvents } from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { startReceiver, type Receiver } from '../receiver.ts';

/** What a receiver can check from outside: that it holds what it was sent, all of it and nothing else. */
let api: Pick<Tenant['api'], 'engine' | 'url'> & Omit<Tenant, 'api'>;
let receiver: Receiver;
let namespace: string;
/** What the receiver's own database holds: id → `created` of the body. */
let held: Map<string, number>;
beforeEach(async () => {
  const tenant = await newTenant();
  ({ namespace } = tenant);
  api = { ...tenant.api, ...tenant };
  receiver = await startReceiver();
  held = new Map();
  receiver.answer(({ json }, response) => {
    response.writeHead(200).end();
    held.set(json.id, json.created);
  });
});

afterEach(() => receiver.close());

const HOUR = 3_600;
/** An hour that is over. */
const thatHour = (): number => (Math.floor(Date.now() / 1_000 / HOUR) - 2) * HOUR;

async function endpoint(key = api.key, fields: object = {}): Promise<string> {
  const { status, body } = await api.call('POST', '/v1/webhooks', {
    key,
    json: { url: receiver.url, ...fields },
  });
  expect(status).toBe(201);
  return `/v1/webhooks/${body.id}`;
}

/** Events of one moment of an hour, a second apart; their public ids. Nobody is woken. */
async function emit(
  count: number,
  options: { atSec: number; type?: EventType; conversationId?: string },
): Promise<string[]> {
  const { atSec, type = 'agent.published', conversationId } = options;
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const event = { namespace, type, data: EVENT_SAMPLES[type] };
    const of = conversationId === undefined ? {} : { conversationId };
    const atMs = (atSec + i) * 1_000 + 137;
    const { eventId } = await emitEvent(api.engine.pool, { ...event, ...of }, atMs);
    ids.push(fromUuid('evt', eventId));
  }
  return ids;
}

const queueIsEmpty = (): Promise<true> =>
  api.engine.eventually(async () => {
    const { rows } = await api.engine.pool.query(
      'select 1 from delivery_queue where namespace = $1',
      [namespace],
    );
    return rows.length === 0 ? true : undefined;
  });

/** All of them have looked before the first may write. */
async function atOnce(path: string, asks: readonly (() => Promise<Reply>)[]): Promise<Reply[]> {
  const { pool } = api.engine;
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await lockCount(holder, 'reconcile', toUuid('we', path.split('/').at(-1)!)!);
    const replies = Promise.all(asks.map((ask) => ask()));
    await api.engine.eventually(async () => {
      const { rows } = await holder.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length === asks.length ? true : undefined;
    });
    await holder.query('commit');
    return await replies;
  } finally {
    holder.release(true);
  }
}

const digest = (path: string, hour: number | string, key = api.key): Promise<Reply> =>
  api.call('GET', `${path}/digest?hour=${hour}`, { key });

const reconcile = (path: string, json: object, key = api.key): Promise<Reply> =>
  api.call('POST', `${path}/reconcile`, { key, json });

/** As a receiver does it, in whatever language: nothing of ours is used. */
function ownDigest(hour: number): { count: number; sha256: string } {
  const ids = [...held].filter(([, created]) => created >= hour && created < hour + HOUR);
  const sorted = ids.map(([id]) => id).toSorted();
  const sha256 = createHash('sha256').update(sorted.join('\n')).digest('hex');
  return { count: sorted.length, sha256 };
}

test('a receiver that lost events after it acknowledged them finds out which, and gets just those', async () => {
  const path = await endpoint();
  const { key: foreignKey } = await newTenant();
  const foreignPath = await endpoint(foreignKey);
  const hour = thatHour();
  const ids = await emit(8, { atSec: hour });
  // The edges: of the hour before and after, by their body's `created`.
  await emit(1, { atSec: hour - 1 });
  await emit(1, { atSec: hour + HOUR });
  await queueIsEmpty();
  expect((await digest(path, hour)).body).toEqual({
    hour,
    ...ownDigest(hour),
    unfinished: 0,
    failed: 0,
  });

  const lost = [ids[1]!, ids[4]!, ids[7]!];
  lost.forEach((id) => held.delete(id));
  const { body: theirs } = await digest(path, hour);
  expect(theirs.count).toBe(8);
  expect(theirs.sha256).not.toBe(ownDigest(hour).sha256);

  const ours = [...held.keys()].filter(
    (id) => held.get(id)! >= hour && held.get(id)! < hour + HOUR,
  );
  const window = { since: hour, until: hour + HOUR };
  const looked = await reconcile(path, { ...window, ids: ours });
  expect(looked.status).toBe(200);
  expect(looked.body).toEqual({
    ...window,
    missing: lost,
    unfinished: [],
    erased: [],
    unknown: [],
    uncounted: [],
    outside: [],
    delivery_ids: [],
    has_more: false,
    next_cursor: null,
  });
  const before = receiver.received.length;
  const asked = await reconcile(path, { ...window, ids: ours, replay: true });
  expect(asked.status).toBe(202);
  expect(asked.body).toMatchObject({ missing: lost, unfinished: [] });
  expect(asked.body.delivery_ids).toHaveLength(3);
  const { body: audit } = await api.call('GET', '/v1/audit_log?action=webhook.replayed');
  expect(audit.data).toMatchObject([
    { target: path.split('/').at(-1), after: window, detail: { deliveries: 3 } },
  ]);
  await queueIsEmpty();
  expect(
    receiver.received
      .slice(before)
      .map(({ json }) => json.id)
      .toSorted(),
  ).toEqual(lost);
  expect((await digest(path, hour)).body).toMatchObject(ownDigest(hour));
  const { body: delivery } = await api.call('GET', `/v1/deliveries/${asked.body.delivery_ids[0]}`);
  expect(delivery).toMatchObject({ trigger: 'replay', status: 'delivered' });

  // Another namespace has its own, and learns nothing of this one.
  expect((await digest(foreignPath, hour, foreignKey)).body).toEqual({
    hour,
    count: 0,
    sha256: createHash('sha256').digest('hex'),
    unfinished: 0,
    failed: 0,
  });
  expect((await digest(path, hour, foreignKey)).status).toBe(404);
  const stranger = await reconcile(foreignPath, { ...window, ids: ours }, foreignKey);
  expect(stranger.body).toMatchObject({ missing: [], unknown: ours.toSorted() });
  expect((await reconcile(path, { ...window, ids: [] }, foreignKey)).status).toBe(404);
});

describe('a digest', () => {
  test('counts what was sent whatever became of it, and says what is not there yet', async () => {
    const path = await endpoint();
    const hour = thatHour();
    const type = 'escalation.requested';
    const [delivered, gone] = await Promise.all(
      (['deliver', 'cancel'] as const).map(async (events, i) => {
        const conversationId = newUuid();
        const [id] = await emit(1, { atSec: hour + i, conversationId, type });
        await queueIsEmpty();
        await eraseEvents(api.engine.pool, { conversationId, events, erased: '…' });
        return id;
      }),
    );
    receiver.answer((_, response) => void response.writeHead(503).end());
    const [waiting, exhausted, canceled] = await emit(3, { atSec: hour + 60 });
    await receiver.until((all) => all.length >= 5);
    const pool = api.engine.pool;
    const uuid = (id?: string): string | null => toUuid('evt', id ?? '');
    // In the store, as 72 h and a stopped job leave them.
    const finish = async (id: string | undefined, status: string): Promise<void> => {
      await api.engine.eventually(async () => {
        const { rowCount } = await pool.query(
          `with gone as (delete from delivery_queue
             where event_id = $1 and lease_token is null and attempt > 0 returning *)
           insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger,
                                   status, attempt_count)
           select id, namespace, endpoint_id, event_id, event_type, trigger, $2, attempt from gone`,
          [uuid(id), status],
        );
        return rowCount === 1 ? true : undefined;
      });
    };
    await finish(exhausted, 'failed');
    await finish(canceled, 'canceled');
    await api.call('POST', `${path}/test`, { json: {} });

    const expected = [delivered!, gone!, waiting!, exhausted!].toSorted().join('\n');
    expect((await digest(path, hour)).body).toEqual({
      hour,
      count: 4,
      sha256: createHash('sha256').update(expected).digest('hex'),
      unfinished: 1,
      failed: 1,
    });
    // The test event is of this hour and of no digest.
    const current = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
    expect((await digest(path, current)).body).toMatchObject({ count: 0 });

    const window = { since: hour, until: hour + HOUR };
    const { body } = await reconcile(path, { ...window, ids: [canceled] });
    expect(body).toMatchObject({
      missing: [delivered, gone, waiting, exhausted],
      unfinished: [waiting],
      erased: [delivered, gone],
      uncounted: [canceled],
      unknown: [],
    });
    const asked = await reconcile(path, { ...window, ids: [canceled], replay: true });
    expect(asked.status).toBe(202);
    expect(asked.body.delivery_ids).toHaveLength(1); // Of the one that was given up.
    const { rows } = await pool.query('select 1 from delivery_queue where event_id = $1', [
      uuid(waiting),
    ]);
    expect(rows).toHaveLength(1);
  });

  test('is of a whole hour, not in the future and of the last 30 days', async () => {
    const path = await endpoint();
    const current = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
    expect((await digest(path, current)).status).toBe(200);
    expect((await digest(path, current - 29 * 24 * HOUR)).status).toBe(200);
    for (const hour of [current + HOUR, current + 1, current - 31 * 24 * HOUR, 'x', '']) {
      const { status, body } = await digest(path, hour);
      expect({ hour, status, code: body.code }).toEqual({
        hour,
        status: 400,
        code: 'invalid_parameter',
      });
    }
    expect((await api.call('GET', `${path}/digest`)).status).toBe(400);
  });

  test('is the same in pages', async () => {
    const path = await endpoint();
    const hour = thatHour();
    const { pool } = api.engine;
    const endpointId = toUuid('we', path.split('/').at(-1)!)!;
    // More than a page, and some of them twice: replayed on the next day, in another partition.
    const eventIds = Array.from({ length: 9_001 }, (_, i) => newUuid(hour * 1_000 + i));
    const sent = [...eventIds, ...eventIds.slice(3_000, 6_000)];
    const ids = sent.map((_, i) => newUuid(Date.now() + (i < 9_001 ? 0 : 24 * HOUR * 1_000)));
    await pool.query(
      `insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status,
                               attempt_count)
       select d.id, $4, $1, d.event_id, 'agent.published',
              case when row_number() over (partition by d.event_id) = 1 then 'schedule'
                   else 'replay' end, 'delivered', 1
         from unnest($2::uuid[], $3::uuid[]) d (event_id, id)`,
      [endpointId, sent, ids, namespace],
    );
    const sorted = eventIds.map((id) => fromUuid('evt', id) as string).toSorted();
    const sha256 = createHash('sha256').update(sorted.join('\n')).digest('hex');
    expect((await digest(path, hour)).body).toMatchObject({ count: 9_001, sha256 });
  });
});

describe('reconcile', () => {
  const ago = (sec: number): number => Math.floor(Date.now() / 1_000) - sec;

  test('pages what is missing, and says once what it does not know', async () => {
    const path = await endpoint();
    const since = ago(600);
    const ids = await emit(7, { atSec: since });
    await queueIsEmpty();
    const { body: tested } = await api.call('POST', `${path}/test`, { json: {} });
    await receiver.until((all) => all.some(({ json }) => json.id === tested.event_id));
    await queueIsEmpty();
    const never = fromUuid('evt', newUuid(since * 1_000 + 5));
    const [early] = await emit(1, { atSec: since - 60 });
    await queueIsEmpty();
    const given = { since, ids: [tested.event_id, ids[3], never, early, ids[3]], limit: 4 };
    const { status, body } = await reconcile(path, given);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      since,
      missing: [ids[0], ids[1], ids[2], ids[4]],
      unknown: [never],
      uncounted: [tested.event_id],
      outside: [early],
      has_more: true,
    });
    expect(body.until).toEqual(expect.any(Number));
    const next = await reconcile(path, { ...given, until: body.until, cursor: body.next_cursor });
    expect(next.body).toMatchObject({
      missing: [ids[5], ids[6]],
      unknown: [],
      uncounted: [],
      outside: [],
      has_more: false,
      next_cursor: null,
    });
  });

  test('takes 10,000 ids and 24 hours, and says what is wrong with more', async () => {
    const path = await endpoint();
    const since = ago(24 * HOUR);
    const ids = Array.from({ length: 10_000 }, (_, i) =>
      fromUuid('evt', newUuid((since + 60) * 1_000 + i)),
    );
    const { status, body } = await reconcile(path, { since, ids });
    expect(status).toBe(200);
    expect(body).toMatchObject({ missing: [], unknown: ids });
    const pointers = async (json: object): Promise<unknown> => {
      const reply = await reconcile(path, json);
      return [reply.status, reply.body.errors?.map(({ pointer }: { pointer: string }) => pointer)];
    };
    expect(await pointers({ since, ids: [...ids, ids[0]] })).toEqual([422, ['/ids']]);
    expect(await pointers({ since, ids: ['evt_1', ids[0]] })).toEqual([422, ['/ids/0']]);
    expect(await pointers({ since: since - 120, ids: [] })).toEqual([422, ['/since']]);
    expect(
      await pointers({ since: ago(31 * 24 * HOUR), until: ago(30.5 * 24 * HOUR), ids: [] }),
    ).toEqual([422, ['/since']]);
    expect(await pointers({ since, until: since, ids: [] })).toEqual([422, ['/since']]);
    expect(await pointers({ since: ago(60), until: ago(-HOUR), ids: [] })).toEqual([
      422,
      ['/until'],
    ]);
    expect(await pointers({ since, ids: [], limit: 1_001 })).toEqual([422, ['/limit']]);
    expect(await pointers({ since, ids: [], cursor: 'x' })).toEqual([422, ['/cursor']]);
    expect(await pointers({ ids: [] })).toEqual([422, ['/since']]);
    // Of every other route the bound is as it was.
    const many = await api.call('PATCH', path, {
      json: { metadata: Object.fromEntries(ids.map((id) => [id, 'x'])) },
    });
    expect(many.body.code).toBe('malformed_request');
  });

  test('replays by who may replay, to an endpoint that is on', async () => {
    const path = await endpoint();
    const since = ago(600);
    const ids = await emit(2, { atSec: since });
    await queueIsEmpty();
    const reader = await api.newKey(['read']);
    expect((await reconcile(path, { since, ids: [] }, reader)).body.missing).toEqual(ids);
    const refused = await reconcile(path, { since, ids: [], replay: true }, reader);
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    const replayer = await api.newKey(['read', 'replay']);
    expect((await reconcile(path, { since, ids: [], replay: true }, replayer)).status).toBe(202);
    await queueIsEmpty();
    await api.call('PATCH', path, { json: { enabled: false } });
    const disabled = await reconcile(path, { since, ids: [], replay: true });
    expect([disabled.status, disabled.body.code]).toEqual([409, 'endpoint_disabled']);
    expect((await reconcile(path, { since, ids: [] })).body.missing).toEqual(ids);
  });

  test('asked twice at once, or again, it doubles nothing that is on its way', async () => {
    const path = await endpoint();
    const since = ago(600);
    const ids = await emit(20, { atSec: since });
    await queueIsEmpty();
    receiver.answer((_, response) => void response.writeHead(503).end()); // It stays on its way.
    const ask = (headers = {}): Promise<Reply> =>
      api.call('POST', `${path}/reconcile`, { json: { since, ids: [], replay: true }, headers });
    const keyed = { 'idempotency-key': 'one' };
    const [one, two, three] = await atOnce(path, [() => ask(keyed), ask, ask]);
    const made = [one, two, three].flatMap((reply) => reply!.body.delivery_ids);
    expect(made).toHaveLength(20);
    expect((await ask(keyed)).body).toEqual(one!.body);
    const later = await ask();
    expect(later.body).toMatchObject({ missing: ids, unfinished: ids, delivery_ids: [] });
    const { rows } = await api.engine.pool.query(
      'select 1 from delivery_queue where namespace = $1',
      [namespace],
    );
    expect(rows).toHaveLength(20);
  });
});
