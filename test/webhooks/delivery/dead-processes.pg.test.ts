import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRescue, type Rescue } from '../../../src/webhooks/delivery/rescue.ts';
import { claimDeliveries } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import { endLeasesOf } from '../../../src/webhooks/queue/delivery-processes.sql.ts';
import { createClient, type Db } from '../../../src/platform/postgres/pool.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** Who is dead, by a clock of our own: test/webhooks/delivery/processes/rescue.faults.test.ts has the real processes. */
type Session = ReturnType<typeof createClient>;
type Member = Rescue & { session: Session; woken: string[] };

/** Longer than anybody is given to come back. */
const MINUTE_MS = 60_000;

let fixture: DeliveryFixture;
let endpoint: string;
let nowMs: number;
let members: Member[];
let sessions: Session[];

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  endpoint = await fixture.addEndpoint();
  nowMs = 1_000_000;
  members = [];
  sessions = [];
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.stop()));
  await Promise.all(sessions.map((session) => session.end()));
  await fixture.stop();
});

async function openSession(): Promise<Session> {
  const session = createClient(fixture.databaseUrl);
  await session.connect();
  sessions.push(session);
  return session;
}

/** A delivery process, as far as the others see it. */
async function join(db: Db = fixture.pool): Promise<Member> {
  const session = await openSession();
  const woken: string[] = [];
  const rescue = await createRescue({
    db,
    nowMs: () => nowMs,
    wake: (ids) => void woken.push(...ids),
    onOthers: () => undefined,
    log: fixture.log,
  });
  await rescue.onSession(session);
  const member = { ...rescue, session, woken };
  members.push(member);
  return member;
}

/** Leases an event to it. */
async function lease({ processNumber }: Member): Promise<void> {
  await fixture.emit();
  const budget = { endpointId: endpoint, slots: 1, yieldingSlots: 1 };
  const held = { leaseToken: randomUUID(), processNumber };
  expect(await claimDeliveries(fixture.pool, [budget], held)).toHaveLength(1);
}

/** Has an event leased to it, and loses its session. */
async function disappear(member: Member): Promise<void> {
  const { session, processNumber } = member;
  await lease(member);
  await session.end();
  await fixture.eventually(async () => {
    const { rowCount } = await fixture.pool.query(
      `select 1 from pg_locks
        where locktype = 'advisory' and objid::bigint = $1
          and database = (select oid from pg_database where datname = current_database())`,
      [processNumber],
    );
    return rowCount === 0;
  });
}

/** Leases of the process that have not run out. */
async function leases({ processNumber }: Member): Promise<number> {
  const { rowCount } = await fixture.pool.query(
    'select 1 from delivery_queue where leased_by = $1 and run_at > now()',
    [processNumber],
  );
  return rowCount!;
}

async function lookAfter(member: Member, ms: number): Promise<string[]> {
  nowMs += ms;
  await member.look();
  return member.woken;
}

test('who has been gone for a second is taken over from, and not before', async () => {
  const [victim, successor, other] = [await join(), await join(), await join()];
  await lease(other);
  await disappear(victim);
  expect(await lookAfter(successor, 0)).toEqual([]);
  expect(await lookAfter(successor, 500)).toEqual([]);
  expect(await leases(victim)).toBe(1);
  expect(await lookAfter(successor, 500)).toEqual([endpoint]);
  expect(await fixture.claim(endpoint)).toMatchObject([{ attempt: 2, lost: true }]);
  expect(await leases(other)).toBe(1);
  // Forgotten with that.
  expect(await lookAfter(successor, 5_000)).toEqual([endpoint]);
});

test('who comes back within the second keeps its leases, however often it does', async () => {
  const [victim, successor] = [await join(), await join()];
  await disappear(victim);
  for (let round = 0; round < 3; round += 1) {
    expect(await lookAfter(successor, 0)).toEqual([]);
    expect(await lookAfter(successor, 900)).toEqual([]);
    const session = await openSession();
    await victim.onSession(session);
    expect(await lookAfter(successor, 500)).toEqual([]);
    await disappear({ ...victim, session });
  }
  expect(await leases(victim)).toBe(4);
});

test('who was back between two looks, and went again, has not been gone since the first', async () => {
  const [victim, successor] = [await join(), await join()];
  await disappear(victim);
  for (let round = 0; round < 4; round += 1) {
    expect(await lookAfter(successor, 500)).toEqual([]);
    const session = await openSession();
    await victim.onSession(session);
    await disappear({ ...victim, session });
  }
  expect(await leases(victim)).toBe(5);
});

test('who was back between two looks has the whole second again', async () => {
  const [victim, successor] = [await join(), await join()];
  await disappear(victim);
  expect(await lookAfter(successor, 0)).toEqual([]);
  const session = await openSession();
  await victim.onSession(session);
  await disappear({ ...victim, session });
  expect(await lookAfter(successor, 1_000)).toEqual([]);
  expect(await lookAfter(successor, 900)).toEqual([]);
  expect(await leases(victim)).toBe(2);
  expect(await lookAfter(successor, 100)).toEqual([endpoint]);
});

test('who was taken over from and is back after all can be taken over from again', async () => {
  const [victim, successor] = [await join(), await join()];
  await disappear(victim);
  await lookAfter(successor, 0);
  expect(await lookAfter(successor, 1_000)).toEqual([endpoint]);
  const session = await openSession();
  await victim.onSession(session);
  await fixture.claim(endpoint); // What was taken over is somebody else's now.
  await disappear({ ...victim, session });
  expect(await lookAfter(successor, 0)).toEqual([endpoint]);
  expect(await lookAfter(successor, 1_000)).toEqual([endpoint, endpoint]);
});

test('nobody takes over from itself, though its session is gone for long', async () => {
  const alone = await join();
  await disappear(alone);
  for (const ms of [0, 1_000, 60_000]) expect(await lookAfter(alone, ms)).toEqual([]);
  expect(await leases(alone)).toBe(1);
});

test('nobody takes over while its own session is gone as well', async () => {
  const [victim, successor] = [await join(), await join()];
  await disappear(victim);
  await disappear(successor);
  for (const ms of [0, 600, 600, 600]) expect(await lookAfter(successor, ms)).toEqual([]);
  expect(await leases(victim)).toBe(1);
  await successor.onSession(await openSession());
  await lookAfter(successor, MINUTE_MS);
  expect(await lookAfter(successor, MINUTE_MS)).toEqual([endpoint]);
});

test('a server that was away gives everybody time to come back', async () => {
  let away = false;
  const db = {
    query: ((...args: Parameters<typeof fixture.pool.query>) =>
      away ? Promise.reject(new Error('away')) : fixture.pool.query(...args)) as Db['query'],
  };
  const [victim, successor] = [await join(), await join(db)];
  await disappear(victim);
  expect(await lookAfter(successor, 0)).toEqual([]);
  away = true;
  expect(await lookAfter(successor, 600)).toEqual([]);
  away = false;
  // Nobody could come back in most of the second that is over now.
  expect(await lookAfter(successor, 600)).toEqual([]);
  expect(await leases(victim)).toBe(1);
  await lookAfter(successor, MINUTE_MS);
  expect(await lookAfter(successor, MINUTE_MS)).toEqual([endpoint]);
});

test('who comes back in the last moment, after it was thought dead, keeps its leases', async () => {
  const victim = await join();
  await disappear(victim);
  await victim.onSession(await openSession());
  expect(await endLeasesOf(fixture.pool, [victim.processNumber])).toEqual([]);
  expect(await leases(victim)).toBe(1);
});

test('a process looks twice a second while others are registered, alive or not, and else rarely', async () => {
  const alone = await join();
  expect(await alone.look()).toBe(5_000);
  const other = await join();
  expect(await alone.look()).toBe(500);
  await other.session.end();
  expect(await alone.look()).toBe(500);
  await other.stop();
  expect(await alone.look()).toBe(5_000);
});

test('a process that comes or leaves wakes the others', async () => {
  const listening = await openSession();
  await listening.query('listen parley_deliveries');
  const woken = (): Promise<unknown> =>
    new Promise((resolve) => listening.once('notification', ({ payload }) => resolve(payload)));
  const coming = woken();
  const member = await join();
  expect(await coming).toBe('*');
  const leaving = woken();
  await member.leave();
  expect(await leaving).toBe('*');
});
