import path from 'node:path';
import { expect, test } from 'vitest';
import { attemptOffsetsMs } from '../../../../src/webhooks/delivery/retry-schedule.ts';
import { maintainPartitions } from '../../../../src/webhooks/queue/partitions.sql.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../../delivery-setup.ts';
import { startRole } from '../../../roles/parley-process.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

/**
 * The wall clock of a delivery process is wrong, or jumps. When a delivery is due, how long it is
 * leased and which days are old is a matter of the database's clock alone.
 */

const DAY_MS = 86_400_000;
/** Too few to make the endpoint a failing one, whose attempts are paced. */
const EVENTS = 4;
const HANGING = '/hanging';
const SKEWED_CLOCK = path.resolve(import.meta.dirname, './skewed-clock.ts');

const AHEAD = { 'two days ahead': { TEST_CLOCK_SKEW_MS: String(2 * DAY_MS) } };
const CLOCKS: Record<string, Record<string, string>> = IS_NIGHTLY
  ? {
      ...AHEAD,
      right: {},
      'two days behind': { TEST_CLOCK_SKEW_MS: String(-2 * DAY_MS) },
      'stepping back by a minute, twice a second': { TEST_CLOCK_STEP_MS: '-60000' },
    }
  : AHEAD;

test.each(Object.keys(CLOCKS))(
  'F-33: a clock that is %s: attempts when they are due, leases right, no day dropped too soon',
  async (name) => {
    expect(await run(CLOCKS[name]!)).toEqual({
      isScheduled: true,
      early: 0,
      attempts: 2 * EVENTS,
      leaseSec: 30,
      isOldestKept: true,
    });
  },
);

type Found = {
  /** Whether each second attempt is due where the schedule puts it after the event. */
  isScheduled: boolean;
  /** Attempts that came though they were due only in a day. */
  early: number;
  attempts: number;
  leaseSec: number;
  isOldestKept: boolean;
};

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
      ...(await countAttempts(fixture, receiver)),
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

/** Of the first attempts, which fail, and of the second ones. */
async function countAttempts(
  fixture: DeliveryFixture,
  receiver: Receiver,
): Promise<Pick<Found, 'isScheduled' | 'early' | 'attempts'>> {
  await fixture.addEndpoint({ url: receiver.url });
  // Not due for a day as soon as it has failed, whatever its schedule says.
  await fixture.pool.query(
    `create function put_off() returns trigger language plpgsql as $$
       begin new.run_at = new.run_at + interval '1 day'; return new; end $$;
     create trigger put_off before update on delivery_queue for each row
       when (old.lease_token is not null and new.lease_token is null) execute function put_off()`,
  );
  const emitted: string[] = [];
  for (let i = 0; i < EVENTS; i += 1) emitted.push(await fixture.emit());
  for (const id of emitted) await fixture.deliveryWhen(id, ({ status }) => status === 'retrying');
  const { rows } = await fixture.pool.query<{ id: string; dueMs: number }>(
    `select id, round(extract(epoch from due_at - scheduled_from) * 1000)::int as "dueMs"
       from delivery_queue`,
  );
  // Events of another endpoint, one after the other: by then the process has looked at all.
  await fixture.addEndpoint({ url: `${receiver.url}/witness`, namespace: 'witness' });
  const witnesses = ({ path: at }: { path: string }): boolean => at.endsWith('/witness');
  for (let i = 1; i <= 3; i += 1) {
    await fixture.emit({ namespace: 'witness' });
    await receiver.until((all) => all.filter(witnesses).length >= i);
  }
  const own = (): number => receiver.received.filter((one) => !witnesses(one)).length;
  const early = own() - EVENTS;
  await fixture.pool.query('drop trigger put_off on delivery_queue');
  await fixture.travel(2 * DAY_MS);
  await receiver.until(() => own() >= 2 * EVENTS);
  return {
    isScheduled: rows.every(({ id, dueMs }) => dueMs === attemptOffsetsMs(id)[1]),
    early,
    attempts: own(),
  };
}

/** Of an attempt that has just begun, by the database's clock. */
async function measureLease(fixture: DeliveryFixture, receiver: Receiver): Promise<number> {
  await fixture.pool.query('update webhook_endpoints set url = $1', [
    new URL(HANGING, receiver.url).href,
  ]);
  await fixture.emit();
  await receiver.until((all) => all.some(({ path: at }) => at === HANGING));
  const { rows } = await fixture.pool.query<{ sec: number }>(
    `select extract(epoch from run_at - leased_at)::float8 as sec
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
