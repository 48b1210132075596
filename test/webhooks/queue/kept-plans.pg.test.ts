import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  claimDeliveries,
  CLAIM_SETTINGS,
  completeAttempts,
  markStarted,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { insertTestEvents, type NewTestEvent } from '../../../src/events/outbox.sql.ts';
import { createPool, PLANNED_ONCE, type Pool } from '../../../src/platform/postgres/pool.ts';
import { dueIn, resultOf, startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/**
 * The statements of the hot path are planned once, while their tables may be empty, and their plans
 * are kept while the tables grow. So a plan must be good for a large table from the beginning.
 */

const MORE_THAN_POSTGRESQL_TRIES = 8;

let fixture: DeliveryFixture;
let session: Pool;
beforeEach(async () => {
  fixture = await startDeliveryFixture();
});
afterEach(async () => {
  await session.end();
  await fixture.stop();
});

test('events are stored and results recorded by plans made once, through indexes', async () => {
  session = createPool(fixture.databaseUrl, { log: fixture.log, max: 1, settings: PLANNED_ONCE });
  const endpointId = await fixture.addEndpoint();
  for (let i = 0; i < MORE_THAN_POSTGRESQL_TRIES; i += 1) {
    const event = newTestEvent(endpointId);
    expect(await insertTestEvents(session, [event])).toEqual(new Set([event.deliveryId]));
    const claimed = await fixture.claim(endpointId);
    const results = claimed.map((one) => resultOf(one));
    expect(await completeAttempts(session, results)).toEqual(new Set([event.deliveryId]));
  }
  expect(await planned()).toEqual(['complete_attempts 8 0', 'insert_test_events 8 0']);
  for (const name of ['insert_test_events', 'complete_attempts']) {
    expect(await planOf(name)).not.toContain('Seq Scan');
  }
});

test('claims too, and a body is found by its id in every partition', async () => {
  session = createPool(fixture.databaseUrl, { log: fixture.log, max: 1, settings: CLAIM_SETTINGS });
  const endpointId = await fixture.addEndpoint();
  const budgets = [{ endpointId, slots: 32, yieldingSlots: 16 }];
  // Nothing is there yet: all ways to the rows seem alike.
  await fixture.pool.query('analyze');
  const claim = () =>
    claimDeliveries(session, budgets, { leaseToken: randomUUID(), processNumber: null });
  expect(await claim()).toEqual([]);
  for (let i = 1; i < MORE_THAN_POSTGRESQL_TRIES; i += 1) {
    await insertTestEvents(fixture.pool, [newTestEvent(endpointId)]);
    expect(await dueIn(session)).toEqual([endpointId]);
    const claimed = await claim();
    expect(claimed.map(({ body }) => body?.toString())).toEqual(['{}']);
    await markStarted(
      session,
      claimed.map(({ id }) => id),
    );
  }
  expect(await planned()).toEqual([
    'claim_deliveries 8 0',
    'list_due_endpoints 7 0',
    'mark_started 7 0',
  ]);
  for (const name of ['claim_deliveries', 'list_due_endpoints', 'mark_started']) {
    expect(await planOf(name)).not.toContain('Seq Scan');
  }
  // An incremental sort reads 32 rows of an endpoint at least, however few are claimed.
  expect(await planOf('claim_deliveries')).not.toContain('Incremental Sort');
  const bodies = (await planOf('claim_deliveries')).match(/Index.* on events_\d+ /g) ?? [];
  expect(bodies.length).toBeGreaterThan(1);
  for (const scan of bodies) expect(scan).toMatch(/using events_\d+_pkey/);
});

function newTestEvent(endpointId: string): NewTestEvent {
  const body = Buffer.from('{}');
  const ids = { id: newUuid(), deliveryId: newUuid(), endpointId };
  return { ...ids, namespace: 'default', type: 'agent.published', body };
}

/** Name, uses of the kept plan, plans made for known values. */
async function planned(): Promise<string[]> {
  const { rows } = await session.query<{ text: string }>(
    `select name || ' ' || generic_plans || ' ' || custom_plans as text
       from pg_prepared_statements where name <> '' order by name`,
  );
  return rows.map(({ text }) => text);
}

async function planOf(name: string): Promise<string> {
  const { rows: prepared } = await session.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [name],
  );
  // Of a wide range of ids, so that no partition is left out of the plan.
  const values = prepared[0]!.types.map((type, i) => {
    if (type !== 'uuid') return `null::${type}`;
    return `'${i === 7 ? '00000000' : 'ffffffff'}-0000-7000-8000-000000000000'::uuid`;
  });
  const call = values.length === 0 ? name : `${name}(${values.join(', ')})`;
  const { rows } = await session.query<{ 'QUERY PLAN': string }>(`explain execute ${call}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
