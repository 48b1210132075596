import { expect, test } from 'vitest';
import { newUuid, toUuid } from '../../src/ids.ts';
import { listToolCallsOfVersions } from '../../src/conversations/conversations-of-versions.sql.ts';
import type { Db, Pool } from '../../src/platform/postgres/pool.ts';
import { fillConversations, listed, RECALLED, truthOf } from './many-conversations.ts';
import { startRecallFixture } from './recall-setup.ts';

/** The lists of a recall through REST, compared with the truth. `npm run bench -- recall` has 1,000,000 conversations. */

test('lists and exports are what the recalled versions did, through handoffs too', async () => {
  const prompts = ['One.', 'Two.', 'Three.', 'Four.', 'Five.'];
  const { api, call, recall, path, namespace, agentId } = await startRecallFixture(prompts);
  const many = {
    namespace,
    agents: { recalled: toUuid('agt', agentId)!, front: newUuid(), desk: newUuid() },
    count: 1_100,
    firstMs: Date.now() - 3_600_000,
    everyMs: 1_000,
    run: newUuid().slice(-3),
  };
  await fillConversations(api.engine.pool, many);
  const { body } = await recall(RECALLED);
  const at = (list: string, query = '') => `${path}/recalls/${body.id}/${list}${query}`;

  const truth = truthOf(many);
  const exported = await listed(async function* (list) {
    const { text } = await call('GET', at(list), { headers: { accept: 'application/x-ndjson' } });
    for (const line of text.split('\n').slice(0, -1)) yield JSON.parse(line);
  });
  expect(exported).toEqual(truth);
  expect(Object.values(truth).every(({ length }) => length > 50)).toBe(true);

  const paged = await listed(async function* (list) {
    let cursor = '';
    do {
      const page = await call('GET', at(list, `?limit=100${cursor}`));
      yield* page.body.data;
      cursor = page.body.has_more ? `&cursor=${page.body.next_cursor}` : '';
    } while (cursor !== '');
  });
  expect(paged).toEqual(truth);

  const agents = { agentId: many.agents.recalled, versions: RECALLED, since: null };
  const [, , last] = truth.toolCalls.slice(-3);
  const id = toUuid('conv', last!.split('/')[0]!)!;
  const read = await readByMergeJoins(api.engine.pool, (db) =>
    listToolCallsOfVersions(db, { ...agents, after: { id, index: 99 }, limit: 20 }),
  );
  expect(read).toBeLessThan(100);
});

/**
 * Returns how many rows of `conversations` a list reads if PostgreSQL chooses merge joins, as it does for a million
 * conversations. A late page must not read those of all pages before it.
 */
async function readByMergeJoins(
  pool: Pool,
  list: (db: Pick<Db, 'query'>) => Promise<unknown>,
): Promise<number> {
  let query = { text: '', values: [] as unknown[] };
  const noted = async (asked: typeof query) => {
    query = asked;
    return { rows: [] };
  };
  await list({ query: noted as unknown as Db['query'] });
  const client = await pool.connect();
  try {
    await client.query('begin; set local enable_nestloop = off; set local enable_hashjoin = off');
    const text = `explain (analyze, format json) ${query.text}`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(text, query.values);
    return rowsOf(rows[0]!['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

type PlanNode = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
};

function rowsOf(node: PlanNode): number {
  const own =
    node['Relation Name'] === 'conversations' ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), own);
}

test('a list in lines has no pages, and a cursor belongs to its list', async () => {
  const { call, recall, path } = await startRecallFixture();
  const { body } = await recall([1]);
  const get = (list: string, headers = {}) =>
    call('GET', `${path}/recalls/${body.id}/${list}`, { headers });
  const lines = { accept: 'application/x-ndjson' };
  expect((await get('users?limit=3', lines)).status).toBe(400);
  expect(await get('users', lines)).toMatchObject({ status: 200, text: '' });
  const conversation = 'conv_01jp502zav5003mbgrrbas9p8j';
  const cursor = (text: string) => `?cursor=${Buffer.from(text).toString('base64url')}`;
  for (const [list, name, more] of [
    ['conversations', 'recalled', ''],
    ['users', 'recalled_users', ''],
    ['tool_calls', 'recalled_calls', ':3'],
  ] as const) {
    expect((await get(`${list}${cursor(`${name}:${conversation}${more}`)}`)).status).toBe(200);
    expect((await get(`${list}${cursor(`other:${conversation}${more}`)}`)).status).toBe(400);
  }
});
