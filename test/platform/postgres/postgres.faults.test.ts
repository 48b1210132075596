import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { IS_NIGHTLY, roundsOf } from '../../nightly.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { startDatabaseHarness, type Producer, type DatabaseHarness } from './database-harness.ts';

/**
 * PostgreSQL dies, is slow, or cannot be reached: nothing that was promised (2xx) is lost, nothing
 * else is promised, callers get 503 with Retry-After, no process of ours ends,
 * and all goes on by itself soon after.
 */

const ROUNDS = roundsOf(1);
/** Accepted events before the fault and after it. */
const LOAD = IS_NIGHTLY ? 100 : 30;
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

test.each(Object.entries(HEALS).slice(IS_NIGHTLY ? 0 : -1))(
  'F-04: delivery is cut off from PostgreSQL; when it heals, %s: no busy loop, and it claims',
  async (_, heal) => {
    harness.deliveryDatabase.hang();
    const fromSec = harness.deliveryCpuSec();
    const before = harness.receiver.received.length;
    const eventId = await harness.emit();
    // The outage lasts for so many more events, in which a busy loop would use the processor.
    for (let i = 0; i < LOAD; i += 1) await harness.emit();
    const busySec = harness.deliveryCpuSec() - fromSec;
    expect(harness.receiver.received).toHaveLength(before);
    heal();
    await harness.arrived(eventId);
    console.info(`F-04: ${busySec} s of a processor`);
    expect(busySec).toBeLessThan(0.5); // A resource: far from what a loop would use.
    expect(harness.exits()).toEqual([]);
  },
);

test.each([
  ['F-08: PostgreSQL is killed', 'SIGKILL'],
  ['F-09: PostgreSQL is restarted at once in the midst of claims and commits', 'SIGQUIT'],
] as const)(
  '%s: 503 until it is back, then 2xx and deliveries',
  async (name, signal) => {
    let refusedInAll = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      producer = harness.produce();
      await producer.accepts(LOAD);
      const upMs = await postgres.kill(signal);
      await producer.acceptedAfter(upMs);
      await producer.accepts(LOAD);
      await producer.stop();
      const [eventId] = [...producer.accepted].find(([, atMs]) => atMs >= upMs)!;
      await harness.arrived(eventId);
      const refused = producer.answers.filter(({ status }) => status === 503).length;
      console.info(`${name}: ${producer.accepted.size} accepted, ${refused} refused`);
      expect(producer.odd()).toEqual([]);
      refusedInAll += refused;
      expect(harness.exits()).toEqual([]);
      await endLeases();
      await harness.allArrived(producer.accepted.keys());
    }
    // Not in each round: it may be back before anybody has asked.
    if (ROUNDS > 1) expect(refusedInAll).toBeGreaterThan(0);
  },
  30_000 + ROUNDS * 20_000,
);
