import type { Finding } from '../../platform/reconcile/conditions.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import type { RolloutStatus } from '../agent-rollout.ts';
import type { RolloutLine } from './rollouts.sql.ts';

/** The last rollout of an agent as the operator saw it. */
export type SeenRollout = {
  line: RolloutLine;
  /** Figures of the step in progress. */
  evidence: { step: { conversations: number; min_conversations: number } } | undefined;
  /** Act of this look, if it changed something. */
  acted?: string;
  againAfterMs?: number;
};

/** Looks at the last rollout of an agent, and does what its checks decide. */
export type LookAtRollout = (of: {
  agentId: string;
  namespace: string;
  epoch: number;
  isSuspended: boolean;
}) => Promise<SeenRollout | undefined>;

const REASON_MAX = 1_024;

/** Returns the status of a rollout after a line. */
export function statusOf({ action }: Pick<RolloutLine, 'action'>): RolloutStatus['status'] {
  if (action === 'completed' || action === 'aborted') return action;
  return action === 'held' ? 'holding' : 'progressing';
}

/** Returns the field `status.rollout`, with the line of `kubectl get`: `5 % of v8, holding: 31 of 50`. */
export function rolloutStatusOf({ line, evidence }: SeenRollout): RolloutStatus {
  const { step, weight, fromVersion, toVersion, plan, actor, reason, at } = line;
  const status = statusOf(line);
  const { conversations = 0, min_conversations: needed = 0 } = evidence?.step ?? {};
  const message =
    status === 'aborted' || status === 'completed'
      ? `v${toVersion} ${status}`
      : `${weight} % of v${toVersion}, ${status}: ${conversations} of ${needed}`;
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
 * Returns the condition `Progressing` of a rollout in progress, and `Degraded` while a version waits because its rollout
 * was aborted.
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
  const takenBack = `version ${toVersion} was taken back${why}`;
  return [{ type: 'Degraded', status: true, reason: 'RolloutAborted', message: takenBack }];
}
