import { expect, test } from 'vitest';
import { listExpired, listWithoutSummary } from '../../src/conversations/ending/due.sql.ts';
import {
  endConversationRows,
  readEndFacts,
} from '../../src/conversations/ending/end-conversation.sql.ts';
import {
  deleteOldConversations,
  eraseConversationRow,
  lockConversation,
  lockConversationById,
  lockExpired,
  lockWithoutSummary,
  nextSequence,
  readConversation,
  readForTurn,
  setAbout,
  setFeedback,
  setSummary,
  waitLonger,
} from '../../src/conversations/record/conversations.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { minutesAgo, useRows, type Columns } from '../platform/postgres/rows.ts';
import { createStoredAgents } from '../agents/stored-agents.ts';
import { addConversation } from './stored-conversations.ts';

/**
 * Each statement about conversations, of rows that differ from the one it is for in one part alone. A database of its own:
 * several statements read the conversations of all namespaces.
 */

const stored = useRows('conversations', 'agents', 'live_turns');

const AGENT = newUuid();
const OTHER = newUuid();

const add = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, { agent_id: AGENT, ...columns });

const rowOf = (id: string): Promise<Columns | undefined> => stored.rowOf('conversations', id);

async function addAgent(id: string, versions: Record<number, object>): Promise<void> {
  const agents = createStoredAgents(stored);
  await agents.addAgent({ id });
  for (const [version, content] of Object.entries(versions)) {
    await agents.addVersion(id, Number(version), { content });
  }
}

/** The columns of a conversation that the end sets. */
const END = {
  status: 'ended',
  endedAt: 1_764_288_000_123,
  endedReason: 'api',
  outcome: 'resolved',
  csatPredicted: 3.4,
  expiresAt: null,
  judgeUntil: null,
  summary: 'Ended.',
} as const;

const ENDED = { status: 'ended', ended_at: minutesAgo(10) };

test('one is read and locked by its id and namespace, until it is erased', async () => {
  const id = await add();
  await add();
  const erased = await add({ deleted_at: minutesAgo(1) });
  for (const find of [readConversation, lockConversation]) {
    expect((await find(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
    expect(await find(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await find(stored.pool, { namespace: 'default', id: erased })).toBeUndefined();
    expect(await find(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
  }
  expect((await lockConversationById(stored.pool, id))?.id).toBe(id);
  expect(await lockConversationById(stored.pool, erased)).toBeUndefined();
  expect(await lockConversationById(stored.pool, OTHER)).toBeUndefined();
});

test('a turn is made from the content of the version that speaks, unless its agent is gone', async () => {
  await addAgent(AGENT, { 1: { prompt: 'one' }, 2: { prompt: 'two' } });
  await addAgent(OTHER, { 1: { prompt: 'other' } });
  const key = async (columns: Columns) => ({ namespace: 'default', id: await add(columns) });
  const content = async (columns: Columns) =>
    (await readForTurn(stored.pool, await key(columns)))?.content;
  expect(await content({})).toEqual({ prompt: 'one' });
  expect(await content({ agent_version: 2 })).toEqual({ prompt: 'two' });
  const handed = { speaker_agent_id: OTHER, speaker_version: 1, agent_version: 2 };
  expect(await content(handed)).toEqual({ prompt: 'other' });
  const id = await add();
  expect(await readForTurn(stored.pool, { namespace: 'other', id })).toBeUndefined();
  expect(await content({ deleted_at: minutesAgo(1) })).toBeUndefined();
  await stored.pool.query('update agents set deleted_at = now() where id = $1', [OTHER]);
  expect(await content(handed)).toBeNull();
  expect(await content({})).toEqual({ prompt: 'one' });
});

test('what changes one conversation changes no other', async () => {
  const neighbor = await add();
  const id = await add();
  const before = await rowOf(neighbor);
  expect([await nextSequence(stored.pool, id), await nextSequence(stored.pool, id)]).toEqual([
    1, 2,
  ]);
  expect(await nextSequence(stored.pool, OTHER)).toBe(0);
  const row = (await readConversation(stored.pool, { namespace: 'default', id }))!;
  await setAbout(stored.pool, { id, userId: 'u', metadata: { a: 'b' } });
  await setSummary(stored.pool, { ...row, summary: 'Short.', outcome: 'resolved' });
  await setFeedback(stored.pool, { namespace: 'default', id, csat: 4 });
  await waitLonger(stored.pool, { id, sec: 600 });
  expect(await rowOf(id)).toMatchObject({ user_id: 'u', summary: 'Short.', csat: 4 });
  await endConversationRows(stored.pool, [{ row: { ...row, ...END }, lastSequence: 3 }]);
  await eraseConversationRow(stored.pool, id, row.tally);
  expect(await rowOf(neighbor)).toEqual(before);
  expect(await rowOf(id)).toMatchObject({ user_id: null, summary: null });
});

test('feedback is of a conversation of the namespace that is not erased', async () => {
  const id = await add();
  const erased = await add({ deleted_at: minutesAgo(1) });
  expect(await setFeedback(stored.pool, { namespace: 'other', id, csat: 4 })).toBeUndefined();
  expect(
    await setFeedback(stored.pool, { namespace: 'default', id: erased, csat: 4 }),
  ).toBeUndefined();
});

test('one that has ended does not wait longer, and none waits beyond its longest duration', async () => {
  const ended = await add(ENDED);
  await waitLonger(stored.pool, { id: ended, sec: 600 });
  expect((await rowOf(ended))!['expires_at']).toBeNull();
  const id = await add({ max_duration_sec: 60, expires_at: minutesAgo(0) });
  await waitLonger(stored.pool, { id, sec: 600 });
  const { started_at, expires_at } = (await rowOf(id))!;
  expect(Number(expires_at) - Number(started_at)).toBe(60_000);
});

test.each([1, 2])('the end of %i stores each column, and takes only their talks', async (count) => {
  const talk = { state: Buffer.alloc(1), request: Buffer.alloc(1), status: 'answered' };
  const neighbor = await add();
  const ids: string[] = [];
  while (ids.length < count) ids.push(await add({ event_sequence: 7 }));
  for (const conversation_id of [...ids, neighbor]) {
    await stored.add('openai_talks', { ...talk, conversation_id, first_index: 0, turn_count: 1 });
  }
  const read = async (id: string) =>
    (await readConversation(stored.pool, { namespace: 'default', id }))!;
  const judged = { ...END, csatPredicted: 1, summary: null, judgeUntil: 1_764_288_060_123 };
  for (const ends of [
    [END, judged],
    [judged, END],
  ]) {
    const rows = await Promise.all(ids.map(async (id, i) => ({ ...(await read(id)), ...ends[i] })));
    const ended = rows.map((row, i) => ({ row, lastSequence: 9 + i }));
    await endConversationRows(stored.pool, ended);
    for (const { row, lastSequence } of ended) {
      expect(await read(row.id)).toEqual(row);
      expect((await rowOf(row.id))!['event_sequence']).toBe(lastSequence);
    }
  }
  const talks = await stored.read('openai_talks', 'conversation_id');
  expect(talks.map((one) => one['conversation_id'])).toEqual([neighbor]);
});

test('a model judges a conversation only where the version of its agent says so', async () => {
  const byModel = { judgement: { by: 'model' } };
  await addAgent(AGENT, { 1: byModel, 2: {}, 3: { judgement: { by: 'rule' } } });
  await addAgent(OTHER, { 1: {}, 2: byModel });
  const others = await add({ event_sequence: 3, agent_version: 2 });
  const factsOf = async (columns: Columns) => {
    const id = await add({ event_sequence: 7, ...columns });
    const [alone] = await readEndFacts(stored.pool, [id]);
    const beside = await readEndFacts(stored.pool, [others, id, newUuid(Date.now())]);
    expect(beside.toSorted(({ id: a }) => (a === id ? 1 : -1)).slice(1)).toEqual([alone]);
    expect(beside).toHaveLength(2);
    expect(alone?.id).toBe(id);
    return alone;
  };
  const byRule = {
    isJudgedByModel: false,
    lastSequence: 7,
    hasLiveTurn: false,
    hasOpenEscalation: false,
  };
  expect(await factsOf({})).toMatchObject({ ...byRule, isJudgedByModel: true });
  expect(await factsOf({ agent_version: 2 })).toMatchObject(byRule);
  expect(await factsOf({ agent_version: 3 })).toMatchObject(byRule);
  expect(await factsOf({ agent_version: 4 })).toMatchObject(byRule);
  expect(await factsOf({ agent_id: OTHER, event_sequence: 8 })).toMatchObject({
    ...byRule,
    lastSequence: 8,
  });
  expect(await readEndFacts(stored.pool, [newUuid(Date.now())])).toEqual([]);
});

test('the words of an erased conversation go, and those of others stay', async () => {
  const [id, other] = [await add(), await add()];
  for (const conversation_id of [id, other]) {
    const turn = { index: 0, role: 'user', text: 'Hi', started_at_ms: 0, ended_at_ms: 0 };
    await stored.add('turns', { conversation_id, ...turn });
  }
  const { tally } = (await readConversation(stored.pool, { namespace: 'default', id }))!;
  await eraseConversationRow(stored.pool, id, tally);
  const turns = await stored.read('turns', 'conversation_id');
  expect(turns.map((one) => one['conversation_id'])).toEqual([other]);
});

test('one ends for silence unless its agent thinks or an escalation times out first', async () => {
  const ends = async (id: string): Promise<boolean> =>
    (await lockExpired(stored.pool, id)) !== undefined;
  const silent = { expires_at: minutesAgo(1), started_at: minutesAgo(10) };
  const think = (conversation_id: string, leased_until: Date): Promise<void> =>
    stored.add('live_turns', {
      conversation_id,
      token: newUuid(),
      request_id: newUuid(),
      message: '',
      leased_until,
    });
  const ask = (conversation_id: string, columns: Columns): Promise<void> =>
    stored.add('escalations', {
      id: newUuid(),
      namespace: 'default',
      conversation_id,
      agent_id: AGENT,
      status: 'requested',
      reason: 'user_request',
      summary: '',
      times_out_at: minutesAgo(1),
      ...columns,
    });

  const id = await add(silent);
  expect(await ends(await add({ ...silent, deleted_at: minutesAgo(1) }))).toBe(false);
  expect(await ends(await add({ ...silent, expires_at: minutesAgo(-5) }))).toBe(false);
  expect(await ends(OTHER)).toBe(false);

  const thinking = await add(silent);
  await think(thinking, minutesAgo(-5));
  expect(await ends(thinking)).toBe(false);
  expect(await ends(id)).toBe(true); // Others think, and it does not.
  const tooLong = await add({ ...silent, started_at: minutesAgo(90) });
  await think(tooLong, minutesAgo(-5));
  expect(await ends(tooLong)).toBe(true);
  const thought = await add(silent);
  await think(thought, minutesAgo(1));
  expect(await ends(thought)).toBe(true);

  const escalated = await add(silent);
  await ask(escalated, {});
  expect(await ends(escalated)).toBe(false);
  expect(await ends(id)).toBe(true);
  const tooLongEscalated = await add({ ...silent, started_at: minutesAgo(90) });
  await ask(tooLongEscalated, {});
  expect(await ends(tooLongEscalated)).toBe(true);
  for (const columns of [{ status: 'declined' }, { times_out_at: minutesAgo(-5) }]) {
    const answered = await add(silent);
    await ask(answered, columns);
    expect([columns, await ends(answered)]).toEqual([columns, true]);
  }
});

test('those past their time are listed, and whether one is past it is read with it', async () => {
  const id = await add({ expires_at: minutesAgo(1) });
  const live = await add({ expires_at: minutesAgo(-5) });
  const unbounded = await add({ expires_at: null });
  expect((await listExpired(stored.pool, 5)).map((one) => one.id)).toEqual([id]);
  const expired = async (one: string): Promise<boolean | undefined> =>
    (await lockConversationById(stored.pool, one))?.isExpired;
  expect([await expired(id), await expired(live), await expired(unbounded)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a summary is written once, of what ended, is not erased and is not being judged', async () => {
  const id = await add(ENDED);
  const judgedBefore = await add({ ...ENDED, judge_until: minutesAgo(1) });
  const judging = await add({ ...ENDED, judge_until: minutesAgo(-5) });
  const others = [
    await add(),
    await add({ ...ENDED, summary: 'Done.' }),
    await add({ ...ENDED, deleted_at: minutesAgo(1) }),
  ];
  const listed = (await listWithoutSummary(stored.pool, 9)).map((one) => one.id);
  expect(listed.toSorted()).toEqual([id, judgedBefore].toSorted());
  for (const one of [id, judging])
    expect((await lockWithoutSummary(stored.pool, one))?.id).toBe(one);
  for (const one of [...others, OTHER]) {
    expect(await lockWithoutSummary(stored.pool, one)).toBeUndefined();
  }
});

test('those that ended days ago are removed, up to a limit', async () => {
  const old = { ...ENDED, ended_at: minutesAgo(48 * 60) };
  await add(ENDED);
  await add();
  const ids = [await add(old), await add({ ...old, ended_at: minutesAgo(72 * 60) })];
  expect(await deleteOldConversations(stored.pool, { days: 1, limit: 1 })).toEqual([ids[1]]);
  expect(await deleteOldConversations(stored.pool, { days: 1, limit: 5 })).toEqual([ids[0]]);
  expect(await stored.read('conversations')).toHaveLength(2);
});
