import type { Finding } from '../../platform/reconcile/conditions.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import type { RolloutStatus } from '../agent-rollout.ts';
import type { RolloutLine } from './rollouts.sql.ts';

/** The state of an agent's last rollout after the operator evaluated it. */
export type SeenRollout = {
  line: RolloutLine;
  /** Metrics for the step in progress. */
  evidence: { step: { conversations: number; min_conversations: number } } | undefined;
  /** Action that this evaluation took. Absent if it changed nothing. */
  acted?: string;
  againAfterMs?: number;
};

/** Evaluates an agent's last rollout and takes the action that its checks call for. */
export type LookAtRollout = (of: {
  agentId: string;
  namespace: string;
  epoch: number;
  isSuspended: boolean;
}) => Promise<SeenRollout | undefined>;

const REASON_MAX = 1_024;

/** Returns the status of a rollout, given its last log line. */
export function statusOf({ action }: Pick<RolloutLine, 'action'>): RolloutStatus['status'] {
  if (action === 'completed' || action === 'aborted') return action;
  return action === 'held' ? 'holding' : 'progressing';
}

/** Returns the `status.rollout` field. `kubectl get` shows its message, such as `5% of v8, holding: 31 of 50`. */
export function rolloutStatusOf({ line, evidence }: SeenRollout): RolloutStatus {
  const { step, weight, fromVersion, toVersion, plan, actor, reason, at } = line;
  const status = statusOf(line);
  const { conversations = 0, min_conversations: needed = 0 } = evidence?.step ?? {};
  const message =
    status === 'aborted' || status === 'completed'
      ? `v${toVersion} ${status}`
      : `${weight}% of v${toVersion}, ${status}: ${conversations} of ${needed}`;
  return {
    status,
    step: step + 1,
    steps: plan.steps.length,
    weight,
    fromVersion,
    toVersion,
    message,
    ...(reason !== null && { reason: reason.slice(0, REASON_MAX) }),
    actor,
    time: rfc3339(at),
  };
}

/**
 * Returns the `Progressing` condition while a rollout is in progress. The condition is false if the rollout is held.
 * Returns the `Degraded` condition if the latest version is not live because its rollout was aborted.
 */
export function rolloutFindings(
  seen: SeenRollout | undefined,
  { latestVersion, activeVersion }: { latestVersion: number; activeVersion: number | null },
): Finding[] {
  if (!seen) return [];
  const { toVersion, reason } = seen.line;
  const { status, message } = rolloutStatusOf(seen);
  const why = reason === null ? '' : `: ${reason}`;
  if (status === 'progressing') {
    return [{ type: 'Progressing', status: true, reason: 'RolloutProgressing', message }];
  }
  if (status === 'holding') {
    const held = `${message}${why}`;
    return [{ type: 'Progressing', status: false, reason: 'RolloutHeld', message: held }];
  }
  const waits = status === 'aborted' && toVersion === latestVersion && toVersion !== activeVersion;
  if (!waits) return [];
  const takenBack = `version ${toVersion} was rolled back${why}`;
  return [{ type: 'Degraded', status: true, reason: 'RolloutAborted', message: takenBack }];
}
