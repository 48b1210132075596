import { expect, test } from 'vitest';
import {
  advanceCall,
  deleteCallsOf,
  deleteOldCalls,
  eraseCallsOf,
  failOverdueCalls,
  finishCall,
  finishCallsOfEnded,
  listCalls,
  readCall,
  readCallById,
} from '../../src/calls/calls.sql.ts';
import {
  claimCalls,
  leaseCall,
  lookAtCalls,
  releaseCallLeases,
} from '../../src/calls/claims.sql.ts';
import { newUuid } from '../../src/ids.ts';
import type { Columns } from '../platform/postgres/rows.ts';
import {
  HOUR_AGO,
  IN_AN_HOUR,
  LEASE,
  OTHER,
  OVER,
  TALK,
  useStoredCalls,
  type StoredCalls,
} from './stored-calls.ts';

/**
 * Each statement about calls, tried on rows that differ from a matching row in one part alone. Uses its own database,
 * because several statements read the calls of all namespaces.
 */

const stored = useStoredCalls();

const add = (columns: Columns): Promise<string> => stored.addCall(columns);
const rowOf = (id: string): Promise<Columns> => stored.rowOf(id);
const expectOnly: StoredCalls['expectOnly'] = (...given) => stored.expectOnly(...given);

test('one is read by its id and namespace', async () => {
  const id = await add({});
  await add({});
  expect((await readCall(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
  expect(await readCall(stored.pool, { namespace: 'other', id })).toBeUndefined();
  expect(await readCall(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
  expect((await readCallById(stored.pool, id))?.id).toBe(id);
  expect(await readCallById(stored.pool, OTHER)).toBeUndefined();
});

test('a page goes on behind the last call of the page before', async () => {
  const ids = [await add({}), await add({}), await add({ namespace: 'other' })].sort();
  const { rows } = await stored.pool.query<{ id: string }>(
    `select id from calls where namespace = 'default' order by id desc`,
  );
  expect(ids).toHaveLength(3);
  const [newest, oldest] = rows.map(({ id }) => id);
  const page = { namespace: 'default', limit: 5, before: newest } as Parameters<
    typeof listCalls
  >[1];
  expect((await listCalls(stored.pool, page)).map(({ id }) => id)).toEqual([oldest]);
});

test('a step is claimed when it is due, of a live call that nobody plays', async () => {
  const due = { due_at: HOUR_AGO };
  const playing = { ...due, lease_until: IN_AN_HOUR };
  await add({ ...due, ...OVER });
  await add({ due_at: IN_AN_HOUR });
  await add({});
  const played = await add(playing);
  const lease = { leaseToken: LEASE, limit: 5, share: 5, running: new Map<string, number>() };
  expect(await claimCalls(stored.pool, lease)).toEqual([]);
  expect(await lookAtCalls(stored.pool)).toMatchObject({ areLive: true });
  const abandoned = await add({ ...due, lease_until: HOUR_AGO });
  const free = await add(due);
  expect((await lookAtCalls(stored.pool)).nextDueMs).toBe(0);
  const claimed = (await claimCalls(stored.pool, lease)).map(({ id }) => id);
  expect(claimed.toSorted()).toEqual([abandoned, free].toSorted());
  expect(await rowOf(played)).toMatchObject({ lease_token: null });
});

test('a namespace gets its share of the steps, and the one with the fewest comes first', async () => {
  const due = (namespace: string, minutes: number): Promise<string> =>
    add({ namespace, due_at: new Date(HOUR_AGO.getTime() - minutes * 60_000) });
  const noisy = [await due('noisy', 9), await due('noisy', 8), await due('noisy', 7)];
  const quiet = await due('quiet', 1);
  const busy = await due('busy', 5);
  const claim = async (limit: number, running: Record<string, number> = {}): Promise<string[]> => {
    const lease = { leaseToken: LEASE, share: 2, limit, running: new Map(Object.entries(running)) };
    const ids = (await claimCalls(stored.pool, lease)).map(({ id }) => id);
    await releaseCallLeases(stored.pool);
    return ids.toSorted();
  };
  expect(await claim(9)).toEqual([noisy[0]!, noisy[1]!, quiet, busy].toSorted());
  expect(await claim(3)).toEqual([noisy[0]!, quiet, busy].toSorted());
  expect(await claim(2, { noisy: 1 })).toEqual([quiet, busy].toSorted());
  expect(await claim(9, { noisy: 1, busy: 2, away: 1 })).toEqual([noisy[0]!, quiet].toSorted());
});

test('the next step that is due is of a live call that nobody plays', async () => {
  expect(await lookAtCalls(stored.pool)).toEqual({ areLive: false, nextDueMs: null });
  await add({ ...OVER, due_at: HOUR_AGO });
  expect(await lookAtCalls(stored.pool)).toEqual({ areLive: false, nextDueMs: null });
  await add({ due_at: HOUR_AGO, lease_until: IN_AN_HOUR });
  await add({});
  expect(await lookAtCalls(stored.pool)).toEqual({ areLive: true, nextDueMs: null });
  const id = await add({ due_at: HOUR_AGO, lease_until: HOUR_AGO });
  expect((await lookAtCalls(stored.pool)).nextDueMs).toBe(0);
  await stored.pool.query('delete from calls where id = $1', [id]);
  await add({ due_at: IN_AN_HOUR });
  expect((await lookAtCalls(stored.pool)).nextDueMs).toBeGreaterThan(0);
});

test('a lease is extended by the one who has it, and all end with the process that owns them', async () => {
  const leased = { lease_token: LEASE, lease_until: IN_AN_HOUR };
  const [held, other, neighbor] = [
    await add(leased),
    await add({ ...leased, lease_token: OTHER }),
    await add(leased),
  ];
  for (const id of [held, other]) await leaseCall(stored.pool, { id, leaseToken: LEASE }, 0);
  expect((await rowOf(held))['lease_until']).not.toBe(IN_AN_HOUR.getTime());
  expect(await rowOf(other)).toMatchObject({ lease_until: IN_AN_HOUR.getTime() });
  expect(await rowOf(neighbor)).toMatchObject({ lease_until: IN_AN_HOUR.getTime() });
  await releaseCallLeases(stored.pool);
  expect(await rowOf(other)).toMatchObject({ lease_token: null, lease_until: null });
});

test('a step is done once, by the one who has the lease, of a live call', async () => {
  const leased = { status: 'queued', step: 2, lease_token: LEASE, provider_call_id: null };
  const claimed = { leaseToken: LEASE, step: 2 };
  const change = { nextAfterMs: 1_000 };
  const others = [{ lease_token: OTHER }, { step: 1 }, { step: 3 }, OVER];
  const rung = await expectOnly(leased, others, (id) =>
    advanceCall(stored.pool, { id, ...claimed }, { ...change, status: 'ringing' }),
  );
  expect(rung).toMatchObject({ status: 'ringing', step: 3, answered_at: null });
  const early = await add({ ...leased, status: 'in_progress' });
  await advanceCall(stored.pool, { id: early, ...claimed }, { ...change, status: 'ringing' });
  expect(await rowOf(early)).toMatchObject({ status: 'in_progress' });
  const answered = await add({ ...leased, status: 'ringing' });
  await advanceCall(
    stored.pool,
    { id: answered, ...claimed },
    { ...change, status: 'in_progress' },
  );
  expect(await rowOf(answered)).toMatchObject({
    status: 'in_progress',
    answered_at: expect.any(Number),
  });
  const same = await add(leased);
  await advanceCall(stored.pool, { id: same, ...claimed }, change);
  expect(await rowOf(same)).toMatchObject({ status: 'queued', answered_at: null });
});

test('a call ends from one of the statuses alone', async () => {
  const end = { from: ['in_progress', 'ringing'], status: 'completed', reason: 'api' } as const;
  await expectOnly({}, [{ status: 'queued' }, OVER], (id) =>
    finishCall(stored.pool, { id, ...end }),
  );
  for (const [before, after] of [
    ['requested', 'canceled'],
    ['ringing', 'canceled'],
    ['answered', 'answered'],
    [null, null],
  ]) {
    const id = await add({ transfer_status: before });
    expect(await finishCall(stored.pool, { id, ...end })).toMatchObject({ transferStatus: after });
  }
});

test('calls end with their conversations, but for those that two people are in', async () => {
  const live = newUuid();
  const ended = newUuid();
  for (const [id, at] of [
    [live, null],
    [ended, HOUR_AGO],
  ]) {
    await stored.pool.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, ended_at, ended_reason,
                                    max_duration_sec, silence_timeout_sec)
         values ($1, 'default', $1, 1, 'voice', 'ended', $2, 'silence_timeout', 1, 1)`,
      [id, at],
    );
  }
  await add({ conversation_id: live });
  await add({ conversation_id: ended, ...OVER });
  await add({ conversation_id: ended, transfer_status: 'answered' });
  expect(await finishCallsOfEnded(stored.pool)).toEqual([]);
  const over = await add({ conversation_id: ended });
  const moving = await add({ conversation_id: ended, status: 'transferring' });
  const gone = await add({ conversation_id: OTHER });
  const reasons = new Map(
    (await finishCallsOfEnded(stored.pool)).map((one) => [one.id, one.endedReason]),
  );
  expect(reasons).toEqual(
    new Map([
      [over, 'silence_timeout'],
      [moving, 'silence_timeout'],
      [gone, 'platform_error'],
    ]),
  );
});

test('a call that could not be placed in time fails, unless it was answered', async () => {
  const overdue = { status: 'queued', due_at: HOUR_AGO };
  await add({ ...overdue, status: 'in_progress' });
  await add({ ...overdue, due_at: new Date(Date.now() - 60_000) });
  await add({ ...overdue, due_at: null });
  expect(await failOverdueCalls(stored.pool)).toBe(0);
  const ids = [await add(overdue), await add({ ...overdue, status: 'ringing' })];
  expect(await failOverdueCalls(stored.pool)).toBe(2);
  for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: 'failed', due_at: null });
});

test('the calls of one conversation are erased and removed, and old ones without any', async () => {
  const said = { from_number: '+44', user_id: 'u' };
  const [own, other] = [await add(said), await add({ ...said, conversation_id: OTHER })];
  await eraseCallsOf(stored.pool, TALK);
  expect(await rowOf(own)).toMatchObject({ from_number: null, user_id: null });
  expect(await rowOf(other)).toMatchObject(said);
  await deleteCallsOf(stored.pool, [TALK]);
  expect([await rowOf(own), await rowOf(other)]).toEqual([
    undefined,
    expect.objectContaining(said),
  ]);
  const old = { ...OVER, conversation_id: null, ended_at: new Date(Date.now() - 48 * 3_600_000) };
  await add({ ...old, conversation_id: OTHER });
  await add({ ...old, ended_at: HOUR_AGO });
  await add({ ...old, ended_at: null });
  expect(await deleteOldCalls(stored.pool, { days: 1, limit: 5 })).toBe(0);
  await add(old);
  await add(old);
  expect(await deleteOldCalls(stored.pool, { days: 1, limit: 1 })).toBe(1);
  expect(await deleteOldCalls(stored.pool, { days: 1, limit: 5 })).toBe(1);
});
