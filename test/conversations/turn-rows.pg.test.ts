import { describe, expect, test } from 'vitest';
import {
  claimTalk,
  findTalks,
  markForAnswer,
  releaseTalk,
  saveTalk,
} from '../../src/conversations/completions/talks.sql.ts';
import {
  acceptEscalationRow,
  closeEscalationRow,
  closeEscalationsOf,
  eraseEscalationsOf,
  keepEscalationRow,
  listTimedOut,
  listVanished,
  readEscalation,
  releaseEscalationRow,
  setEscalationSummary,
} from '../../src/conversations/escalations/escalations.sql.ts';
import {
  cancelLiveTurn,
  claimLiveTurn,
  dropLiveTurn,
  endLiveTurn,
  listLostTurns,
  noteTools,
  readLiveTurn,
  releaseLiveTurn,
  renewLiveTurns,
  takeLostTurn,
  takeOverLiveTurn,
} from '../../src/conversations/record/live-turns.sql.ts';
import { lockConversationById } from '../../src/conversations/record/conversations.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { minutesAgo, useRows, type Columns } from '../platform/postgres/rows.ts';
import { until } from '../until.ts';
import { addConversation, addTurn as storeTurn } from './stored-conversations.ts';

/**
 * Each statement about turns in progress, escalations and talks, of rows that differ from the one it is for in one part
 * alone. A database of its own: several statements read the rows of all namespaces.
 */

const stored = useRows('conversations', 'live_turns');

const OTHER = newUuid();
const TOKEN = newUuid();

const add = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, {
    agent_id: OTHER,
    expires_at: minutesAgo(-60),
    tally: JSON.stringify({ escalations: { accepted: 0 } }),
    ...columns,
  });

const addTurn = (id: string, index: number, columns?: Columns): Promise<void> =>
  storeTurn(stored, id, index, columns);

describe('a turn in progress', () => {
  const live = async (columns: Columns = {}): Promise<string> => {
    const conversation_id = newUuid();
    const row = { conversation_id, token: TOKEN, request_id: newUuid(), message: '' };
    await stored.add('live_turns', { ...row, leased_until: minutesAgo(-5), ...columns });
    return conversation_id;
  };
  const liveOf = async (id: string): Promise<Columns | undefined> =>
    (await stored.read('live_turns', 'conversation_id')).find(
      (row) => row['conversation_id'] === id,
    );

  const claimAsRead = (id: string): Promise<unknown> =>
    claimLiveTurn(stored.pool, {
      conversation: { id, turnCount: 2, status: 'active' },
      token: TOKEN,
      requestId: newUuid(),
      message: 'Hi',
      redacted: null,
      answersIndex: null,
      mark: undefined,
      tools: [],
      historyFrom: 1,
    });

  test('is claimed in a conversation that is as it was read', async () => {
    const same = { turn_count: 2 };
    for (const other of [
      { turn_count: 1 },
      { turn_count: 3 },
      { status: 'escalated' },
      { ended_at: minutesAgo(1) },
      { deleted_at: minutesAgo(1) },
    ]) {
      expect([other, await claimAsRead(await add({ ...same, ...other }))]).toEqual([
        other,
        undefined,
      ]);
    }
    const [id, neighbor] = [await add(same), await add(same)];
    for (const one of [id, neighbor]) for (const index of [0, 1]) await addTurn(one, index);
    expect(await claimAsRead(id)).toMatchObject([{ index: 1 }]);
    expect(await claimAsRead(id)).toBeUndefined();
    expect(await claimAsRead(await add(same))).toEqual([]);
    expect(await liveOf(neighbor)).toBeUndefined();
    expect((await readLiveTurn(stored.pool, id))?.message).toBe('Hi');
    expect(await readLiveTurn(stored.pool, OTHER)).toBeUndefined();
  });

  test('is not claimed in a conversation in which somebody settles a lost one meanwhile', async () => {
    const id = await add({ turn_count: 2 });
    await live({ conversation_id: id, leased_until: '-infinity' });
    const settling = await stored.pool.connect();
    await settling.query('begin');
    await lockConversationById(settling, id);
    expect(await takeLostTurn(settling, id)).toBeDefined();
    await settling.query('update conversations set turn_count = 4 where id = $1', [id]);
    const claimed = claimAsRead(id);
    await until('the claim to wait', async () => {
      const { rowCount } = await stored.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    await settling.query('commit');
    settling.release();
    expect(await claimed).toBeUndefined();
    expect(await liveOf(id)).toBeUndefined();
  });

  test('is changed by the one who holds it, and by nobody else', async () => {
    const held = { token: TOKEN };
    const neighbor = await live();
    const before = await liveOf(neighbor);
    const foreign = await live({ token: OTHER });
    const foreignBefore = await liveOf(foreign);
    const id = await live();
    expect(await noteTools(stored.pool, { conversationId: id, ...held }, [])).toBe(true);
    expect(await noteTools(stored.pool, { conversationId: foreign, ...held }, [])).toBe(false);
    const both = [id, foreign].map((conversationId) => ({ conversationId, ...held }));
    expect(await renewLiveTurns(stored.pool, both)).toEqual([{ token: TOKEN, isCanceled: false }]);
    for (const one of both) await releaseLiveTurn(stored.pool, one);
    expect(await readLiveTurn(stored.pool, id)).toMatchObject({ isOver: true });
    for (const one of both) await dropLiveTurn(stored.pool, one);
    expect(await liveOf(id)).toBeUndefined();
    expect(await liveOf(foreign)).toEqual(foreignBefore);
    expect(await liveOf(neighbor)).toEqual(before);
  });

  test('is canceled for whoever holds it, and its lease is never longer for that', async () => {
    const neighbor = await live();
    const id = await live({ leased_until: minutesAgo(1) });
    const leased_until = (await liveOf(id))!['leased_until'];
    expect(await cancelLiveTurn(stored.pool, id)).toBe(true);
    expect(await cancelLiveTurn(stored.pool, OTHER)).toBe(false);
    expect(await liveOf(id)).toMatchObject({ is_canceled: true, leased_until });
    expect(await liveOf(neighbor)).toMatchObject({ is_canceled: false });
    expect(await renewLiveTurns(stored.pool, [{ conversationId: id, token: TOKEN }])).toMatchObject(
      [{ isCanceled: true }],
    );
  });

  test('is taken over once its process is gone', async () => {
    const gone = { leased_until: '-infinity' };
    const neighbor = await live(gone);
    const id = await live(gone);
    const alive = await live();
    const take = (conversationId: string, from: string): Promise<boolean> =>
      takeOverLiveTurn(stored.pool, { conversationId, from, token: OTHER });
    expect(await take(alive, TOKEN)).toBe(false);
    expect(await take(id, OTHER)).toBe(false);
    expect(await take(id, TOKEN)).toBe(true);
    expect(await liveOf(neighbor)).toMatchObject({ token: TOKEN });
    expect((await listLostTurns(stored.pool, 5)).map((one) => one.id)).toEqual([neighbor]);
    expect(await takeLostTurn(stored.pool, alive)).toBeUndefined();
    expect(await takeLostTurn(stored.pool, neighbor)).toMatchObject({ conversationId: neighbor });
    expect(await endLiveTurn(stored.pool, OTHER)).toBeUndefined();
    expect(await endLiveTurn(stored.pool, alive)).toMatchObject({ conversationId: alive });
    expect(await liveOf(id)).toMatchObject({ token: OTHER });
  });
});

describe('an escalation', () => {
  const PERSON = { id: 'p', name: 'Pat' };

  async function ask(columns: Columns = {}): Promise<string> {
    const row: Columns = {
      id: newUuid(),
      namespace: 'default',
      conversation_id: columns['conversation_id'] ?? (await add()),
      agent_id: OTHER,
      status: 'requested',
      reason: 'user_request',
      summary: 's',
      times_out_at: minutesAgo(-5),
      ...columns,
    };
    await stored.add('escalations', row);
    return String(row['id']);
  }
  const escalationOf = async (id: string): Promise<Columns> =>
    (await stored.rowOf('escalations', id))!;
  const accepted = { status: 'accepted', accepted_by: JSON.stringify(PERSON), heartbeat_sec: 60 };

  test('is read by its id and namespace', async () => {
    const id = await ask();
    await ask();
    expect((await readEscalation(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
    expect(await readEscalation(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await readEscalation(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
  });

  test('is accepted while it is requested, kept by its person and released while it is accepted', async () => {
    const neighbor = await ask();
    const before = await escalationOf(neighbor);
    const acceptance = { acceptedBy: PERSON, heartbeatSec: 60 };
    const id = await ask();
    expect(await acceptEscalationRow(stored.pool, id, acceptance)).toMatchObject({
      status: 'accepted',
    });
    expect(await acceptEscalationRow(stored.pool, id, acceptance)).toBeUndefined();

    const keep = { namespace: 'default', id, by: 'p' };
    const keeper = await ask({ ...accepted });
    const keeperBefore = await escalationOf(keeper);
    expect(await keepEscalationRow(stored.pool, keep)).toBeDefined();
    expect(await keepEscalationRow(stored.pool, { ...keep, by: null })).toBeDefined();
    expect(await keepEscalationRow(stored.pool, { ...keep, by: 'q' })).toBeUndefined();
    expect(await keepEscalationRow(stored.pool, { ...keep, namespace: 'other' })).toBeUndefined();
    const requested = { ...keep, id: neighbor, by: null };
    expect(await keepEscalationRow(stored.pool, requested)).toBeUndefined();
    expect(await escalationOf(keeper)).toEqual(keeperBefore);

    await setEscalationSummary(stored.pool, id, 'new');
    const change = { team: null, summary: 'n', isDue: false };
    expect(await releaseEscalationRow(stored.pool, id, { ...change, isDue: true })).toBeUndefined();
    expect(await releaseEscalationRow(stored.pool, id, change)).toMatchObject({
      status: 'requested',
    });
    expect(await releaseEscalationRow(stored.pool, id, change)).toBeUndefined();
    const silent = await ask({ ...accepted, heartbeat_due_at: minutesAgo(1), team: 't' });
    expect(
      await releaseEscalationRow(stored.pool, silent, { ...change, isDue: true }),
    ).toMatchObject({
      team: 't',
    });
    expect(await escalationOf(neighbor)).toEqual(before);
    expect(await escalationOf(keeper)).toEqual(keeperBefore);
  });

  test('has vanished or timed out by its status and its own time', async () => {
    const vanished = await ask({ ...accepted, heartbeat_due_at: minutesAgo(1) });
    await ask({ ...accepted, heartbeat_due_at: minutesAgo(-5) });
    await ask({
      status: 'completed',
      heartbeat_due_at: minutesAgo(1),
      times_out_at: minutesAgo(1),
    });
    const late = await ask({ times_out_at: minutesAgo(1), heartbeat_due_at: minutesAgo(1) });
    await ask();
    const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
    expect(ids(await listVanished(stored.pool, 5))).toEqual([vanished]);
    expect(ids(await listTimedOut(stored.pool, 5))).toEqual([late]);
  });

  test('ends from its status, by itself or with its conversation', async () => {
    const [id, neighbor] = [await ask(), await ask()];
    const change = { to: 'declined', summary: null } as const;
    expect(
      await closeEscalationRow(stored.pool, id, { ...change, from: 'accepted' }),
    ).toBeUndefined();
    expect(
      await closeEscalationRow(stored.pool, id, { ...change, from: 'requested' }),
    ).toMatchObject({
      status: 'declined',
      summary: 's',
    });
    const conversation_id = await add();
    const done = await ask({ conversation_id, status: 'completed' });
    const open = await ask({ conversation_id });
    expect(await closeEscalationsOf(stored.pool, conversation_id, 'sum')).toEqual(['canceled']);
    expect(await escalationOf(open)).toMatchObject({ summary: 's' });
    expect(await escalationOf(done)).toMatchObject({ status: 'completed', finished_at: null });
    const taken = await ask({ conversation_id, ...accepted });
    expect(await closeEscalationsOf(stored.pool, conversation_id, 'sum')).toEqual(['completed']);
    expect(await escalationOf(taken)).toMatchObject({ summary: 'sum' });
    await eraseEscalationsOf(stored.pool, conversation_id, '-');
    expect(await escalationOf(taken)).toMatchObject({ summary: '-', reason: '-' });
    expect(await escalationOf(neighbor)).toMatchObject({ status: 'requested', summary: 's' });
  });
});

describe('a talk', () => {
  const hash = (text: string): Buffer => Buffer.from(text.padEnd(32, '.'));
  const talk = (conversationId: string) => ({
    conversationId,
    state: hash('state'),
    request: hash('request'),
    status: 'answered' as const,
    firstIndex: 0,
    turnCount: 2,
  });
  const REQUEST_ID = hash('request')
    .subarray(0, 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

  async function addTalk(conversation: Columns = {}, over: Columns = {}): Promise<string> {
    const id = await add(conversation);
    await saveTalk(stored.pool, { ...talk(id), ...over });
    return id;
  }
  const find = async (text: string, conversationId?: string): Promise<string[]> => {
    const found = await findTalks(stored.pool, { hashes: [hash(text)], conversationId });
    return found.map((one) => one.conversationId);
  };

  test('is found by what was said or asked, while its conversation goes on', async () => {
    const id = await addTalk();
    await addTalk({ ended_at: minutesAgo(1) });
    await addTalk({ deleted_at: minutesAgo(1) });
    await addTalk({ expires_at: minutesAgo(1) });
    await add();
    expect(await find('state')).toEqual([id]);
    expect(await find('request')).toEqual([id]);
    expect(await find('other')).toEqual([]);
    const second = await addTalk();
    expect((await find('state')).toSorted()).toEqual([id, second].toSorted());
    expect(await find('state', second)).toEqual([second]);
  });

  test('shows whether a human has accepted it', async () => {
    const accepted = (count: number) => ({ tally: { escalations: { accepted: count } } });
    const ids = [await addTalk(accepted(0)), await addTalk(accepted(1))];
    const found = await findTalks(stored.pool, { hashes: [hash('state')] });
    expect(ids.map((id) => found.find((one) => one.conversationId === id)?.hadHuman)).toEqual([
      false,
      true,
    ]);
  });

  test('is not found once the user has spoken elsewhere', async () => {
    const id = await addTalk();
    await addTurn(id, 1);
    await addTurn(id, 2, { role: 'agent' });
    await addTurn(await add(), 2);
    expect(await find('state')).toEqual([id]);
    await addTurn(id, 3);
    expect(await find('state')).toEqual([]);
  });

  test('is found with a message that waits to be answered, if that is its own', async () => {
    const pending = { status: 'pending' };
    const own = await addTalk({}, pending);
    await addTurn(own, 2, { request_id: REQUEST_ID });
    for (const [over, turn] of [
      [pending, { request_id: OTHER }],
      [pending, {}],
      [{}, { request_id: REQUEST_ID }],
    ] as const) {
      await addTurn(await addTalk({}, over), 2, turn);
    }
    expect(await find('state')).toEqual([own]);
  });

  test('is claimed by one request, and released while that is pending', async () => {
    const [id, neighbor] = [await addTalk(), await addTalk()];
    const [found] = await findTalks(stored.pool, { hashes: [hash('state')], conversationId: id });
    const [other] = await findTalks(stored.pool, {
      hashes: [hash('state')],
      conversationId: neighbor,
    });
    const foreign = { conversationId: id, revision: other!.revision };
    expect(await claimTalk(stored.pool, foreign, hash('next'))).toBe(false);
    await releaseTalk(stored.pool, { ...talk(id), state: hash('lost'), ageSec: 0 });
    expect(await find('lost')).toEqual([]);
    expect(await claimTalk(stored.pool, found!, hash('next'))).toBe(true);
    expect(await claimTalk(stored.pool, found!, hash('next'))).toBe(false);
    expect(await find('next')).toEqual([id]);
    await releaseTalk(stored.pool, { ...talk(id), state: hash('back'), ageSec: 0 });
    expect(await find('back')).toEqual([id]);
    expect(await find('state')).toEqual([neighbor]);
    expect(await claimTalk(stored.pool, other!, hash('pending'))).toBe(true);
    await releaseTalk(stored.pool, { ...talk(id), state: hash('again'), ageSec: 0 });
    expect(await find('pending')).toEqual([neighbor]);
  });

  test('marks the turns of its request, and no others', async () => {
    const [id, neighbor] = [await add(), await add()];
    for (const one of [id, neighbor]) for (const index of [0, 1, 2, 3]) await addTurn(one, index);
    await markForAnswer(stored.pool, { ...talk(id), firstIndex: 1, turnCount: 3, ageSec: 0 });
    const marked = (await stored.read('turns', 'index')).filter((row) => row['request_id']);
    expect(marked.map((row) => [row['conversation_id'], row['index']])).toEqual([
      [id, 1],
      [id, 2],
    ]);
  });
});
