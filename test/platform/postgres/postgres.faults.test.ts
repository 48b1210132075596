import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { startDatabaseHarness, type Producer, type DatabaseHarness } from './database-harness.ts';

/**
 * PostgreSQL dies, is slow, or cannot be reached: nothing that was promised (2xx) is lost, nothing
 * else is promised, callers get 503 with Retry-After, no process of ours ends,
 * and all goes on by itself soon after.
 */

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
/** Accepted events before the fault and after it. */
const LOAD = 100;
let postgres: OwnPostgres;
let harness: DatabaseHarness;
let producer: Producer | undefined;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  harness = await startDatabaseHarness(postgres.url);
  await harness.arrived(await harness.emit());
}, 60_000);

afterEach(async () => {
  await producer?.stop().catch(() => undefined);
  producer = undefined;
});

afterAll(async () => {
  await harness?.stop();
  await postgres?.stop();
}, 60_000);

/** The leases of a claim that was cut off run out after 30 s; here at once. */
async function endLeases(): Promise<void> {
  await postgres.query(
    `update delivery_queue set run_at = now() where lease_token is not null and run_at > now()`,
  );
}

const HEALS = {
  'what was held up passes': () => harness.deliveryDatabase.resume(),
  'its connections are reset': () => {
    harness.deliveryDatabase.cut();
    harness.deliveryDatabase.resume();
  },
  'its connections stay dead, and only new ones work': () => {
    harness.deliveryDatabase.freeze();
    harness.deliveryDatabase.resume();
  },
};

test.each(Object.entries(HEALS))(
  'F-04: delivery is cut off from PostgreSQL; when it heals, %s: no busy loop, claiming within 2 s',
  async (_, heal) => {
    const outageMs = 4_000;
    harness.deliveryDatabase.hang();
    const [fromMs, fromSec] = [performance.now(), harness.deliveryCpuSec()];
    const before = harness.receiver.received.length;
    const eventId = await harness.emit();
    await delay(outageMs); // The outage.
    const share = ((harness.deliveryCpuSec() - fromSec) * 1_000) / (performance.now() - fromMs);
    expect(harness.receiver.received).toHaveLength(before);
    heal();
    const healedMs = performance.now();
    const recoveryMs = (await harness.arrived(eventId)) - healedMs;
    console.info(`F-04: ${Math.round(share * 100)} % CPU, ${Math.round(recoveryMs)} ms to recover`);
    expect(share).toBeLessThan(0.2);
    expect(recoveryMs).toBeLessThan(2_000);
    expect(harness.exits()).toEqual([]);
  },
);

test.each([
  ['F-08: PostgreSQL is killed', 'SIGKILL'],
  ['F-09: PostgreSQL is restarted at once in the midst of claims and commits', 'SIGQUIT'],
] as const)(
  '%s: 503 until it is back, 2xx within 1 s, delivery within 2 s',
  async (name, signal) => {
    let refusedInAll = 0;
    for (let round = 0; round < Math.max(ROUNDS, 2); round += 1) {
      producer = harness.produce();
      await producer.accepts(LOAD);
      const upMs = await postgres.kill(signal);
      const acceptedMs = await producer.acceptedAfter(upMs);
      await producer.accepts(LOAD);
      await producer.stop();
      const [eventId] = [...producer.accepted].find(([, atMs]) => atMs >= upMs)!;
      const arrivedMs = await harness.arrived(eventId);
      const refused = producer.answers.filter(({ status }) => status === 503).length;
      console.info(
        `${name}: 2xx ${Math.round(acceptedMs - upMs)} ms, delivery ${Math.round(arrivedMs - upMs)} ms after it accepts; ${producer.accepted.size} accepted, ${refused} refused`,
      );
      expect(producer.odd()).toEqual([]);
      refusedInAll += refused;
      expect(acceptedMs - upMs).toBeLessThan(1_000);
      expect(arrivedMs - upMs).toBeLessThan(2_000);
      expect(harness.exits()).toEqual([]);
      await endLeases();
      await harness.allArrived(producer.accepted.keys());
    }
    // Not in each round: it may be back before anybody has asked.
    expect(refusedInAll).toBeGreaterThan(0);
  },
  30_000 + ROUNDS * 20_000,
);
