import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { addDeliveryProcess } from '../../../src/webhooks/queue/delivery-processes.sql.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** What the delivery role does besides delivering, and at its start for the first time. */
let fixture: DeliveryFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
});

afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

test('it takes over from who died, and ends what has expired', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const expired = await fixture.emit();
  await fixture.travel(73 * 3_600_000);
  const leased = await fixture.emit();
  // Killed before the answer: its number is there, and no session that holds it.
  const lease = { leaseToken: randomUUID(), processNumber: await addDeliveryProcess(fixture.pool) };
  const budget = { endpointId: endpoint, slots: 5, yieldingSlots: 5 };
  expect(await claimDeliveries(fixture.pool, [budget], lease)).toMatchObject([{ eventId: leased }]);
  await fixture.startDelivery();
  // Long before its lease has run out.
  await fixture.deliveryWhen(leased, ({ status }) => status === 'delivered', 10_000);
  await fixture.deliveryWhen(expired, ({ status }) => status === 'failed', 10_000);
  expect(receiver.received.map(({ headers }) => headers['parley-delivery-attempt'])).toEqual(['2']);
});
