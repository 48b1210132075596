import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** What queue-order.pg.test.ts meets by chance: claims of several processes at the very same time. */
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

test('while one is being claimed the next one of its conversation waits, and no other', async () => {
  const endpoint = await fixture.addEndpoint();
  const conversationId = newUuid();
  for (const sequence of [1, 2]) await fixture.emit({ conversationId, sequence });
  const alone = await fixture.emit();
  const client = await fixture.pool.connect();
  await client.query('begin');
  try {
    const budget = { endpointId: endpoint, slots: 1, yieldingSlots: 1 };
    const lease = { leaseToken: randomUUID(), processNumber: null };
    expect(await claimDeliveries(client, [budget], lease)).toHaveLength(1);
    // Not committed yet: its row is locked, and still looks as if nobody had it.
    expect((await fixture.claim(endpoint)).map(({ eventId }) => eventId)).toEqual([alone]);
  } finally {
    await client.query('rollback');
    client.release();
  }
  // The claimer died before its commit: both are there, in their order.
  expect(await fixture.claim(endpoint)).toHaveLength(2);
});
