import { afterEach, beforeEach, expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../../src/ids.ts';
import { maintainPartitions } from '../../../src/webhooks/queue/partitions.sql.ts';
import { listEvents, readEvent } from '../../../src/events/events.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

const DAY = 86_400_000;
const TABLES = ['events', 'deliveries', 'delivery_attempts'];
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const partitionsOf = async (table: string): Promise<string[]> => {
  const { rows } = await fixture.pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
      where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
};

const dayName = (table: string, ms: number): string =>
  `${table}_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** A database that was cloned after midnight also has the partition that the template got the day before. */
async function dropPartitions(): Promise<void> {
  for (const table of TABLES)
    for (const name of await partitionsOf(table)) await fixture.pool.query(`drop table ${name}`);
}

test('there are partitions from two days back to a week ahead, for each of the three tables', async () => {
  const nowMs = Date.now();
  await dropPartitions();
  await maintainPartitions(fixture.pool, nowMs);
  for (const table of TABLES) {
    const wanted = Array.from({ length: 10 }, (_, i) => dayName(table, nowMs + (i - 2) * DAY));
    expect(await partitionsOf(table)).toEqual(wanted);
  }
});

test('a second call does nothing, a day later it makes one day more', async () => {
  const nothing = { created: [], dropped: [] };
  expect(await maintainPartitions(fixture.pool, Date.now())).toEqual(nothing);
  const later = Date.now() + DAY;
  const { created, dropped } = await maintainPartitions(fixture.pool, later);
  expect(created.sort()).toEqual(TABLES.map((table) => dayName(table, later + 7 * DAY)).sort());
  expect(dropped).toEqual([]);
  expect(await maintainPartitions(fixture.pool, later)).toEqual(nothing);
});

test('tables of the same name in another schema do not count', async () => {
  const later = Date.now() + DAY;
  const name = dayName('events', later + 7 * DAY);
  await fixture.pool.query(
    `create schema other; create table other.events (id uuid) partition by list (id);
     create table other.${name} partition of other.events default`,
  );
  expect((await maintainPartitions(fixture.pool, later)).created).toContain(name);
});

test('any number of processes may call it at once', async () => {
  const later = Date.now() + 20 * DAY;
  await dropPartitions();
  await Promise.all(Array.from({ length: 8 }, () => maintainPartitions(fixture.pool, later)));
  for (const table of TABLES) expect(await partitionsOf(table)).toHaveLength(10);
});

test('as long as is set, and a day; by who may not know, nothing', async () => {
  await maintainPartitions(fixture.pool, Date.now());
  const today = Math.floor(Date.now() / DAY) * DAY;
  const at = today + DAY + 5 * DAY; // Four days of replay, and one.
  expect((await maintainPartitions(fixture.pool, at + 90 * DAY, null)).dropped).toEqual([]);
  const before = await maintainPartitions(fixture.pool, at - 1, 4);
  expect(before.dropped).not.toContain(dayName('events', today));
  expect((await maintainPartitions(fixture.pool, at, 4)).dropped).toContain(
    dayName('events', today),
  );
});

test('a day is dropped when all of it is older than 31 days, and not an hour before', async () => {
  await maintainPartitions(fixture.pool, Date.now());
  const today = Math.floor(Date.now() / DAY) * DAY;
  const dayEnd = today + DAY; // Of the last moment that today's partition holds.
  expect((await maintainPartitions(fixture.pool, dayEnd + 31 * DAY - 1)).dropped).not.toContain(
    dayName('events', today),
  );
  const { dropped } = await maintainPartitions(fixture.pool, dayEnd + 31 * DAY);
  expect(dropped.sort()).toEqual(TABLES.map((table) => dayName(table, today)).sort());
  for (const table of TABLES)
    expect(await partitionsOf(table)).not.toContain(dayName(table, today));
});

test('a day whose events are still being delivered stays, so that a late replay has its bytes', async () => {
  await fixture.addEndpoint();
  const eventId = await fixture.emit();
  const today = Math.floor(Date.now() / DAY) * DAY;
  const later = today + 33 * DAY;
  const first = await maintainPartitions(fixture.pool, later);
  expect(first.dropped).not.toContain(dayName('events', today));
  expect(first.dropped).toContain(dayName('deliveries', today));
  expect(await readEvent(fixture.pool, { namespace: 'default', id: eventId })).toBeDefined();
  await fixture.pool.query('delete from delivery_queue');
  expect((await maintainPartitions(fixture.pool, later)).dropped).toContain(
    dayName('events', today),
  );
});

test('an event, a delivery and an attempt lie in the partition of the time in their id', async () => {
  const midnight = (Math.floor(Date.now() / DAY) + 1) * DAY;
  for (const nowMs of [midnight - 1, midnight]) {
    const id = await fixture.emit({ nowMs });
    const { rows } = await fixture.pool.query<{ table: string }>(
      'select tableoid::regclass::text as table from events where id = $1',
      [id],
    );
    expect(rows).toEqual([{ table: dayName('events', nowMs) }]);
    await fixture.pool.query(
      `insert into delivery_attempts (delivery_id, number, trigger, started_at)
       values ($1, 1, 'schedule', now())`,
      [id],
    );
  }
  const edges = [lowestUuidAt(midnight), lowestUuidAt(midnight).replace(/.$/, '1')];
  for (const id of edges) {
    await fixture.pool.query(
      `insert into events (id, namespace, type, body) values ($1, 'default', 'agent.published', '')`,
      [id],
    );
  }
  const { rows } = await fixture.pool.query(
    `select distinct tableoid::regclass::text as table from events where id = any($1)`,
    [edges],
  );
  expect(rows).toEqual([{ table: dayName('events', midnight) }]);
});

test('looking an event up by its id touches one partition', async () => {
  const id = newUuid();
  const { rows } = await fixture.pool.query<{ 'QUERY PLAN': string }>(
    `explain select body from events where id = '${id}' and namespace = 'default'`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const touched = new Set([...plan.matchAll(/events_\d{8}/g)].map(([name]) => name));
  expect(touched).toEqual(new Set([dayName('events', Date.now())]));
});

test('a filter by time leaves out the partitions of the other days', async () => {
  const nowMs = Date.now();
  const ids = [];
  for (const days of [-1, 0, 1]) ids.push(await fixture.emit({ nowMs: nowMs + days * DAY }));
  const page = { namespace: 'default', withTests: false, before: null, limit: 10 };
  const sec = Math.floor(nowMs / 1_000);
  const found = async (filter: object): Promise<string[]> =>
    (await listEvents(fixture.pool, { ...page, ...filter })).map(({ id }) => id);
  expect(await found({})).toEqual(ids.toReversed());
  expect(await found({ createdAfter: sec })).toEqual([ids[2], ids[1]]);
  expect(await found({ createdBefore: sec })).toEqual([ids[0]]);
  expect(await found({ createdAfter: sec, createdBefore: sec + 1 })).toEqual([ids[1]]);
});
