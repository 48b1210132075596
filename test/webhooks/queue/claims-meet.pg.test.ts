import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import pg from 'pg';
import { newUuid } from '../../../src/ids.ts';
import {
  CLAIM_SETTINGS,
  claimDeliveries,
  completeAttempts,
} from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import {
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * Many sessions claim for the same endpoints and give back at once what they got, so that they meet
 * at rows which another one changed a moment ago. PostgreSQL 18.4 crashed at that, within seconds, when
 * the claim read bodies in a sub-select: a backend that dies takes the sessions of all with it.
 */

const SESSIONS = 6;
const ROUNDS = IS_NIGHTLY ? 40 : 8;
const ENDPOINTS = IS_NIGHTLY ? 100 : 30;
const DELIVERIES = IS_NIGHTLY ? 3_000 : 1_000;

let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

test('claims that meet neither crash the server nor take the same delivery', async () => {
  const endpoints = await Promise.all(
    Array.from({ length: ENDPOINTS }, () => fixture.addEndpoint()),
  );
  await fill(endpoints);
  const budgets = endpoints.map((endpointId) => ({ endpointId, slots: 32, yieldingSlots: 32 }));
  const held = new Set<string>();
  let twice = 0;

  const claimAndGiveBack = async (session: pg.Client): Promise<void> => {
    const leaseToken = randomUUID();
    const claimed = await claimDeliveries(session, budgets, { leaseToken, processNumber: null });
    for (const { id } of claimed) {
      if (held.has(id)) twice += 1;
      held.add(id);
    }
    const results = claimed.map((one) => resultOf(one, failure(0)));
    for (const { id } of claimed) held.delete(id);
    await completeAttempts(session, results);
  };
  await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const session = await connect();
      for (let i = 0; i < ROUNDS; i += 1) await claimAndGiveBack(session);
      await session.end();
    }),
  );
  expect(twice).toBe(0);
  const { rows } = await fixture.pool.query<{ count: number }>(
    'select count(*) from delivery_queue',
  );
  expect(rows[0]?.count).toBe(DELIVERIES);
}, 120_000);

async function connect(): Promise<pg.Client> {
  const session = new pg.Client(fixture.databaseUrl);
  await session.connect();
  for (const [name, value] of Object.entries(CLAIM_SETTINGS)) {
    await session.query('select set_config($1, $2, false)', [name, value]);
  }
  return session;
}

async function fill(endpoints: readonly string[]): Promise<void> {
  const events = Array.from({ length: DELIVERIES }, () => newUuid());
  await fixture.pool.query(
    `insert into events (id, namespace, type, body)
     select id, 'default', 'agent.published', 'x' from unnest($1::uuid[]) id`,
    [events],
  );
  await fixture.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     select parley_uuid_v7(), 'default', endpoint_id, event_id, 'agent.published', 'test'
       from unnest($1::uuid[], $2::uuid[]) as q (event_id, endpoint_id)`,
    [events, events.map((_, i) => endpoints[i % endpoints.length])],
  );
}
