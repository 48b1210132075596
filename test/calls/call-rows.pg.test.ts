import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addKeys,
  answerTransfer,
  askTransfer,
  failTransfer,
  keepTransferred,
  KEYS_WAITING_MAX,
  ringTransfer,
  takeAsked,
} from '../../src/calls/acts/acts.sql.ts';
import {
  advanceCall,
  claimCalls,
  deleteCallsOf,
  deleteOldCalls,
  eraseCallsOf,
  failOverdueCalls,
  finishCall,
  finishCallsOfEnded,
  leaseCall,
  listCalls,
  lookAtCalls,
  readCall,
  readCallById,
  releaseCallLeases,
} from '../../src/calls/calls.sql.ts';
import {
  answerByMachine,
  answerHeld,
  countAsked,
  countLive,
  dropLine,
  finishLost,
  insertIncoming,
  listLost,
  markDialed,
  noteRinging,
  offerLine,
  readByCarrier,
  releaseLine,
  renewLines,
  takeLine,
} from '../../src/calls/lines/lines.sql.ts';
import { newUuid } from '../../src/ids.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { startRows, type Columns, type Rows } from '../platform/postgres/rows.ts';

/**
 * Each statement about calls, of rows that differ from the one it is for in one part alone. A database of its own: several
 * statements read the calls of all namespaces.
 */

let stored: Rows;
let pool: Pool;

beforeAll(async () => {
  stored = await startRows();
  pool = stored.pool;
});
afterAll(() => stored.stop());
beforeEach(async () => {
  await pool.query('truncate calls, conversations cascade');
});

const [PROVIDER, HOLDER, LEASE, TALK, OTHER] = [
  newUuid(),
  newUuid(),
  newUuid(),
  newUuid(),
  newUuid(),
];
const TOKEN = Buffer.alloc(32, 1);
const HOUR_AGO = new Date(Date.now() - 3_600_000);
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);

/** Columns of a call that is talked on over a carrier. */
const TALKED: Columns = {
  namespace: 'default',
  agent_id: newUuid(),
  direction: 'outbound',
  status: 'in_progress',
  provider: 'twilio',
  telephony_provider_id: PROVIDER,
  conversation_id: TALK,
  line_holder: HOLDER,
  line_until: IN_AN_HOUR,
  due_at: null,
};

let calls = 0;

/** Stores a call; returns its id. */
async function add(columns: Columns): Promise<string> {
  calls += 1;
  const row: Columns = { id: newUuid(), provider_call_id: `CA${calls}`, ...TALKED, ...columns };
  await stored.add('calls', row);
  return String(row['id']);
}

async function rowOf(id: string): Promise<Columns> {
  const { rows } = await pool.query<Columns>('select * from calls where id = $1', [id]);
  return rows[0]!;
}

/**
 * Runs a statement for a call as it must be, and for others that each differ in one part. It changes the first alone, and
 * says of the others that nothing was done.
 */
async function expectOnly(
  must: Columns,
  others: readonly Columns[],
  run: (id: string) => Promise<unknown>,
): Promise<Columns> {
  const nothing: unknown[] = [false, undefined];
  for (const other of others) {
    const id = await add({ ...must, ...other });
    const before = await rowOf(id);
    const said = await run(id);
    expect([JSON.stringify(other), nothing.includes(said)]).toEqual([JSON.stringify(other), true]);
    expect(await rowOf(id)).toEqual(before);
    await pool.query('delete from calls where id = $1', [id]);
  }
  const neighbor = await add(must);
  const before = await rowOf(neighbor);
  const id = await add(must);
  expect(nothing.slice(0, 1)).not.toContain(await run(id));
  expect(await rowOf(neighbor)).toEqual(before);
  const after = await rowOf(id);
  await pool.query('truncate calls');
  return after;
}

const OVER = { status: 'completed' };

describe('acts', () => {
  test('a transfer is asked for of a call in progress with us over a carrier', async () => {
    const others = [
      { status: 'ringing' },
      { transfer_status: 'answered' },
      { telephony_provider_id: null },
      { conversation_id: null },
    ];
    const asked = await expectOnly({}, others, (id) =>
      askTransfer(pool, { id, to: '+44', escalationId: null }),
    );
    expect(asked).toMatchObject({ status: 'transferring', transfer_to: '+44', transfers: 1 });
    const id = await add({ transfer_status: 'busy' });
    expect(await askTransfer(pool, { id, to: '+44', escalationId: null })).toBeDefined();
  });

  test('the number is rung, answered and given up once for each transfer', async () => {
    const ringing = { status: 'transferring', transfers: 2, transfer_status: 'ringing' };
    const others = [{ transfers: 1 }, { transfers: 3 }, { status: 'in_progress' }];
    const rung = await expectOnly(ringing, others, (id) =>
      ringTransfer(pool, { id, transfers: 2, ms: 1_000 }),
    );
    expect(rung).toMatchObject({ transfer_status: 'ringing', line_holder: null });
    const answered = await expectOnly(
      ringing,
      [...others, { transfer_status: 'requested' }],
      (id) => answerTransfer(pool, { id, transfers: 2 }),
    );
    expect(answered).toMatchObject({ status: 'in_progress', transfer_status: 'answered' });
    const failed = await expectOnly(ringing, others, (id) =>
      failTransfer(pool, { id, transfers: 2, why: 'busy', sayFrom: 4 }),
    );
    expect(failed).toMatchObject({ status: 'in_progress', transfer_status: 'busy', say_from: 4 });
  });

  test('two talk on for five hours at most', async () => {
    const talking = { transfer_status: 'answered', transfer_at: HOUR_AGO };
    const others = [
      OVER,
      { transfer_status: 'busy' },
      { transfer_at: new Date(Date.now() - 6 * 3_600_000) },
    ];
    await expectOnly(talking, others, (id) => keepTransferred(pool, id));
  });

  test('keys wait up to a number of them, of a call in progress with us over a carrier', async () => {
    const others = [
      { status: 'transferring' },
      { transfer_status: 'answered' },
      { telephony_provider_id: null },
      { conversation_id: null },
      { keys_to_press: '1'.repeat(KEYS_WAITING_MAX - 1) },
    ];
    const waiting = { keys_to_press: '1'.repeat(KEYS_WAITING_MAX - 2) };
    const added = await expectOnly(waiting, others, (id) => addKeys(pool, { id, keys: '23' }));
    expect(added['keys_to_press']).toBe(`${waiting.keys_to_press}23`);
  });

  test('the holder of a line alone takes what is asked of the call', async () => {
    const asked = { keys_to_press: '12', transfer_status: 'requested' };
    const others = [{ line_holder: OTHER }, { line_holder: null }, OVER];
    const taken = await expectOnly(asked, others, (id) => takeAsked(pool, { id, holder: HOLDER }));
    expect(taken['keys_to_press']).toBeNull();
  });
});

describe('lines', () => {
  test('what a carrier tells of twice is one call, of each provider', async () => {
    const told = {
      namespace: 'default',
      agentId: OTHER,
      from: null,
      to: null,
      provider: 'twilio',
      agentVersion: null,
      telephonyProviderId: PROVIDER,
      providerCallId: 'CA-in',
    };
    const insert = (over: Partial<typeof told>): Promise<{ id: string }> =>
      insertIncoming(pool, { id: newUuid(), ...told, ...over });
    const first = await insert({});
    expect((await insert({})).id).toBe(first.id);
    expect((await insert({ telephonyProviderId: OTHER })).id).not.toBe(first.id);
    expect((await insert({ providerCallId: 'CA-other' })).id).not.toBe(first.id);
  });

  test('calls without a provider or without its id are never one call', async () => {
    for (const columns of [{ telephony_provider_id: null }, { provider_call_id: null }]) {
      await add({ provider_call_id: 'CA-same', ...columns });
      await add({ provider_call_id: 'CA-same', ...columns });
    }
  });

  test('a line is offered while the call is live and nobody holds it', async () => {
    const offered = await expectOnly({ line_holder: null }, [OVER, { line_holder: OTHER }], (id) =>
      offerLine(pool, { id, tokenHash: TOKEN }),
    );
    expect(offered['line_token']).toEqual(TOKEN);
  });

  test('a line is taken once, with its token and the id that the carrier has', async () => {
    const open = { line_holder: null, line_token: TOKEN, provider_call_id: 'CA-open' };
    const line = { tokenHash: TOKEN, providerCallId: 'CA-open', holder: HOLDER };
    for (const other of [
      OVER,
      { line_token: Buffer.alloc(32, 2) },
      { provider_call_id: 'CA-not' },
      { line_holder: OTHER },
      { line_until: HOUR_AGO },
    ]) {
      const id = await add({ ...open, ...other });
      expect([other, await takeLine(pool, line)]).toEqual([other, undefined]);
      await pool.query('delete from calls where id = $1', [id]);
    }
    const neighbor = await add({ line_holder: null, line_token: Buffer.alloc(32, 2) });
    const id = await add({ ...open, say_from: 3 });
    expect(await takeLine(pool, line)).toMatchObject({ id, holder: HOLDER, sayFrom: 3 });
    expect(await rowOf(neighbor)).toMatchObject({ line_holder: null });
    expect(await takeLine(pool, line)).toBeUndefined();
  });

  test('a call is answered by the holder of its line, or by a machine, while it rings', async () => {
    const ringing = { status: 'ringing', conversation_id: null };
    const others = [{ line_holder: OTHER }, { status: 'in_progress' }, OVER];
    await expectOnly(ringing, others, (id) =>
      answerHeld(pool, { id, holder: HOLDER, conversationId: TALK }),
    );
    await expectOnly(ringing, others.slice(1), (id) =>
      answerByMachine(pool, { id, conversationId: TALK }),
    );
  });

  test('the lines of a holder are renewed while their calls are live', async () => {
    const [held, over, lost, foreign] = [
      await add({ keys_to_press: '1' }),
      await add(OVER),
      await add({ line_until: null }),
      await add({ line_holder: OTHER }),
    ];
    const before = await Promise.all([over, lost, foreign].map(rowOf));
    expect(await renewLines(pool, [HOLDER])).toEqual([{ holder: HOLDER, isAsked: true }]);
    expect(await Promise.all([over, lost, foreign].map(rowOf))).toEqual(before);
    expect((await rowOf(held))['line_until']).not.toBe(IN_AN_HOUR.getTime());
    const again = { ...TALKED, id: OTHER, line_holder: OTHER };
    await pool.query('delete from calls');
    await add({ ...again, keys_to_press: null });
    expect(await renewLines(pool, [OTHER])).toEqual([{ holder: OTHER, isAsked: false }]);
    await pool.query(`update calls set status = 'transferring'`);
    expect(await renewLines(pool, [OTHER])).toEqual([{ holder: OTHER, isAsked: true }]);
  });

  test('a line is released by its holder, and dropped by its carrier, while the call is live', async () => {
    const other = await add({ line_holder: OTHER });
    const over = await add(OVER);
    const held = await add({});
    const neighbor = await add({});
    for (const id of [other, over, held]) await releaseLine(pool, { id, holder: HOLDER });
    const holders = async (): Promise<unknown[]> =>
      Promise.all(
        [other, over, held, neighbor].map(async (id) => (await rowOf(id))['line_holder']),
      );
    expect(await holders()).toEqual([OTHER, HOLDER, null, HOLDER]);
    for (const id of [other, over]) await dropLine(pool, id);
    expect(await holders()).toEqual([null, HOLDER, null, HOLDER]);
  });

  test('a call is lost when nobody renewed its line and it is not over', async () => {
    const lost = { line_until: HOUR_AGO };
    const finished = await expectOnly(lost, [OVER, { line_until: IN_AN_HOUR }], (id) =>
      finishLost(pool, { id, status: 'failed', reason: 'platform_error' }),
    );
    expect(finished).toMatchObject({ status: 'failed', ended_reason: 'platform_error' });
    const id = await add(lost);
    await add({ ...lost, ...OVER });
    await add({});
    expect((await listLost(pool, 5)).map((one) => one.id)).toEqual([id]);
    expect(await listLost(pool, 0)).toEqual([]);
  });

  test('a call is found by its provider and the id there', async () => {
    const id = await add({ provider_call_id: 'CA-a' });
    await add({ provider_call_id: 'CA-a', telephony_provider_id: OTHER });
    await add({ provider_call_id: 'CA-b' });
    const place = { telephonyProviderId: PROVIDER, providerCallId: 'CA-a' };
    expect((await readByCarrier(pool, place))?.id).toBe(id);
    await pool.query('delete from calls where id = $1', [id]);
    expect(await readByCarrier(pool, place)).toBeUndefined();
  });

  test('the live calls of a provider are counted by direction, without one', async () => {
    await add({ provider_call_id: 'CA-one' });
    await add({ provider_call_id: null });
    await add({ telephony_provider_id: OTHER });
    await add({ direction: 'inbound' });
    await add(OVER);
    const asked = { telephonyProviderId: PROVIDER, direction: 'outbound' } as const;
    expect(await countLive(pool, asked)).toBe(2);
    expect(await countLive(pool, { ...asked, except: 'CA-one' })).toBe(1);
    expect(await countLive(pool, { ...asked, except: 'CA-none' })).toBe(2);
  });

  test('what was asked for lately is counted by provider, outbound alone', async () => {
    await add({});
    await add({ telephony_provider_id: OTHER });
    await add({ direction: 'inbound' });
    await add({ created_at: HOUR_AGO });
    expect(await countAsked(pool, { telephonyProviderId: PROVIDER, ms: 60_000 })).toBe(1);
  });

  test('the first time that a call was dialed stays', async () => {
    const [id, neighbor] = [await add({ status: 'queued' }), await add({ status: 'queued' })];
    expect(await markDialed(pool, { id, ms: 1_000 })).toBeNull();
    expect(await markDialed(pool, { id, ms: 1_000 })).toEqual(expect.any(Number));
    expect(await rowOf(neighbor)).toMatchObject({
      dialed_at: null,
      line_until: IN_AN_HOUR.getTime(),
    });
    expect(await markDialed(pool, { id: OTHER, ms: 1_000 })).toBeNull();
  });

  test('a call that is queued begins to ring, and one that is over does not', async () => {
    const queued = { status: 'queued', provider_call_id: null };
    const [one, talked, over, neighbor] = [
      await add(queued),
      await add({ provider_call_id: 'CA-known' }),
      await add({ ...queued, ...OVER }),
      await add(queued),
    ];
    for (const id of [one, talked, over]) await noteRinging(pool, { id, providerCallId: 'CA-new' });
    expect(await rowOf(one)).toMatchObject({ status: 'ringing', provider_call_id: 'CA-new' });
    expect(await rowOf(talked)).toMatchObject({
      status: 'in_progress',
      provider_call_id: 'CA-known',
    });
    expect(await rowOf(over)).toMatchObject({ status: 'completed', provider_call_id: null });
    expect(await rowOf(neighbor)).toMatchObject(queued);
  });
});

describe('calls', () => {
  test('one is read by its id and namespace', async () => {
    const id = await add({});
    await add({});
    expect((await readCall(pool, { namespace: 'default', id }))?.id).toBe(id);
    expect(await readCall(pool, { namespace: 'other', id })).toBeUndefined();
    expect(await readCall(pool, { namespace: 'default', id: OTHER })).toBeUndefined();
    expect((await readCallById(pool, id))?.id).toBe(id);
    expect(await readCallById(pool, OTHER)).toBeUndefined();
  });

  test('a page goes on behind the last call of the page before', async () => {
    const ids = [await add({}), await add({}), await add({ namespace: 'other' })].sort();
    const { rows } = await pool.query<{ id: string }>(
      `select id from calls where namespace = 'default' order by id desc`,
    );
    expect(ids).toHaveLength(3);
    const [newest, oldest] = rows.map(({ id }) => id);
    const page = { namespace: 'default', limit: 5, before: newest } as Parameters<
      typeof listCalls
    >[1];
    expect((await listCalls(pool, page)).map(({ id }) => id)).toEqual([oldest]);
  });

  test('a step is claimed when it is due, of a live call that nobody plays', async () => {
    const due = { due_at: HOUR_AGO };
    const playing = { ...due, lease_until: IN_AN_HOUR };
    await add({ ...due, ...OVER });
    await add({ due_at: IN_AN_HOUR });
    await add({});
    const played = await add(playing);
    const lease = { leaseToken: LEASE, limit: 5 };
    expect(await claimCalls(pool, lease)).toEqual([]);
    expect(await lookAtCalls(pool)).toMatchObject({ areLive: true });
    const abandoned = await add({ ...due, lease_until: HOUR_AGO });
    const free = await add(due);
    expect((await lookAtCalls(pool)).nextDueMs).toBe(0);
    const claimed = (await claimCalls(pool, lease)).map(({ id }) => id);
    expect(claimed.toSorted()).toEqual([abandoned, free].toSorted());
    expect(await rowOf(played)).toMatchObject({ lease_token: null });
  });

  test('the next step that is due is of a live call that nobody plays', async () => {
    expect(await lookAtCalls(pool)).toEqual({ areLive: false, nextDueMs: null });
    await add({ ...OVER, due_at: HOUR_AGO });
    expect(await lookAtCalls(pool)).toEqual({ areLive: false, nextDueMs: null });
    await add({ due_at: HOUR_AGO, lease_until: IN_AN_HOUR });
    await add({});
    expect(await lookAtCalls(pool)).toEqual({ areLive: true, nextDueMs: null });
    const id = await add({ due_at: HOUR_AGO, lease_until: HOUR_AGO });
    expect((await lookAtCalls(pool)).nextDueMs).toBe(0);
    await pool.query('delete from calls where id = $1', [id]);
    await add({ due_at: IN_AN_HOUR });
    expect((await lookAtCalls(pool)).nextDueMs).toBeGreaterThan(0);
  });

  test('a lease is extended by the one who has it, and all end with the process that owns them', async () => {
    const leased = { lease_token: LEASE, lease_until: IN_AN_HOUR };
    const [held, other, neighbor] = [
      await add(leased),
      await add({ ...leased, lease_token: OTHER }),
      await add(leased),
    ];
    for (const id of [held, other]) await leaseCall(pool, { id, leaseToken: LEASE }, 0);
    expect((await rowOf(held))['lease_until']).not.toBe(IN_AN_HOUR.getTime());
    expect(await rowOf(other)).toMatchObject({ lease_until: IN_AN_HOUR.getTime() });
    expect(await rowOf(neighbor)).toMatchObject({ lease_until: IN_AN_HOUR.getTime() });
    await releaseCallLeases(pool);
    expect(await rowOf(other)).toMatchObject({ lease_token: null, lease_until: null });
  });

  test('a step is done once, by the one who has the lease, of a live call', async () => {
    const leased = { status: 'queued', step: 2, lease_token: LEASE, provider_call_id: null };
    const claimed = { leaseToken: LEASE, step: 2 };
    const change = { nextAfterMs: 1_000 };
    const others = [{ lease_token: OTHER }, { step: 1 }, { step: 3 }, OVER];
    const rung = await expectOnly(leased, others, (id) =>
      advanceCall(pool, { id, ...claimed }, { ...change, status: 'ringing' }),
    );
    expect(rung).toMatchObject({ status: 'ringing', step: 3, answered_at: null });
    const early = await add({ ...leased, status: 'in_progress' });
    await advanceCall(pool, { id: early, ...claimed }, { ...change, status: 'ringing' });
    expect(await rowOf(early)).toMatchObject({ status: 'in_progress' });
    const answered = await add({ ...leased, status: 'ringing' });
    await advanceCall(pool, { id: answered, ...claimed }, { ...change, status: 'in_progress' });
    expect(await rowOf(answered)).toMatchObject({
      status: 'in_progress',
      answered_at: expect.any(Number),
    });
    const same = await add(leased);
    await advanceCall(pool, { id: same, ...claimed }, change);
    expect(await rowOf(same)).toMatchObject({ status: 'queued', answered_at: null });
  });

  test('a call ends from one of the statuses alone', async () => {
    const end = { from: ['in_progress', 'ringing'], status: 'completed', reason: 'api' } as const;
    await expectOnly({}, [{ status: 'queued' }, OVER], (id) => finishCall(pool, { id, ...end }));
    for (const [before, after] of [
      ['requested', 'canceled'],
      ['ringing', 'canceled'],
      ['answered', 'answered'],
      [null, null],
    ]) {
      const id = await add({ transfer_status: before });
      expect(await finishCall(pool, { id, ...end })).toMatchObject({ transferStatus: after });
    }
  });

  test('calls end with their conversations, but for those that two people are in', async () => {
    const live = newUuid();
    const ended = newUuid();
    for (const [id, at] of [
      [live, null],
      [ended, HOUR_AGO],
    ]) {
      await pool.query(
        `insert into conversations (id, namespace, agent_id, agent_version, channel, status, ended_at, ended_reason,
                                    max_duration_sec, silence_timeout_sec)
         values ($1, 'default', $1, 1, 'voice', 'ended', $2, 'silence_timeout', 1, 1)`,
        [id, at],
      );
    }
    await add({ conversation_id: live });
    await add({ conversation_id: ended, ...OVER });
    await add({ conversation_id: ended, transfer_status: 'answered' });
    expect(await finishCallsOfEnded(pool)).toEqual([]);
    const over = await add({ conversation_id: ended });
    const moving = await add({ conversation_id: ended, status: 'transferring' });
    const gone = await add({ conversation_id: OTHER });
    const reasons = new Map(
      (await finishCallsOfEnded(pool)).map((one) => [one.id, one.endedReason]),
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
    expect(await failOverdueCalls(pool)).toBe(0);
    const ids = [await add(overdue), await add({ ...overdue, status: 'ringing' })];
    expect(await failOverdueCalls(pool)).toBe(2);
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: 'failed', due_at: null });
  });

  test('the calls of one conversation are erased and removed, and old ones without any', async () => {
    const said = { from_number: '+44', user_id: 'u' };
    const [own, other] = [await add(said), await add({ ...said, conversation_id: OTHER })];
    await eraseCallsOf(pool, TALK);
    expect(await rowOf(own)).toMatchObject({ from_number: null, user_id: null });
    expect(await rowOf(other)).toMatchObject(said);
    await deleteCallsOf(pool, [TALK]);
    expect([await rowOf(own), await rowOf(other)]).toEqual([
      undefined,
      expect.objectContaining(said),
    ]);
    const old = { ...OVER, conversation_id: null, ended_at: new Date(Date.now() - 48 * 3_600_000) };
    await add({ ...old, conversation_id: OTHER });
    await add({ ...old, ended_at: HOUR_AGO });
    await add({ ...old, ended_at: null });
    expect(await deleteOldCalls(pool, { days: 1, limit: 5 })).toBe(0);
    await add(old);
    await add(old);
    expect(await deleteOldCalls(pool, { days: 1, limit: 1 })).toBe(1);
    expect(await deleteOldCalls(pool, { days: 1, limit: 5 })).toBe(1);
  });
});
