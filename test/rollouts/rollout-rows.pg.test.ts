import { describe, expect, test } from 'vitest';
import { deleteAgent } from '../../src/agents/agents.sql.ts';
import {
  readRolloutFigures,
  readRolloutTimes,
} from '../../src/conversations/rollout-figures.sql.ts';
import { fromUuid, newUuid } from '../../src/ids.ts';
import { raiseEpoch } from '../../src/platform/postgres/leadership.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { lookAtRollout } from '../../src/rollouts/look-at-rollout.ts';
import { createStoredAgents } from '../agents/stored-agents.ts';
import { addConversation, addTurn } from '../conversations/stored-conversations.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';
import { lookDeps } from './rollout-setup.ts';

/** Figures and acts of rollouts on stored rows, without an operator that looks too. */

const stored = useRows('agents', 'conversations', 'rollout_conversations', 'events');
const { addAgent } = createStoredAgents(stored);

const PLAN = {
  steps: [{ weight: 10, minConversations: 50 }],
  maxDurationSec: 3_600,
  checks: [{ metric: 'escalation_rate', worseBy: 0.05 }],
  onFail: 'Abort',
};

/** Stores an agent whose version 2 has a rollout; returns its ids. */
async function addRollout(plan: object = PLAN): Promise<{ agentId: string; rolloutId: string }> {
  const agentId = await addAgent({ active_version: 1, latest_version: 2 }, 2);
  const rolloutId = newUuid();
  await stored.add('agent_rollouts', {
    agent_id: agentId,
    seq: 1,
    rollout_id: rolloutId,
    public_id: fromUuid('ro', rolloutId),
    action: 'started',
    step: 0,
    weight: 10,
    from_version: 1,
    to_version: 2,
    plan: JSON.stringify(plan),
    actor: 'file',
  });
  return { agentId, rolloutId };
}

type Ended = { agentId: string; rolloutId: string; isNew: boolean; count: number };

/** Stores ended conversations. Every n-th one escalated. */
async function addEnded(
  { agentId, rolloutId, isNew, count }: Ended,
  escalatedEvery: number,
): Promise<void> {
  await stored.pool.query(
    `with numbered as (select gen_random_uuid() as id, n from generate_series(1, $5::int) n),
          started as (
            insert into conversations (id, namespace, agent_id, agent_version, channel, status,
                                       started_at, ended_at, outcome, tally, max_duration_sec,
                                       silence_timeout_sec)
            select id, 'default', $1, case when $3 then 2 else 1 end, 'chat', 'ended', now(), now(),
                   'resolved',
                   jsonb_build_object('escalations', jsonb_build_object('requested',
                     case when n % $4::int = 0 then 1 else 0 end)), 60, 60
              from numbered)
     insert into rollout_conversations (rollout_id, unit, conversation_id, step, is_new)
     select $2, decode(replace(id::text, '-', ''), 'hex'), id, 0, $3 from numbered`,
    [agentId, rolloutId, isNew, escalatedEvery, count],
  );
}

async function look(
  agentId: string,
  { pool = stored.pool, isSuspended = false }: { pool?: Pool; isSuspended?: boolean } = {},
): Promise<string | undefined> {
  const { epoch } = await raiseEpoch(stored.pool, 'store');
  const seen = await lookAtRollout(lookDeps(pool), { agentId, namespace: 'default', epoch, isSuspended });
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

  test.each([
    ['abort', 2, 1, 'agent.rolled_back'],
    ['complete', 1_000, 2, 'agent.published'],
  ])('leaves nothing half done: %s', async (act, every, live, event) => {
    const one = await addRollout();
    await addEnded({ ...one, isNew: false, count: 1_000 }, 1_000);
    await addEnded({ ...one, isNew: true, count: 1_000 }, every);
    const state = async () => ({
      acts: (await stored.read('agent_rollouts', 'seq')).map(({ action }) => action),
      live: (await stored.rowOf('agents', one.agentId))?.['active_version'],
      events: (await stored.read('events')).map(({ type }) => type),
      activations: (await stored.read('agent_activations', 'seq')).length,
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
    expect(cuts).toBeGreaterThan(6);
    const done = act === 'abort' ? 'aborted' : 'completed';
    expect(await state()).toEqual({
      acts: ['started', done],
      live,
      events: [event],
      activations: 1,
    });
    expect(await look(one.agentId)).toBeUndefined();
    expect(await stored.read('rollout_conversations', 'unit')).toEqual([]);
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
