import { rfc3339 } from '../resources/schema/time.ts';
import type { RecordEvent } from '../resources/resource-events.ts';
import type { Condition, ObjectMeta, Resource } from '../resources/resource-store.ts';

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

/**
 * Tells people below the object when the answer to "is it ready, and why" became another one.
 * `reason`: in place of the condition's.
 */
export function recordReadiness(
  record: RecordEvent,
  about: Resource,
  conditions: readonly Condition[],
  { action, reason }: { action: string; reason?: string },
): void {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const before = knownConditions(about).find(({ type }) => type === 'Ready');
  if (!ready || (before?.reason === ready.reason && before.message === ready.message)) return;
  const type = ready.status === 'True' ? 'Normal' : 'Warning';
  record(about, { type, action, reason: reason ?? ready.reason, note: ready.message });
}

function knownConditions({ status }: Resource): readonly Condition[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? conditions : [];
}
