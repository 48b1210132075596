import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromUuid, newUuid } from '../../src/ids.ts';
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
const CONVERSATIONS = [
  'conversation.started',
  'knowledge.gap.detected',
  'escalation.requested',
  'escalation.accepted',
  'conversation.ended',
  'conversation.transcript.ready',
] as const;

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
  const nobodys = { user_id: undefined, metadata: undefined };
  const anonymous = await emit('conversation.ended', nobodys);
  const whose = await emit('conversation.ended');
  const delivery = await fixture.startDelivery();
  for (const id of [odd, ready, named, anonymous, whose]) {
    await fixture.deliveryWhen(id, ({ attempts }) => attempts.length === 1);
  }
  await delivery.stop();
  const erase = () => eraseEvents(fixture.pool, { conversationId, events: 'cancel', erased: '…' });
  const first = await erase();
  expect(first).toMatchObject({ erased: 4, canceledCount: 4 });
  // In the order of their ids, which is random within a millisecond.
  const canceled = first.canceled.map(({ eventId }) => eventId);
  expect(canceled.toSorted()).toEqual([odd, ready, named, whose].toSorted());
  expect(await erase()).toEqual({ erased: 0, canceled: [], canceledCount: 0 });
  for (const id of [odd, ready, named, whose]) {
    const body = await bodyOf(id);
    expect(Object.keys(body)).toEqual(['id', 'type', 'created', 'data']);
    expect(body.data).toEqual({});
    const { status, attempts } = await fixture.deliveryOf(id);
    expect({ status, response: attempts[0]!.responseBody }).toEqual({
      status: 'canceled',
      response: null,
    });
  }
  const { user_id: _, metadata: __, ...told } = EVENT_SAMPLES['conversation.ended'];
  expect((await bodyOf(anonymous)).data).toEqual(told);
  expect((await fixture.deliveryOf(anonymous)).attempts[0]!.responseBody).toContain('secret words');
});

test('a delivery that slips in while its event is erased is canceled and not sent', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const erased = await emit('conversation.transcript.ready');
  await eraseEvents(fixture.pool, { conversationId, events: 'cancel', erased: '…' });
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

const ERASED = '[gone]';
const goOn = () => eraseEvents(fixture.pool, { conversationId, events: 'deliver', erased: ERASED });

test('what is on its way goes on without words, signed anew, and cannot be replayed', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  const ids = [];
  for (const type of CONVERSATIONS) ids.push(await emit(type));
  expect(await goOn()).toEqual({ erased: CONVERSATIONS.length, canceled: [], canceledCount: 0 });
  expect((await goOn()).erased).toBe(0);
  await fixture.startDelivery();
  for (const id of ids) await fixture.deliveryWhen(id, ({ status }) => status === 'delivered');
  for (const { body } of receiver.received) {
    const { id, type, data } = JSON.parse(body.toString());
    expect(ids.map((uuid) => fromUuid('evt', uuid))).toContain(id);
    const sample: Record<string, unknown> = { ...EVENT_SAMPLES[type as EventType] };
    delete sample['user_id'];
    delete sample['metadata'];
    delete sample['judgement']; // All of it is words.
    for (const field of ['summary', 'question']) if (field in sample) sample[field] = ERASED;
    if (type === 'escalation.requested') sample['reason'] = ERASED;
    expect(data).toEqual(sample);
    expect(Object.keys(data)).toEqual(Object.keys(sample));
  }
  expect(receiver.received).toHaveLength(CONVERSATIONS.length);
  for (const id of ids) {
    expect((await readEvent(fixture.pool, { namespace: 'default', id }))!.erasedAt).not.toBeNull();
  }
});

test('an attempt that was under way does not count; what it was answered is not kept', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  const held: (() => void)[] = [];
  receiver.answer(({ body }, response) => {
    const echo = () => void response.writeHead(500).end(`you said: ${body.toString()}`);
    if (held.length === 0) held.push(echo);
    else response.writeHead(204).end();
  });
  const id = await emit('conversation.transcript.ready');
  await fixture.startDelivery();
  await fixture.eventually(async () => held.length === 1);
  await goOn();
  held[0]!();
  await fixture.deliveryWhen(id, ({ status }) => status === 'delivered');
  const { attempts } = await fixture.deliveryOf(id);
  expect(attempts.map(({ errorClass, responseBody }) => [errorClass, responseBody])).toEqual([
    ['lost_lease', null],
    [null, expect.anything()],
  ]);
  expect(JSON.stringify(attempts)).not.toContain(
    EVENT_SAMPLES['conversation.transcript.ready'].summary,
  );
  const [, second] = receiver.received;
  expect(JSON.parse(second!.body.toString()).data.summary).toBe(ERASED);
});
