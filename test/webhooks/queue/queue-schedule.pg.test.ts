import { afterAll, beforeAll, expect, test } from 'vitest';
import { attempt } from '../../../src/webhooks/delivery/attempt.ts';
import {
  attemptOffsetsMs,
  SCHEDULED_ATTEMPTS,
} from '../../../src/webhooks/delivery/retry-schedule.ts';
import type { EgressOutcome } from '../../../src/platform/egress/client.ts';
import { completeAttempts } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { finishExpired } from '../../../src/webhooks/queue/delivery-endings.sql.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';
import type { DeliveryRow } from '../../../src/webhooks/queue/deliveries.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** 72 hours of failure through the real statements; the rows move into the past instead of waiting. */
const HOUR = 3_600_000;
let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await startDeliveryFixture();
});

afterAll(async () => {
  await fixture.stop();
});

type Failure = { durationMs: number; retryAfter?: string; waitMs?: (attempt: number) => number };

async function fail(
  claimed: ClaimedDelivery,
  { durationMs, retryAfter }: Failure,
): Promise<boolean> {
  let nowMs = 0;
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const { result } = await attempt(
    {
      send: (): Promise<EgressOutcome> => {
        nowMs += durationMs;
        const body = Promise.resolve(Buffer.from('no'));
        const answer = { statusCode: 503, headers, durationMs, body };
        return Promise.resolve({ kind: 'response', ...answer, isWhole: Promise.resolve(true) });
      },
      secrets: fixture.sealer,
      userAgent: 'parley/test',
      nowMs: () => nowMs,
      wallMs: Date.now,
    },
    { ...claimed, body: claimed.body! },
  );
  return (await completeAttempts(fixture.pool, [result])).has(claimed.id);
}

/** So close to its time nothing is due yet; a busy machine takes a while to ask. */
const CLOSE_MS = 1_000;

type Moment = { ageMs: number; dueMs: number; seen: DeliveryRow };

/** One delivery from its first attempt to its end; what the database said at each step. */
async function live(endpoint: string, eventId: string, failure: Failure): Promise<Moment[]> {
  const moments: Moment[] = [];
  const where = `event_id = '${eventId}'`;
  for (;;) {
    const { rows } = await fixture.pool.query<{ until: number; due: number }>(
      `select extract(epoch from run_at - now())::float8 * 1000 as until,
              extract(epoch from due_at - scheduled_from)::float8 * 1000 as due
         from delivery_queue where ${where}`,
    );
    const [row] = rows;
    if (!row) return moments;
    if (row.until > CLOSE_MS) {
      await fixture.travel(row.until - CLOSE_MS, where);
      expect(await fixture.claim(endpoint)).toEqual([]); // Not a moment before it is due.
      await fixture.travel(CLOSE_MS + 1, where);
    }
    await fixture.travel(failure.waitMs?.(moments.length + 1) ?? 0, where);
    const seen = await fixture.deliveryOf(eventId);
    const [claimed] = await fixture.claim(endpoint);
    if (!claimed) return moments;
    expect(claimed.attempt).toBe(moments.length + 1);
    moments.push({ ageMs: claimed.ageMs, dueMs: row.due, seen });
    expect(await fail(claimed, failure)).toBe(true);
  }
}

test.each([
  ['at once', { durationMs: 3 }],
  ['by time-out', { durationMs: 10_250 }],
  ['asking for patience', { durationMs: 40, retryAfter: '7200' }],
] as [string, Failure][])(
  'F-28: deliveries whose receiver fails %s follow their schedule for three days and end as failed',
  async (name, failure) => {
    const namespace = name.replaceAll(' ', '-');
    for (let i = 0; i < 7; i += 1) {
      const endpoint = await fixture.addEndpoint({ namespace: `${namespace}-${i}` });
      const eventId = await fixture.emit({ namespace: `${namespace}-${i}` });
      const moments = await live(endpoint, eventId, failure);
      const end = await fixture.deliveryOf(eventId);
      const offsets = attemptOffsetsMs(end.id);

      expect(moments.length).toBeGreaterThanOrEqual(12);
      const due = moments.map(({ dueMs }) => dueMs);
      expect(due).toEqual([...due].sort((a, b) => a - b));
      expect(new Set(due).size).toBe(due.length);
      const last = moments.at(-1)!;
      expect(last.ageMs).toBeGreaterThanOrEqual(68 * HOUR);
      expect(last.ageMs).toBeLessThanOrEqual(72 * HOUR);
      if (failure.retryAfter === undefined) {
        expect(moments[1]!.dueMs - failure.durationMs).toBeLessThanOrEqual(10_000);
        // Every moment the database got is one of the schedule, or the end of the attempt before it.
        for (const { dueMs } of moments.slice(3)) {
          expect(offsets.some((at) => Math.abs(at - dueMs) < 1)).toBe(true);
        }
        expect(moments.length).toBeGreaterThanOrEqual(SCHEDULED_ATTEMPTS - 1);
      } else {
        for (const { dueMs } of moments.slice(1)) {
          const before = offsets.filter((at) => at <= dueMs + 1).at(-1)!;
          expect(dueMs - before).toBeLessThanOrEqual(600_001);
        }
      }
      for (const [i, { seen }] of moments.entries()) {
        expect(seen).toMatchObject({ status: i === 0 ? 'pending' : 'retrying', attemptCount: i });
        expect(Number.isInteger(seen.nextAttemptAt)).toBe(true);
        expect(seen.attempts).toHaveLength(i);
      }
      expect(end).toMatchObject({
        status: 'failed',
        nextAttemptAt: null,
        attemptCount: moments.length,
      });
      expect(end.attempts.map(({ number }) => number)).toEqual(moments.map((_, i) => i + 1));
      expect(new Set(end.attempts.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
    }
  },
  60_000,
);

test('twenty hours of our own downtime cost the attempts of those hours and no other', async () => {
  const endpoint = await fixture.addEndpoint({ namespace: 'down' });
  const eventId = await fixture.emit({ namespace: 'down' });
  const waitMs = (n: number): number => (n === 4 ? 20 * HOUR : 0);
  const moments = await live(endpoint, eventId, { durationMs: 3, waitMs });
  const end = await fixture.deliveryOf(eventId);
  const offsets = attemptOffsetsMs(end.id);
  const late = moments[3]!.ageMs;
  expect(late).toBeGreaterThan(20 * HOUR);
  expect(moments.slice(4).map(({ dueMs }) => Math.round(dueMs))).toEqual(
    offsets.filter((at) => at > late),
  );
  expect(end).toMatchObject({ status: 'failed', attemptCount: moments.length });
});

test('F-28: four days of downtime: no attempt after 72 hours, it fails with what it has', async () => {
  const endpoint = await fixture.addEndpoint({ namespace: 'gone' });
  const eventId = await fixture.emit({ namespace: 'gone' });
  const waitMs = (n: number): number => (n === 3 ? 96 * HOUR : 0);
  const moments = await live(endpoint, eventId, { durationMs: 3, waitMs });
  expect(moments).toHaveLength(2);
  expect(await finishExpired(fixture.pool)).toBe(1);
  expect(await fixture.deliveryOf(eventId)).toMatchObject({ status: 'failed', attemptCount: 2 });
});
