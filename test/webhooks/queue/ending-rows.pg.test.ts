import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  cancelClaimed,
  cancelDeliveries,
  cancelJobDeliveries,
  eraseEvents,
  finishExpired,
} from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import { DEADLINE_MS } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { QUEUE_TABLES, queueRows } from '../queue-rows.ts';

/** Each way that a delivery ends without an answer, with rows that differ in one part from the row that it is for. */

const stored = useRows(...QUEUE_TABLES);
const { addEvent, addQueued, addDelivery } = queueRows(stored);

const [OWN, OTHER, JOB, TOKEN] = [newUuid(), newUuid(), newUuid(), newUuid()];
const LEASED = { lease_token: TOKEN, leased_at: minutesAgo(2), attempt: 1 };
const [PAST, LATER] = [minutesAgo(1), minutesAgo(-60)];
const QUEUED = { endpoint_id: OWN, run_at: PAST };

const queuedIds = async (): Promise<unknown[]> =>
  (await stored.read('delivery_queue')).map(({ id }) => id);

describe('a delivery that is not acknowledged in time', () => {
  const EXPIRED = { ...QUEUED, scheduled_from: new Date(Date.now() - DEADLINE_MS - 1_000) };

  test('fails, unless somebody attempts it', async () => {
    const id = await addQueued(EXPIRED);
    const kept = [
      await addQueued({ ...EXPIRED, ...LEASED, run_at: LATER }),
      await addQueued({ ...EXPIRED, scheduled_from: PAST }),
    ];
    expect(await finishExpired(stored.pool)).toBe(1);
    expect(await stored.rowOf('deliveries', id)).toMatchObject({ status: 'failed' });
    expect(await queuedIds()).toEqual(kept);
  });

  test('has its lost attempt recorded, with what started it', async () => {
    await addQueued(EXPIRED);
    const ids = [
      await addQueued({ ...EXPIRED, ...LEASED }),
      await addQueued({ ...EXPIRED, ...LEASED, manual: true }),
    ];
    await finishExpired(stored.pool);
    const attempts = await stored.read('delivery_attempts', 'delivery_id');
    expect(attempts.map((row) => [row['delivery_id'], row['trigger']])).toEqual([
      [ids[0], 'schedule'],
      [ids[1], 'manual'],
    ]);
    expect(attempts[0]).toMatchObject({ number: 1, error_class: 'lost_lease' });
  });

  test.each([{ test: true }, { trigger: 'test' }])('is not counted with %j', async (columns) => {
    await addQueued({ ...EXPIRED, ...columns });
    expect(await finishExpired(stored.pool)).toBe(0);
    expect(await queuedIds()).toEqual([]);
  });
});

describe('a cancellation', () => {
  test('of an endpoint leaves those of others', async () => {
    const id = await addQueued({ ...QUEUED, ...LEASED });
    const other = await addQueued({ ...QUEUED, endpoint_id: OTHER });
    expect(await cancelDeliveries(stored.pool, OWN)).toBe(1);
    const canceled = { status: 'canceled', attempt_count: 0 };
    expect(await stored.rowOf('deliveries', id)).toMatchObject(canceled);
    expect(await queuedIds()).toEqual([other]);
  });

  test('of a job leaves what somebody attempts', async () => {
    const made = { ...QUEUED, job_id: JOB };
    await addQueued({ ...made, run_at: LATER });
    await addQueued({ ...made, ...LEASED });
    const kept = [
      await addQueued({ ...made, endpoint_id: OTHER }),
      await addQueued({ ...made, job_id: newUuid() }),
      await addQueued(QUEUED),
      await addQueued({ ...made, ...LEASED, run_at: LATER }),
    ];
    expect(await cancelJobDeliveries(stored.pool, { endpointId: OWN, jobId: JOB })).toBe(2);
    expect(await queuedIds()).toEqual(kept);
  });

  test('of what was claimed takes these ids of this claim', async () => {
    const id = await addQueued({ ...QUEUED, ...LEASED });
    const foreign = await addQueued({ ...QUEUED, ...LEASED, lease_token: newUuid() });
    const unnamed = await addQueued({ ...QUEUED, ...LEASED });
    expect(await cancelClaimed(stored.pool, [id, foreign], TOKEN)).toBe(1);
    expect(await queuedIds()).toEqual([foreign, unnamed]);
  });
});

describe('an erasure', () => {
  const conversationId = newUuid();
  const addConversationEvent = (of = conversationId): Promise<string> => {
    const data = { summary: 'words' };
    const body = Buffer.from(JSON.stringify({ type: 'conversation.transcript.ready', data }));
    return addEvent({ type: 'conversation.transcript.ready', conversation_id: of, body });
  };
  const erase = (events: 'cancel' | 'deliver') =>
    eraseEvents(stored.pool, { conversationId, events, erased: 'erased' });
  const rowOf = async (id: string): Promise<Columns> => (await stored.rowOf('delivery_queue', id))!;

  test('takes the answers to its deliveries away, and those of no others', async () => {
    const [event_id, other] = [await addConversationEvent(), await addConversationEvent(newUuid())];
    const finished = await addDelivery({ endpoint_id: OWN, event_id });
    const queued = await addQueued({ ...QUEUED, event_id });
    const others = [
      await addDelivery({ endpoint_id: OWN, event_id: other }),
      await addQueued({ ...QUEUED, event_id: other }),
    ];
    const answers = [{ response_body: 'words' }, { error_message: 'words' }];
    for (const delivery_id of [finished, queued, ...others]) {
      for (const [i, answer] of answers.entries()) {
        const attempt = { number: i + 1, trigger: 'schedule', started_at: PAST };
        await stored.add('delivery_attempts', { delivery_id, ...attempt, ...answer });
      }
    }
    expect(await erase('deliver')).toMatchObject({ erased: 1, canceledCount: 0 });
    const kept = (await stored.read('delivery_attempts', 'delivery_id, number')).filter(
      (row) => row['response_body'] !== null || row['error_message'] !== null,
    );
    const expected = others.toSorted().flatMap((id) => [id, id]);
    expect(kept.map((row) => row['delivery_id'])).toEqual(expected);
  });

  test('cancels its deliveries, and no others', async () => {
    const [event_id, other] = [await addConversationEvent(), await addConversationEvent(newUuid())];
    const id = await addQueued({ ...QUEUED, event_id });
    const kept = await addQueued({ ...QUEUED, event_id: other });
    const { canceled, canceledCount } = await erase('cancel');
    expect(canceled).toMatchObject([{ deliveryId: id, eventId: event_id, endpointId: OWN }]);
    expect(canceledCount).toBe(1);
    expect(await queuedIds()).toEqual([kept]);
  });

  test('takes attempts from those who make them, and lets none begin within a second', async () => {
    const [event_id, other] = [await addConversationEvent(), await addConversationEvent(newUuid())];
    const [due, waiting, leased, foreign] = [
      await addQueued({ ...QUEUED, event_id }),
      await addQueued({ ...QUEUED, event_id, run_at: LATER }),
      await addQueued({ ...QUEUED, event_id, ...LEASED, run_at: LATER }),
      await addQueued({ ...QUEUED, event_id: other, ...LEASED }),
    ];
    await erase('deliver');
    expect(await rowOf(waiting)).toMatchObject({ run_at: LATER.getTime(), lease_token: null });
    expect(await rowOf(foreign)).toMatchObject({ run_at: PAST.getTime(), lease_token: TOKEN });
    const soon = (await rowOf(due))['run_at'] as number;
    expect(soon).toBeGreaterThan(PAST.getTime());
    expect(await rowOf(due)).toMatchObject({ lease_token: null });
    expect(await rowOf(leased)).toMatchObject({ run_at: soon });
    expect((await rowOf(leased))['lease_token']).not.toBe(TOKEN);
    expect((await rowOf(leased))['lease_token']).not.toBeNull();
  });
});
