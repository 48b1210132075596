import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { newUuid } from '../../../src/ids.ts';
import { searchKnowledge, type KnowledgeScope } from '../../../src/knowledge/search-knowledge.ts';
import { insertChunks } from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
import { indexOwner } from '../../../src/knowledge/passages/knowledge-postings.sql.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';

/**
 * The statements of a search are planned while there is little knowledge, and the plans are kept
 * while one tenant uploads a lot of it, which PostgreSQL counts a minute later. Until then no search
 * of another may read what is not its own.
 */

const MORE_THAN_POSTGRESQL_TRIES = 8;

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'error' }), max: 1 });
  drop = database.drop;
});
afterAll(async () => {
  await pool.end();
  await drop();
});

test('a search reads its own words and passages by their keys, also after a large upload of another', async () => {
  const small = await newSource('small');
  const chunks = ['Rooms sleep two.', 'Parking is free.', 'Breakfast begins at seven.'].map(
    (text, position) => ({
      id: newUuid(),
      position,
      heading: '',
      text,
      headingWords: '',
      textWords: text,
    }),
  );
  await insertChunks(pool, { namespace: 'default', ...small }, chunks);
  await indexOwner(pool, small.sourceId);
  await pool.query('analyze');
  // One word is mistyped, so that all branches run.
  const search = (scope: Omit<KnowledgeScope, 'namespace'>) =>
    searchKnowledge(pool, {
      scope: { namespace: 'default', ...scope },
      query: 'how many do rooms slepe',
      limit: 3,
    });
  for (const scope of [
    { agentId: null, sourceIds: [small.sourceId] },
    { agentId: newUuid(), sourceIds: 'all' },
    { agentId: null, sourceIds: 'all' },
  ] as const) {
    for (let i = 0; i < MORE_THAN_POSTGRESQL_TRIES; i += 1) {
      expect((await search(scope))[0]?.text).toBe('Rooms sleep two.');
    }
  }
  expect(await keptPlans()).toEqual([
    'find_postings',
    'find_postings_of_all',
    'find_postings_of_everything',
    'read_passages',
  ]);
  const large = await newSource('large');
  await pool.query(
    `insert into knowledge_chunks
            (id, namespace, source_id, document_id, position, heading, text, words)
     select gen_random_uuid(), 'default', $1, $2, n, '', 'word', '' from generate_series(1, 5000) n`,
    [large.sourceId, large.documentId],
  );
  await pool.query(
    `insert into knowledge_postings (lexeme, namespace, owner_id, is_answers, chunks, postings)
     select 'word' || n, 'default', $1, false, 1, int4send(n) || '\\x01' from generate_series(1, 20000) n`,
    [large.sourceId],
  );
  const ids = `'{${small.sourceId}}'`;
  const scans = [
    ...(await scansOf(
      `find_postings('default', ${ids}, '{0,1}', '{rooms,slepe}', '{true,true}', '{1,1}')`,
    )),
    ...(await scansOf(`read_passages(${ids}, '{0}', '{room}', 16)`)),
  ];
  expect(new Set(scans.map(({ table }) => table))).toEqual(
    new Set(['knowledge_chunks', 'knowledge_postings']),
  );
  for (const { rows, removed, type } of scans) {
    expect(type).toMatch(/^Index (Only )?Scan$/);
    expect(rows).toBeLessThanOrEqual(1); // Of each look.
    expect(removed).toBe(0);
  }
});

/**
 * Returns the names of the statements whose plan PostgreSQL keeps. It plans each of the others again for the values of
 * each search, which takes longer than the search.
 */
async function keptPlans(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select name from pg_prepared_statements where generic_plans > 0 order by name`,
  );
  return rows.map(({ name }) => name);
}

async function newSource(name: string): Promise<{ sourceId: string; documentId: string }> {
  const [sourceId, documentId] = [newUuid(), newUuid()];
  await pool.query(
    `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
     values ($1, 'default', $2, $1, 1, 'api', 'text', '{}')`,
    [sourceId, name],
  );
  await pool.query(
    `insert into knowledge_documents
            (id, namespace, source_id, path, title, content_hash, bytes, chunks)
     values ($1, 'default', $2, $3, '', '', 0, 0)`,
    [documentId, sourceId, name],
  );
  return { sourceId, documentId };
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
};
type Scan = { table: string; type: string; rows: number; removed: number };

/** What the kept plan of a statement reads of passages and words, as PostgreSQL ran it. */
async function scansOf(call: string): Promise<Scan[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) execute ${call}`,
  );
  const walk = (node: PlanNode): Scan[] => {
    const table = node['Relation Name'] ?? '';
    const isRead = ['knowledge_chunks', 'knowledge_postings'].includes(table);
    const scan = {
      table,
      type: node['Node Type'],
      rows: node['Actual Rows'],
      removed: node['Rows Removed by Filter'] ?? 0,
    };
    return [...(isRead ? [scan] : []), ...(node.Plans ?? []).flatMap(walk)];
  };
  return walk(rows[0]!['QUERY PLAN'][0].Plan);
}
