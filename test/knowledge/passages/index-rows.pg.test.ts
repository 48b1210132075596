import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  deleteDocumentChunks,
  deleteSourceChunks,
  deleteUnindexed,
  insertChunks,
  measureSource,
} from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
import {
  countPassages,
  countWords,
  forgetOwner,
  indexChunk,
  indexFrom,
  indexOwner,
  nextPosition,
} from '../../../src/knowledge/passages/knowledge-postings.sql.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { addSource } from '../stored-sources.ts';

/** Changes of an owner's passages change its part of the index, and no other part. */

const stored = useRows('knowledge_sources', 'knowledge_postings', 'knowledge_words');

type Owned = { sourceId: string; documents: string[] };

/** A source with documents of these passages, which is not indexed. */
async function fill(...documents: string[][]): Promise<Owned> {
  const sourceId = await addSource(stored);
  const ids: string[] = [];
  for (const texts of documents) ids.push(await add(sourceId, texts));
  return { sourceId, documents: ids };
}

async function add(sourceId: string, texts: string[]): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', source_id: sourceId, path: id, title: '' };
  await stored.add('knowledge_documents', {
    ...row,
    content_hash: '',
    bytes: 0,
    chunks: texts.length,
  });
  const { passages, places } = await measureSource(stored.pool, { sourceId, documentIds: [] });
  const first = Math.max(passages, places);
  const chunks = texts.map((text, at) => ({
    id: newUuid(),
    position: first + at,
    heading: '',
    text,
    headingWords: '',
    textWords: text,
  }));
  await insertChunks(stored.pool, { namespace: 'default', sourceId, documentId: id }, chunks);
  return id;
}

/** What the index has of an owner, but for the row that counts its passages. */
async function indexOf(ownerId: string): Promise<string[]> {
  const rows = await stored.read('knowledge_postings', 'lexeme');
  return rows
    .filter((row) => row['owner_id'] === ownerId && row['lexeme'] !== '')
    .map(
      ({ lexeme, chunks, postings }) =>
        `${lexeme as string} ${chunks as number} ${(postings as Buffer).toString('hex')}`,
    );
}

/** The number of passages in the row of the empty word. */
async function countOf(ownerId: string): Promise<unknown> {
  const rows = await stored.read('knowledge_postings', 'lexeme');
  return rows.find((row) => row['owner_id'] === ownerId && row['lexeme'] === '')?.['chunks'];
}

const TEXTS = [['tent hut', 'tent lake'], ['tent tree'], ['hut']];

async function indexed(...documents: string[][]): Promise<Owned> {
  const own = await fill(...documents);
  await indexOwner(stored.pool, own.sourceId);
  return own;
}

describe('the index of an owner', () => {
  test('loses the passages of documents that are deleted, and no others', async () => {
    const [before, own, after] = [
      await indexed(...TEXTS),
      await indexed(...TEXTS),
      await indexed(...TEXTS),
    ];
    const neighbors = [await indexOf(before.sourceId), await indexOf(after.sourceId)];
    const all = await indexOf(own.sourceId);
    await deleteDocumentChunks(stored.pool, {
      sourceId: before.sourceId,
      documentIds: own.documents,
    });
    expect(await indexOf(own.sourceId)).toEqual(all);

    const documentIds = own.documents.slice(0, 1);
    await deleteDocumentChunks(stored.pool, { sourceId: own.sourceId, documentIds });
    const shortened = await indexOf(own.sourceId);
    expect(shortened.map((row) => row.split(' ').slice(0, 2).join(' '))).toEqual([
      'hut 1',
      'tent 1',
      'tree 1',
    ]);
    await indexOwner(stored.pool, own.sourceId);
    expect(await indexOf(own.sourceId)).toEqual(shortened);
    expect([await indexOf(before.sourceId), await indexOf(after.sourceId)]).toEqual(neighbors);
  });

  test('is made anew after its passages were deleted without it', async () => {
    const [own, neighbor] = [await indexed(...TEXTS), await indexed(...TEXTS)];
    const { sourceId } = own;
    const documentIds = own.documents.slice(0, 1);
    await deleteUnindexed(stored.pool, { sourceId: neighbor.sourceId, documentIds });
    expect((await measureSource(stored.pool, { sourceId, documentIds })).passages).toBe(4);
    await deleteUnindexed(stored.pool, { sourceId, documentIds });
    expect(await measureSource(stored.pool, { sourceId, documentIds: own.documents })).toEqual({
      passages: 2,
      ofDocuments: 2,
      places: 2,
    });
  });

  test('gains passages from a position on, or a single one', async () => {
    const [own, neighbor] = [
      await indexed(['tent']),
      await indexed(['tent', 'hut', 'lake', 'tree']),
    ];
    const { sourceId } = own;
    const before = await indexOf(neighbor.sourceId);
    await add(sourceId, ['tent hut', 'lake']);
    await indexFrom(stored.pool, sourceId, { first: 1, languages: [null] });
    expect([await countOf(sourceId), await countWords(stored.pool, sourceId)]).toEqual([3, 3]);
    await add(sourceId, ['lake tree']);
    await indexChunk(stored.pool, sourceId, 3);
    expect([await countOf(sourceId), await countWords(stored.pool, sourceId)]).toEqual([4, 4]);
    const gained = await indexOf(sourceId);
    await indexOwner(stored.pool, sourceId);
    expect(await indexOf(sourceId)).toEqual(gained);
    expect(await indexOf(neighbor.sourceId)).toEqual(before);
    expect(await countWords(stored.pool, neighbor.sourceId)).toBe(4);
  });

  test('counts its passages, also when there are none any more', async () => {
    const [own, neighbor] = [await indexed(...TEXTS), await indexed(...TEXTS)];
    const { sourceId } = own;
    await deleteDocumentChunks(stored.pool, { sourceId, documentIds: own.documents });
    await countPassages(stored.pool, sourceId, [null]);
    expect([await countOf(sourceId), await countOf(neighbor.sourceId)]).toEqual([0, 4]);
  });

  test('never gives a position twice', async () => {
    const [own, neighbor] = [await indexed(['tent', 'hut']), await indexed(...TEXTS)];
    const { sourceId } = own;
    expect(await nextPosition(stored.pool, sourceId)).toBe(2);
    expect(await nextPosition(stored.pool, neighbor.sourceId)).toBe(4);
    await deleteDocumentChunks(stored.pool, { sourceId, documentIds: own.documents });
    expect(await nextPosition(stored.pool, sourceId)).toBe(2);
    expect(await nextPosition(stored.pool, newUuid())).toBe(0);
  });

  test('is forgotten alone, and so are its passages', async () => {
    const [own, neighbor] = [await indexed(...TEXTS), await indexed(...TEXTS)];
    const before = await indexOf(neighbor.sourceId);
    await forgetOwner(stored.pool, own.sourceId);
    expect([await indexOf(own.sourceId), await countOf(own.sourceId)]).toEqual([[], undefined]);
    expect(await deleteSourceChunks(stored.pool, own.sourceId)).toBe(4);
    expect(await measureSource(stored.pool, { sourceId: own.sourceId, documentIds: [] })).toEqual({
      passages: 0,
      ofDocuments: 0,
      places: 0,
    });
    expect([await indexOf(neighbor.sourceId), await countOf(neighbor.sourceId)]).toEqual([
      before,
      4,
    ]);
    const measured = { sourceId: neighbor.sourceId, documentIds: neighbor.documents.slice(0, 1) };
    expect(await measureSource(stored.pool, measured)).toEqual({
      passages: 4,
      ofDocuments: 2,
      places: 4,
    });
  });
});

test('words of 4 to 32 letters without digits are learnt once, of the passages that are new', async () => {
  const learnt = async (): Promise<unknown[]> =>
    (await stored.read('knowledge_words', 'lexeme')).map(({ lexeme }) => lexeme);
  const [long, longer] = ['x'.repeat(32), 'y'.repeat(33)];
  const own = await indexed([`hut tent abc123 ${long} ${longer}`]);
  expect(await learnt()).toEqual(['tent', long]);
  await indexed(['tent lake', 'tent']);
  expect(await learnt()).toEqual(['lake', 'tent', long]);
  await stored.pool.query('delete from knowledge_words');
  await add(own.sourceId, ['tree']);
  await indexFrom(stored.pool, own.sourceId, { first: 1, languages: [null] });
  expect(await learnt()).toEqual(['tree']);
  await indexed(['boat']);
  expect(await learnt()).toEqual(['boat', 'tree']);
});
