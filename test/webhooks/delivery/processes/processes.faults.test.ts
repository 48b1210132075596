import { afterEach, beforeEach, expect, test } from 'vitest';
import { ATTEMPT_TIMEOUT_MS } from '../../../../src/webhooks/delivery/attempt.ts';
import { SLOTS_MAX } from '../../../../src/webhooks/delivery/slots.ts';
import { LEASE_MS } from '../../../../src/webhooks/queue/dispatch-queue.ts';
import type { DeliveryProcess } from './delivery-process.ts';
import { startDeliveryHarness, type DeliveryHarness } from './delivery-harness.ts';
import { createSeeded } from '../../../random/seeded.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';
import { until } from '../../../until.ts';

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
const ALL_POINTS = [
  'delivery.claiming',
  'delivery.claimed',
  'delivery.starting',
  'delivery.sending',
  'delivery.answered',
  'delivery.recording',
  'delivery.recorded',
] as const;
/** The normal lane runs only F-53, in which the receiver has acknowledged. */
const POINTS = IS_NIGHTLY ? ALL_POINTS : (['delivery.answered'] as const);

/** A body may come after the headers for so long (src/platform/egress/client.ts). */
const BODY_GRACE_MS = 250;

/** Each starts several processes, beside other tests. */
let harness: DeliveryHarness;
beforeEach(async () => {
  harness = await startDeliveryHarness();
});
afterEach(() => harness.stop(), 60_000);

/** Commits events until the process is dead; resolves with their ids. */
async function emitUntilDead(victim: DeliveryProcess, to: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  const giveUpMs = performance.now() + 40_000;
  while (victim.end() === undefined) {
    if (performance.now() > giveUpMs) throw new Error('it lives on: its failpoint is not reached');
    const before = harness.receiver.received.length;
    ids.push(...(await harness.emit(to, Math.max(8, to.length), { conversations: true })));
    const arrived = harness.receiver.until(({ length }) => length > before).catch(() => undefined);
    await Promise.race([victim.ended, arrived]);
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
  `F-01, F-53: killed at each point of a delivery: another one sends it (seed ${SEED})`,
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
    expect(harness.duplicates()).toBeLessThanOrEqual(inFlight);
    // What was acknowledged and not recorded.
    expect(harness.duplicates()).toBeGreaterThan(0);
    expectAttemptsTrue(await harness.attempts());
  },
  60_000 + ROUNDS * 10_000,
);

test.runIf(IS_NIGHTLY)(
  'F-53: killed between the 2xx and its record: sent again, at most once for each in flight',
  async () => {
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
  },
);

test('F-02: all killed with a backlog, one returns: it drains all, no endpoint is stormed', async () => {
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
  const count = IS_NIGHTLY ? 1_500 : 200;
  const first = await Promise.all(
    Array.from({ length: IS_NIGHTLY ? 2 : 1 }, () => harness.startReady()),
  );
  const ids = await harness.emit(to, 100);
  await harness.receiver.until(({ length }) => length >= 40);
  await Promise.all(first.map((one) => one.kill()));
  // What the dead sent is still being answered, and is no concurrency of who comes after them.
  if ([...now.values()].some((open) => open > 0))
    await new Promise<void>((resolve) => (onAllClosed = resolve));
  most = 0;
  const inFlight = (await harness.leased()).length;
  ids.push(...(await harness.emit(to, count)));
  await harness.startReady();
  await harness.drained(40_000);
  console.info(
    `F-02: at most ${most} at once to one endpoint, ${harness.duplicates()} again of ${inFlight} in flight`,
  );
  expect(harness.missing(ids)).toEqual([]);
  expect(most).toBeLessThanOrEqual(SLOTS_MAX);
  expect(harness.duplicates()).toBeLessThanOrEqual(inFlight);
}, 90_000);

test('F-03: a lease outlasts an attempt by five seconds or more', () => {
  const spareMs = LEASE_MS - (ATTEMPT_TIMEOUT_MS + BODY_GRACE_MS);
  expect(Math.max(spareMs, 5_000)).toBe(spareMs);
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

const STOPPED: [string, number, number][] = IS_NIGHTLY
  ? [
      ['answers at once', 0, 400],
      ['takes 3 s to answer', 3_000, 40],
    ]
  : [['takes a moment to answer', 300, 40]];

test.each(STOPPED)(
  'F-05: stopped while its receiver %s: ends in order and sends nothing twice',
  async (_, answerMs, count) => {
    harness.answerAfter(answerMs);
    const to = await harness.addEndpoints(4);
    const first = await harness.startReady();
    const emitted = harness.emit(to, count);
    await harness.receiver.until(({ length }) => length >= 8);
    const { code } = await first.stop();
    const arrived = harness.receiver.received.length;
    const ids = await emitted;
    expect(code).toBe(0);
    expect(await harness.leased()).toEqual([]);
    expect(await harness.processNumbers()).toEqual([]);
    harness.answerAfter(0);
    await harness.startReady();
    await harness.drained();
    console.info(`F-05: ended with ${arrived} of ${count} sent`);
    expect(harness.missing(ids)).toEqual([]);
    expect(harness.duplicates()).toBe(0);
    expect((await harness.attempts()).map(({ number }) => number)).toEqual(ids.map(() => 1));
  },
  40_000,
);

const BLOCK_MS = IS_NIGHTLY ? 3_000 : 2_000;

test('F-52: its event loop stands still: nobody takes over, nothing is sent twice', async () => {
  harness.answerAfter(10);
  // Endpoints are assigned to processes by their random ids. Of sixteen, each process has some.
  const to = await harness.addEndpoints(16);
  const [blocked, other] = await Promise.all([
    harness.startReady({ failpoints: `delivery.answered=block(${BLOCK_MS})@5` }),
    harness.startReady(),
  ]);
  const ids: string[] = [];
  const emitSome = async (): Promise<void> => {
    const before = harness.receiver.received.length;
    ids.push(...(await harness.emit(to, to.length)));
    await harness.receiver.until(({ length }) => length > before);
  };
  // More events arrive while one process is stopped and the other one continues.
  for (let i = 0; i < 20; i += 1) await emitSome();
  // It did stand still, and delivers again. The other one may have been faster so far.
  const sent = (): Promise<number> =>
    blocked.metric('parley_webhook_deliveries_total{outcome="acknowledged"}');
  const goesOn = async (): Promise<boolean> => {
    await emitSome();
    return (await sent()) > 5;
  };
  await until('it to deliver again', goesOn, { everyMs: 100 });
  await harness.drained();
  expect(harness.missing(ids)).toEqual([]);
  expect(harness.duplicates()).toBe(0);
  expect(other.output()).not.toContain('took over');
  expect((await harness.processNumbers()).length).toBe(2);
  expect(blocked.end()).toBeUndefined();
  expect((await harness.attempts()).filter(({ number }) => number > 1)).toEqual([]);
  expect(await blocked.metric('parley_webhook_request_duration_seconds_count')).toBeDefined();
});
