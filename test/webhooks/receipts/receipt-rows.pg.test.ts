import { describe, expect, test } from 'vitest';
import { newUuid, nextUuid } from '../../../src/ids.ts';
import {
  findSent,
  insertMissing,
  listErased,
  readSent,
  type SentSpan,
} from '../../../src/webhooks/receipts/receipts.sql.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each statement about what an endpoint was sent, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES);
const { addEvent, addQueued, addDelivery } = queueRows(stored);

const [OWN, OTHER] = [newUuid(), newUuid()];
const [FIRST, LAST] = [newUuid(Date.now() - 60_000), newUuid(Date.now() + 60_000)];

const sent = (over: Partial<SentSpan> = {}, size = 100) =>
  readSent(stored.pool, { endpointId: OWN, from: FIRST, to: LAST, ...over }, size);
const sentIds = async (over: Partial<SentSpan> = {}): Promise<string[]> =>
  (await sent(over)).events.map(({ id }) => id);

describe.each([
  ['finished', addDelivery, true],
  ['queued', addQueued, false],
] as const)('events with a %s delivery', (_, add, isDelivered) => {
  test('are of the endpoint', async () => {
    const event_id = await addEvent();
    await add({ event_id, endpoint_id: OWN });
    await add({ event_id: await addEvent(), endpoint_id: OTHER });
    const events = [{ id: event_id, isDelivered, isQueued: !isDelivered }];
    expect(await sent()).toMatchObject({ events, next: null });
  });

  test('begin with the first one of the span and end before the last one', async () => {
    const events = [await addEvent(), await addEvent(), await addEvent(), await addEvent()];
    for (const event_id of events) await add({ event_id, endpoint_id: OWN });
    expect(await sentIds({ from: events[1]!, to: events[3]! })).toEqual([events[1], events[2]]);
  });

  test('are no tests, and neither are replays of tests', async () => {
    const event = await addEvent({ endpoint_id: OWN });
    const replayed = await addEvent();
    await add({
      event_id: await addEvent({ endpoint_id: OWN }),
      endpoint_id: OWN,
      trigger: 'test',
    });
    await add({ event_id: event, endpoint_id: OWN, trigger: 'replay', test: true });
    await add({ event_id: replayed, endpoint_id: OWN, trigger: 'replay' });
    expect(await sentIds()).toEqual([replayed]);
  });

  test('fill a page with all deliveries of its last event', async () => {
    const events = [await addEvent(), await addEvent(), await addEvent()];
    for (const event_id of events) await add({ event_id, endpoint_id: OWN });
    const page = await sent({}, 2);
    expect(page.events.map(({ id }) => id)).toEqual(events.slice(0, 2));
    expect(page.next).toBe(nextUuid(events[1]!));
  });
});

test('events whose deliveries were all canceled were not sent', async () => {
  const canceled = { endpoint_id: OWN, status: 'canceled' };
  const events = [await addEvent(), await addEvent(), await addEvent()];
  await addDelivery({ ...canceled, event_id: events[0]! });
  await addDelivery({ ...canceled, event_id: events[1]! });
  await addDelivery({ ...canceled, event_id: events[2]! });
  await addDelivery({ endpoint_id: OWN, event_id: events[2]!, status: 'failed' });
  expect(await sentIds()).toEqual([events[2]]);
  expect(await sent({}, 2)).toEqual({ events: [], next: nextUuid(events[1]!) });
  expect(await findSent(stored.pool, { endpointId: OWN, ids: events })).toEqual(
    expect.arrayContaining([
      { id: events[0], isCounted: false },
      { id: events[1], isCounted: false },
      { id: events[2], isCounted: true },
    ]),
  );
});

test.each([
  ['finished', addDelivery],
  ['queued', addQueued],
] as const)('of given events those with a %s delivery are found', async (_, add) => {
  const [event, tried] = [await addEvent(), await addEvent({ endpoint_id: OWN })];
  await add({ event_id: event, endpoint_id: OWN });
  await add({ event_id: tried, endpoint_id: OWN, trigger: 'test' });
  const foreign = await addEvent();
  await add({ event_id: foreign, endpoint_id: OTHER });
  await add({ event_id: await addEvent(), endpoint_id: OWN });
  const found = await findSent(stored.pool, { endpointId: OWN, ids: [event, tried, foreign] });
  expect(found.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: event, isCounted: true },
    { id: tried, isCounted: false },
  ]);
  expect(await findSent(stored.pool, { endpointId: OWN, ids: [] })).toEqual([]);
});

test('events that lost their words are found among the given ones', async () => {
  const erased = await addEvent({ erased_at: new Date() });
  const redacted = await addEvent({ redacted_at: new Date() });
  const whole = await addEvent();
  await addEvent({ erased_at: new Date() });
  expect(await listErased(stored.pool, [erased, redacted, whole])).toEqual([erased, redacted]);
  expect(await listErased(stored.pool, [])).toEqual([]);
});

test('missing deliveries are made of given events of the namespace that wait nowhere and have their words', async () => {
  const due = await addEvent({ type: 'agent.rolled_back' });
  const waitsElsewhere = await addEvent();
  await addQueued({ event_id: waitsElsewhere, endpoint_id: OTHER });
  const waits = await addEvent();
  await addQueued({ event_id: waits, endpoint_id: OWN });
  const unwanted = [
    waits,
    await addEvent({ namespace: 'other' }),
    await addEvent({ erased_at: new Date() }),
    await addEvent({ redacted_at: new Date() }),
  ];
  await addEvent();
  const requestId = newUuid();
  const made = await insertMissing(stored.pool, {
    namespace: 'default',
    endpointId: OWN,
    ids: [due, waitsElsewhere, ...unwanted],
    requestId,
  });
  expect(made.map(({ eventId }) => eventId)).toEqual([due, waitsElsewhere]);
  expect(await stored.rowOf('delivery_queue', made[0]!.id)).toMatchObject({
    endpoint_id: OWN,
    event_type: 'agent.rolled_back',
    trigger: 'replay',
    bulk: true,
    job_id: requestId,
  });
});
