import { fromUuid, newUuid } from '../../src/ids.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { createStoredAgents } from '../agents/stored-agents.ts';
import type { Rows } from '../platform/postgres/rows.ts';

/** Rollouts and their conversations as stored rows, for tests without a server. */

export const PLAN = {
  steps: [{ weight: 10, minConversations: 50 }],
  maxDurationSec: 3_600,
  checks: [{ metric: 'escalation_rate', worseBy: 0.05 }],
  onFail: 'Abort',
};

export type Ended = { agentId: string; rolloutId: string; isNew: boolean; count: number };

export type StoredRollouts = {
  /** Stores an agent whose version 2 has a rollout; returns its ids. */
  addRollout: (plan?: object) => Promise<{ agentId: string; rolloutId: string }>;
  /** Stores ended conversations. Every n-th one escalated. */
  addEnded: (of: Ended, escalatedEvery: number) => Promise<void>;
};

export function createStoredRollouts(stored: Pick<Rows, 'add' | 'pool'>): StoredRollouts {
  const { addAgent } = createStoredAgents(stored);
  return {
    addRollout: async (plan = PLAN) => {
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
    },
    addEnded: (of, escalatedEvery) => addEnded(stored.pool, of, escalatedEvery),
  };
}

/** Stores ended conversations of a rollout. Every n-th one escalated. */
export async function addEnded(
  pool: Pick<Pool, 'query'>,
  { agentId, rolloutId, isNew, count }: Ended,
  escalatedEvery: number,
): Promise<void> {
  await pool.query(
    `with rollout as (
            select l.*, a.namespace from agent_rollouts l join agents a on a.id = l.agent_id
             where l.rollout_id = $2 order by l.seq desc limit 1),
          numbered as (select gen_random_uuid() as id, n from generate_series(1, $5::int) n),
          started as (
            insert into conversations (id, namespace, agent_id, agent_version, channel, status,
                                       started_at, ended_at, outcome, tally, max_duration_sec,
                                       silence_timeout_sec)
            select n.id, r.namespace, $1, case when $3 then r.to_version else r.from_version end,
                   'chat', 'ended', now(), now(), 'resolved',
                   jsonb_build_object('escalations', jsonb_build_object('requested',
                     case when n % $4::int = 0 then 1 else 0 end)), 60, 60
              from numbered n, rollout r)
     insert into rollout_conversations (rollout_id, unit, conversation_id, step, is_new)
     select $2, decode(replace(n.id::text, '-', ''), 'hex'), n.id, r.step, $3
       from numbered n, rollout r`,
    [agentId, rolloutId, isNew, escalatedEvery, count],
  );
}
