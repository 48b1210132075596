import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromUuid, newUuid } from '../../../src/ids.ts';
import { GAP_ORDERS, listGaps, type GapFilter } from '../../../src/knowledge/gaps/list-gaps.sql.ts';
import type { Db } from '../../../src/platform/postgres/pool.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** The list of gaps: its orders, what is new since, and that a long one answers as fast as a short one. */

const GAPS = '/v1/knowledge/gaps';
const agentId = newUuid();
const agent = `agent_id=${fromUuid('agt', agentId)}`;

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const list = (query: string, key?: string): Promise<Reply> =>
  api.call('GET', `${GAPS}?${query}`, key === undefined ? {} : { key });

/** `each`: how often it was asked and how many hours ago; gaps are numbered as they stand. */
async function fill(each: readonly (readonly [count: number, agoHours: number])[]): Promise<void> {
  for (const [at, [count, ago]] of each.entries()) {
    await api.engine.pool.query(
      `insert into knowledge_gaps (id, namespace, agent_id, conversation_id, question, fingerprint,
                                   top_score, count, last_asked_at)
       values ($1, 'default', $2, $2, $3, $3, 0, $4, now() - make_interval(hours => $5))`,
      [newUuid(Date.now() + at), agentId, `q${at}`, count, ago],
    );
  }
}

/** Page by page. */
async function questions(query: string, limit = 2): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await list(`${agent}&limit=${limit}&${query}${cursor}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    found.push(...body.data.map(({ question }: Reply['body']) => question));
    if (!body.has_more) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

describe('gaps are listed', () => {
  beforeAll(() =>
    fill([
      [3, 50],
      [9, 40],
      [1, 10],
      [3, 10],
      [1, 300],
    ]),
  );

  test('newest first, by how often they were asked, and by when, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 100]) {
      expect(await questions('', limit)).toEqual(['q4', 'q3', 'q2', 'q1', 'q0']);
      expect(await questions('sort=created', limit)).toEqual(['q4', 'q3', 'q2', 'q1', 'q0']);
      expect(await questions('sort=count', limit)).toEqual(['q1', 'q3', 'q0', 'q4', 'q2']);
      expect(await questions('sort=last_asked_at', limit)).toEqual(['q3', 'q2', 'q1', 'q0', 'q4']);
    }
  });

  test('by what is new since, and by how often they were asked at least', async () => {
    const since = Math.floor(Date.now() / 1_000) - 45 * 3_600;
    expect(await questions(`asked_after=${since}&sort=last_asked_at`)).toEqual(['q3', 'q2', 'q1']);
    expect(await questions(`asked_after=${since}`)).toEqual(['q3', 'q2', 'q1']);
    expect(await questions('count_min=3&sort=count')).toEqual(['q1', 'q3', 'q0']);
    expect(await questions('count_min=10')).toEqual([]);
  });

  test('from a cursor of that order alone', async () => {
    const { body } = await list(`${agent}&limit=1&sort=count`);
    const refused = await list(`${agent}&sort=last_asked_at&cursor=${body.next_cursor}`);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    expect(refused.body.detail).toContain('sort');
    for (const wrong of ['count:1:gap_x', 'count:gap_01jd0000000000000000000000', 'count:0:', '']) {
      const cursor = Buffer.from(wrong).toString('base64url');
      expect((await list(`sort=count&cursor=${cursor}`)).status).toBe(400);
    }
    for (const wrong of ['sort=question', 'count_min=0', 'count_min=x', 'asked_after=x']) {
      expect((await list(wrong)).status).toBe(400);
    }
  });

  test('to their own namespace', async () => {
    const key = await api.newKey('other');
    expect((await list('sort=count', key)).body.data).toEqual([]);
    expect((await list('sort=last_asked_at&asked_after=1', key)).body.data).toEqual([]);
  });
});

const MANY = 20_000;
/** Rows that a plan reads in all, with those it reads in vain. */
type Plan = { Plans?: Plan[] } & Record<string, number>;
const rowsRead = ({ Plans = [], ...node }: Plan): number =>
  Math.max(
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0),
    ...Plans.map(rowsRead),
  );

async function readBy(filter: Partial<GapFilter>): Promise<number> {
  let read = 0;
  const explaining = {
    query: async (text: string, values: unknown[]) => {
      const { rows } = await api.engine.pool.query(
        `explain (analyze, format json) ${text}`,
        values,
      );
      read = rowsRead(rows[0]['QUERY PLAN'][0].Plan);
      return { rows: [] };
    },
  };
  const all = { namespace: 'default', order: 'created' as const, limit: 21, ...filter };
  await listGaps(explaining as unknown as Db, all);
  return read;
}

test('of many a page reads little more than it shows, in each order and with each filter', async () => {
  const { pool } = api.engine;
  await pool.query(
    `insert into knowledge_gaps (id, namespace, agent_id, conversation_id, question, fingerprint, top_score,
                                 count, last_asked_at, status)
     select gen_random_uuid(), 'default', case when i % 2 = 0 then $1 else gen_random_uuid() end, $1, 'q',
            'many' || i, 0, 1 + i % 700, now() - make_interval(secs => i * 7919 % 1000000),
            case when i % 100 = 0 then 'resolved' else 'open' end
       from generate_series(1, ${MANY}) i`,
    [agentId],
  );
  await pool.query('analyze knowledge_gaps');
  for (const order of GAP_ORDERS) {
    for (const asker of [undefined, agentId]) {
      for (const status of [undefined, 'open', 'resolved'] as const) {
        const read = await readBy({ order, agentId: asker, status });
        expect({ order, asker, status, isLittle: read < 60 }).toMatchObject({ isLittle: true });
      }
    }
  }
  const askedAfter = Math.floor(Date.now() / 1_000) - 3_600;
  for (const filter of [
    { askedAfter },
    { askedAfter, order: 'count' },
    { countMin: 699 },
  ] as const) {
    expect({ filter, isLittle: (await readBy(filter)) < MANY / 50 }).toMatchObject({
      isLittle: true,
    });
  }
});
