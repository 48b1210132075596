import { describe, expect, test } from 'vitest';
import {
  addKeys,
  answerTransfer,
  askTransfer,
  failTransfer,
  keepTransferred,
  KEYS_WAITING_MAX,
  ringTransfer,
  takeAsked,
} from '../../../src/calls/acts/acts.sql.ts';
import {
  answerByMachine,
  answerHeld,
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
} from '../../../src/calls/lines/lines.sql.ts';
import { countAsked, countLive } from '../../../src/calls/providers/dialing.sql.ts';
import { newUuid } from '../../../src/ids.ts';
import type { Columns } from '../../platform/postgres/rows.ts';
import {
  HOLDER,
  HOUR_AGO,
  IN_AN_HOUR,
  OTHER,
  OVER,
  PROVIDER,
  TALK,
  useStoredCalls,
  type StoredCalls,
} from '../stored-calls.ts';

/**
 * Each statement about lines and the requests to them, tried on rows that differ from a matching row in one part alone.
 * Uses its own database, because several statements read the calls of all namespaces.
 */

const stored = useStoredCalls();

const add = (columns: Columns): Promise<string> => stored.addCall(columns);
const rowOf = (id: string): Promise<Columns> => stored.rowOf(id);
const expectOnly: StoredCalls['expectOnly'] = (...given) => stored.expectOnly(...given);

const TOKEN = Buffer.alloc(32, 1);

describe('acts', () => {
  test('a transfer is asked for of a call in progress with us over a carrier', async () => {
    const others = [
      { status: 'ringing' },
      { transfer_status: 'answered' },
      { telephony_provider_id: null },
      { conversation_id: null },
    ];
    const asked = await expectOnly({}, others, (id) =>
      askTransfer(stored.pool, { id, to: '+44', escalationId: null }),
    );
    expect(asked).toMatchObject({ status: 'transferring', transfer_to: '+44', transfers: 1 });
    const id = await add({ transfer_status: 'busy' });
    expect(await askTransfer(stored.pool, { id, to: '+44', escalationId: null })).toBeDefined();
  });

  test('the number is rung, answered and given up once for each transfer', async () => {
    const ringing = { status: 'transferring', transfers: 2, transfer_status: 'ringing' };
    const others = [{ transfers: 1 }, { transfers: 3 }, { status: 'in_progress' }];
    const rung = await expectOnly(ringing, others, (id) =>
      ringTransfer(stored.pool, { id, transfers: 2, ms: 1_000 }),
    );
    expect(rung).toMatchObject({ transfer_status: 'ringing', line_holder: null });
    const answered = await expectOnly(
      ringing,
      [...others, { transfer_status: 'requested' }],
      (id) => answerTransfer(stored.pool, { id, transfers: 2 }),
    );
    expect(answered).toMatchObject({ status: 'in_progress', transfer_status: 'answered' });
    const failed = await expectOnly(ringing, others, (id) =>
      failTransfer(stored.pool, { id, transfers: 2, why: 'busy', sayFrom: 4 }),
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
    await expectOnly(talking, others, (id) => keepTransferred(stored.pool, id));
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
    const added = await expectOnly(waiting, others, (id) =>
      addKeys(stored.pool, { id, keys: '23' }),
    );
    expect(added['keys_to_press']).toBe(`${waiting.keys_to_press}23`);
  });

  test('the holder of a line alone takes what is asked of the call', async () => {
    const asked = { keys_to_press: '12', transfer_status: 'requested' };
    const others = [{ line_holder: OTHER }, { line_holder: null }, OVER];
    const taken = await expectOnly(asked, others, (id) =>
      takeAsked(stored.pool, { id, holder: HOLDER }),
    );
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
      insertIncoming(stored.pool, { id: newUuid(), ...told, ...over });
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
      offerLine(stored.pool, { id, tokenHash: TOKEN }),
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
      expect([other, await takeLine(stored.pool, line)]).toEqual([other, undefined]);
      await stored.pool.query('delete from calls where id = $1', [id]);
    }
    const neighbor = await add({ line_holder: null, line_token: Buffer.alloc(32, 2) });
    const id = await add({ ...open, say_from: 3 });
    expect(await takeLine(stored.pool, line)).toMatchObject({ id, holder: HOLDER, sayFrom: 3 });
    expect(await rowOf(neighbor)).toMatchObject({ line_holder: null });
    expect(await takeLine(stored.pool, line)).toBeUndefined();
  });

  test('a call is answered by the holder of its line, or by a machine, while it rings', async () => {
    const ringing = { status: 'ringing', conversation_id: null };
    const others = [{ line_holder: OTHER }, { status: 'in_progress' }, OVER];
    await expectOnly(ringing, others, (id) =>
      answerHeld(stored.pool, { id, holder: HOLDER, conversationId: TALK }),
    );
    await expectOnly(ringing, others.slice(1), (id) =>
      answerByMachine(stored.pool, { id, conversationId: TALK }),
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
    expect(await renewLines(stored.pool, [HOLDER])).toEqual([{ holder: HOLDER, isAsked: true }]);
    expect(await Promise.all([over, lost, foreign].map(rowOf))).toEqual(before);
    expect((await rowOf(held))['line_until']).not.toBe(IN_AN_HOUR.getTime());
    await stored.pool.query('delete from calls');
    await add({ line_holder: OTHER });
    expect(await renewLines(stored.pool, [OTHER])).toEqual([{ holder: OTHER, isAsked: false }]);
    await stored.pool.query(`update calls set status = 'transferring'`);
    expect(await renewLines(stored.pool, [OTHER])).toEqual([{ holder: OTHER, isAsked: true }]);
  });

  test('a line is released by its holder, and dropped by its carrier, while the call is live', async () => {
    const other = await add({ line_holder: OTHER });
    const over = await add(OVER);
    const held = await add({});
    const neighbor = await add({});
    for (const id of [other, over, held]) await releaseLine(stored.pool, { id, holder: HOLDER });
    const holders = async (): Promise<unknown[]> =>
      Promise.all(
        [other, over, held, neighbor].map(async (id) => (await rowOf(id))['line_holder']),
      );
    expect(await holders()).toEqual([OTHER, HOLDER, null, HOLDER]);
    for (const id of [other, over]) await dropLine(stored.pool, id);
    expect(await holders()).toEqual([null, HOLDER, null, HOLDER]);
  });

  test('a call is lost when nobody renewed its line and it is not over', async () => {
    const lost = { line_until: HOUR_AGO };
    const finished = await expectOnly(lost, [OVER, { line_until: IN_AN_HOUR }], (id) =>
      finishLost(stored.pool, { id, status: 'failed', reason: 'platform_error' }),
    );
    expect(finished).toMatchObject({ status: 'failed', ended_reason: 'platform_error' });
    const id = await add(lost);
    await add({ ...lost, ...OVER });
    await add({});
    expect((await listLost(stored.pool, 5)).map((one) => one.id)).toEqual([id]);
    expect(await listLost(stored.pool, 0)).toEqual([]);
  });

  test('a call is found by its provider and the id there', async () => {
    const id = await add({ provider_call_id: 'CA-a' });
    await add({ provider_call_id: 'CA-a', telephony_provider_id: OTHER });
    await add({ provider_call_id: 'CA-b' });
    const place = { telephonyProviderId: PROVIDER, providerCallId: 'CA-a' };
    expect((await readByCarrier(stored.pool, place))?.id).toBe(id);
    await stored.pool.query('delete from calls where id = $1', [id]);
    expect(await readByCarrier(stored.pool, place)).toBeUndefined();
  });

  test('the live calls of a provider are counted by direction, without one', async () => {
    await add({ provider_call_id: 'CA-one' });
    await add({ provider_call_id: null });
    await add({ telephony_provider_id: OTHER });
    await add({ direction: 'inbound' });
    await add(OVER);
    const asked = { telephonyProviderId: PROVIDER, direction: 'outbound' } as const;
    expect(await countLive(stored.pool, asked)).toBe(2);
    expect(await countLive(stored.pool, { ...asked, except: 'CA-one' })).toBe(1);
    expect(await countLive(stored.pool, { ...asked, except: 'CA-none' })).toBe(2);
  });

  test('what was asked for lately is counted by provider, outbound alone', async () => {
    await add({});
    await add({ telephony_provider_id: OTHER });
    await add({ direction: 'inbound' });
    await add({ created_at: HOUR_AGO });
    expect(await countAsked(stored.pool, { telephonyProviderId: PROVIDER, ms: 60_000 })).toBe(1);
  });

  test('the first time that a call was dialed stays', async () => {
    const [id, neighbor] = [await add({ status: 'queued' }), await add({ status: 'queued' })];
    expect(await markDialed(stored.pool, { id, ms: 1_000 })).toBeNull();
    expect(await markDialed(stored.pool, { id, ms: 1_000 })).toEqual(expect.any(Number));
    expect(await rowOf(neighbor)).toMatchObject({
      dialed_at: null,
      line_until: IN_AN_HOUR.getTime(),
    });
    expect(await markDialed(stored.pool, { id: OTHER, ms: 1_000 })).toBeNull();
  });

  test('a call that is queued begins to ring, and one that is over does not', async () => {
    const queued = { status: 'queued', provider_call_id: null };
    const [one, talked, over, neighbor] = [
      await add(queued),
      await add({ provider_call_id: 'CA-known' }),
      await add({ ...queued, ...OVER }),
      await add(queued),
    ];
    for (const id of [one, talked, over])
      await noteRinging(stored.pool, { id, providerCallId: 'CA-new' });
    expect(await rowOf(one)).toMatchObject({ status: 'ringing', provider_call_id: 'CA-new' });
    expect(await rowOf(talked)).toMatchObject({
      status: 'in_progress',
      provider_call_id: 'CA-known',
    });
    expect(await rowOf(over)).toMatchObject({ status: 'completed', provider_call_id: null });
    expect(await rowOf(neighbor)).toMatchObject(queued);
  });
});
