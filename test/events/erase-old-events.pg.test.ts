import { afterEach, beforeEach, expect, test } from 'vitest';
import { lowestUuidAt, newUuid } from '../../src/ids.ts';
import { eraseEvents } from '../../src/webhooks/queue/delivery-endings.sql.ts';
import { maintainPartitions } from '../../src/webhooks/queue/partitions.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../webhooks/delivery-setup.ts';

const DAY_MS = 86_400_000;
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

test.each([0, 3, 5, 20, 29])(
  'a delivery that slips in while its event of %s days ago is erased has nothing to send',
  async (days) => {
    const endpoint = await fixture.addEndpoint();
    const atMs = Date.now() - days * DAY_MS;
    await maintainPartitions(fixture.pool, atMs);
    const type = 'conversation.transcript.ready';
    const put = async (conversationId: string): Promise<string> => {
      const id = lowestUuidAt(atMs).replace(/.{12}$/, newUuid().slice(-12));
      await fixture.pool.query(
        `insert into events (id, namespace, type, conversation_id, body)
         values ($1, 'default', '${type}', $2, $3)`,
        [id, conversationId, JSON.stringify({ type, data: { summary: 'words' } })],
      );
      return id;
    };
    const [erasedId, keptId] = [newUuid(), newUuid()];
    const [erased, kept] = [await put(erasedId), await put(keptId)];
    await eraseEvents(fixture.pool, { conversationId: erasedId, events: 'cancel', erased: '…' });
    await fixture.pool.query(
      `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
       select parley_uuid_v7(), 'default', $1, id, type, 'replay' from events`,
      [endpoint],
    );
    const claimed = await fixture.claim(endpoint);
    const bodies = new Map(claimed.map(({ eventId, body }) => [eventId, body?.toString() ?? null]));
    expect(bodies.get(kept)).toContain('words');
    expect(bodies.get(erased)).toBeNull();
  },
);
