import { expect, test } from 'vitest';
import { readAgentStats, readStats } from '../../src/analytics/agent-stats.sql.ts';
import { countBatch } from '../../src/analytics/count-conversations.ts';
import {
  readGroups,
  readSeries,
  type Figures,
  type Grouping,
} from '../../src/analytics/figures.sql.ts';
import type { LabelKind } from '../../src/analytics/measures.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { isOnlyOne } from '../../src/platform/postgres/one-at-a-time.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { addConversation } from '../conversations/stored-conversations.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';
import { createSeeded } from '../random/seeded.ts';

/** The counters of ended conversations: each counts once, whatever happens to it later, and in which order. */

const stored = useRows(
  'conversations',
  'conversation_facts',
  'analytics_counts',
  'analytics_costs',
);

const AGENT = newUuid();
const HOUR = 3_600;
/** A quarter of an hour in the past, in Unix seconds. */
const NOW = Math.floor(Date.now() / 900_000) * 900;
const at = (sec: number): Date => new Date(sec * 1_000);

const add = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, { agent_id: AGENT, started_at: at(NOW - 60), tally: '{}', ...columns });

const change = async (id: string, columns: Columns): Promise<void> => {
  const set = Object.keys(columns).map((name, i) => `${name} = $${i + 2}`);
  const values = [id, ...Object.values(columns)];
  await stored.pool.query(`update conversations set ${set.join(', ')} where id = $1`, values);
};
const end = (id: string, columns: Columns = {}): Promise<void> =>
  change(id, { status: 'ended', ended_at: at(NOW), outcome: 'resolved', ...columns });
const judgedAs = (...topics: string[]) => JSON.stringify({ topics });

const counting = (kind: LabelKind = 'all', namespace = 'default') => ({
  namespace,
  kind,
  span: { from: NOW - HOUR, to: NOW },
  nowSec: NOW,
});
const total = async (kind?: LabelKind, namespace?: string): Promise<Figures> =>
  (await readSeries(stored.pool, counting(kind, namespace), [NOW - HOUR])).total;
const groups = (by: Grouping, kind: LabelKind = 'all') =>
  readGroups(stored.pool, counting(kind), { by, limit: 100 });
const countAll = async (): Promise<void> => {
  while (await countBatch({ pool: stored.pool }, 3)) {
    // A batch more.
  }
  expect(await stored.read('conversation_facts')).toEqual([]);
};
/** Expects the same figures before and after facts became counters. */
const expectTotal = async (expected: Partial<Figures>): Promise<void> => {
  expect(await total()).toMatchObject(expected);
  await countAll();
  expect(await total()).toMatchObject(expected);
};

test('a conversation counts once: in progress, ended, and added to the counters', async () => {
  const id = await add({ turn_count: 3, tally: JSON.stringify({ answered: 2, unanswered: 1 }) });
  const said = { turns: 3, answered: 2, gaps: 1 };
  await expectTotal({ active: 1, ended: 0, contained: 0, ...said });
  await end(id, { csat_predicted: 3.5 });
  await expectTotal({
    active: 0,
    ended: 1,
    resolved: 1,
    contained: 1,
    predictedTenths: 35,
    ...said,
  });
});

test('a rating and another outcome correct what was counted, before and after it was', async () => {
  const id = await add();
  await end(id, { csat_predicted: 4 });
  await change(id, { csat: 5 });
  await expectTotal({ csatCount: 1, csatSum: 5, bothErrorTenths: 10, bothProduct: 200 });
  await change(id, { csat: 2, outcome: 'unresolved' });
  await expectTotal({ ended: 1, csatCount: 1, csatSum: 2, resolved: 0, unresolved: 1 });
  await change(id, { user_id: 'somebody', metadata: '{"plan":"gold"}' });
  expect(await stored.read('conversation_facts')).toEqual([]);
});

test('test conversations and those of other namespaces count for nothing', async () => {
  await end(await add({ test: true }), { csat: 5 });
  await add({ test: true });
  await end(await add({ namespace: 'other' }));
  await expectTotal({ active: 0, ended: 0, csatCount: 0 });
  expect(await total('all', 'other')).toMatchObject({ ended: 1 });
});

test('a conversation stored as ended counts too', async () => {
  await add({ status: 'ended', ended_at: at(NOW), outcome: 'failed' });
  await expectTotal({ ended: 1, failed: 1 });
});

test('erasure takes the topics away, also from the counters, and leaves figures', async () => {
  const id = await add();
  await end(id, { judgement: judgedAs('secret illness', 'billing') });
  await countAll();
  await end(await add(), { judgement: judgedAs('billing', 'billing') });
  const topics = async () =>
    (await groups('topic', 'topic')).map(({ key, total: { ended } }) => [key.label, ended]);
  expect(await topics()).toEqual([
    ['billing', 2],
    ['secret illness', 1],
  ]);
  await change(id, { judgement: null, deleted_at: at(NOW) });
  expect(await topics()).toEqual([['billing', 1]]);
  await countAll();
  expect(await topics()).toEqual([['billing', 1]]);
  expect(JSON.stringify(await stored.read('analytics_counts', 'label'))).not.toContain('illness');
  expect(await total()).toMatchObject({ ended: 2, resolved: 2 });
});

const tallyOf = (accepted: number) => JSON.stringify({ escalations: { requested: 1, accepted } });
const addEscalation = (conversation: string, columns: Columns = {}): Promise<void> =>
  stored.add('escalations', {
    id: newUuid(),
    namespace: 'default',
    conversation_id: conversation,
    agent_id: AGENT,
    status: 'completed',
    reason: '',
    summary: '',
    requested_at: at(NOW - 50),
    times_out_at: at(NOW),
    ...columns,
  });
const acceptedBy = (id: string, sec: number): Columns => ({
  accepted_by: JSON.stringify({ id, name: id.toUpperCase() }),
  accepted_at: at(NOW - 50 + sec),
});

test('people have the waits of the users whom they accepted; missed ones count until they are looked at and after', async () => {
  const both = await add({ tally: JSON.stringify({ escalations: { requested: 3, accepted: 2 } }) });
  await addEscalation(both, acceptedBy('ann', 10));
  await addEscalation(both, acceptedBy('bob', 30));
  await addEscalation(both, { status: 'timed_out', is_missed: true });
  const seen = await add({ tally: tallyOf(0) });
  await addEscalation(seen, { status: 'timed_out', reviewed_at: at(NOW) });
  const alone = await add({ tally: tallyOf(1) });
  await addEscalation(alone, acceptedBy('ann', 5));
  const people = async () =>
    (await groups('person', 'person')).map(
      ({ key, total: { accepted, waitSec, escalations } }) => ({
        [key.label!]: [accepted, waitSec, escalations],
      }),
    );
  const expected = [{ ann: [2, 15, 4] }, { bob: [1, 30, 3] }];
  const all = { escalations: 5, escalatedConversations: 3, accepted: 3, waitSec: 45, missed: 2 };
  expect(await people()).toEqual(expected);
  expect(await total()).toMatchObject({ active: 3, contained: 0, ...all });
  for (const id of [both, seen, alone]) await end(id);
  expect(await people()).toEqual(expected);
  await expectTotal({ active: 0, ended: 3, contained: 0, ...all });
  expect(await people()).toEqual(expected);
});

test('what retention deletes stays in the figures, but no topic and no person of it', async () => {
  const id = await add({ tally: tallyOf(1) });
  await addEscalation(id, acceptedBy('ann', 10));
  await end(id, { judgement: judgedAs('billing') });
  await countAll();
  await stored.pool.query('delete from conversations where id = $1', [id]);
  await expectTotal({ ended: 1, escalations: 1, accepted: 1, waitSec: 10 });
  expect(await groups('topic', 'topic')).toEqual([]);
  expect(await groups('person', 'person')).toEqual([]);
  expect((await stored.read('analytics_counts', 'label')).map(({ kind }) => kind)).toEqual(['all']);
});

test('tokens and costs by currency, and those of a topic', async () => {
  const usage = (costs: object) =>
    JSON.stringify({ usage: { inputTokens: 100, outputTokens: 7, cachedInputTokens: 50, costs } });
  const one = await add({ tally: usage({ USD: 0.1, EUR: 1 }) });
  await add({ tally: usage({ USD: 0.2 }) });
  await end(await add({ tally: usage({}) }));
  await end(one, { judgement: judgedAs('billing') });
  const tokens = { inputTokens: 300, outputTokens: 21, cachedInputTokens: 150 };
  await expectTotal({ ...tokens, costs: { USD: 0.3, EUR: 1 } });
  expect(await total('topic')).toMatchObject({ inputTokens: 100, costs: { USD: 0.1, EUR: 1 } });
  await change(one, { judgement: null, deleted_at: at(NOW) });
  await expectTotal({ ...tokens, costs: { USD: 0.3, EUR: 1 } });
  expect(await total('topic')).toMatchObject({ inputTokens: 0, costs: {} });
  expect(await stored.read('analytics_costs', 'currency')).toHaveLength(2);
});

test('a conversation counts at its start, from `from` on and before `to`', async () => {
  for (const sec of [-HOUR - 1, -HOUR, -1, 0]) await end(await add({ started_at: at(NOW + sec) }));
  await expectTotal({ ended: 2 });
});

test('each part of a key has figures of its own', async () => {
  const other = newUuid();
  const parts = [{}, { agent_id: other }, { agent_version: 2 }, { channel: 'voice' }];
  for (const columns of parts) await end(await add(columns));
  for (const isCounted of [false, true]) {
    if (isCounted) await countAll();
    const found = await groups('version');
    const shown = found.map(({ key, total: { ended } }) => [key.agentId, key.version, ended]);
    expect(new Set(shown.map(String))).toEqual(
      new Set([`${AGENT},1,2`, `${AGENT},2,1`, `${other},1,1`]),
    );
    const of = async (filter: object) =>
      (await readSeries(stored.pool, { ...counting(), ...filter }, [NOW - HOUR])).total.ended;
    expect(await of({ agentId: AGENT })).toBe(3);
    expect(await of({ agentId: AGENT, version: 2 })).toBe(1);
    expect(await of({ channel: 'voice' })).toBe(1);
  }
});

test('one process at a time adds facts to the counters', async () => {
  await end(await add());
  await inTransaction(stored.pool, async (db) => {
    expect(await isOnlyOne(db, 2)).toBe(true);
    expect(await countBatch({ pool: stored.pool }, 1)).toBe(false);
    expect(await stored.read('conversation_facts')).toHaveLength(1);
  });
  expect(await countBatch({ pool: stored.pool }, 1)).toBe(true);
  expect(await countBatch({ pool: stored.pool }, 1)).toBe(false);
  expect(await total()).toMatchObject({ ended: 1 });
});

test('figures read no conversation that was counted', async () => {
  for (const _ of Array.from({ length: 5 })) await end(await add());
  await countAll();
  // Without triggers, as if they were still there.
  await stored.pool.query(
    `begin; set local session_replication_role = replica; delete from conversations; commit`,
  );
  expect(await total()).toMatchObject({ ended: 5 });
});

/** A conversation of the model, as it should be counted. */
type Life = { id: string; row: Columns; isErased: boolean; isDeleted: boolean };

test('after random lives the figures equal a recount', async () => {
  const { below, pick } = createSeeded(20_261_127);
  const lives: Life[] = [];
  const recount = () => {
    const counted = lives.map(({ row }) => row);
    const ended = counted.filter((row) => row['ended_at'] !== undefined);
    const rated = counted.flatMap((row) => (row['csat'] ? [Number(row['csat'])] : []));
    const topics = lives
      .filter((life) => !life.isErased && !life.isDeleted)
      .flatMap(({ row }) => row['topics'] as string[]);
    return {
      active: counted.length - ended.length,
      ended: ended.length,
      resolved: ended.filter(({ outcome }) => outcome === 'resolved').length,
      failed: ended.filter(({ outcome }) => outcome === 'failed').length,
      csatCount: rated.length,
      csatSum: rated.reduce((a, b) => a + b, 0),
      turns: counted.reduce((sum, row) => sum + Number(row['turn_count']), 0),
      topics: [...new Set(topics)]
        .map((topic) => `${topic}: ${topics.filter((one) => one === topic).length}`)
        .toSorted(),
    };
  };
  const apply = async (life: Life, columns: Columns): Promise<void> => {
    Object.assign(life.row, columns);
    const { topics, ...plain } = columns;
    const judgement = topics === undefined ? {} : { judgement: judgedAs(...(topics as string[])) };
    await change(life.id, { ...plain, ...judgement });
  };
  const whileActive: ((life: Life) => Promise<unknown>)[] = [
    (life) => apply(life, { turn_count: Number(life.row['turn_count']) + 1 }),
    (life) =>
      apply(life, { ended_at: at(NOW), status: 'ended', outcome: pick(['resolved', 'failed']) }),
    (life) => apply(life, { csat: pick([1, 2, 5]) }),
  ];
  const afterEnd: typeof whileActive = [
    (life) => apply(life, { csat: pick([1, 3, 4]) }),
    (life) => apply(life, { topics: pick([['a'], ['a', 'b'], ['b', 'c'], []]) }),
    (life) => apply(life, { outcome: pick(['resolved', 'failed', 'unknown']) }),
    (life) => {
      life.isErased = true;
      return change(life.id, { judgement: null, deleted_at: at(NOW) });
    },
    (life) => {
      life.isDeleted = true;
      return stored.pool.query('delete from conversations where id = $1', [life.id]);
    },
  ];
  for (let step = 0; step < 250; step += 1) {
    const open = lives.filter((life) => !life.isErased && !life.isDeleted);
    if (open.length === 0 || below(5) === 0) {
      const id = await add({ started_at: at(NOW - 1 - below(HOUR)), turn_count: 1 });
      lives.push({ id, row: { turn_count: 1, topics: [] }, isErased: false, isDeleted: false });
    } else {
      const life = pick(open);
      await pick(life.row['ended_at'] === undefined ? whileActive : afterEnd)(life);
    }
    if (below(3) === 0) await countBatch({ pool: stored.pool }, 1 + below(4));
    if (step % 25 !== 0) continue;
    const { topics, ...figures } = recount();
    expect(await total()).toMatchObject(figures);
    const shown = (await groups('topic', 'topic')).map(
      ({ key, total: { ended } }) => `${key.label}: ${ended}`,
    );
    expect(shown.toSorted()).toEqual(topics);
  }
});

test('a period that begins and ends within quarters of an hour counts their conversations, also erased ones', async () => {
  const starting = (sec: number, columns: Columns = {}): Promise<string> =>
    add({ id: newUuid((NOW + sec) * 1_000), started_at: at(NOW + sec), ...columns });
  for (const sec of [-1_801, -1_800, -1_700, -900, -101, -100, -50]) await end(await starting(sec));
  await change(await starting(-1_750), { status: 'ended', ended_at: at(NOW), deleted_at: at(NOW) });
  await end(await starting(-1_750, { test: true }));
  await starting(-1_750, { namespace: 'other', status: 'ended', ended_at: at(NOW) });
  const other = newUuid();
  await end(await starting(-1_750, { agent_id: other, agent_version: 2 }));
  const conversations = async (from: number, to: number, nowSec = NOW + 900): Promise<number> => {
    const span = { from: NOW + from, to: NOW + to };
    const all = await readStats(stored.pool, { namespace: 'default', limit: 10 }, { span, nowSec });
    return all.total.ended;
  };
  for (const isCounted of [false, true]) {
    if (isCounted) await countAll();
    expect(await conversations(-1_800, -100)).toBe(6);
    expect(await conversations(-1_799, -100)).toBe(5);
    expect(await conversations(-1_799, -99)).toBe(6);
    expect(await conversations(-1_751, -1_700)).toBe(2);
    expect(await conversations(-1_751, -1_699)).toBe(3);
    // The quarter that has not passed counts as a whole.
    expect(await conversations(-900, -90, NOW - 91)).toBe(4);
    const at = { span: { from: NOW - 1_751, to: NOW - 1_749 }, nowSec: NOW };
    const of = async (agentId: string, version?: number): Promise<number> =>
      (await readAgentStats(stored.pool, { namespace: 'default', agentId, version }, at)).ended;
    expect([await of(AGENT), await of(other), await of(other, 2), await of(other, 1)]).toEqual([
      1, 1, 1, 0,
    ]);
  }
});
