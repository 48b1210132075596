import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { attemptOffsetsMs } from '../../../../src/webhooks/delivery/retry-schedule.ts';
import { fromUuid } from '../../../../src/ids.ts';
import { maintainPartitions } from '../../../../src/webhooks/queue/partitions.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../../delivery-setup.ts';
import { startRole } from '../../../roles/parley-process.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';

/**
 * The wall clock of a delivery process is wrong, or jumps. When a delivery is due, how long it is
 * leased and which days are old is a matter of the database's clock alone.
 */

const DAY_MS = 86_400_000;
/** Too few to make the endpoint a failing one, whose attempts are paced. */
const EVENTS = 4;
const LATE_MS = 1_000;
/** Offsets are rounded, and the two clocks are read one after the other. */
const EARLY_MS = 50;
const LEASE_SEC = 30;

const HANGING = '/hanging';
const SKEWED_CLOCK = path.resolve(import.meta.dirname, './skewed-clock.ts');

/** What the others are compared with: how busy the machine is makes all of them late. */
const RIGHT = 'right';
const CLOCKS = {
  [RIGHT]: {},
  'two days ahead': { TEST_CLOCK_SKEW_MS: String(2 * DAY_MS) },
  'two days behind': { TEST_CLOCK_SKEW_MS: String(-2 * DAY_MS) },
  'stepping back by a minute, twice a second': { TEST_CLOCK_STEP_MS: '-60000' },
};

/** By how much attempts came before they were due, and after; negative where they did not. */
type Found = { earlyMs: number[]; lateMs: number[]; leaseSec: number; isOldestKept: boolean };
let found: Record<string, Found>;

/** All at once: the time that passes is the same. */
beforeAll(async () => {
  const names = Object.keys(CLOCKS) as (keyof typeof CLOCKS)[];
  found = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await run(CLOCKS[name])] as const)),
  );
}, 60_000);

test.each(Object.keys(CLOCKS))(
  'F-33: a clock that is %s: no attempt early or late, leases right, no day dropped too soon',
  (name) => {
    const { earlyMs, lateMs, leaseSec, isOldestKept } = found[name]!;
    const [early, late] = [Math.max(...earlyMs), Math.max(...lateMs)];
    const usualMs = Math.max(...found[RIGHT]!.lateMs);
    console.info(
      `F-33, ${name}: at most ${Math.round(late)} ms late (${Math.round(usualMs)} is usual here)`,
    );
    expect(lateMs).toHaveLength(2 * EVENTS);
    expect(early).toBeLessThan(EARLY_MS);
    expect(late - usualMs).toBeLessThan(LATE_MS);
    expect(leaseSec).toBeGreaterThan(LEASE_SEC - 3);
    expect(leaseSec).toBeLessThanOrEqual(LEASE_SEC);
    expect(isOldestKept).toBe(true);
  },
);

async function run(clock: Record<string, string>): Promise<Found> {
  const fixture = await startDeliveryFixture();
  const receiver = await startReceiver();
  receiver.answer(({ path: at, headers }, response) => {
    if (at === HANGING) return;
    response.writeHead(headers['parley-delivery-attempt'] === '1' ? 500 : 200).end();
  });
  // The oldest day of which something can be replayed.
  await maintainPartitions(fixture.pool, Date.now() - 28 * DAY_MS);
  const delivery = await startRole('delivery', {
    databaseUrl: fixture.databaseUrl,
    env: {
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      NODE_OPTIONS: `--import=${SKEWED_CLOCK}`,
      ...clock,
    },
  });
  try {
    return {
      ...(await measureLateness(fixture, receiver)),
      leaseSec: await measureLease(fixture, receiver),
      isOldestKept: await exists(fixture, `events_${dayName(Date.now() - 30 * DAY_MS)}`),
    };
  } catch (error) {
    throw new Error(`with ${JSON.stringify(clock)}:\n${delivery.output()}`, { cause: error });
  } finally {
    await receiver.close();
    await delivery.stop();
    await fixture.stop();
  }
}

/** Of the first attempts and of the second ones. */
async function measureLateness(
  fixture: DeliveryFixture,
  receiver: Receiver,
): Promise<Pick<Found, 'earlyMs' | 'lateMs'>> {
  await fixture.addEndpoint({ url: receiver.url });
  /** Each was committed between these two. */
  const emitted: { eventId: string; fromMs: number; toMs: number }[] = [];
  for (let i = 0; i < EVENTS; i += 1) {
    const fromMs = performance.now();
    emitted.push({ eventId: await fixture.emit(), fromMs, toMs: performance.now() });
  }
  await receiver.until(({ length }) => length >= 2 * EVENTS, 20_000);
  const [earlyMs, lateMs]: [number[], number[]] = [[], []];
  for (const { eventId, fromMs, toMs } of emitted) {
    const { id } = await fixture.deliveryOf(eventId);
    const attempts = receiver.received.filter(({ json }) => json.id === fromUuid('evt', eventId));
    const offsetsMs = attemptOffsetsMs(id);
    attempts.forEach(({ atMs }, i) => {
      earlyMs.push(fromMs + offsetsMs[i]! - atMs);
      lateMs.push(atMs - toMs - offsetsMs[i]!);
    });
  }
  return { earlyMs, lateMs };
}

/** Of an attempt that has just begun, by the database's clock. */
async function measureLease(fixture: DeliveryFixture, receiver: Receiver): Promise<number> {
  await fixture.pool.query('update webhook_endpoints set url = $1', [
    new URL(HANGING, receiver.url).href,
  ]);
  await fixture.emit();
  await receiver.until((all) => all.some(({ path: at }) => at === HANGING));
  const { rows } = await fixture.pool.query<{ sec: number }>(
    `select extract(epoch from run_at - now())::float8 as sec
       from delivery_queue where lease_token is not null`,
  );
  return rows[0]!.sec;
}

async function exists(fixture: DeliveryFixture, table: string): Promise<boolean> {
  const { rows } = await fixture.pool.query('select to_regclass($1) is not null as there', [table]);
  return rows[0].there;
}

function dayName(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}
