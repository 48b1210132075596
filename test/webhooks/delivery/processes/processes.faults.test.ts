import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ATTEMPT_TIMEOUT_MS } from '../../../../src/webhooks/delivery/attempt.ts';
import { SLOTS_MAX } from '../../../../src/webhooks/delivery/slots.ts';
import { LEASE_MS } from '../../../../src/webhooks/queue/dispatch-queue.ts';
import type { DeliveryProcess } from './delivery-process.ts';
import { startDeliveryHarness, type DeliveryHarness } from './delivery-harness.ts';
import { createSeeded } from '../../../random/seeded.ts';

/**
 * Delivery processes are killed, paused, blocked and stopped: nothing is lost, what is sent twice
 * was in flight, and those that live go on with the work of the dead.
 *
 * With FAULT_ROUNDS >= 20 more kills, and leases that run out by themselves.
 */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
const IS_LONG = ROUNDS >= 20;
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const { below } = createSeeded(SEED);

/** Between any two side effects of a delivery. */
const POINTS = [
  'delivery.claiming',
  'delivery.claimed',
  'delivery.starting',
  'delivery.sending',
  'delivery.answered',
  'delivery.recording',
  'delivery.recorded',
] as const;

/** A body may come after the headers for so long (src/platform/egress/client.ts). */
const BODY_GRACE_MS = 250;
const RECOVERY_P50_MS = 2_000;
const RECOVERY_P99_MS = 5_000;
const STOP_MS = 12_000;

/** Each starts several processes, beside other tests. */
let harness: DeliveryHarness;
beforeEach(async () => {
  harness = await startDeliveryHarness();
});
afterEach(() => harness.stop(), 60_000);

/** Commits events until the process is dead; resolves with their ids. */
async function emitUntilDead(victim: DeliveryProcess, to: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  const giveUpMs = performance.now() + 15_000;
  while (victim.end() === undefined) {
    if (performance.now() > giveUpMs) throw new Error('it lives on: its failpoint is not reached');
    ids.push(...(await harness.emit(to, Math.max(8, to.length), { conversations: true })));
    await Promise.race([victim.ended, delay(20)]); // The rhythm of the load.
  }
  return ids;
}

/** Ms from `sinceMs` to the next arrival of each of these. */
async function recoveries(eventIds: readonly string[], sinceMs: number): Promise<number[]> {
  const next = (id: string): number | undefined =>
    harness.receiver.received.find(({ json, atMs }) => json.id === id && atMs > sinceMs)?.atMs;
  await harness.receiver.until(() => eventIds.every((id) => next(id) !== undefined), 40_000);
  return eventIds.map((id) => next(id)! - sinceMs);
}

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;

function expectAttemptsTrue(attempts: Awaited<ReturnType<DeliveryHarness['attempts']>>): void {
  for (const [id, rows] of Map.groupBy(attempts, ({ deliveryId }) => deliveryId)) {
    expect({ id, numbers: rows.map(({ number }) => number) }).toEqual({
      id,
      numbers: rows.map((_, i) => i + 1),
    });
    const acknowledged = rows.filter(({ statusCode }) => statusCode === 200);
    expect({ id, acknowledged: acknowledged.length }).toEqual({ id, acknowledged: 1 });
  }
}

test(
  `F-01: killed at each point of a delivery: another one sends it within 5 s (seed ${SEED})`,
  async () => {
    harness.answerAfter(30);
    // Each is one process's to claim at once: of so many some are the victim's.
    const to = await harness.addEndpoints(16);
    await harness.startReady();
    const took: number[] = [];
    let inFlight = 0;
    let emitted = 0;
    for (const point of Array.from({ length: IS_LONG ? 5 : 1 }, () => POINTS).flat()) {
      const victim = await harness.start({ failpoints: `${point}=kill@${1 + below(4)}` });
      await Promise.race([victim.ready.catch(() => undefined), victim.ended]);
      const number = Math.max(...(await harness.processNumbers()));
      const ids = await emitUntilDead(victim, to);
      const { signal, atMs } = victim.end()!;
      expect({ point, signal }).toEqual({ point, signal: 'SIGKILL' });
      const left = await harness.leased(number);
      inFlight += left.length;
      emitted += ids.length;
      took.push(
        ...(await recoveries(
          left.map(({ eventId }) => eventId),
          atMs,
        )),
      );
      await harness.drained();
      expect(harness.missing(ids)).toEqual([]);
    }
    took.sort((a, b) => a - b);
    const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)].map(Math.round);
    console.info(
      `F-01, seed ${SEED}: ${emitted} events, ${took.length} in flight at kills, sent by another ` +
        `p50 ${p50} p99 ${p99} ms later, ${harness.duplicates()} of them twice`,
    );
    expect(took.length).toBeGreaterThan(0);
    expect(p50).toBeLessThanOrEqual(RECOVERY_P50_MS);
    expect(took.at(-1)).toBeLessThanOrEqual(RECOVERY_P99_MS);
    expect(harness.duplicates()).toBeLessThanOrEqual(inFlight);
    expectAttemptsTrue(await harness.attempts());
  },
  60_000 + ROUNDS * 10_000,
);

test('F-53: killed between the 2xx and its record: sent again, at most once for each in flight', async () => {
  const to = await harness.addEndpoints(4);
  const victim = await harness.startReady({ failpoints: 'delivery.answered=kill@10' });
  const ids = await emitUntilDead(victim, to);
  const left = await harness.leased();
  const acknowledged = harness.receiver.received.map(({ json }) => json.id);
  await harness.startReady();
  await harness.drained();
  expect(harness.missing(ids)).toEqual([]);
  // Those that were acknowledged and not recorded are the source, and the only one.
  const unrecorded = left.filter(({ eventId }) => acknowledged.includes(eventId));
  expect(unrecorded.length).toBeGreaterThan(0);
  expect(harness.duplicates()).toBe(unrecorded.length);
  for (const arrivals of Map.groupBy(harness.receiver.received, ({ json }) => json.id).values()) {
    expect(arrivals.length).toBeLessThanOrEqual(2);
    expect(new Set(arrivals.map(({ body }) => body.toString())).size).toBe(1);
  }
  expectAttemptsTrue(await harness.attempts());
});

test('F-02: all killed with a backlog, one returns: it drains as fast as ever, no endpoint is stormed', async () => {
  const to = await harness.addEndpoints(4);
  const now = new Map<string, number>();
  let onAllClosed = (): void => undefined;
  let most = 0;
  harness.receiver.answer(({ path }, response) => {
    const atOnce = (now.get(path) ?? 0) + 1;
    now.set(path, atOnce);
    most = Math.max(most, atOnce);
    setTimeout(() => response.writeHead(200).end(), 150);
    response.once('close', () => {
      now.set(path, now.get(path)! - 1);
      if ([...now.values()].every((open) => open === 0)) onAllClosed();
    });
  });
  const count = 1_500;
  const rateOf = (arrivals: readonly { atMs: number }[]): number =>
    (arrivals.length / (arrivals.at(-1)!.atMs - arrivals[0]!.atMs)) * 1_000;
  const first = [await harness.startReady(), await harness.startReady()];
  const ids = await harness.emit(to, 300);
  await harness.receiver.until(({ length }) => length >= 40);
  await Promise.all(first.map((one) => one.kill()));
  // What the dead sent is still being answered, and is no concurrency of who comes after them.
  if ([...now.values()].some((open) => open > 0))
    await new Promise<void>((resolve) => (onAllClosed = resolve));
  most = 0;
  const inFlight = (await harness.leased()).length;
  ids.push(...(await harness.emit(to, count)));
  const before = harness.receiver.received.length;
  await harness.startReady();
  await harness.drained(40_000);
  const drain = rateOf(harness.receiver.received.slice(before));
  const settled = harness.receiver.received.length;
  ids.push(...(await harness.emit(to, count)));
  await harness.drained(40_000);
  const steady = rateOf(harness.receiver.received.slice(settled));
  console.info(
    `F-02: drained at ${Math.round(drain)}/s, steadily ${Math.round(steady)}/s, at most ${most} ` +
      `at once to one endpoint, ${harness.duplicates()} again of ${inFlight} in flight`,
  );
  expect(harness.missing(ids)).toEqual([]);
  expect(most).toBeLessThanOrEqual(SLOTS_MAX);
  expect(harness.duplicates()).toBeLessThanOrEqual(inFlight);
  // What is late has three quarters of the slots, and the dead are taken over from after a second.
  expect(drain).toBeGreaterThanOrEqual(steady * 0.6);
}, 90_000);

test('F-03: a lease outlasts an attempt', () => {
  expect(LEASE_MS).toBeGreaterThan(ATTEMPT_TIMEOUT_MS + BODY_GRACE_MS + 5_000);
});

test(
  'F-03: paused until its leases are another one’s, then resumed: what it says does not count',
  async () => {
    const [endpoint] = (await harness.addEndpoints(1)) as [string];
    const zombie = await harness.startReady();
    const held: (() => void)[] = [];
    harness.receiver.answer((_, response) => held.push(() => response.writeHead(200).end()));
    const ids = await harness.emit([endpoint], 10);
    await harness.receiver.until(({ length }) => length === ids.length);
    zombie.signal('SIGSTOP');
    harness.receiver.answer((_, response) => response.writeHead(200).end());
    const other = await harness.startReady();
    if (!IS_LONG) expect(await harness.endLeases()).toBe(ids.length);
    await harness.drained(60_000);
    for (const answer of held) answer();
    const history = await harness.attempts();
    zombie.signal('SIGCONT');
    // Ends only when all it had in flight is recorded, or refused.
    expect(await zombie.stop()).toMatchObject({ code: 0 });
    expect(await harness.attempts()).toEqual(history);
    expect(history.map(({ number, errorClass }) => [number, errorClass])).toEqual(
      ids.flatMap(() => [
        [1, 'lost_lease'],
        [2, null],
      ]),
    );
    const { rows } = await harness.pool.query(
      'select status, attempt_count as attempts, count(*) from deliveries group by 1, 2',
    );
    expect(rows).toEqual([{ status: 'delivered', attempts: 2, count: ids.length }]);
    expect(await other.metric('parley_webhook_deliveries_total{outcome="acknowledged"}')).toBe(10);
    expect(harness.duplicates()).toBe(ids.length);
    // It was silent, not dead.
    expect(other.output()).not.toContain('took over');
  },
  IS_LONG ? 90_000 : 30_000,
);

test.each([
  ['answers at once', 0, 400],
  ['takes 3 s to answer', 3_000, 40],
])(
  'F-05: stopped while its receiver %s: ends within 12 s and sends nothing twice',
  async (_, answerMs, count) => {
    harness.answerAfter(answerMs);
    const to = await harness.addEndpoints(4);
    const first = await harness.startReady();
    const emitted = harness.emit(to, count);
    await harness.receiver.until(({ length }) => length >= 8);
    const stoppedMs = performance.now();
    const { code, atMs } = await first.stop();
    const arrived = harness.receiver.received.length;
    const ids = await emitted;
    expect(code).toBe(0);
    expect(atMs - stoppedMs).toBeLessThan(STOP_MS);
    expect(await harness.leased()).toEqual([]);
    expect(await harness.processNumbers()).toEqual([]);
    harness.answerAfter(0);
    await harness.startReady();
    await harness.drained();
    console.info(
      `F-05: ended after ${Math.round(atMs - stoppedMs)} ms, ${arrived} of ${count} sent`,
    );
    expect(harness.missing(ids)).toEqual([]);
    expect(harness.duplicates()).toBe(0);
    expect((await harness.attempts()).map(({ number }) => number)).toEqual(ids.map(() => 1));
  },
  40_000,
);

test('F-52: its event loop stands still for 3 s: nobody takes over, nothing is sent twice', async () => {
  harness.answerAfter(10);
  const to = await harness.addEndpoints(4);
  const blocked = await harness.startReady({ failpoints: 'delivery.answered=block(3000)@5' });
  const other = await harness.startReady();
  const ids: string[] = [];
  const endMs = performance.now() + 4_000;
  while (performance.now() < endMs) {
    ids.push(...(await harness.emit(to, 8)));
    await delay(50); // The rhythm of the load.
  }
  await harness.drained();
  expect(harness.missing(ids)).toEqual([]);
  expect(harness.duplicates()).toBe(0);
  expect(other.output()).not.toContain('took over');
  expect((await harness.processNumbers()).length).toBe(2);
  expect(blocked.end()).toBeUndefined();
  expect((await harness.attempts()).filter(({ number }) => number > 1)).toEqual([]);
  // It did stand still, and delivers again.
  const sent = await blocked.metric('parley_webhook_deliveries_total{outcome="acknowledged"}');
  expect(sent).toBeGreaterThan(5);
  expect(await blocked.metric('parley_webhook_request_duration_seconds_count')).toBeDefined();
});
