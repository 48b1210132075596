import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { listEvents, readEvent } from '../../../src/events/events.sql.ts';
import { startLab, type Lab } from '../delivery-setup.ts';

const DAY = 86_400_000;
const TABLES = ['events', 'deliveries', 'delivery_attempts'];
let lab: Lab;

beforeEach(async () => {
  lab = await startLab();
});

afterEach(async () => {
  await lab.stop();
});

const partitionsOf = async (table: string): Promise<string[]> => {
  const { rows } = await lab.pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
};

const dayName = (table: string, ms: number): string =>
  `${table}_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

test('there are partitions from two days back to a week ahead, for each of the three tables', async () => {
  for (const table of TABLES) {
    const wanted = Array.from({ length: 10 }, (_, i) => dayName(table, Date.now() + (i - 2) * DAY));
    expect(await partitionsOf(table)).toEqual(wanted);
  }
});

test('a second call does nothing, a day later it makes one day more', async () => {
  const nothing = { created: [], dropped: [] };
  expect(await maintainPartitions(lab.pool, Date.now())).toEqual(nothing);
  const later = Date.now() + DAY;
  const { created, dropped } = await maintainPartitions(lab.pool, later);
  expect(created.sort()).toEqual(TABLES.map((table) => dayName(table, later + 7 * DAY)).sort());
  expect(dropped).toEqual([]);
  expect(await maintainPartitions(lab.pool, later)).toEqual(nothing);
});

test('any number of processes may call it at once', async () => {
  const later = Date.now() + 20 * DAY;
  await Promise.all(Array.from({ length: 8 }, () => maintainPartitions(lab.pool, later)));
  for (const table of TABLES) expect(await partitionsOf(table)).toHaveLength(20);
});

test('a day is dropped when all of it is older than 31 days, and not an hour before', async () => {
  await maintainPartitions(lab.pool, Date.now());
  const today = Math.floor(Date.now() / DAY) * DAY;
  const dayEnd = today + DAY; // Of the last moment that today's partition holds.
  expect((await maintainPartitions(lab.pool, dayEnd + 31 * DAY - 1)).dropped).not.toContain(
    dayName('events', today),
  );
  const { dropped } = await maintainPartitions(lab.pool, dayEnd + 31 * DAY);
  expect(dropped.sort()).toEqual(TABLES.map((table) => dayName(table, today)).sort());
  for (const table of TABLES)
    expect(await partitionsOf(table)).not.toContain(dayName(table, today));
});

test('a day whose events are still being delivered stays, so that a late replay has its bytes', async () => {
  await lab.addEndpoint();
  const eventId = await lab.emit();
  const today = Math.floor(Date.now() / DAY) * DAY;
  const later = today + 33 * DAY;
  const first = await maintainPartitions(lab.pool, later);
  expect(first.dropped).not.toContain(dayName('events', today));
  expect(first.dropped).toContain(dayName('deliveries', today));
  expect(await readEvent(lab.pool, { namespace: 'default', id: eventId })).toBeDefined();
  await lab.pool.query('delete from delivery_queue');
  expect((await maintainPartitions(lab.pool, later)).dropped).toContain(dayName('events', today));
});

test('an event, a delivery and an attempt lie in the partition of the time in their id', async () => {
  const midnight = (Math.floor(Date.now() / DAY) + 1) * DAY;
  for (const nowMs of [midnight - 1, midnight]) {
    const id = await lab.emit({ nowMs });
    const { rows } = await lab.pool.query<{ table: string }>(
      'select tableoid::regclass::text as table from events where id = $1',
      [id],
    );
    expect(rows).toEqual([{ table: dayName('events', nowMs) }]);
    await lab.pool.query(
      `insert into delivery_attempts (delivery_id, number, trigger, started_at)
       values ($1, 1, 'schedule', now())`,
      [id],
    );
  }
  const edges = [lowestUuidAt(midnight), lowestUuidAt(midnight).replace(/.$/, '1')];
  for (const id of edges) {
    await lab.pool.query(
      `insert into events (id, namespace, type, body) values ($1, 'default', 'agent.published', '')`,
      [id],
    );
  }
  const { rows } = await lab.pool.query(
    `select distinct tableoid::regclass::text as table from events where id = any($1)`,
    [edges],
  );
  expect(rows).toEqual([{ table: dayName('events', midnight) }]);
});

test('looking an event up by its id touches one partition', async () => {
  const id = newUuid();
  const { rows } = await lab.pool.query<{ 'QUERY PLAN': string }>(
    `explain select body from events where id = '${id}' and namespace = 'default'`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const touched = new Set([...plan.matchAll(/events_\d{8}/g)].map(([name]) => name));
  expect(touched).toEqual(new Set([dayName('events', Date.now())]));
});

test('a filter by time leaves out the partitions of the other days', async () => {
  const nowMs = Date.now();
  const ids = [];
  for (const days of [-1, 0, 1]) ids.push(await lab.emit({ nowMs: nowMs + days * DAY }));
  const page = { namespace: 'default', before: null, limit: 10 };
  const sec = Math.floor(nowMs / 1_000);
  const found = async (filter: object): Promise<string[]> =>
    (await listEvents(lab.pool, { ...page, ...filter })).map(({ id }) => id);
  expect(await found({})).toEqual(ids.toReversed());
  expect(await found({ createdAfter: sec })).toEqual([ids[2], ids[1]]);
  expect(await found({ createdBefore: sec })).toEqual([ids[0]]);
  expect(await found({ createdAfter: sec, createdBefore: sec + 1 })).toEqual([ids[1]]);
});
