import { describe, expect, test } from 'vitest';
import { newUuid, toUuid } from '../../../src/ids.ts';
import { insertChunks, readPassage } from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
import {
  findPostings,
  readPassages,
  type AskedWord,
  type SearchScope,
} from '../../../src/knowledge/passages/knowledge-search.sql.ts';
import { readPassages as readTexts } from '../../../src/knowledge/passages/read-passages.sql.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { learn } from './knowledge.ts';

/** What a search reads of the index, of rows that differ from the one it is for in one part alone. */

const stored = useRows(
  'knowledge_sources',
  'knowledge_postings',
  'knowledge_chunks',
  'knowledge_gaps',
);

async function source(texts: string[], namespace = 'default', heading = ''): Promise<string> {
  const passages = texts.map((text) => ({ heading, text }));
  return toUuid('ks', await learn(stored.pool, { namespace, name: newUuid(), passages }))!;
}

const word = (term: number, text: string, over: Partial<AskedWord> = {}): AskedWord => ({
  term,
  word: text,
  counts: true,
  closeness: 1,
  ...over,
});
const find = (owners: string[], words: AskedWord[], all: SearchScope['all'] = false) =>
  findPostings(stored.pool, { scope: { namespace: 'default', owners, all }, words });

describe('the index', () => {
  test('is read of the owners that are searched', async () => {
    const own = await source(['tent', 'hut']);
    await source(['tent']);
    await source(['tent'], 'other');
    const answers = newUuid();
    await stored.pool.query(
      `insert into knowledge_postings (lexeme, namespace, owner_id, is_answers, chunks, postings)
       select lexeme, namespace, $2, true, chunks, postings from knowledge_postings where owner_id = $1`,
      [own, answers],
    );
    const dfs = async (owners: string[], all: SearchScope['all']) => {
      const { lexemes, passages } = await find(owners, [word(0, 'tent')], all);
      return [lexemes.map(({ lexeme, df }) => `${lexeme} ${df}`).join(), passages];
    };
    expect(await dfs([own], false)).toEqual(['tent 1', 2]);
    expect(await dfs([own, answers], false)).toEqual(['tent 2', 4]);
    expect(await dfs([], true)).toEqual(['tent 2', 3]);
    expect(await dfs([answers], true)).toEqual(['tent 3', 5]);
    expect(await dfs([], 'with answers')).toEqual(['tent 3', 5]);
    const { lexemes } = await find([own, answers], [word(0, 'tent')]);
    const lists = lexemes[0]!.lists!.toString('latin1');
    expect([lists.includes(`${own}s`), lists.includes(`${answers}a`)]).toEqual([true, true]);
  });

  test('tells what was asked, what says nothing, and what is meant', async () => {
    const own = await source(['tent hut']);
    const { asked, stopped, meant, lexemes } = await find(
      [own],
      [
        word(0, 'tent'),
        word(1, 'the'),
        word(2, 'cabin'),
        word(2, 'hut', { closeness: 0.8 }),
        word(3, 'of', { closeness: 0.5 }),
        word(4, 'qqqqq'),
      ],
    );
    expect(asked.map(({ lexeme }) => lexeme).toSorted()).toEqual(['cabin', 'qqqqq', 'tent']);
    expect(stopped).toEqual([1]);
    const sorted = meant.toSorted((a, b) => a.term - b.term);
    expect(sorted).toEqual([
      { term: 0, lexeme: 'tent', closeness: 1 },
      { term: 2, lexeme: 'hut', closeness: 0.8 },
    ]);
    expect(lexemes.map(({ lexeme }) => lexeme).toSorted()).toEqual(['hut', 'tent']);
  });

  describe('corrects a word', () => {
    const meantBy = async (owner: string, ...words: AskedWord[]): Promise<string[]> =>
      (await find([owner], words)).meant.map(({ term, lexeme }) => `${term} ${lexeme}`).toSorted();

    test('of the question that no passage has, of four letters or more', async () => {
      const own = await source(['tent map zeppelin 12345 hut']);
      await source(['balloon']);
      expect(await meantBy(own, word(0, 'tnet'))).toEqual(['0 tent']);
      expect(await meantBy(own, word(0, 'amp'))).toEqual([]);
      expect(await meantBy(own, word(0, '12354'))).toEqual([]);
      expect(await meantBy(own, word(0, 'qqqqq'))).toEqual([]);
      expect(await meantBy(own, word(0, 'baloon'))).toEqual([]);
      expect(await meantBy(own, word(0, 'zepplin'))).toEqual(['0 zeppelin']);
      expect(await meantBy(own, word(0, 'zepplin', { counts: false }))).toEqual([]);
      expect(await meantBy(own, word(0, 'zepplin', { closeness: 0.8 }))).toEqual([]);
    });

    test('beside other words that are known, unless it can be said otherwise', async () => {
      const own = await source(['tent zeppelin']);
      expect(await meantBy(own, word(0, 'zepplin'), word(1, 'tent'))).toEqual([
        '0 zeppelin',
        '1 tent',
      ]);
      expect(await meantBy(own, word(0, 'zepplin'), word(0, 'tent'))).toEqual(['0 tent']);
    });

    test('with another ending of at most four letters', async () => {
      const near = await source(['abcdzyxwv']);
      const far = await source(['abcdzyxwvu']);
      expect(await meantBy(near, word(0, 'abcdk'))).toEqual(['0 abcdzyxwv']);
      expect(await meantBy(far, word(0, 'abcdk'))).toEqual([]);
    });
  });

  describe('is bounded', () => {
    /** Passages of a word by their owner, without lists. */
    const frequent = async (lexeme: string, ...chunks: number[]): Promise<string[]> => {
      const owners: string[] = [];
      for (const count of chunks) {
        const owner = await source(['hut']);
        const row = { lexeme, namespace: 'default', owner_id: owner, is_answers: false };
        const postings = Buffer.from(`of ${count}`);
        await stored.add('knowledge_postings', { ...row, chunks: count, postings });
        owners.push(owner);
      }
      return owners;
    };
    const listsOf = async (owners: string[], ...words: string[]) => {
      const { lexemes } = await find(
        owners,
        words.map((one, at) => word(at, one)),
      );
      return Object.fromEntries(
        lexemes.map(({ lexeme, lists }) => [lexeme, lists?.toString('latin1') ?? null]),
      );
    };

    test('by 300,000 postings, of the rarest words', async () => {
      const owners = [...(await frequent('rare', 1)), ...(await frequent('often', 299_999))];
      const lists = await listsOf(owners, 'rare', 'often');
      expect([lists['rare'], lists['often']]).toEqual([
        expect.stringContaining('of 1'),
        expect.stringContaining('of 299999'),
      ]);
      const more = [...owners, ...(await frequent('frequent', 300_000))];
      expect((await listsOf(more, 'rare', 'frequent'))['frequent']).toBeNull();
    });

    test('by as many of the rarest word, of the smallest owners', async () => {
      const owners = await frequent('often', 1_000_000, 299_995, 5);
      const { often } = await listsOf(owners, 'often');
      for (const part of ['of 5', 'of 299995']) expect(often).toContain(part);
      expect(often).not.toContain('of 1000000');
    });
  });
});

describe('passages', () => {
  test('are read by their places, the first ones whole', async () => {
    const own = await source(['cats here', 'more cats', 'last cats'], 'default', 'Dogs');
    const other = await source(['of another', 'of another'], 'default', 'Others');
    const places = [1, 0, 2, 9].map((position) => ({ ownerId: own, position }));
    const rows = await readPassages(stored.pool, { places, whole: 2, words: ['dog', 'cat', 'x'] });
    expect(rows.map(({ position, text }) => [position, text])).toEqual([
      [1, 'more cats'],
      [0, 'cats here'],
      [2, null],
    ]);
    expect(rows[0]).toMatchObject({
      heading: 'Dogs',
      inHeading: ['dog'],
      inText: ['cat'],
      asks: null,
      wordings: null,
    });
    expect(rows[1]).toMatchObject({ inHeading: ['dog'], inText: ['cat'], sourceId: own });
    expect(rows[1]!.nearness).toBeGreaterThan(0);
    expect(rows[2]).toMatchObject({ inHeading: [], inText: [], nearness: 0, heading: 'Dogs' });
    const one = await readPassages(stored.pool, {
      places: [{ ownerId: other, position: 0 }],
      whole: 1,
      words: ['x'],
    });
    expect(one.map(({ heading }) => heading)).toEqual(['Others']);
  });

  test('are decompressed once, however many words are searched', async () => {
    // Stored outside of the row, because it stays large when it is compressed.
    const letters = (id: string): string =>
      id.replaceAll('-', '').replaceAll(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!);
    const text = Array.from({ length: 400 }, () => `${letters(newUuid())}q`).join(' ');
    const own = await source([text]);
    const places = [{ ownerId: own, position: 0 }];
    const words = text.split(' ').slice(0, 48);
    const client = await stored.pool.connect();
    try {
      const [row] = await readPassages(client, { places, whole: 1, words });
      expect(row!.inText).toEqual(words);
      const pagesWith = async (searched: readonly string[]): Promise<number> => {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
          `explain (analyze, buffers, format json)
           execute read_passages('{${own}}', '{0}', '{${searched.join(',')}}', 1)`,
        );
        return rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks']!;
      };
      const one = await pagesWith(words.slice(0, 1));
      expect(one).toBeGreaterThan(4); // The row, its index and pages of the stored words.
      expect(await pagesWith(words)).toBe(one);
    } finally {
      client.release();
    }
  });

  test('that are answers have the questions of their gap', async () => {
    const agentId = newUuid();
    const addAnswer = async (position: number): Promise<string> => {
      const gapId = newUuid();
      const gap = {
        id: gapId,
        namespace: 'default',
        agent_id: agentId,
        conversation_id: newUuid(),
      };
      await stored.add('knowledge_gaps', {
        ...gap,
        question: 'q',
        fingerprint: gapId,
        top_score: 0,
      });
      const question = { gap_id: gapId, agent_id: agentId, conversation_id: newUuid(), words: [] };
      await stored.add('knowledge_gap_questions', {
        ...question,
        text: `t${position}`,
        fingerprint: `f${position}`,
      });
      const chunk = {
        id: newUuid(),
        position,
        heading: 'q',
        text: 'a',
        headingWords: 'q',
        textWords: 'a',
      };
      await insertChunks(stored.pool, { namespace: 'default', agentId, gapId }, [chunk]);
      return chunk.id;
    };
    const chunkId = await addAnswer(0);
    await addAnswer(1);
    const places = [0, 1].map((position) => ({ ownerId: agentId, position }));
    const rows = await readPassages(stored.pool, { places, whole: 1, words: ['a'] });
    expect(rows).toMatchObject([
      { asks: ['f0'], wordings: ['t0'], text: 'a' },
      { asks: null, wordings: ['t1'], text: null },
    ]);
    const read = (namespace: string, id: string) => readPassage(stored.pool, { namespace, id });
    expect(await read('default', chunkId)).toMatchObject({ chunkId, documentTitle: null });
    expect(await read('other', chunkId)).toBeUndefined();
    expect(await read('default', newUuid())).toBeUndefined();
    const texts = (namespace: string, ...ids: string[]) =>
      readTexts(stored.pool, { namespace, ids });
    expect([...(await texts('default', chunkId)).keys()]).toEqual([chunkId]);
    expect((await texts('other', chunkId)).size).toBe(0);
  });
});
