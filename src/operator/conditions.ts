import { rfc3339 } from '../resources/time.ts';
import type { Condition, ObjectMeta } from '../resources/resource-store.ts';

/** What a reconcile found, to be told as conditions of one generation. */
export type Finding = { type: string; status: boolean; reason: string; message: string };

/**
 * Conditions for the status: `lastTransitionTime` moves only when the status of that type does
 * (metav1.Condition), so an unchanged object gets an unchanged status.
 */
export function toConditions(
  findings: readonly Finding[],
  before: { metadata: ObjectMeta; status: { conditions?: readonly Condition[] } },
  now: () => Date,
): Condition[] {
  return findings.map(({ type, status, reason, message }) => {
    const text = status ? 'True' : 'False';
    const known = before.status.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime =
      known?.status === text ? known.lastTransitionTime : rfc3339(now().getTime());
    return {
      type,
      status: text,
      reason,
      message,
      lastTransitionTime,
      observedGeneration: before.metadata.generation,
    };
  });
}
