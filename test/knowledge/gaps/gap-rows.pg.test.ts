import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  eraseQuestionsOf,
  lockGapsAskedIn,
  nameAfterErasure,
  countGap,
  countSameGap,
  lastAnswerPosition,
  lockAnsweredGaps,
  lockGap,
  readGap,
  reopenGap,
  resolveGapRow,
  setAnswer,
} from '../../../src/knowledge/gaps/knowledge-gaps.sql.ts';
import {
  findOpenQuestions,
  listQuestions,
  noteQuestion,
  QUESTIONS_MAX,
  readOpenQuestions,
} from '../../../src/knowledge/gaps/gap-questions.sql.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';

/** Each statement about gaps, of rows that differ from the one it is for in one part alone. */

const stored = useRows('knowledge_gaps', 'knowledge_gap_questions');
const [AGENT, OTHER_AGENT, ASKED_IN, OTHER] = [newUuid(), newUuid(), newUuid(), newUuid()];

async function addGap(columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const own = { id, namespace: 'default', agent_id: AGENT, conversation_id: ASKED_IN };
  await stored.add('knowledge_gaps', {
    ...own,
    question: `q ${id}`,
    fingerprint: id,
    top_score: 0.1,
    ...columns,
  });
  return id;
}

const addQuestion = (gap_id: string, columns: Columns = {}): Promise<void> =>
  stored.add('knowledge_gap_questions', {
    gap_id,
    agent_id: AGENT,
    conversation_id: ASKED_IN,
    text: 'q',
    fingerprint: 'f',
    words: [],
    ...columns,
  });
const gapOf = async (id: string): Promise<Columns> => (await stored.rowOf('knowledge_gaps', id))!;
const RESOLVED = { status: 'resolved', resolved_at: minutesAgo(1) };

describe('a gap', () => {
  test('is read and locked by its id and namespace', async () => {
    const id = await addGap();
    await addGap();
    for (const read of [readGap, lockGap]) {
      expect((await read(stored.pool, { namespace: 'default', id }))?.id).toBe(id);
      expect(await read(stored.pool, { namespace: 'other', id })).toBeUndefined();
      expect(await read(stored.pool, { namespace: 'default', id: OTHER })).toBeUndefined();
    }
  });

  test('that is open is counted for each conversation but the last one', async () => {
    const id = await addGap({ last_conversation_id: ASKED_IN });
    const other = await addGap();
    const resolved = await addGap(RESOLVED);
    const count = (gapId: string, conversationId: string) =>
      countGap(stored.pool, { id: gapId, conversationId });
    expect(await count(id, ASKED_IN)).toEqual({ id, more: 0 });
    expect(await count(id, OTHER)).toEqual({ id, more: 1 });
    expect(await count(resolved, OTHER)).toBeUndefined();
    expect([(await gapOf(id))['count'], (await gapOf(other))['count']]).toEqual([2, 1]);
  });

  test('is found by its words or by those of its questions, of its agent, while it is open', async () => {
    const before = await addGap({ ...RESOLVED, fingerprint: 'own' });
    await addQuestion(before, { fingerprint: 'asked' });
    const id = await addGap({ fingerprint: 'own' });
    await addQuestion(id, { fingerprint: 'asked' });
    const resolved = await addGap({ ...RESOLVED, fingerprint: 'resolved' });
    await addQuestion(resolved, { fingerprint: 'resolved too' });
    const find = async (fingerprint: string, agentId = AGENT): Promise<string | undefined> =>
      (await countSameGap(stored.pool, { agentId, fingerprint, conversationId: OTHER }))?.id;
    for (const fingerprint of ['own', 'asked']) {
      expect(await find(fingerprint)).toBe(id);
      expect(await find(fingerprint, OTHER_AGENT)).toBeUndefined();
    }
    for (const fingerprint of ['resolved', 'resolved too', 'other'])
      expect(await find(fingerprint)).toBeUndefined();
  });

  test('with an answer is locked with the others of its agent', async () => {
    const ids = [
      await addGap({ ...RESOLVED, answer: 'a' }),
      await addGap({ ...RESOLVED, answer: 'b' }),
    ];
    await addGap({ answer: 'open' });
    await addGap(RESOLVED);
    await addGap({ ...RESOLVED, answer: 'c', agent_id: OTHER_AGENT });
    const locked = await lockAnsweredGaps(stored.pool, AGENT);
    expect(locked.map(({ id }) => id)).toEqual(ids.toSorted());
  });

  test('has the highest position of the answers of its agent', async () => {
    await addGap({ answer_position: 3 });
    await addGap({ answer_position: 1 });
    await addGap({ answer_position: 9, agent_id: OTHER_AGENT });
    expect(await lastAnswerPosition(stored.pool, AGENT)).toBe(3);
    expect(await lastAnswerPosition(stored.pool, OTHER)).toBe(-1);
  });

  test('is answered and resolved alone', async () => {
    const [id, other] = [await addGap(), await addGap()];
    const before = await gapOf(other);
    expect(await resolveGapRow(stored.pool, id)).toMatchObject({ id, status: 'resolved' });
    const answered = await setAnswer(stored.pool, { id, answer: 'a', position: 2 });
    expect(answered).toMatchObject({ id, answer: 'a' });
    expect(await gapOf(other)).toEqual(before);
  });

  test('is opened again, unless its question is open as another gap', async () => {
    const reopen = async (id: string) => (await reopenGap(stored.pool, { id, position: 1 })).status;
    const resolved = (columns: Columns) => addGap({ ...RESOLVED, answer: 'a', ...columns });
    const id = await resolved({ fingerprint: 'f1' });
    await addQuestion(id, { fingerprint: 'f1' });
    const other = await resolved({ fingerprint: 'f1 other' });
    expect(await reopen(id)).toBe('open');
    expect(await gapOf(id)).toMatchObject({ answer: null, resolved_at: null, answer_position: 1 });
    expect(await gapOf(other)).toMatchObject({ answer: 'a', status: 'resolved' });

    const same = await resolved({ fingerprint: 'f1' });
    expect(await reopen(same)).toBe('resolved');
    expect((await gapOf(same))['resolved_at']).not.toBeNull();
    const asked = await resolved({ fingerprint: 'f2' });
    await addQuestion(asked, { fingerprint: 'f1' });
    expect(await reopen(asked)).toBe('resolved');
    const ofOther = await resolved({ fingerprint: 'f1', agent_id: OTHER_AGENT });
    await addQuestion(ofOther, { fingerprint: 'f1', agent_id: OTHER_AGENT });
    expect(await reopen(ofOther)).toBe('open');
  });

  test('whose words another resolved gap has is opened', async () => {
    const [first, second] = [
      await addGap({ ...RESOLVED, fingerprint: 'f' }),
      await addGap({ ...RESOLVED, fingerprint: 'f' }),
    ];
    for (const id of [first, second]) await addQuestion(id, { fingerprint: 'f' });
    await addGap({ fingerprint: 'open' });
    expect((await reopenGap(stored.pool, { id: first, position: 1 })).status).toBe('open');
  });
});

describe('the questions of a gap', () => {
  const note = (gapId: string, fingerprint: string, over: object = {}) =>
    noteQuestion(stored.pool, {
      gapId,
      agentId: AGENT,
      conversationId: ASKED_IN,
      text: fingerprint,
      fingerprint,
      more: 2,
      ...over,
    });
  const texts = async (gapId: string): Promise<string[]> =>
    (await listQuestions(stored.pool, gapId)).map(({ text, count }) => `${text} ${count}`);

  test('are counted by their words, the most frequent ones first', async () => {
    const [id, other] = [await addGap(), await addGap()];
    await note(id, 'a');
    await note(id, 'b');
    await note(id, 'b');
    await note(other, 'b');
    expect(await texts(id)).toEqual(['b 3', 'a 1']);
    expect(await texts(other)).toEqual(['b 1']);
  });

  test('are at most twenty, with the one that names it', async () => {
    const id = await addGap({ question: 'name' });
    const other = await addGap();
    await note(other, 'old');
    await addQuestion(id, { text: 'name', fingerprint: 'name', last_asked_at: minutesAgo(9) });
    await addQuestion(id, { text: 'old', fingerprint: 'old', last_asked_at: minutesAgo(5) });
    await addQuestion(id, {
      text: 'often',
      fingerprint: 'often',
      count: 2,
      last_asked_at: minutesAgo(8),
    });
    for (let at = 0; at < QUESTIONS_MAX - 3; at += 1) await note(id, `n${at}`);
    expect(await texts(id)).toHaveLength(QUESTIONS_MAX);
    await note(id, 'last');
    const kept = await stored.read('knowledge_gap_questions', 'fingerprint');
    const own = kept.filter((row) => row['gap_id'] === id).map((row) => row['text']);
    expect(own).toHaveLength(QUESTIONS_MAX);
    expect(own).toEqual(expect.arrayContaining(['name', 'often', 'last']));
    expect(own).not.toContain('old');
    expect(await texts(other)).toEqual(['old 1']);
  });

  test('are read of the latest open gaps of an agent', async () => {
    const ids = [await addGap(), await addGap()].toSorted().toReversed();
    for (const id of ids) await note(id, 'deliv norway');
    const left = [await addGap(RESOLVED), await addGap({ agent_id: OTHER_AGENT })];
    for (const id of left) await note(id, 'deliv');
    const read = async (limit: number) =>
      (await readOpenQuestions(stored.pool, { agentId: AGENT, limit })).map(({ gapId }) => gapId);
    expect(await read(9)).toEqual(ids);
    expect(await read(1)).toEqual(ids.slice(0, 1));
  });

  test('are found by one of their stems, of open gaps of an agent', async () => {
    const id = await addGap();
    await note(id, 'deliv norway');
    await note(await addGap(), 'tent');
    await note(await addGap(RESOLVED), 'deliv');
    const ofOther = await addGap({ agent_id: OTHER_AGENT });
    await note(ofOther, 'deliv', { agentId: OTHER_AGENT });
    const find = (...stems: string[]) =>
      findOpenQuestions(stored.pool, { agentId: AGENT, stems, limit: 9 });
    expect(await find('norway', 'x')).toEqual([{ gapId: id, stems: ['deliv', 'norway'] }]);
    expect((await find('deliv')).map(({ gapId }) => gapId)).toEqual([id]);
    expect(await find('x')).toEqual([]);
  });

  test('of a conversation that is erased go, and name the gap no longer', async () => {
    const own = await addGap({ conversation_id: OTHER });
    const asked = await addGap();
    await addQuestion(asked, {
      conversation_id: OTHER,
      fingerprint: 'a',
      text: 'erased',
      count: 9,
    });
    await addQuestion(asked, { fingerprint: 'b', text: 'seldom' });
    await addQuestion(asked, { fingerprint: 'c', text: 'often', count: 3 });
    const left = await addGap();
    await addQuestion(left, { text: 'left', count: 20 });
    const locked = await lockGapsAskedIn(stored.pool, OTHER);
    expect(locked.map(({ id }) => id).toSorted()).toEqual([own, asked].toSorted());

    await eraseQuestionsOf(stored.pool, OTHER);
    expect(await texts(asked)).toEqual(['often 3', 'seldom 1']);
    expect(await texts(left)).toEqual(['left 20']);
    const before = await gapOf(left);
    expect(await nameAfterErasure(stored.pool, asked, 'gone')).toBe('often');
    expect(await nameAfterErasure(stored.pool, own, 'gone')).toBe('gone');
    expect(await gapOf(own)).toMatchObject({ fingerprint: own, conversation_id: OTHER });
    expect(await gapOf(left)).toEqual(before);
  });
});
