import { afterEach, beforeEach, expect, test } from 'vitest';
import { emitEvent } from '../../src/events/emit-event.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import type { EventType } from '../../src/events/event-types.ts';
import { healStreamOrder } from '../../src/events/event-stream.sql.ts';
import { insertTestEvents } from '../../src/events/outbox.sql.ts';
import { fromUuid, newUuid, toUuid } from '../../src/ids.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';

/** `GET /v1/events?order=oldest`: a log that a follower reads with a cursor it keeps. */
let api: Api;

beforeEach(async () => {
  api = await startApi();
});

afterEach(async () => {
  await api.stop();
});

async function emit(
  type: EventType = 'agent.published',
  { db, namespace = 'default' }: { db?: Db; namespace?: string } = {},
): Promise<string> {
  const event = { namespace, type, data: EVENT_SAMPLES[type] };
  const { eventId } = await emitEvent(db ?? api.engine.pool, event, Date.now());
  return fromUuid('evt', eventId);
}

async function read(
  cursor?: string | null,
  query = '',
): Promise<{ ids: string[]; more: boolean; next: string }> {
  const from = typeof cursor === 'string' ? `&cursor=${cursor}` : '';
  const { status, body } = await api.call('GET', `/v1/events?order=oldest${query}${from}`);
  expect(status).toBe(200);
  expect(typeof body.next_cursor).toBe('string');
  const ids = body.data.map(({ id }: Reply['body']) => id);
  return { ids, more: body.has_more, next: body.next_cursor };
}

/**
 * Once there is so much to read: what other transactions of the server hold back (decision 13) comes
 * in a moment.
 */
const readAll = (count: number, cursor?: string | null, query = ''): ReturnType<typeof read> =>
  api.engine.eventually(async () => {
    const page = await read(cursor, query);
    return page.ids.length >= count && page;
  });

test('an empty log has a cursor too, and it finds what comes', async () => {
  const empty = await read();
  expect(empty).toMatchObject({ ids: [], more: false });
  const [one, two, three] = [await emit(), await emit(), await emit()];
  await readAll(3);
  const first = await read(empty.next, '&limit=2');
  expect(first).toMatchObject({ ids: [one, two], more: true });
  const second = await read(first.next, '&limit=2');
  expect(second).toMatchObject({ ids: [three], more: false });
  expect(await read(second.next)).toMatchObject({ ids: [], more: false });
  const four = await emit();
  expect((await readAll(1, second.next)).ids).toEqual([four]);
  expect((await read(first.next)).ids).toEqual([three, four]); // Kept, it says the same again.
  expect((await read(null, '&limit=4')).more).toBe(false);
});

test('an event that is committed late is behind nobody: none is skipped, none comes twice', async () => {
  const begin = await emit();
  let { next } = await readAll(1);
  const client = await api.engine.pool.connect();
  await client.query('begin');
  const late = await emit('agent.published', { db: client });
  const quick = await emit();
  // The log ends before what may still get something in front of it.
  const waiting = await read(next);
  expect(waiting).toMatchObject({ ids: [], more: false });
  ({ next } = waiting);
  await client.query('commit');
  client.release();
  const after = await readAll(2, next);
  expect(after.ids).toEqual([late, quick]);
  expect((await read(after.next)).ids).toEqual([]);
  expect((await read()).ids).toEqual([begin, late, quick]);
});

test('many writers, some slow, some that think better of it: a follower gets each once', async () => {
  const expected = new Set<string>();
  const writer = async (seed: number): Promise<void> => {
    for (let i = 0; i < 10; i += 1) {
      const client = await api.engine.pool.connect();
      await client.query('begin');
      const ids = [
        await emit('agent.published', { db: client }),
        await emit('agent.rolled_back', { db: client }),
      ];
      await client.query('select pg_sleep($1)', [((seed * 7 + i * 3) % 5) / 100]);
      const isKept = (seed + i) % 4 !== 0;
      await client.query(isKept ? 'commit' : 'rollback');
      client.release();
      if (isKept) for (const id of ids) expected.add(id);
    }
  };
  const writing = new AbortController();
  const follower = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    let next: string | null = null;
    const share = query.includes('type=') ? 2 : 1;
    while (!writing.signal.aborted || seen.length < expected.size / share) {
      const page: Awaited<ReturnType<typeof read>> = await read(next, query);
      seen.push(...page.ids);
      ({ next } = page);
    }
    return [...seen, ...(await read(next, query)).ids];
  };
  const following = ['&limit=3', '', '&limit=1&type=agent.rolled_back'].map(follower);
  await Promise.all([1, 2, 3].map(writer));
  writing.abort();
  const [few, all, some] = await Promise.all(following);
  expect(new Set(all)).toEqual(expected);
  expect(all).toHaveLength(expected.size);
  expect(few).toEqual(all);
  expect(some).toHaveLength(expected.size / 2);
  expect(some!.every((id) => expected.has(id))).toBe(true);
});

test('filters and test events: what is left out does not hold the cursor back', async () => {
  const { body: endpoint } = await api.call('POST', '/v1/webhooks', {
    json: { url: 'https://receiver.test/' },
  });
  const [a, b] = [await emit(), await emit('conversation.ended')];
  const [one] = [
    {
      id: newUuid(),
      deliveryId: newUuid(),
      namespace: 'default',
      type: 'agent.published' as const,
      endpointId: toUuid('we', endpoint.id)!,
      body: Buffer.from('{"id":"evt_0","type":"agent.published","created":1,"data":{}}'),
    },
  ];
  await insertTestEvents(api.engine.pool, [one]);
  await readAll(3, null, '&test=true');
  const groups = await read(null, '&type=conversation.*');
  expect(groups.ids).toEqual([b]);
  expect((await read()).ids).toEqual([a, b]);
  const tests = await api.call('GET', '/v1/events?order=oldest&test=true');
  expect(tests.body.data.map(({ test: is }: Reply['body']) => is)).toEqual([false, false, true]);
  // The cursor is past the test event, which the filter left out.
  expect(Buffer.from(groups.next, 'base64url').toString()).toContain(fromUuid('evt', one.id));
  await emit('agent.published', { namespace: 'other' });
  const c = await emit('conversation.ended');
  expect((await readAll(1, groups.next, '&type=conversation.*')).ids).toEqual([c]);
  const sec = Math.floor(Date.now() / 1_000);
  expect((await read(null, `&created_after=${sec + 60}`)).ids).toEqual([]);
  expect((await read(null, `&created_before=${sec + 60}`)).ids).toEqual([a, b, c]);
});

test('a cursor survives a restore; one of the other order, or of what is gone, is refused', async () => {
  const first = await emit();
  const { next } = await readAll(1);
  const second = await emit();
  // Another server counts transactions from the start again.
  await api.engine.pool.query(`update events set xid = '9000000000000000000'`);
  await healStreamOrder(api.engine.pool);
  const third = await emit();
  expect((await readAll(2, next)).ids).toEqual([second, third]);
  expect((await read()).ids).toEqual([first, second, third]);

  const newest = await api.call('GET', '/v1/events?limit=1');
  for (const path of [
    `/v1/events?cursor=${next}`,
    `/v1/events?order=oldest&cursor=${newest.body.next_cursor}`,
    '/v1/events?order=oldest&cursor=abc',
    '/v1/events?order=some',
  ]) {
    const { status, body } = await api.call('GET', path);
    expect({ path, status, code: body.code }).toEqual({
      path,
      status: 400,
      code: 'invalid_parameter',
    });
  }
  await api.engine.pool.query('delete from events where id = $1', [toUuid('evt', first)]);
  const gone = await api.call('GET', `/v1/events?order=oldest&cursor=${next}`);
  expect([gone.status, gone.body.code]).toEqual([410, 'event_expired']);
});
