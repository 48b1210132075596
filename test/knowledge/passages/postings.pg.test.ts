import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { toUuid } from '../../../src/ids.ts';
import { positionAt } from '../../../src/knowledge/passages/posting-lists.ts';
import { searchKnowledge } from '../../../src/knowledge/search-knowledge.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { learn } from './knowledge.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'error' }), max: 2 });
  drop = database.drop;
});
afterAll(async () => {
  await pool.end();
  await drop();
});

test('a position is the same number in PostgreSQL and here, in bytes that are text', async () => {
  const positions = [
    0,
    1,
    127,
    128,
    300,
    16_383,
    16_384,
    70_000,
    2_097_151,
    2_097_152,
    2 ** 28 - 1,
  ];
  const { rows } = await pool.query<{ place: Buffer }>(
    'select parley_place(p) as place from unnest($1::integer[]) with ordinality p (p, n) order by n',
    [positions],
  );
  expect(rows.map(({ place }) => positionAt(place, 0))).toEqual(positions);
  expect(rows.flatMap(({ place }) => [...place]).every((byte) => byte < 128)).toBe(true);
});

test('an impact grows with the places of a word, most in a heading, and falls with the length', async () => {
  const { rows } = await pool.query<{ impacts: number[] }>(
    `select array_agg(get_byte(parley_posting(1, w::text[], s), 4) order by n) as impacts
       from unnest(array['{D}','{D}','{D,D}','{A}','{A,D,D}'], array[2000, 300, 300, 300, 300])
            with ordinality as x (w, s, n)`,
  );
  const [{ impacts }] = rows as [{ impacts: number[] }];
  expect(impacts).toEqual(impacts.toSorted((a, b) => a - b));
  expect(new Set(impacts).size).toBe(5);
  expect(Math.min(...impacts)).toBeGreaterThan(0);
  expect(Math.max(...impacts)).toBeLessThan(128);
});

const search = async (id: string, query: string): Promise<string[]> => {
  const sourceIds = [toUuid('ks', id)!];
  const scope = { namespace: 'default', agentId: null, sourceIds };
  return (await searchKnowledge(pool, { scope, query, limit: 500 })).map(({ text }) => text);
};

test('passages of all positions are found, of several sources at once', async () => {
  const passages = Array.from({ length: 400 }, (_, at) => ({
    heading: '',
    text: `Lamp number ${at} is red.`,
  }));
  const lamps = await learn(pool, { name: 'lamps', passages });
  await learn(pool, { name: 'others', passages: [{ heading: '', text: 'A lamp that is blue.' }] });
  expect(await search(lamps, 'red lamps')).toHaveLength(400);
  expect(await search(lamps, 'number 399')).toContainEqual('Lamp number 399 is red.');
  const scope = { namespace: 'default', agentId: null, sourceIds: 'all' } as const;
  const [first] = await searchKnowledge(pool, { scope, query: 'blue lamp', limit: 3 });
  expect(first).toMatchObject({ text: 'A lamp that is blue.', score: expect.any(Number) });
  expect(first!.score).toBeGreaterThan(0.9);
  const other = { ...scope, namespace: 'other' };
  expect(await searchKnowledge(pool, { scope: other, query: 'lamp', limit: 3 })).toEqual([]);
});

test('what a process of the release before indexes is found by this one, and what it deletes is not', async () => {
  const id = await learn(pool, {
    name: 'old',
    passages: [{ heading: '', text: 'Yaks are here.' }],
  });
  const owner = toUuid('ks', id)!;
  await pool.query(
    `update knowledge_chunks set position = 7, text = 'Emus are here.',
            words = to_tsvector('english', 'emus are here') where owner_id = $1`,
    [owner],
  );
  // As that release builds the index of an owner anew.
  await pool.query('delete from knowledge_lexemes where owner_id = $1', [owner]);
  await pool.query(
    `insert into knowledge_lexemes (owner_id, lexeme, chunks, positions)
     select $1, w.lexeme, count(*), string_agg(int4send(c.position), '' order by c.position)
       from knowledge_chunks c cross join lateral unnest(c.words) w where c.owner_id = $1
      group by w.lexeme
     union all select $1, '', 1, ''`,
    [owner],
  );
  expect(await search(id, 'emus')).toEqual(['Emus are here.']);
  expect(await search(id, 'yaks')).toEqual([]);
  // As it deletes a source.
  await pool.query('delete from knowledge_lexemes where owner_id = $1', [owner]);
  await pool.query('delete from knowledge_chunks where owner_id = $1', [owner]);
  const { rows } = await pool.query('select from knowledge_postings where owner_id = $1', [owner]);
  expect(rows).toEqual([]);
});
