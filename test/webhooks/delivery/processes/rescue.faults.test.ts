import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryProcess } from './delivery-process.ts';
import { startDeliveryHarness, type DeliveryHarness } from './delivery-harness.ts';
import { startOwnPostgres, type OwnPostgres } from '../../../platform/postgres/own-postgres.ts';
import { until } from '../../../until.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

/**
 * Who is taken over from, and who is not: only the dead, however PostgreSQL, a session or the whole
 * machine hiccups, and whoever dies of taking over as well.
 */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
const IS_LONG = IS_NIGHTLY;
const nightly = test.runIf(IS_LONG);
/** Of the locks that say so (src/webhooks/queue/delivery-processes.sql.ts). */
const LOCK_CLASS = 0x7061_6470;

/** Each starts several processes, beside other tests. */
let harness: DeliveryHarness;
/** Numbers of processes whose session says that they live. */
async function holding(): Promise<number[]> {
  const { rows } = await harness.pool.query<{ number: number }>(
    `select objid::int as number from pg_locks
      where locktype = 'advisory' and classid = $1
        and database = (select oid from pg_database where datname = current_database())
      order by 1`,
    [LOCK_CLASS],
  );
  return rows.map(({ number }) => number);
}

function expectNoRescue(processes: readonly DeliveryProcess[]): void {
  for (const one of processes) {
    expect(one.end()).toBeUndefined();
    expect(one.output()).not.toContain('took over');
  }
}

describe('on the database of all tests', () => {
  beforeEach(async () => {
    harness = await startDeliveryHarness();
  });
  afterEach(() => harness.stop(), 60_000);

  nightly('who ends in order leaves nothing to take over; who is killed is forgotten', async () => {
    const [orderly, killed] = [await harness.startReady(), await harness.startReady()];
    expect(await harness.processNumbers()).toEqual(await holding());
    expect((await holding()).length).toBe(2);
    expect(await orderly.stop()).toMatchObject({ code: 0 });
    expect((await harness.processNumbers()).length).toBe(1);
    await harness.startReady();
    await killed.kill();
    const isOne = async (): Promise<boolean> => (await harness.processNumbers()).length === 1;
    await until('the killed to be forgotten', isOne);
    expect(await harness.processNumbers()).toEqual(await holding());
  });

  nightly('a session that is cut comes back, and nobody takes over', async () => {
    harness.answerAfter(1_500);
    const to = await harness.addEndpoints(2);
    const both = [await harness.startReady(), await harness.startReady()];
    const before = await holding();
    const ids = await harness.emit(to, 20);
    await harness.receiver.until(({ length }) => length >= 10);
    for (let i = 0; i < 3 + ROUNDS; i += 1) {
      const { rowCount } = await harness.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query = 'listen parley_deliveries'`,
      );
      expect(rowCount).toBe(2);
      await until('the cut', async () => (await holding()).length < 2);
      await until('both sessions', async () => (await holding()).length === 2);
      expect(await holding()).toEqual(before);
      // The next round is to cut both.
      await until('both to listen', async () => (await listening()) === 2);
    }
    await harness.drained();
    expect(harness.missing(ids)).toEqual([]);
    // On a machine too busy to bring a session back within a second, to be thought dead is right.
    if (both.some((one) => one.output().includes('took over'))) return;
    expectNoRescue(both);
    expect(harness.duplicates()).toBe(0);
  });

  async function listening(): Promise<number> {
    const { rows } = await harness.pool.query<{ n: number }>(
      `select count(*) as n from pg_stat_activity
        where datname = current_database() and query = 'listen parley_deliveries'`,
    );
    return rows[0]!.n;
  }

  nightly('F-01: who dies of taking over is taken over from as well', async () => {
    harness.receiver.answer(() => undefined);
    const to = await harness.addEndpoints(4);
    const victim = await harness.startReady();
    const successor = await harness.startReady({ failpoints: 'delivery.taking_over=kill' });
    const ids = await harness.emit(to, 12);
    await harness.receiver.until(({ length }) => length === ids.length);
    harness.answerAfter(0);
    const killedMs = await victim.kill();
    expect(await successor.ended).toMatchObject({ signal: 'SIGKILL' });
    const last = await harness.startReady();
    await harness.drained();
    const again = harness.receiver.received.filter(({ atMs }) => atMs > killedMs);
    expect(again.map(({ json }) => json.id).sort()).toEqual(ids.toSorted());
    expect(await harness.processNumbers()).toEqual(await holding());
    expect(last.output()).toContain('took over');
  });
});

describe('on a PostgreSQL that is restarted and stopped', () => {
  let postgres: OwnPostgres;
  beforeAll(async () => {
    postgres = await startOwnPostgres({ inMemory: true });
  }, 60_000);
  afterAll(() => postgres.stop(), 60_000);
  beforeEach(async () => {
    harness = await startDeliveryHarness(postgres.url);
  });
  afterEach(async () => {
    await harness.stop();
    await postgres.query(
      'truncate delivery_queue, deliveries, delivery_attempts, delivery_processes',
    );
    await postgres.query('delete from webhook_endpoints');
  }, 60_000);

  test.each(IS_LONG ? (['SIGQUIT', 'SIGKILL'] as const) : (['SIGKILL'] as const))(
    'F-09: PostgreSQL is restarted by %s under attempts: the living do not take over from one another',
    async (signal) => {
      harness.answerAfter(3_000); // Longer than PostgreSQL takes to come back.
      const to = await harness.addEndpoints(4);
      const both = [await harness.startReady(), await harness.startReady()];
      const ids = await harness.emit(to, 40);
      await harness.receiver.until(({ length }) => length === ids.length);
      await flushWal(); // Else a crash may undo claims, and sending again is right.
      await postgres.kill(signal);
      await until('both sessions', async () => (await holding().catch(() => [])).length === 2);
      await harness.drained();
      expectNoRescue(both);
      expect(harness.missing(ids)).toEqual([]);
      expect(harness.duplicates()).toBe(0);
      expect((await harness.attempts()).map(({ number }) => number)).toEqual(ids.map(() => 1));
    },
    60_000,
  );

  /** What is flushed takes along all that was written before it. */
  async function flushWal(): Promise<void> {
    await postgres.query(`select pg_logical_emit_message(false, 'test', '', flush => true)`);
  }

  test('F-34: everything stands still past the leases: each is taken by one, once', async () => {
    const to = await harness.addEndpoints(4);
    const held: (() => void)[] = [];
    harness.receiver.answer((_, response) => held.push(() => response.writeHead(200).end()));
    const both = [await harness.startReady(), await harness.startReady()];
    const ids = await harness.emit(to, 40);
    await harness.receiver.until(({ length }) => length === ids.length);
    const inFlight = (await harness.leased()).length;
    expect(inFlight).toBe(ids.length);
    const stillMs = ROUNDS >= 20 ? 40_000 : 1_500;
    harness.receiver.answer((_, response) => response.writeHead(200).end());
    // As if they had been leased long ago: they run out while nobody can do anything.
    if (ROUNDS < 20)
      await harness.pool.query(`update delivery_queue set run_at = now() + interval '1 second'`);
    const server = [await postgres.pid(), ...childrenOf(await postgres.pid())];
    const everybody = [...both.map(({ pid }) => pid), ...server];
    for (const pid of everybody) process.kill(pid, 'SIGSTOP');
    await delay(stillMs); // How long they stand still.
    for (const pid of everybody) process.kill(pid, 'SIGCONT');
    await harness.receiver.until(() => held.length > 0);
    for (const answer of held) answer();
    await harness.drained();
    expectNoRescue(both);
    expect(harness.missing(ids)).toEqual([]);
    expect(harness.duplicates()).toBeLessThanOrEqual(inFlight);
    for (const rows of Map.groupBy(await harness.attempts(), (row) => row.deliveryId).values()) {
      expect(rows.map(({ number }) => number)).toEqual(rows.length === 1 ? [1] : [1, 2]);
      if (rows.length === 2) expect(rows[0]!.errorClass).toBe('lost_lease');
      expect(rows.at(-1)!.statusCode).toBe(200);
    }
    console.info(`F-34: ${harness.duplicates()} of ${inFlight} in flight sent again, each once`);
  }, 120_000);
});

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // Field 4; field 2 is a name in brackets and may hold spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
  } catch {
    return undefined; // It ended while we looked.
  }
}
