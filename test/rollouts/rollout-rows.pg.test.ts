import { describe, expect, test } from 'vitest';
import { deleteAgent } from '../../src/agents/agents.sql.ts';
import { rolloutFindings } from '../../src/agents/rollouts/rollout-status.ts';
import {
  readRolloutFigures,
  readRolloutTimes,
} from '../../src/conversations/rollout-figures.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { raiseEpoch } from '../../src/platform/postgres/leadership.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { lookAtRollout } from '../../src/rollouts/look-at-rollout.ts';
import { addConversation, addTurn } from '../conversations/stored-conversations.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';
import { lookDeps } from './rollout-setup.ts';
import { createStoredRollouts, PLAN, type Ended } from './stored-rollouts.ts';

/** Figures and acts of rollouts on stored rows, without an operator that looks too. */

const stored = useRows(
  'agents',
  'conversations',
  'rollout_conversations',
  'rollout_escalations',
  'events',
);
const { addRollout, addEnded } = createStoredRollouts(stored);

async function look(
  agentId: string,
  { pool = stored.pool, isSuspended = false }: { pool?: Pool; isSuspended?: boolean } = {},
): Promise<string | undefined> {
  const { epoch } = await raiseEpoch(stored.pool, 'store');
  const seen = await lookAtRollout(lookDeps(pool), {
    agentId,
    namespace: 'default',
    epoch,
    isSuspended,
  });
  return seen?.acted;
}

describe('the figures of a rollout', () => {
  const add = async (
    { agentId, rolloutId, step = 0, isNew = true }: Partial<Ended> & { step?: number },
    columns: Columns = {},
  ): Promise<string> => {
    const row = { agent_id: agentId, status: 'ended', ended_at: new Date(), ...columns };
    const id = await addConversation(stored, row);
    const unit = Buffer.from(id);
    const part = { rollout_id: rolloutId, unit, conversation_id: id, step, is_new: isNew };
    await stored.add('rollout_conversations', part);
    return id;
  };
  const tallyOf = (tally: object) => ({
    tally: JSON.stringify({ escalations: { requested: 0 }, ...tally }),
  });

  test('are those of ended conversations of this rollout, by step and arm', async () => {
    const one = await addRollout();
    const other = await addRollout();
    await add(one);
    await add(one, { ended_at: null, status: 'active' });
    await add({ ...one, step: 1 });
    await add({ ...one, isNew: false });
    await add(other);
    const figures = await readRolloutFigures(stored.pool, one.rolloutId);
    const seen = figures.map(({ step, isNew, ended }) => [step, isNew, ended]);
    expect(new Set(seen.map(String))).toEqual(new Set(['0,true,1', '1,true,1', '0,false,1']));
  });

  test('have the sums of each metric', async () => {
    const one = await addRollout();
    const tools = [
      { name: 'a', failed: 2 },
      { name: 'b', failed: 0 },
    ];
    await add(one, {
      outcome: 'resolved',
      csat: 4,
      ...tallyOf({ answered: 3, unanswered: 1, tools, escalations: { requested: 2 } }),
    });
    await add(one, { outcome: 'unresolved', ...tallyOf({ answered: 2, unanswered: 0 }) });
    await add(one, { csat: 2, ...tallyOf({ tools: [{ name: 'a', failed: 0 }] }) });
    const [figures] = await readRolloutFigures(stored.pool, one.rolloutId);
    expect(figures).toEqual({
      step: 0,
      isNew: true,
      ended: 3,
      escalation_rate: { count: 3, x: 1, q: 3, xx: 1, xq: 1, qq: 3 },
      resolution_rate: { count: 3, x: 1, q: 3, xx: 1, xq: 1, qq: 3 },
      gap_rate: { count: 2, x: 1, q: 6, xx: 1, xq: 4, qq: 20 },
      unanswered_rate: { count: 3, x: 1, q: 3, xx: 1, xq: 1, qq: 3 },
      tool_failure_rate: { count: 2, x: 1, q: 2, xx: 1, xq: 1, qq: 2 },
      csat_average: { count: 2, x: 6, q: 2, xx: 20, xq: 6, qq: 2 },
    });
  });

  test('have the times of the turns of a step, a list for each conversation', async () => {
    const one = await addRollout();
    const latency = (ms: number): Columns => ({ latency: JSON.stringify({ turn_ms: ms }) });
    const slow = await add(one);
    await addTurn(stored, slow, 0, latency(5));
    await addTurn(stored, slow, 1);
    await addTurn(stored, slow, 2, latency(7));
    const later = await add({ ...one, step: 1 });
    await addTurn(stored, later, 0, latency(9));
    await add({ ...one, isNew: false });
    const times = await readRolloutTimes(stored.pool, { rolloutId: one.rolloutId, step: 0 });
    expect(times).toEqual([{ isNew: true, times: [5, 7] }]);
  });
});

describe('5,000 conversations, looked at after every 500', () => {
  test.each([
    ['of a version against itself complete the rollout', 10, 'complete'],
    ['of a version that escalates twice as often abort it', 5, 'abort'],
  ])('%s', async (_, every, end) => {
    const one = await addRollout();
    const acts: string[] = [];
    for (let i = 0; i < 10 && acts.length === 0; i += 1) {
      await addEnded({ ...one, isNew: false, count: 450 }, 10);
      await addEnded({ ...one, isNew: true, count: 50 }, every);
      const acted = await look(one.agentId);
      if (acted !== undefined) acts.push(acted);
    }
    expect(acts).toEqual([end]);
  });
});

test('a suspended agent keeps its weight, and is still aborted', async () => {
  const one = await addRollout();
  await addEnded({ ...one, isNew: false, count: 1_000 }, 1_000);
  await addEnded({ ...one, isNew: true, count: 1_000 }, 1_000);
  expect(await look(one.agentId, { isSuspended: true })).toBeUndefined();
  await addEnded({ ...one, isNew: true, count: 1_000 }, 2);
  expect(await look(one.agentId, { isSuspended: true })).toBe('abort');
});

test('no conversations at all: held when the time is over, in the condition and the metric', async () => {
  const { agentId } = await addRollout();
  await stored.pool.query(`update agent_rollouts set at = at - interval '1 hour'`);
  const { epoch } = await raiseEpoch(stored.pool, 'store');
  const metrics = createMetrics({ processMetrics: false });
  const deps = { ...lookDeps(stored.pool), metrics };
  const seen = await lookAtRollout(deps, { agentId, namespace: 'default', epoch });
  expect(rolloutFindings(seen, { latestVersion: 2, activeVersion: 1 })).toEqual([
    {
      type: 'Progressing',
      status: false,
      reason: 'RolloutHeld',
      message:
        '10% of v2, holding: 0 of 50: undecided after 3600 s: 0 of 50 conversations have ended, ' +
        'escalation_rate has no data',
    },
  ]);
  expect(await metrics.render()).toContain(
    'parley_rollout_acts_total{action="held",by="operator"} 1',
  );
});

describe('a leader that dies at a statement of an act', () => {
  /** Fails at the nth statement within a transaction. */
  function cutAt(nth: number): { pool: Pool; wasCut: () => boolean } {
    let sent = 0;
    const cutting = (target: object): object =>
      new Proxy(target, {
        get: (of, name) => {
          const value: unknown = Reflect.get(of, name);
          if (typeof value !== 'function') return value;
          if (name !== 'query') return value.bind(of) as unknown;
          return (...args: unknown[]): unknown => {
            sent += 1;
            if (sent === nth) throw new Error('the process died');
            return Reflect.apply(value, of, args);
          };
        },
      });
    const { pool } = stored;
    const cut = {
      query: (...args: [string]) => pool.query(...args),
      connect: async () => cutting(await pool.connect()),
    };
    // The cast is safe: `inTransaction` uses only these two members.
    return { pool: cut as unknown as Pool, wasCut: () => sent >= nth };
  }

  const steps = [...PLAN.steps, { weight: 50, minConversations: 50 }];

  test.each([
    {
      act: 'abort',
      plan: { ...PLAN, onAbort: 'Escalate' },
      every: 2,
      done: 'aborted',
      event: 'agent.rolled_back',
    },
    { act: 'complete', plan: PLAN, every: 1_000, done: 'completed', event: 'agent.published' },
    { act: 'advance', plan: { ...PLAN, steps }, every: 1_000, done: 'advanced' },
    { act: 'hold', plan: { ...PLAN, onFail: 'Hold' }, every: 2, done: 'held' },
  ])('leaves nothing half done: $act', async ({ act, plan, every, done, event }) => {
    const one = await addRollout(plan);
    await addEnded({ ...one, isNew: false, count: 1_000 }, 1_000);
    await addEnded({ ...one, isNew: true, count: 1_000 }, every);
    const state = async () => ({
      acts: (await stored.read('agent_rollouts', 'seq')).map(({ action }) => action),
      live: (await stored.rowOf('agents', one.agentId))?.['active_version'],
      events: (await stored.read('events')).map(({ type }) => type),
      activations: (await stored.read('agent_activations', 'seq')).length,
      humans: (await stored.read('rollout_escalations', 'rollout_id')).length,
    });
    const before = await state();
    let cuts = 0;
    for (;;) {
      const { pool, wasCut } = cutAt(cuts + 1);
      const acted = await look(one.agentId, { pool }).catch((error: Error) => error.message);
      if (!wasCut()) {
        expect(acted).toBe(act);
        break;
      }
      cuts += 1;
      expect(acted).toBe('the process died');
      expect(await state()).toEqual(before);
    }
    expect(cuts).toBeGreaterThanOrEqual(event ? 8 : 6);
    expect(await state()).toEqual({
      acts: ['started', done],
      live: act === 'complete' ? 2 : 1,
      events: event ? [event] : [],
      activations: event ? 1 : 0,
      humans: act === 'abort' ? 1 : 0,
    });
    expect(await look(one.agentId)).toBeUndefined();
    if (event) expect(await stored.read('rollout_conversations', 'unit')).toEqual([]);
  });
});

test('an agent that is deleted with its history takes its rollouts along', async () => {
  const one = await addRollout();
  const other = await addRollout();
  for (const { rolloutId } of [one, other]) {
    await stored.add('rollout_conversations', {
      rollout_id: rolloutId,
      unit: Buffer.alloc(16),
      conversation_id: newUuid(),
      step: 0,
      is_new: true,
    });
  }
  await deleteAgent(stored.pool, one.agentId);
  const left = [{ rollout_id: other.rolloutId }];
  expect(await stored.read('agent_rollouts', 'seq')).toMatchObject(left);
  expect(await stored.read('rollout_conversations', 'unit')).toMatchObject(left);
});
