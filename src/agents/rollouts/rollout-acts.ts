import { emitEvent, type Emitted } from '../../events/emit-event.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Actor } from '../../platform/reconcile/actors.ts';
import { activateVersion } from '../activate-version.ts';
import { insertActivation } from '../agent-activations.sql.ts';
import type { RolloutPlan } from '../agent-rollout.ts';
import type { AgentProjection } from '../agents.sql.ts';
import { recordHandoffs } from '../tools/record-handoffs.ts';
import {
  insertRolloutEscalations,
  insertRolloutLine,
  storeLiveVersion,
  type RolloutLine,
} from './rollouts.sql.ts';

/**
 * The actions that change a rollout. Each appends one line to the rollout log, in the caller's transaction and under
 * the agent's row lock (contract/rollouts.md#steps).
 */

type Agent = Pick<AgentProjection, 'id' | 'namespace' | 'name'>;
/**
 * Author of an action, and the evidence for it. `evidence` is `null` if a declaration or a recall caused the action.
 */
export type DecidedBy = Actor & { evidence: RolloutLine['evidence'] };

/** Maximum length of an escalation's reason. */
const ESCALATION_REASON_MAX = 256;

/** Begins a rollout. `after` is the sequence number of the agent's last line in the rollout log, or 0. */
export async function startRollout(
  db: Db,
  input: {
    agentId: string;
    after: number;
    fromVersion: number;
    toVersion: number;
    plan: RolloutPlan;
    by: Actor;
    nowMs: number;
  },
): Promise<void> {
  const { agentId, after, fromVersion, toVersion, plan, by, nowMs } = input;
  const rolloutId = newUuid(nowMs);
  await insertRolloutLine(db, {
    agentId,
    after,
    rolloutId,
    publicId: fromUuid('ro', rolloutId),
    action: 'started',
    step: 0,
    weight: plan.steps[0]?.weight ?? 0,
    fromVersion,
    toVersion,
    plan,
    actor: by.actor,
    reason: by.reason,
    evidence: null,
  });
}

/** Moves a rollout to its next step. The caller must have checked that there is a next step. */
export function advanceRollout(db: Db, last: RolloutLine, by: DecidedBy): Promise<void> {
  const step = last.step + 1;
  const weight = last.plan.steps[step]?.weight;
  if (weight === undefined) throw new Error(`rollout ${last.publicId} has no step ${step}`);
  return insertRolloutLine(db, {
    ...last,
    ...by,
    action: 'advanced',
    step,
    weight,
    after: last.seq,
  });
}

/** Holds a rollout at its weight, or lets it continue. */
export function holdRollout(
  db: Db,
  last: RolloutLine,
  by: DecidedBy,
  action: 'held' | 'resumed',
): Promise<void> {
  return insertRolloutLine(db, { ...last, ...by, action, after: last.seq });
}

/**
 * Ends a rollout by writing only the last line of its log. The caller activates a version in the same transaction, and
 * that activation has its own event.
 */
export function endRollout(
  db: Db,
  last: RolloutLine,
  by: DecidedBy,
  action: 'completed' | 'aborted',
): Promise<void> {
  const weight = action === 'completed' ? 100 : 0;
  return insertRolloutLine(db, { ...last, ...by, action, weight, after: last.seq });
}

/**
 * Aborts a rollout: all new conversations get the old version, which has stayed live. Writes one activation and one
 * event. If `onAbort` is `Escalate`, the conversation reaper later requests a human for each conversation that still
 * has the new version. Returns the event to announce after the commit.
 */
export async function abortRollout(
  db: Db,
  { agent, last, by, nowMs }: { agent: Agent; last: RolloutLine; by: DecidedBy; nowMs: number },
): Promise<Emitted> {
  const { id: agentId, namespace, name } = agent;
  const { fromVersion: version, toVersion: takenBack, publicId } = last;
  const { actor, reason, evidence } = by;
  await endRollout(db, last, by, 'aborted');
  const data = {
    agent_id: fromUuid('agt', agentId),
    name,
    version,
    from_version: takenBack,
    actor,
    reason,
    rollout: { id: publicId, step: last.step + 1, weight: last.weight, evidence },
  };
  if (last.plan.onAbort === 'Escalate') {
    const why = `Version ${takenBack} was rolled back${reason === null ? '' : `: ${reason}`}`;
    const ofHuman = why.slice(0, ESCALATION_REASON_MAX).toWellFormed();
    await insertRolloutEscalations(db, { ...last, namespace, reason: ofHuman });
  }
  const event = { namespace, agentId, type: 'agent.rolled_back' as const, data };
  const emitted = await emitEvent(db, event, nowMs);
  await insertActivation(db, {
    agentId,
    action: 'rolled_back',
    fromVersion: takenBack,
    toVersion: version,
    actor,
    reason,
    eventId: emitted.eventId,
    handoffs: await recordHandoffs(db, { agent, version, isBack: true }),
  });
  return emitted;
}

/**
 * Completes a rollout: the new version goes live for all new conversations. Returns the event to announce after the
 * commit.
 */
export async function completeRollout(
  db: Db,
  { agent, last, by, nowMs }: { agent: Agent; last: RolloutLine; by: DecidedBy; nowMs: number },
): Promise<Emitted | undefined> {
  await endRollout(db, last, by, 'completed');
  const row = { activeVersion: last.fromVersion };
  const emitted = await activateVersion(db, { row, agent, target: last.toVersion, by, nowMs });
  await storeLiveVersion(db, { agentId: agent.id, version: last.toVersion });
  return emitted;
}
