import type { ActivationDecision } from '../activate-version.ts';
import type { AgentSpec } from '../agent.ts';
import type { RolloutLine } from './rollouts.sql.ts';

/** Effect of a declaration on an agent's rollouts. */
export type RolloutPlanned = {
  /** Version to make live; `null` if no version should be live yet. */
  target: number | null;
  /** How the rollout in progress ends. Absent if it continues. */
  ends?: { action: 'completed' | 'aborted'; reason: string };
  /** Version for which a rollout begins. Absent if none begins. */
  starts?: number;
};

export function isInProgress(line: RolloutLine | undefined): line is RolloutLine {
  return line !== undefined && line.action !== 'completed' && line.action !== 'aborted';
}

/**
 * Decides how a declaration affects rollouts (contract/rollouts.md#beginning-and-end). `decision` names the version
 * that the declaration would make live. Under `Progressive`, a new version begins a rollout instead of going live.
 * Every other change takes effect immediately and ends a rollout in progress: pinning a version, changing the policy,
 * declaring the first version, or declaring the content of an earlier live version again.
 */
export async function planRollout(input: {
  policy: AgentSpec['publishPolicy'];
  decision: ActivationDecision;
  /** Version of the declared content; `null` if the content cannot be used and therefore has no version. */
  contentVersion: number | null;
  activeVersion: number | null;
  /** Last line in the agent's rollout log. */
  last: RolloutLine | undefined;
  /** Returns true if a version has ever been live. */
  wasLive: (version: number) => Promise<boolean>;
}): Promise<RolloutPlanned> {
  const { policy, decision, contentVersion, activeVersion, last } = input;
  const { target, pin } = decision;
  const running = isInProgress(last) ? last : undefined;
  // If the pin names an unknown version, or the content cannot be used, the live version and the rollout stay as they
  // are.
  if (target === null || pin === 'unknown' || (pin === 'none' && contentVersion === null)) {
    return { target };
  }
  if (target === activeVersion) {
    const reason = pin === 'held' ? 'was pinned' : 'was declared again';
    const isManual = pin === 'none' && policy === 'Manual';
    const why = isManual ? 'the publish policy is manual' : `version ${target} ${reason}`;
    return { target, ...(running && { ends: { action: 'aborted', reason: why } }) };
  }
  const isRollout = pin === 'none' && policy === 'Progressive' && activeVersion !== null;
  if (isRollout) {
    if (running?.toVersion === target) return { target: activeVersion };
    // An aborted rollout does not begin again for the same version.
    if (last?.action === 'aborted' && last.toVersion === target) return { target: activeVersion };
    const isReturn = target < activeVersion && (await input.wasLive(target));
    if (!isReturn) {
      const reason = `version ${target} replaced it`;
      const ends = running && { action: 'aborted' as const, reason };
      return { target: activeVersion, ...(ends && { ends }), starts: target };
    }
  }
  if (!running) return { target };
  const isItself = running.toVersion === target;
  const how = pin === 'held' ? 'was pinned' : 'was published';
  const action = isItself ? 'completed' : 'aborted';
  return { target, ends: { action, reason: `version ${target} ${how}` } };
}
