import { describe, expect, test } from 'vitest';
import {
  listDeletedAgents,
  listLiveOf,
  noneGoesOn,
} from '../../src/conversations/ending/due.sql.ts';
import { readRatedConversation } from '../../src/conversations/record/list-conversations.sql.ts';
import { EMPTY_TALLY } from '../../src/conversations/record/tally.ts';
import {
  addTurns,
  addTurnsOfAll,
  listTurns,
  markHeard,
  readFailedTurn,
  readLastTurns,
  readUnheard,
  type TurnRow,
} from '../../src/conversations/record/turns.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';
import { addConversation, addTurn as storeTurn } from './stored-conversations.ts';

/** Each statement about turns and deleted agents, with rows that differ from the one it is for in one part alone. */

const stored = useRows('conversations', 'agents', 'live_turns', 'deleted_agents');

const [AGENT, OTHER, TOKEN, REQUEST] = [newUuid(), newUuid(), newUuid(), newUuid()];
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

const add = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, { agent_id: AGENT, ...columns });
const addTurn = (id: string, index: number, columns?: Columns): Promise<void> =>
  storeTurn(stored, id, index, columns);
const conversationOf = (id: string): Promise<Columns | undefined> =>
  stored.rowOf('conversations', id);
const indexes = (rows: readonly { index: number }[]): number[] => rows.map(({ index }) => index);

describe('turns', () => {
  const turn = { index: 0, role: 'user', text: 'Hi', startedAtMs: 0, endedAtMs: 0 };
  const turns = [{ ...turn, interrupted: false } as TurnRow];
  const write = async (id: string, over: object = {}): Promise<boolean> => {
    const conversation = { id, turnCount: 0, status: 'active' } as const;
    const next = { status: 'active', silenceSec: 60, tally: EMPTY_TALLY } as const;
    return (await addTurns(stored.pool, { conversation, turns, ...next, ...over })) !== undefined;
  };

  test.each([{}, { token: TOKEN }])('are added to what is as it was read, %j', async (by) => {
    const hold = async (id: string, token: string): Promise<void> => {
      const row = { conversation_id: id, request_id: REQUEST, message: '', leased_until: ago(-60) };
      await stored.add('live_turns', { ...row, token });
    };
    const made = async (columns: Columns = {}): Promise<string> => {
      const id = await add(columns);
      await hold(id, TOKEN);
      return id;
    };
    for (const columns of [
      { turn_count: 1 },
      { status: 'escalated' },
      { ended_at: ago(1) },
      { deleted_at: ago(1) },
    ]) {
      expect([columns, await write(await made(columns), by)]).toEqual([columns, false]);
    }
    const [id, neighbor] = [await made(), await made()];
    const before = await conversationOf(neighbor);
    expect(await write(id, by)).toBe(true);
    expect(await conversationOf(id)).toMatchObject({ turn_count: 1 });
    expect(await conversationOf(neighbor)).toEqual(before);
    expect((await stored.read('turns', 'index')).map((row) => row['conversation_id'])).toEqual([
      id,
    ]);
    const held = await stored.read('live_turns', 'conversation_id');
    expect(held.some((row) => row['conversation_id'] === neighbor)).toBe(true);
    expect(held.some((row) => row['conversation_id'] === id)).toBe(!('token' in by));
  });

  test('of several conversations are added to those that are as they were read, without waiting', async () => {
    const [id, long, silent] = [await add(), await add({ turn_count: 3 }), await add()];
    const changed = [
      await add({ turn_count: 1 }),
      await add({ status: 'escalated' }),
      await add({ ended_at: ago(1) }),
      await add({ deleted_at: ago(1) }),
      newUuid(),
    ];
    const [locked, neighbor] = [await add(), await add()];
    const about = async (ids: string[]) => Promise.all(ids.map((one) => conversationOf(one)));
    const before = await about([...changed, locked, neighbor]);
    const next = { turns, status: 'active', silenceSec: 60, tally: EMPTY_TALLY } as const;
    const read = { turnCount: 0, status: 'active' } as const;
    const two = [turns[0]!, { ...turns[0]!, index: 4, role: 'agent', text: 'Hello' } as TurnRow];
    const adds = [
      { ...next, conversation: { ...read, id } },
      {
        ...next,
        conversation: { ...read, id: long, turnCount: 3 },
        turns: [{ ...two[0]!, index: 3 }, two[1]!],
        status: 'escalated' as const,
        tally: { ...EMPTY_TALLY, needs: 2 },
      },
      { ...next, conversation: { ...read, id: silent }, turns: [] },
      ...[...changed, locked].map((one) => ({ ...next, conversation: { ...read, id: one } })),
    ];
    await inTransaction(stored.pool, async (db) => {
      await db.query('select 1 from conversations where id = $1 for update', [locked]);
      const added = await addTurnsOfAll(stored.pool, adds);
      expect(new Set(added.map((row) => row.id))).toEqual(new Set([id, long, silent]));
    });
    expect(await about([...changed, locked, neighbor])).toEqual(before);
    expect(await conversationOf(id)).toMatchObject({ turn_count: 1, status: 'active' });
    expect(await conversationOf(silent)).toMatchObject({ turn_count: 0 });
    expect(await conversationOf(long)).toMatchObject({
      turn_count: 5,
      status: 'escalated',
      tally: { needs: 2 },
    });
    const said = await stored.read('turns', 'index');
    expect(said.map((row) => [row['conversation_id'], row['index'], row['text']])).toEqual([
      [id, 0, 'Hi'],
      [long, 3, 'Hi'],
      [long, 4, 'Hello'],
    ]);
  });

  test('of a turn that somebody else holds are not added', async () => {
    const [id, foreign] = [await add(), await add()];
    const row = { request_id: REQUEST, message: '', leased_until: ago(-60) };
    await stored.add('live_turns', { ...row, conversation_id: foreign, token: OTHER });
    await stored.add('live_turns', { ...row, conversation_id: await add(), token: TOKEN });
    expect(await write(id, { token: TOKEN })).toBe(false);
    expect(await write(foreign, { token: TOKEN })).toBe(false);
    const speaker = { agentId: OTHER, agentVersion: 3 };
    expect(await write(foreign, { token: OTHER, speaker })).toBe(true);
    expect(await conversationOf(foreign)).toMatchObject({ speaker_agent_id: OTHER });
  });

  test('are read by their conversation, from an index on or the last ones', async () => {
    const [id, neighbor] = [await add(), await add()];
    for (const index of [0, 1, 2]) await addTurn(id, index);
    await addTurn(neighbor, 3);
    const list = async (from: number, limit = 9): Promise<number[]> =>
      indexes(await listTurns(stored.pool, { conversationId: id, from, limit }));
    expect([await list(0), await list(1), await list(0, 2)]).toEqual([
      [0, 1, 2],
      [1, 2],
      [0, 1],
    ]);
    expect(indexes(await readLastTurns(stored.pool, { conversationId: id, limit: 2 }))).toEqual([
      1, 2,
    ]);
  });

  test('of a human are unheard since the user spoke last', async () => {
    const [id, silent] = [await add(), await add()];
    await addTurn(id, 0, { role: 'human' });
    await addTurn(id, 1);
    await addTurn(id, 2, { role: 'human' });
    await addTurn(id, 3, { role: 'agent' });
    await addTurn(id, 4, { role: 'human' });
    await addTurn(silent, 0, { role: 'human', text: 'first' });
    await addTurn(await add(), 9);
    expect(await readUnheard(stored.pool, id)).toEqual(['t2', 't4']);
    expect(await readUnheard(stored.pool, silent)).toEqual(['first']);
  });

  test('that failed are found by their request', async () => {
    const [id, neighbor] = [await add(), await add()];
    const failed = { request_id: REQUEST };
    await addTurn(id, 0);
    await addTurn(id, 1, failed);
    await addTurn(id, 2, { ...failed, role: 'tool' });
    await addTurn(id, 3, { ...failed, role: 'agent' });
    await addTurn(neighbor, 4, failed);
    const found = await readFailedTurn(stored.pool, { conversationId: id, requestId: REQUEST });
    expect(found).toMatchObject({ messageIndex: 1, indexes: new Set([1, 2, 3]) });
    expect(indexes(found!.tools)).toEqual([2]);
    expect(
      await readFailedTurn(stored.pool, { conversationId: id, requestId: OTHER }),
    ).toBeUndefined();
  });

  test('of an agent or a human are cut to what was heard, and no others', async () => {
    const [id, neighbor] = [await add(), await add()];
    await addTurn(id, 0, { role: 'agent' });
    await addTurn(id, 1, { role: 'human' });
    await addTurn(id, 2);
    await addTurn(neighbor, 0, { role: 'agent' });
    for (const index of [0, 2])
      await markHeard(stored.pool, { conversationId: id, index, heard: 'x' });
    const cut = (await stored.read('turns', 'index')).filter((row) => row['text'] === 'x');
    expect(cut.map((row) => [row['conversation_id'], row['index']])).toEqual([[id, 0]]);
    await markHeard(stored.pool, { conversationId: id, index: 1, heard: 'y' });
    expect(
      (await listTurns(stored.pool, { conversationId: id, from: 1, limit: 1 }))[0],
    ).toMatchObject({
      text: 'y',
      interrupted: true,
    });
  });
});

test('a conversation is rated under the name of its agent, until it is erased', async () => {
  for (const [id, name, spec] of [
    [OTHER, 'other', {}],
    [AGENT, 'a', { displayName: 'Shop' }],
  ] as const) {
    const row = { id, namespace: 'default', name, uid: newUuid(), generation: 1 };
    await stored.add('agents', { ...row, managed_by: 'api', spec });
  }
  const rated = async (id: string): Promise<string | undefined> =>
    (await readRatedConversation(stored.pool, id))?.agentName;
  expect(await rated(await add())).toBe('Shop');
  expect(await rated(await add({ agent_id: OTHER }))).toBe('other');
  expect(await rated(await add({ deleted_at: ago(1) }))).toBeUndefined();
  expect(await rated(newUuid())).toBeUndefined();
});

describe('a deleted agent', () => {
  const note = (agent_id: string, columns: Columns = {}): Promise<void> =>
    stored.add('deleted_agents', {
      agent_id,
      namespace: 'default',
      deleted_at: ago(30),
      look_at: ago(1),
      ...columns,
    });

  test('is due at its time, and settled a minute after', async () => {
    await note(AGENT, { look_at: ago(2) });
    await note(OTHER, { deleted_at: ago(61), look_at: ago(1) });
    const later = newUuid();
    await note(later, { look_at: ago(-60) });
    const lookAt = async (id: string): Promise<number> => {
      const rows = await stored.read('deleted_agents', 'agent_id');
      return Number(rows.find((row) => row['agent_id'] === id)?.['look_at']);
    };
    const before = await lookAt(later);
    const due = await listDeletedAgents(stored.pool, 5);
    expect(due.map((one) => [one.agentId, one.isSettled])).toEqual([
      [AGENT, false],
      [OTHER, true],
    ]);
    expect(await listDeletedAgents(stored.pool, 1)).toHaveLength(1);
    for (const one of due) await noneGoesOn(stored.pool, one);
    const left = await stored.read('deleted_agents', 'deleted_at');
    expect(left).toHaveLength(2);
    expect(await lookAt(later)).toBe(before);
    const looked = left.find((row) => row['agent_id'] === AGENT)!;
    expect(Number(looked['look_at']) - Number(looked['deleted_at'])).toBe(60_000);
    expect(await listDeletedAgents(stored.pool, 5)).toEqual([]);
  });

  test('is noted once, at the time of its first deletion, until it comes back', async () => {
    const row = { id: AGENT, namespace: 'default', name: 'a', uid: newUuid(), generation: 1 };
    await stored.add('agents', { ...row, managed_by: 'api', spec: {} });
    const set = 'update agents set deleted_at = $2 where id = $1';
    await stored.pool.query(set, [AGENT, ago(2)]);
    const noted = await stored.read('deleted_agents', 'agent_id');
    expect(noted).toMatchObject([{ agent_id: AGENT, namespace: 'default' }]);
    await stored.pool.query(set, [AGENT, ago(1)]);
    expect(await stored.read('deleted_agents', 'agent_id')).toEqual(noted);
    await stored.pool.query(set, [AGENT, null]);
    expect(await stored.read('deleted_agents', 'agent_id')).toEqual([]);
  });

  test('has the live conversations that it has or in which it speaks', async () => {
    const own = await add();
    const spoken = await add({ agent_id: OTHER, speaker_agent_id: AGENT });
    for (const who of [{}, { agent_id: OTHER, speaker_agent_id: AGENT }]) {
      await add({ ...who, namespace: 'other' });
      await add({ ...who, deleted_at: ago(1) });
      await add({ ...who, ended_at: ago(1) });
    }
    await add({ agent_id: OTHER });
    await add({ agent_id: OTHER, speaker_agent_id: OTHER });
    const of = { agentId: AGENT, namespace: 'default', isSettled: false };
    const ids = (await listLiveOf(stored.pool, of, 9)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([own, spoken].toSorted());
    expect(await listLiveOf(stored.pool, of, 1)).toHaveLength(1);
  });
});
