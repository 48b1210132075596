import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { markEndpointDeleted } from '../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { startLab, type Lab } from '../webhooks/delivery-setup.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await startLab();
});

afterEach(async () => {
  await lab.stop();
});

const queuedFor = async (eventId: string): Promise<string[]> => {
  const { rows } = await lab.pool.query<{ id: string }>(
    'select endpoint_id as id from delivery_queue where event_id = $1 order by 1',
    [eventId],
  );
  return rows.map(({ id }) => id);
};

test('an event is queued for those who are there, enabled and subscribed, in its namespace', async () => {
  const [all, group, type] = [
    await lab.addEndpoint(),
    await lab.addEndpoint({ eventTypes: ['agent.*'] }),
    await lab.addEndpoint({ eventTypes: ['conversation.ended', 'agent.published'] }),
  ];
  await lab.addEndpoint({ eventTypes: ['agent.rolled_back', 'conversation.*'] });
  await lab.addEndpoint({ enabled: false });
  // Before and after it in the alphabet.
  const others = ['a', 'z'].map((namespace) => lab.addEndpoint({ namespace }));
  const deleted = await lab.addEndpoint();
  await markEndpointDeleted(lab.pool, { namespace: 'default', name: deleted });
  expect(await queuedFor(await lab.emit())).toEqual([all, group, type].sort());
  expect(await queuedFor(await lab.emit({ namespace: 'a' }))).toEqual([await others[0]]);
});
