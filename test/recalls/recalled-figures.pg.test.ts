import { beforeEach, expect, test } from 'vitest';
import { readAgentStats, readStats } from '../../src/analytics/agent-stats.sql.ts';
import { countBatch } from '../../src/analytics/count-conversations.ts';
import { readGroups, readSeries } from '../../src/analytics/figures.sql.ts';
import { createStoredAgents } from '../agents/stored-agents.ts';
import { addConversation, addTurn } from '../conversations/stored-conversations.ts';
import { useRows } from '../platform/postgres/rows.ts';
import { addRecall } from './stored-recalls.ts';

/** Figures leave out the conversations that a recalled version began. */

const stored = useRows(
  'conversations',
  'conversation_facts',
  'analytics_counts',
  'analytics_costs',
  'agents',
);
const { addAgent } = createStoredAgents(stored);

const QUARTER = 900;
/** A quarter of an hour in the past, in Unix seconds. */
const NOW = Math.floor(Date.now() / 900_000) * 900;
const FROM = NOW - 4 * QUARTER;
let agent: string;
let other: string;

/** Stores a conversation with a version, which began that many quarters after `FROM`. */
async function talk(agentId: string, version: number, quarter: number, isEnded = true) {
  const startedAt = new Date((FROM + quarter * QUARTER + 60) * 1_000);
  const end = { status: 'ended', ended_at: startedAt, outcome: 'resolved' };
  const id = await addConversation(stored, {
    agent_id: agentId,
    agent_version: version,
    started_at: startedAt,
    tally: '{}',
    ...(isEnded && end),
  });
  const latency = JSON.stringify({ turn_ms: 100 * version });
  await addTurn(stored, id, 0, { role: 'agent', latency });
}

beforeEach(async () => {
  agent = await addAgent({}, 3);
  other = await addAgent({}, 2);
  for (const quarter of [0, 1, 2]) {
    await talk(agent, 1, quarter);
    await talk(agent, 2, quarter);
    await talk(other, 2, quarter);
  }
  await talk(agent, 2, 1, false);
});

/** Reads what every kind of statistics says, before and after facts became counters. */
async function figures(version?: number) {
  const read = async () => {
    const at = { span: { from: FROM, to: NOW }, nowSec: NOW };
    const of = { namespace: 'default', agentId: agent, version };
    const counting = { namespace: 'default', kind: 'all' as const, ...at };
    const stats = await readAgentStats(stored.pool, of, at);
    const all = await readStats(stored.pool, { namespace: 'default', limit: 10 }, at);
    const { total } = await readSeries(stored.pool, { ...counting, version }, [FROM]);
    const groups = await readGroups(stored.pool, counting, { by: 'version', limit: 10 });
    return {
      agent: [stats.ended, stats.active, stats.latencyCount],
      namespace: [all.total.ended, all.total.active],
      versions: all.versions.length,
      series: [total.ended, total.active],
      groups: JSON.stringify(groups).match(/"version":/g)?.length,
    };
  };
  const before = await read();
  while (await countBatch({ pool: stored.pool }, 100)) {
    // A batch more.
  }
  expect(await read()).toEqual(before);
  return before;
}

test('without a recall everything counts', async () => {
  expect(await figures()).toEqual({
    agent: [6, 1, 7],
    namespace: [9, 1],
    versions: 3,
    series: [9, 1],
    groups: 3,
  });
});

test('a recalled version is left out, and another agent’s version of the number is not', async () => {
  await addRecall(stored, agent, [2, 3]);
  expect(await figures()).toEqual({
    agent: [3, 0, 3],
    namespace: [6, 0],
    versions: 2,
    series: [6, 0],
    groups: 2,
  });
});

test('a recall leaves out what started from `since` on, and the earliest of several decides', async () => {
  await addRecall(stored, agent, [2], { since: new Date((FROM + 2 * QUARTER) * 1_000) });
  const late = await figures();
  expect([late.agent, late.series, late.versions]).toEqual([[5, 1, 6], [8, 1], 3]);
  await addRecall(stored, agent, [2], { since: new Date((FROM + QUARTER) * 1_000) });
  await addRecall(stored, agent, [2], { since: new Date((FROM + 3 * QUARTER) * 1_000) });
  const early = await figures();
  expect([early.agent, early.series, early.versions]).toEqual([[4, 0, 4], [7, 0], 3]);
});

test('a recalled version that is named has its figures', async () => {
  await addRecall(stored, agent, [2]);
  const { agent: named, series } = await figures(2);
  expect([named, series]).toEqual([
    [3, 1, 4],
    [6, 1],
  ]);
});

test('a recall of another namespace changes nothing', async () => {
  await addRecall(stored, agent, [2], { namespace: 'other' });
  expect((await figures()).series).toEqual([9, 1]);
});
