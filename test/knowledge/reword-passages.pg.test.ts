import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../src/ids.ts';
import { noteQuestion } from '../../src/knowledge/gaps/gap-questions.sql.ts';
import { indexAnswer } from '../../src/knowledge/gaps/index-answer.ts';
import {
  insertGap,
  lockGap,
  resolveGapRow,
  setAnswer,
} from '../../src/knowledge/gaps/knowledge-gaps.sql.ts';
import { rewordOne } from '../../src/knowledge/reword-passages.ts';
import { searchKnowledge } from '../../src/knowledge/search-knowledge.ts';
import { useRows } from '../platform/postgres/rows.ts';
import { learnTexts } from './passages/knowledge.ts';

const rows = useRows(
  'knowledge_rewords',
  'knowledge_sources',
  'knowledge_chunks',
  'knowledge_gaps',
);

/** The statement of the migration that finds owners with words of an earlier release. */
const FIND_OWNERS = /insert into knowledge_rewords[^;]+;/.exec(
  readFileSync(new URL('../../migrations/0036_reword.sql', import.meta.url), 'utf8'),
)![0];

const SHOP = {
  returns: '# 返品と交換\n\n商品到着後30日以内でしたら返品を承ります。',
  greek: '# Επιστροφές\n\nΜπορείτε να επιστρέψετε τα προϊόντα.',
};

/** Passages of the release before: a sentence without spaces is one word, and English stems are used for all. */
async function ageWords(): Promise<void> {
  await rows.pool.query(
    `update knowledge_chunks set words = setweight(to_tsvector('simple', heading), 'A') || to_tsvector('simple', text)`,
  );
  await rows.pool.query(`delete from knowledge_postings where lexeme <> ''`);
  await rows.pool.query(`update knowledge_documents set language = null`);
}

const textsFound = async (sourceIds: string[], query: string): Promise<string[]> => {
  const scope = { namespace: 'default', agentId: null, sourceIds };
  const hits = await searchKnowledge(rows.pool, { scope, query, limit: 5 });
  return hits.map(({ text }) => text);
};

async function rewordAll(): Promise<number> {
  for (let count = 0; ; count += 1) if (!(await rewordOne(rows.pool))) return count;
}

let sourceId: string;
beforeEach(async () => {
  ({ sourceId } = await learnTexts(rows.pool, SHOP));
});

test('passages with words of an earlier release are found after they are cut anew', async () => {
  await ageWords();
  await rows.pool.query(FIND_OWNERS);
  expect(await textsFound([sourceId], '返品できますか？')).toEqual([]);
  expect(await rewordAll()).toBe(1);
  expect(await textsFound([sourceId], '返品できますか？')).toEqual([
    '商品到着後30日以内でしたら返品を承ります。',
  ]);
  expect(await textsFound([sourceId], 'Μπορώ να επιστρέψω ένα προϊόν;')).toEqual([
    'Μπορείτε να επιστρέψετε τα προϊόντα.',
  ]);
  const languages = await rows.read('knowledge_documents', 'path');
  expect(languages.map(({ language }) => language)).toEqual(['el', 'ja']);
});

test('a language that a document declares stays', async () => {
  await ageWords();
  await rows.pool.query(`update knowledge_documents set language = 'de' where path = 'greek'`);
  await rows.pool.query(FIND_OWNERS);
  await rewordAll();
  const languages = await rows.read('knowledge_documents', 'path');
  expect(languages.map(({ language }) => language)).toEqual(['de', 'ja']);
});

test('an answer to a gap is found by its question after it is cut anew', async () => {
  const [id, agentId, conversationId] = [newUuid(), newUuid(), newUuid()];
  const [question, answer] = ['駐車場はありますか？', '店の裏に十台分あります。'];
  const fingerprint = '駐車場はありますか';
  const { pool } = rows;
  const gap = { id, namespace: 'default', agentId, conversationId, question, fingerprint };
  await insertGap(pool, { ...gap, topScore: 0, closest: [] });
  await noteQuestion(pool, { ...gap, gapId: id, text: question, more: 1 });
  await resolveGapRow(pool, id);
  const locked = (await lockGap(pool, { namespace: 'default', id }))!;
  const position = await indexAnswer(pool, { nowMs: Date.now }, { gap: locked, answer });
  await setAnswer(pool, { id, answer, position });
  await ageWords();
  await rows.pool.query(FIND_OWNERS);
  const ask = async (): Promise<string[]> => {
    const scope = { namespace: 'default', agentId, sourceIds: [] };
    const hits = await searchKnowledge(pool, { scope, query: '駐車場はどこですか', limit: 5 });
    return hits.map(({ text }) => text);
  };
  expect(await ask()).toEqual([]);
  expect(await rewordAll()).toBe(2);
  expect(await ask()).toEqual([answer]);
});

test('English sources are left as they are', async () => {
  const english = await learnTexts(rows.pool, { a: '# Returns\n\nYou’re welcome – at the café.' });
  await rows.pool.query(FIND_OWNERS);
  expect(await rows.read('knowledge_rewords', 'owner_id')).toMatchObject([{ owner_id: sourceId }]);
  expect(english.sourceId).not.toBe(sourceId);
});

test('an owner that is gone is forgotten', async () => {
  await rows.add('knowledge_rewords', { owner_id: newUuid(), is_answers: false });
  await rows.add('knowledge_rewords', { owner_id: newUuid(), is_answers: true });
  expect(await rewordAll()).toBe(2);
  expect(await rows.read('knowledge_rewords', 'owner_id')).toEqual([]);
});

test('an owner that another process works on is left to it', async () => {
  await rows.pool.query(FIND_OWNERS);
  const other = await rows.pool.connect();
  try {
    await other.query('begin');
    await other.query('select from knowledge_rewords for update');
    expect(await rewordOne(rows.pool)).toBe(false);
  } finally {
    await other.query('rollback');
    other.release();
  }
  expect(await rewordAll()).toBe(1);
});
