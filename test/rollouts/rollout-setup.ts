import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { lookAtRollout } from '../../src/rollouts/look-at-rollout.ts';
import { toUuid } from '../../src/ids.ts';
import type { Reply } from '../roles/api/api-setup.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';

/** An agent with two versions and a rollout from the first to the second. */
export type RolloutFixture = Tenant & {
  agentId: string;
  agent: () => Promise<Reply['body']>;
  rollout: () => Promise<Reply>;
  acts: () => Promise<string[]>;
  patch: (fields: Record<string, unknown>) => Promise<Reply>;
  act: (change: string, json?: Record<string, unknown>) => Promise<Reply>;
  /** Starts conversations of new users in this arm, and returns their ids. */
  talk: (arm: Arm, count: number) => Promise<string[]>;
  /** Looks as the leading operator does, or as one that led before. */
  look: (as?: { epochsAgo: number }) => Promise<void>;
  events: (type: string) => Promise<Reply['body'][]>;
};

export type Arm = 'from' | 'to';

export const CHECKS = [{ metric: 'escalation_rate', worse_by: 0.05 }];
export const STEPS = [{ weight: 50, min_conversations: 5 }];

export async function startRolloutFixture(
  rollout: Record<string, unknown> = {},
): Promise<RolloutFixture> {
  const tenant = await newTenant();
  const { call, api } = tenant;
  const { pool } = api.engine;
  const made = await call('POST', '/v1/agents', {
    json: {
      prompt: 'One.',
      publish_policy: 'progressive',
      rollout: { steps: STEPS, checks: CHECKS, ...rollout },
    },
  });
  expect(made).toMatchObject({ status: 201, body: { active_version: 1 } });
  const agentId = String(made.body.id);
  const path = `/v1/agents/${agentId}`;
  const uuid = uuidOf(agentId);
  let users = 0;
  const fixture: RolloutFixture = {
    ...tenant,
    agentId,
    agent: async () => (await call('GET', path)).body,
    rollout: () => call('GET', `${path}/rollout`),
    acts: async () =>
      (await call('GET', `${path}/rollouts`)).body.data.map(({ action }: Act) => action),
    patch: (json) => call('PATCH', path, { json }),
    act: (change, json = {}) => call('POST', `${path}/rollout/${change}`, { json }),
    talk: async (arm, count) => {
      const { body: now } = await fixture.rollout();
      const chosen: string[] = [];
      while (chosen.length < count) {
        users += 1;
        if (armOf(now.rollout_id, `user-${users}`, now.weight) === arm) {
          chosen.push(`user-${users}`);
        }
      }
      return Promise.all(
        chosen.map(async (user) => {
          const json = { agent_id: agentId, user_id: user };
          const { body } = await call('POST', '/v1/conversations', { json });
          expect(body.agent_version).toBe(versionOf(now, arm));
          return String(body.id);
        }),
      );
    },
    look: async ({ epochsAgo } = { epochsAgo: 0 }) => {
      const { rows } = await pool.query<{ epoch: number }>(
        'select max(epoch) as epoch from leader_epochs',
      );
      await lookAtRollout(lookDeps(pool), {
        agentId: uuid,
        namespace: tenant.namespace,
        epoch: Number(rows[0]?.epoch) - epochsAgo,
      });
    },
    events: async (type) =>
      (await call('GET', `/v1/events?limit=100&type=${type}&agent_id=${agentId}`)).body.data,
  };
  await fixture.patch({ prompt: 'Two.' });
  return fixture;
}

/** What a look needs besides the database. */
export function lookDeps(pool: Pool): Parameters<typeof lookAtRollout>[0] {
  return {
    pool,
    notifier: { notify: () => undefined },
    announce: () => undefined,
    nowMs: Date.now,
    metrics: createMetrics({ processMetrics: false }),
    confirmStep: async () => undefined,
  };
}

/** Returns the UUID of an agent's public id. */
export function uuidOf(agentId: string): string {
  const uuid = toUuid('agt', agentId);
  if (uuid === null) throw new Error(`${agentId} is not the id of an agent`);
  return uuid;
}

type Act = { action: string };
type Versions = { from_version: number; to_version: number };
const versionOf = (rollout: Versions, arm: Arm): number =>
  arm === 'to' ? rollout.to_version : rollout.from_version;

/** Computes the arm as docs/contract/rollouts.md tells receivers to. */
export function armOf(rolloutId: string, unit: string, weight: number): Arm {
  const digest = createHash('sha256').update(`${rolloutId}:${unit}`).digest();
  return digest.readUInt32BE(0) % 10_000 < weight * 100 ? 'to' : 'from';
}

/** Ends conversations with these results, without the turns that would lead to them. */
export async function endAll(
  { api }: Pick<Tenant, 'api'>,
  conversations: readonly string[],
  { escalated = false, csat = null }: { escalated?: boolean; csat?: number | null } = {},
): Promise<void> {
  await api.engine.pool.query(
    `update conversations set status = 'ended', ended_at = clock_timestamp(), expires_at = null,
            ended_reason = 'api', outcome = $2, csat = $4,
            tally = jsonb_set(tally, '{escalations,requested}', to_jsonb($3::int))
      where id = any($1::uuid[])`,
    [
      conversations.map((id) => toUuid('conv', id)),
      escalated ? 'escalated' : 'resolved',
      escalated ? 1 : 0,
      csat,
    ],
  );
}

/** Lets so much time pass since the last act of an agent's rollout. */
export async function passHours({ api, agentId }: RolloutFixture, hours: number): Promise<void> {
  await api.engine.pool.query(
    `update agent_rollouts set at = at - make_interval(hours => $2) where agent_id = $1`,
    [uuidOf(agentId), hours],
  );
}
