import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { newUuid } from '../../../src/ids.ts';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { startLab, type Lab } from '../delivery-setup.ts';

/** What queue-order.test.ts meets by chance: claims of several processes at the very same time. */
let lab: Lab;

beforeEach(async () => {
  lab = await startLab();
});

afterEach(async () => {
  await lab.stop();
});

test('while one is being claimed the next one of its conversation waits, and no other', async () => {
  const endpoint = await lab.addEndpoint();
  const conversationId = newUuid();
  for (const sequence of [1, 2]) await lab.emit({ conversationId, sequence });
  const alone = await lab.emit();
  const client = await lab.pool.connect();
  await client.query('begin');
  try {
    const budget = { endpointId: endpoint, slots: 1, yieldingSlots: 1 };
    const lease = { leaseToken: randomUUID(), processNumber: null };
    expect(await claimDeliveries(client, [budget], lease)).toHaveLength(1);
    // Not committed yet: its row is locked, and still looks as if nobody had it.
    expect((await lab.claim(endpoint)).map(({ eventId }) => eventId)).toEqual([alone]);
  } finally {
    await client.query('rollback');
    client.release();
  }
  // The claimer died before its commit: both are there, in their order.
  expect(await lab.claim(endpoint)).toHaveLength(2);
});
