import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { newUuid } from '../../src/ids.ts';
import { EVENT_SAMPLES } from '../../src/events/samples.ts';
import type { EventType } from '../../src/events/event-types.ts';
import { emitEvent } from '../../src/events/emit-event.ts';
import { eraseEvents } from '../../src/webhooks/queue/delivery-endings.sql.ts';
import { readEvent } from '../../src/events/events.sql.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../webhooks/delivery-setup.ts';

/** Words of a conversation leave what is stored of its events, and nothing of them is sent again. */
let fixture: DeliveryFixture;
let receiver: Receiver;
const conversationId = newUuid();

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
});
afterEach(async () => {
  await fixture.stop();
  await receiver.close();
});

async function emit(type: EventType, change: object = {}): Promise<string> {
  const data = { ...EVENT_SAMPLES[type], ...change } as never;
  const { eventId } = await emitEvent(
    fixture.pool,
    { namespace: 'default', type, data, conversationId },
    Date.now(),
  );
  return eventId;
}

const bodyOf = async (id: string) =>
  JSON.parse((await readEvent(fixture.pool, { namespace: 'default', id }))!.body.toString());

test('the words go, whatever characters they have; what has none stays; receivers’ answers go too', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  receiver.answer((_, response) => void response.writeHead(500).end('you said: secret words'));
  const odd = await emit('knowledge.gap.detected', { question: 'nul \0, \u2028 and 💬' });
  const ready = await emit('conversation.transcript.ready');
  const named = await emit('conversation.started', { user_id: 'u_1' });
  const anonymous = await emit('conversation.ended');
  const delivery = await fixture.startDelivery();
  for (const id of [odd, ready, named, anonymous]) {
    await fixture.deliveryWhen(id, ({ attempts }) => attempts.length === 1);
  }
  await delivery.stop();
  expect(await eraseEvents(fixture.pool, { conversationId })).toEqual({ erased: 3, canceled: 3 });
  expect(await eraseEvents(fixture.pool, { conversationId })).toEqual({ erased: 0, canceled: 0 });
  for (const id of [odd, ready, named]) {
    const body = await bodyOf(id);
    expect(Object.keys(body)).toEqual(['id', 'type', 'created', 'data']);
    expect(body.data).toEqual({});
    const { status, attempts } = await fixture.deliveryOf(id);
    expect({ status, response: attempts[0]!.responseBody }).toEqual({
      status: 'canceled',
      response: null,
    });
  }
  expect((await bodyOf(anonymous)).data).toEqual(EVENT_SAMPLES['conversation.ended']);
  expect((await fixture.deliveryOf(anonymous)).attempts[0]!.responseBody).toContain('secret words');
});

test('a delivery that slips in while its event is erased is canceled and not sent', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const erased = await emit('conversation.transcript.ready');
  await eraseEvents(fixture.pool, { conversationId });
  await fixture.pool.query(
    `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
     values (parley_uuid_v7(), 'default', $1, $2, 'conversation.transcript.ready', 'replay')`,
    [endpoint, erased],
  );
  await fixture.startDelivery();
  const witness = await fixture.emit();
  await fixture.deliveryWhen(witness, ({ status }) => status === 'delivered');
  await fixture.eventually(async () => {
    const { rows } = await fixture.pool.query<{ status: string; attempts: number }>(
      `select status, attempt_count as attempts from deliveries where event_id = $1 order by id desc`,
      [erased],
    );
    return rows.length === 2 && rows[0]!.status === 'canceled' && rows[0]!.attempts === 0;
  });
  expect(receiver.received).toHaveLength(1);
});
