import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { searchKnowledge } from '../../../src/knowledge/search-knowledge.ts';
import type { FindByMeaning } from '../../../src/knowledge/vectors/find-by-meaning.ts';
import { searchBothWays } from '../../../src/knowledge/vectors/search-both-ways.ts';
import { holdTime } from '../../clock.ts';
import { startVectors, type Vectors } from './vectors-harness.ts';

/** What is found in other words, by a stub that knows which words mean the same. */

const DOGS = 'Animals: Dogs are welcome on the terrace.';
const REFUND = 'Returns: A refund takes five days.';
const SHIP = 'Orders: Parcels leave our house each morning.';
const POODLE = 'Can I bring my poodle?';

let vectors: Vectors;
let source: string;
let ofOther: string;
beforeAll(async () => {
  vectors = await startVectors();
  source = await vectors.source([DOGS, REFUND, SHIP]);
  ofOther = await vectors.source(['House: Every poodle is ours.'], { namespace: 'other' });
  await vectors.embed();
});
afterAll(() => vectors?.stop());
beforeEach(() => vectors.stub.answer(undefined));

const scopeOf = (sourceIds: readonly string[] | 'all', namespace = 'default') => ({
  namespace,
  agentId: null,
  sourceIds,
});
const search = (query: string, meaning: FindByMeaning, sourceIds: readonly string[] | 'all') =>
  searchKnowledge(vectors.pool, { scope: scopeOf(sourceIds), query, limit: 5 }, { meaning });

test('a question with none of its words finds a passage, which may be given to a reply', async () => {
  const scope = scopeOf([source]);
  expect(await searchKnowledge(vectors.pool, { scope, query: POODLE, limit: 5 })).toEqual([]);
  const [first, ...rest] = await search(POODLE, vectors.meaning(), [source]);
  expect(first).toMatchObject({ heading: 'Animals', similarity: expect.any(Number) });
  expect(first!.score).toBeGreaterThan(0.5);
  expect(rest.every(({ score }) => score < 0.5)).toBe(true);
});

test('what has the words and the meaning goes before what has one of them', async () => {
  const hits = await search('When is a refund paid?', vectors.meaning(), [source]);
  expect(hits[0]).toMatchObject({ heading: 'Returns' });
  expect(hits[0]!.score).toBeGreaterThan(0.5);
});

test('a passage without a vector is found by its words', async () => {
  const fresh = await vectors.source(['Hats: Straw hats are sold in spring.']);
  const [first] = await search('Where are straw hats sold?', vectors.meaning(), [source, fresh]);
  expect(first).toMatchObject({ heading: 'Hats', similarity: null });
  await vectors.pool.query('delete from knowledge_sources where id = $1', [fresh]);
});

test("another namespace's passages are never compared, whatever is named", async () => {
  const meaning = vectors.meaning();
  const hits = await search(POODLE, meaning, 'all');
  expect(hits.map((hit) => hit.sourceId)).not.toContain(ofOther);
  const others = async () => [];
  const find = (scope: ReturnType<typeof scopeOf>) =>
    meaning.find({ scope, question: POODLE, others });
  expect((await find(scopeOf('all'))).meant).toHaveLength(3);
  expect(await find(scopeOf([ofOther]))).toEqual({ meant: [], use: 'none' });
  expect((await find(scopeOf([ofOther], 'other'))).meant).toHaveLength(1);
});

test('of more than can be looked through, those are compared that words found', async () => {
  const meaning = vectors.meaning({ lookedThroughBytes: 1 });
  expect(await search(POODLE, meaning, [source])).toEqual([]);
  const [first] = await search('When is a refund paid?', meaning, [source]);
  expect(first).toMatchObject({ heading: 'Returns', similarity: expect.any(Number) });
});

test('a passage that is gone is not found, although its vector is still there', async () => {
  const short = await vectors.source(['Dogs: Puppies sleep here.']);
  await vectors.embed();
  const meaning = vectors.meaning();
  const isFound = async () =>
    (await search('poodle', meaning, [short])).some(({ heading }) => heading === 'Dogs');
  expect(await isFound()).toBe(true);
  await vectors.pool.query('delete from knowledge_chunks where source_id = $1', [short]);
  expect(await isFound()).toBe(false);
});

describe('a provider that does not answer', () => {
  const both = (meaning: FindByMeaning, query: string) => {
    const scope = scopeOf([source]);
    const byWords = (limit: number) => searchKnowledge(vectors.pool, { scope, query, limit });
    return searchBothWays(vectors.pool, { scope, query, limit: 5, meaning, byWords });
  };

  test('in time is waited for no longer than a search may take; its answer is kept', async () => {
    const meaning = vectors.meaning({ budgetMs: 50 });
    let answer = (): void => undefined;
    const before = vectors.stub.asked.length;
    vectors.stub.answer(({ response, vectors: made }) => {
      const data = made.map((embedding, index) => ({ index, embedding }));
      answer = () => void response.end(JSON.stringify({ data }));
      return true;
    });
    const time = holdTime();
    const searching = both(meaning, 'When is a refund paid?');
    await time.armed(50);
    await time.advance(50);
    const late = await searching;
    expect(late.meaning).toBe('unavailable');
    expect(late.hits[0]).toMatchObject({ heading: 'Returns' });
    await vectors.stub.came(before + 1);
    answer();
    vectors.stub.answer(undefined);
    const again = await both(meaning, 'When is a refund paid?');
    expect(again.meaning).toBe('used');
    expect(vectors.stub.asked).toHaveLength(before + 1);
  });

  test('at all is left alone for a while, and the words are searched', async () => {
    const meaning = vectors.meaning();
    vectors.stub.answer(({ response }) => response.writeHead(500).end('{}'));
    const before = vectors.stub.asked.length;
    for (const query of ['a refund please', 'my money back refund', 'refund me']) {
      const { hits, meaning: use } = await both(meaning, query);
      expect([use, hits[0]?.heading]).toEqual(['unavailable', 'Returns']);
    }
    expect(vectors.stub.asked).toHaveLength(before + 1);
  });

  test('with vectors of another length is not compared', async () => {
    vectors.stub.answer(({ response, texts }) =>
      response.end(JSON.stringify({ data: texts.map(() => ({ embedding: [1, 2] })) })),
    );
    const { hits, meaning } = await both(vectors.meaning(), 'When is a refund paid?');
    expect([meaning, hits[0]?.heading]).toEqual(['unavailable', 'Returns']);
  });
});

test('a question is embedded once for each model, and once when it is asked again', async () => {
  vectors.providers['second'] = {
    embeddings: { defaultModel: 'e-9', dimensions: 16, batchSize: 8 },
  };
  const second = await vectors.source(['Pets: Cats and dogs stay free.'], {
    embeddings: { provider: 'second' },
  });
  await vectors.embed();
  const meaning = vectors.meaning();
  const before = vectors.stub.asked.length;
  const hits = await search(POODLE, meaning, [source, second]);
  await search(POODLE, meaning, [source, second]);
  expect(hits.slice(0, 2).map(({ heading }) => heading)).toEqual(
    expect.arrayContaining(['Animals', 'Pets']),
  );
  const asked = vectors.stub.asked.slice(before);
  expect(asked.map(({ model, dimensions }) => [model, dimensions])).toEqual(
    expect.arrayContaining([
      ['e-1', undefined],
      ['e-9', 16],
    ]),
  );
  expect(asked).toHaveLength(2);
});

test('where nothing is embedded a search makes no query more than before', async () => {
  const bare = await startVectors();
  try {
    const id = await bare.source([DOGS]);
    const queries: string[] = [];
    const counting = new Proxy(bare.pool, {
      get: (pool, name) => {
        const value: unknown = Reflect.get(pool, name);
        if (name !== 'query') return value;
        return (...args: Parameters<typeof pool.query>) => {
          queries.push(JSON.stringify(args[0]));
          return pool.query(...args);
        };
      },
    });
    const meaning = bare.meaning();
    expect(await meaning.isOn()).toBe(false);
    const input = { scope: scopeOf([id]), query: 'Are dogs welcome?', limit: 5 };
    await searchKnowledge(counting, input);
    const without = queries.splice(0);
    await searchKnowledge(counting, input, { meaning });
    expect(queries).toEqual(without);
    expect(bare.stub.asked).toEqual([]);
  } finally {
    await bare.stop();
  }
});
