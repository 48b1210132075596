import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  nextAttemptOffsetMs,
  SCHEDULED_ATTEMPTS,
} from '../../../src/webhooks/delivery/retry-schedule.ts';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { replayEvent } from '../../../src/webhooks/replay/replay-event.ts';
import type { DeliveryRow } from '../../../src/webhooks/queue/deliveries.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';
import { startReceiver, type Received, type Receiver } from '../receiver.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * Three days of failure (rows F-28 and F-29 of the fault matrix): a property of the schedule on a clock
 * of our own, and the real engine with rows that move into the past instead of waiting.
 */
const SECOND = 1_000;
const HOUR = 3_600_000;
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);

let fixture: DeliveryFixture;
let receiver: Receiver;

beforeAll(async () => {
  console.info(`horizon: FAULT_SEED=${SEED}`);
  fixture = await startDeliveryFixture();
  await fixture.startDelivery();
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** What a receiver that never acknowledges does with one attempt, and how late that began. */
type Refusal = { tookMs: number; retryAfterSec: number; lateMs?: number };

/** When each attempt of a delivery begins, ms after its event, until there is none. */
function horizon(deliveryId: string, refusals: readonly Refusal[]): number[] {
  const starts: number[] = [];
  for (let dueMs: number | null = 0; dueMs !== null;) {
    const { tookMs, retryAfterSec, lateMs = 0 } = refusals[starts.length % refusals.length]!;
    const startedMs: number = dueMs + lateMs;
    if (startedMs >= 72 * HOUR) break; // The claim takes nothing that old.
    starts.push(startedMs);
    const retryAfterMs = retryAfterSec * SECOND;
    dueMs = nextAttemptOffsetMs({ deliveryId, startedMs, ageMs: startedMs + tookMs, retryAfterMs });
  }
  return starts;
}

const isRising = (moments: readonly number[]): boolean =>
  moments.every((at, i) => i === 0 || at > moments[i - 1]!);
const refusal = fc.record({
  tookMs: fc.integer({ min: 0, max: 10_250 }),
  retryAfterSec: fc.constantFrom(0, 0, 0, 1, 60, 600, 3_600, 1e9, Infinity),
});

test('F-28: thousands of horizons: 12 attempts or more, the first at once, the last in hours 68 to 72', () => {
  const lasts: number[] = [];
  fc.assert(
    fc.property(fc.array(refusal, { minLength: 1, maxLength: 20 }), (refusals) => {
      const starts = horizon(newUuid(), refusals);
      const last = starts.at(-1)!;
      lasts.push(last);
      return (
        starts[0] === 0 &&
        starts.length >= 12 &&
        starts.length <= SCHEDULED_ATTEMPTS &&
        isRising(starts) &&
        last >= 68 * HOUR &&
        last <= 72 * HOUR
      );
    }),
    { numRuns: IS_NIGHTLY ? 10_000 : 1_000, seed: SEED },
  );
  // Receivers that were down together are not called together: the last ones fill three hours.
  expect(Math.max(...lasts) - Math.min(...lasts)).toBeGreaterThan(2.5 * HOUR);
});

test('F-28: whatever downtime of ours comes between, nothing begins twice or after 72 hours', () => {
  const late = fc.record({
    tookMs: fc.integer({ min: 0, max: 10_250 }),
    retryAfterSec: fc.constantFrom(0, 60, Infinity),
    lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 * HOUR })),
  });
  fc.assert(
    fc.property(fc.array(late, { minLength: 3, maxLength: 8 }), (refusals) => {
      const starts = horizon(newUuid(), refusals);
      return isRising(starts) && starts.every((at) => at < 72 * HOUR);
    }),
    { numRuns: IS_NIGHTLY ? 2_000 : 300, seed: SEED },
  );
});

/** The receiver acknowledges everything but this event. */
const refuseOnly = (eventId: string): void =>
  receiver.answer(({ json }, response) => {
    response.writeHead(json.id === fromUuid('evt', eventId) ? 500 : 200).end('said');
  });

/** What the receiver got of this event. */
const arrivals = (eventId: string): Received[] =>
  receiver.received.filter(({ json }) => json.id === fromUuid('evt', eventId));

/** Lets the real engine fail this delivery again and again, until `stop` says so or it is over. */
async function liveThrough(eventId: string, namespace: string, stop: (d: DeliveryRow) => boolean) {
  const where = `event_id = '${eventId}'`;
  for (let attempts = 1; ; attempts += 1) {
    const seen = await fixture.deliveryWhen(eventId, (d) => d.attempts.length === attempts);
    if (seen.status === 'failed' || stop(seen)) return seen;
    // An event that arrives in between keeps the breaker shut: its pauses would be waited for.
    const other = await fixture.emit({ namespace });
    await fixture.deliveryWhen(other, ({ status }) => status === 'delivered');
    const { rows } = await fixture.pool.query<{ ms: number }>(
      `select extract(epoch from run_at - now())::float8 * 1000 as ms
         from delivery_queue where ${where}`,
    );
    await fixture.travel(Math.max(0, rows[0]!.ms), where);
  }
}

/** An event that the receiver refuses from its first attempt on. */
async function emitRefused(namespace: string): Promise<string> {
  receiver.answer((_, response) => void response.writeHead(500).end());
  const eventId = await fixture.emit({ namespace });
  await receiver.until(() => arrivals(eventId).length > 0);
  refuseOnly(eventId);
  return eventId;
}

test('F-28: three days of failure end as failed, visible with every attempt, quiet, and replayable', async () => {
  const namespace = 'three-days';
  await fixture.addEndpoint({ url: receiver.url, namespace });
  const emitted = await emitRefused(namespace);
  const end = await liveThrough(emitted, namespace, () => false);
  expect(end).toMatchObject({ status: 'failed', nextAttemptAt: null });
  expect(end.attempts.length).toBeGreaterThanOrEqual(12);
  const failed = arrivals(emitted);
  expect(failed.map(({ headers }) => Number(headers['parley-delivery-attempt']))).toEqual(
    end.attempts.map(({ number }) => number),
  );

  // Quiet: nothing is left to attempt, and what is emitted now arrives without it.
  const { rows } = await fixture.pool.query('select from delivery_queue where event_id = $1', [
    emitted,
  ]);
  expect(rows).toEqual([]);
  const later = await fixture.emit({ namespace });
  await fixture.deliveryWhen(later, ({ status }) => status === 'delivered');
  expect(arrivals(emitted)).toHaveLength(failed.length);

  receiver.answer((_, response) => void response.writeHead(200).end());
  const notifier = { notify: () => undefined, stop: () => Promise.resolve() };
  await replayEvent(
    { pool: fixture.pool, notifier, nowMs: Date.now },
    { namespace, id: emitted, endpointId: null },
  );
  await receiver.until(() => arrivals(emitted).length > failed.length);
  expect(new Set(arrivals(emitted).map(({ body }) => body.toString('hex'))).size).toBe(1);
}, 60_000);

test('F-29: an endpoint that returns after 71 hours gets its event', async () => {
  const namespace = 'late';
  await fixture.addEndpoint({ url: receiver.url, namespace });
  const eventId = await emitRefused(namespace);
  const before = await liveThrough(
    eventId,
    namespace,
    ({ attempts }) => attempts.length === SCHEDULED_ATTEMPTS - 1,
  );
  expect(before.status).toBe('retrying');
  const where = `event_id = '${eventId}'`;
  receiver.answer((_, response) => void response.writeHead(200).end());
  // Its last attempt is due between hour 68.5 and 71.5.
  const { rows } = await fixture.pool.query<{ ms: number }>(
    `select greatest(extract(epoch from run_at - now()),
                     71 * 3600 - extract(epoch from now() - scheduled_from))::float8 * 1000 as ms
       from delivery_queue where ${where}`,
  );
  await fixture.travel(rows[0]!.ms, where);
  const end = await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  expect(end.attempts.map(({ number }) => number).at(-1)).toBe(SCHEDULED_ATTEMPTS);
  const bodies = arrivals(eventId).map(({ body }) => body.toString('hex'));
  expect(bodies).toHaveLength(SCHEDULED_ATTEMPTS);
  expect(new Set(bodies).size).toBe(1);
}, 60_000);
