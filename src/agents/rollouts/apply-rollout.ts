import type { Emitted } from '../../events/emit-event.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Actor } from '../../platform/reconcile/actors.ts';
import type { ActivationDecision } from '../activate-version.ts';
import { planOf } from '../agent-rollout.ts';
import type { AgentProjection, AgentRow } from '../agents.sql.ts';
import { isInProgress, planRollout } from './plan-rollout.ts';
import { abortRollout, endRollout, startRollout } from './rollout-acts.ts';
import { readLastRolloutLine, wasEverLive } from './rollouts.sql.ts';

/**
 * Begins or ends a rollout, as required by the agent's declaration. Runs in the transaction that publishes the agent,
 * before the activation. Returns the version to make live and, if a rollout was aborted, the event that reports this.
 * Runs no query unless the policy is or was `Progressive`.
 */
export async function applyRollout(
  db: Db,
  input: {
    agent: AgentProjection;
    /** The agent before this declaration. */
    row: Pick<AgentRow, 'activeVersion' | 'spec'>;
    decision: ActivationDecision;
    contentVersion: number | null;
    by: Actor;
    nowMs: number;
  },
): Promise<{ target: number | null; emitted?: Emitted | undefined }> {
  const { agent, row, decision, contentVersion, nowMs } = input;
  const { publishPolicy: policy, rollout } = agent.spec;
  const isConcerned = [policy, row.spec.publishPolicy].includes('Progressive');
  if (!isConcerned) return { target: decision.target };
  const { id: agentId } = agent;
  const last = await readLastRolloutLine(db, agentId);
  const { activeVersion } = row;
  const wasLive = (version: number): Promise<boolean> => wasEverLive(db, { agentId, version });
  const planned = await planRollout({
    policy,
    decision,
    contentVersion,
    activeVersion,
    last,
    wasLive,
  });
  const { target, ends, starts } = planned;
  const by = { ...input.by, evidence: null };
  let after = last?.seq ?? 0;
  let emitted: Emitted | undefined;
  if (ends && isInProgress(last)) {
    const ended = { ...by, reason: by.reason ?? ends.reason };
    // An abort needs an event of its own only if the old version stays live. If another version goes live, its
    // activation reports the change.
    if (target === last.fromVersion) {
      emitted = await abortRollout(db, { agent, last, by: ended, nowMs });
    } else await endRollout(db, last, ended, ends.action);
    after += 1;
  }
  if (starts !== undefined && rollout && activeVersion !== null) {
    const versions = { fromVersion: activeVersion, toVersion: starts };
    const plan = planOf(rollout);
    await startRollout(db, { agentId, after, ...versions, plan, by: input.by, nowMs });
  }
  return { target, emitted };
}
