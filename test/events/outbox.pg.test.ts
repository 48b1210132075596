import { afterEach, beforeEach, expect, test } from 'vitest';
import { markEndpointDeleted } from '../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../webhooks/delivery-setup.ts';

let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const queuedFor = async (eventId: string): Promise<string[]> => {
  const { rows } = await fixture.pool.query<{ id: string }>(
    'select endpoint_id as id from delivery_queue where event_id = $1 order by 1',
    [eventId],
  );
  return rows.map(({ id }) => id);
};

test('an event is queued for those who are there, enabled and subscribed, in its namespace', async () => {
  const [all, group, type] = [
    await fixture.addEndpoint(),
    await fixture.addEndpoint({ eventTypes: ['agent.*'] }),
    await fixture.addEndpoint({ eventTypes: ['conversation.ended', 'agent.published'] }),
  ];
  await fixture.addEndpoint({ eventTypes: ['agent.rolled_back', 'conversation.*'] });
  await fixture.addEndpoint({ enabled: false });
  // Before and after it in the alphabet.
  const others = ['a', 'z'].map((namespace) => fixture.addEndpoint({ namespace }));
  const deleted = await fixture.addEndpoint();
  await markEndpointDeleted(fixture.pool, { namespace: 'default', name: deleted });
  expect(await queuedFor(await fixture.emit())).toEqual([all, group, type].sort());
  expect(await queuedFor(await fixture.emit({ namespace: 'a' }))).toEqual([await others[0]]);
});
