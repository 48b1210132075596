import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { addDeliveryProcess } from '../../../src/webhooks/queue/delivery-processes.sql.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startLab, type Lab } from '../delivery-setup.ts';

/** What the delivery role does besides delivering, and at its start for the first time. */
let lab: Lab;
let receiver: Receiver;

beforeEach(async () => {
  lab = await startLab();
  receiver = await startReceiver();
});

afterEach(async () => {
  await lab.stop();
  await receiver.close();
});

test('it takes over from who died, and ends what has expired', async () => {
  const endpoint = await lab.addEndpoint({ url: receiver.url });
  const expired = await lab.emit();
  await lab.travel(73 * 3_600_000);
  const leased = await lab.emit();
  // Killed before the answer: its number is there, and no session that holds it.
  const lease = { leaseToken: randomUUID(), processNumber: await addDeliveryProcess(lab.pool) };
  const budget = { endpointId: endpoint, slots: 5, yieldingSlots: 5 };
  expect(await claimDeliveries(lab.pool, [budget], lease)).toMatchObject([{ eventId: leased }]);
  await lab.startDelivery();
  // Long before its lease has run out.
  await lab.deliveryWhen(leased, ({ status }) => status === 'delivered', 10_000);
  await lab.deliveryWhen(expired, ({ status }) => status === 'failed', 10_000);
  expect(receiver.received.map(({ headers }) => headers['parley-delivery-attempt'])).toEqual(['2']);
});
