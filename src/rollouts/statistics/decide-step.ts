import type { Verdict } from './judge-check.ts';

export type RolloutStep = { weight: number; minConversations: number };
export type OnFail = 'Abort' | 'Hold';

export type StepState = {
  step: RolloutStep;
  isLast: boolean;
  onFail: OnFail;
  /** Whether the rollout is held, either on request or by an earlier decision. */
  isHeld: boolean;
  /** Number of conversations on the new version that have ended in this step. */
  conversations: number;
  verdicts: readonly Verdict[];
  /** Whether the step has reached its maximum duration. */
  isOverdue: boolean;
};

export type Decision = 'wait' | 'advance' | 'complete' | 'hold' | 'abort';

/**
 * Decides what to do next with a rollout (docs/rollouts.md#steps). A step ends only when enough conversations have
 * ended and every check has passed. While a rollout is held, the share of conversations on the new version stays the
 * same. A held rollout is still aborted if the new version proves worse, unless `onFail` is `Hold`.
 */
export function decideStep(state: StepState): Decision {
  const { step, isLast, onFail, isHeld, conversations, verdicts, isOverdue } = state;
  if (verdicts.includes('worse') && onFail === 'Abort') return 'abort';
  if (isHeld) return 'wait';
  if (verdicts.includes('worse')) return 'hold';
  const isDone =
    conversations >= step.minConversations && verdicts.every((verdict) => verdict === 'passed');
  if (isDone) return isLast ? 'complete' : 'advance';
  return isOverdue ? 'hold' : 'wait';
}

/** Returns the share of conversations (0 to 1) that the new version would get after this step. */
export function exposureAfter(steps: readonly RolloutStep[], index: number): number {
  return (steps[index + 1]?.weight ?? 100) / 100;
}
