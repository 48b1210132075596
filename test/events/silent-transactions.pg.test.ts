import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PoolClient } from 'pg';
import {
  createDeferredEvents,
  deferEvent,
  emitDeferred,
} from '../../src/events/deferred-events.ts';
import { createAnnounce, emitEvent, type Announce } from '../../src/events/emit-event.ts';
import { START, readStream } from '../../src/events/event-stream.sql.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import { createNotifier, type Notifier } from '../../src/platform/postgres/notifications.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';
import { fallSilent, forgetSaid } from '../../src/platform/postgres/silence.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { until } from '../until.ts';
import { followStream } from './follow-stream.ts';

/** A transaction that lasts keeps no reader waiting, and its event is emitted once, whoever dies. */

let api: Api;
let notifier: Notifier;
let announce: Announce;
let open: PoolClient[];
let namespaces = 0;

beforeAll(async () => {
  api = await startApi({ operator: false });
  notifier = createNotifier(api.engine);
  announce = createAnnounce({ notifier, metrics: api.engine.metrics });
  open = [];
});
afterEach(async () => {
  for (const client of open) {
    await client.query('rollback');
    client.release();
  }
  open = [];
});
afterAll(async () => {
  await notifier.stop();
  await api.stop();
});

const TYPE = 'knowledge.source.synced';
const eventOf = (namespace: string) =>
  ({ namespace, type: TYPE, data: EVENT_SAMPLES[TYPE] }) as const;
const emit = async (db: Db, namespace: string): Promise<string> =>
  (await emitEvent(db, eventOf(namespace), Date.now())).eventId;
const newNamespace = (): string => `silent-${(namespaces += 1)}`;

/** A transaction that has written something and goes on. */
async function begin(): Promise<PoolClient> {
  const client = await api.engine.pool.connect();
  open.push(client);
  forgetSaid(client);
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return client;
}

const read = async (namespace: string, after = START) =>
  readStream(api.engine.pool, {
    namespace,
    after,
    filter: { withTests: false },
    limit: 100,
    sinceMs: Date.now(),
  });

/** Once nothing else that goes on in the process holds it back. */
const readOn = (namespace: string, after = START) =>
  api.engine.eventually(async () => {
    const got = await read(namespace, after);
    return !got.isHeldBack && got;
  });

test('readers wait for a transaction that may emit, and for none that is silent', async () => {
  const namespace = newNamespace();
  const silent = await begin();
  await fallSilent(silent);
  const first = await emit(api.engine.pool, namespace);
  const past = await readOn(namespace);
  expect(past.events.map(({ id }) => id)).toEqual([first]);

  const speaking = await begin();
  const second = await emit(api.engine.pool, namespace);
  const held = await read(namespace, past.position);
  expect(held.events).toEqual([]);
  expect(held.isHeldBack).toBe(true);

  const early = await emit(speaking, namespace);
  await speaking.query('commit');
  const freed = await readOn(namespace, held.position);
  expect(freed.events.map(({ id }) => id)).toEqual([early, second]);
});

test('a live stream goes on while a silent transaction lasts', async () => {
  const namespace = newNamespace();
  const stream = await followStream(api.url, { key: await api.newKey(namespace) });
  await fallSilent(await begin());
  for (let number = 1; number <= 3; number += 1) {
    const emitted = await emitEvent(api.engine.pool, eventOf(namespace), Date.now());
    announce(emitted);
    await stream.length(number);
  }
  stream.close();
});

test('an event in a silent transaction, and silence after one, are refused', async () => {
  const namespace = newNamespace();
  const { pool } = api.engine;
  const silentFirst = inTransaction(pool, async (db) => {
    await fallSilent(db);
    await emit(db, namespace);
  });
  await expect(silentFirst).rejects.toThrow('a silent transaction cannot emit an event');
  const spokeFirst = inTransaction(pool, async (db) => {
    await emit(db, namespace);
    await fallSilent(db);
  });
  await expect(spokeFirst).rejects.toThrow('cannot become silent');
  // Of the same connections: what the last transaction said is over.
  for (let times = 0; times < 20; times += 1) {
    await inTransaction(pool, (db) => emit(db, namespace));
  }
  expect((await readOn(namespace)).events).toHaveLength(20);
});

test('what was put aside is emitted after the commit, to the endpoints there are then, once', async () => {
  const namespace = newNamespace();
  const { pool } = api.engine;
  const deps = { pool, announce, nowMs: Date.now };
  const deferred = await inTransaction(pool, async (db) => {
    await fallSilent(db);
    return deferEvent(db, eventOf(namespace));
  });
  expect((await readOn(namespace)).events).toEqual([]);
  expect(await emitDeferred(deps, deferred)).toBe(true);
  expect(await emitDeferred(deps, deferred)).toBe(false);
  const { events } = await readOn(namespace);
  expect(events).toHaveLength(1);
  const { data, type } = JSON.parse(events[0]!.body.toString()) as { data: object; type: string };
  expect(type).toBe(TYPE);
  // In its order too.
  expect(JSON.stringify(data)).toBe(JSON.stringify(EVENT_SAMPLES[TYPE]));
});

test('of a transaction that is rolled back nothing is put aside', async () => {
  const { pool } = api.engine;
  const failed = inTransaction(pool, async (db) => {
    await fallSilent(db);
    await deferEvent(db, eventOf(newNamespace()));
    throw new Error('too bad');
  });
  await expect(failed).rejects.toThrow('too bad');
  expect(await emitDeferred({ pool, announce, nowMs: Date.now })).toBe(false);
});

test('what a dead process had put aside is found, and several that look emit it once', async () => {
  const namespace = newNamespace();
  const { pool, log } = api.engine;
  for (let number = 0; number < 30; number += 1) {
    await inTransaction(pool, (db) => deferEvent(db, eventOf(namespace)));
  }
  const lookers = [1, 2, 3].map(() =>
    createDeferredEvents({ pool, announce, nowMs: Date.now, log }),
  );
  for (const looker of lookers) looker.start();
  await until('all to be emitted', async () => (await read(namespace)).events.length >= 30);
  await Promise.all(lookers.map((looker) => looker.stop()));
  expect((await readOn(namespace)).events).toHaveLength(30);
  const { rows } = await pool.query('select count(*)::int as count from deferred_events');
  expect(rows).toEqual([{ count: 0 }]);
});
