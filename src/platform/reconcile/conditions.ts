import { rfc3339 } from '../resources/schema/field-types.ts';
import type { RecordEvent, Condition, Resource } from '../resources/resource-store.ts';

/** Result of a check in a reconcile. It becomes a condition for the object's current generation. */
export type Finding = Problem & { type: string; status: boolean | 'Unknown' };

/** Explains why an object is not active. `reason` is a CamelCase code for programs, and `message` is for people. */
export type Problem = { reason: string; message: string };

/**
 * Builds the condition `Ready=True`. All kinds share the conditions in this file
 * (contract/custom-resources.md#conditions).
 */
export const ready = (why: Problem): Finding => ({ type: 'Ready', status: true, ...why });
export const notReady = (why: Problem): Finding => ({ type: 'Ready', status: false, ...why });
const stalled = (why: Problem): Finding => ({ type: 'Stalled', status: true, ...why });
/**
 * Builds the condition for a problem that may go away without a change to the object. For example, an object refers to
 * a missing object, which may still be created. The operator watches for such changes.
 */
export const reconciling = (why: Problem): Finding => ({
  type: 'Reconciling',
  status: true,
  ...why,
});
export const accepted: Finding = {
  type: 'Accepted',
  status: true,
  reason: 'Accepted',
  message: 'the spec is valid',
};
export const resolvedRefs = (message = 'all references resolve'): Finding => ({
  type: 'ResolvedRefs',
  status: true,
  reason: 'ResolvedRefs',
  message,
});

/**
 * Reasons that report a missing object. The problem may be temporary: manifests may be applied in any order, so an
 * object may be declared after the objects that refer to it.
 */
const MISSING: readonly string[] = [
  'AgentNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'KnowledgeSourceNotFound',
  'ModelProviderNotFound',
  'SecretNotFound',
];

/**
 * Returns the condition `Reconciling` for a missing object, and `Stalled` (kstatus) for a problem that waiting does not
 * solve.
 */
export const hindered = (why: Problem): Finding =>
  MISSING.includes(why.reason) ? reconciling(why) : stalled(why);

/** Returns the findings for an object that is not active. `type` is the condition that explains the problem. */
export function refused(type: 'Accepted' | 'ResolvedRefs', why: Problem): Finding[] {
  return [notReady(why), { type, status: false, ...why }, hindered(why)];
}

/**
 * Builds the conditions of the status. As metav1.Condition requires, `lastTransitionTime` changes only when the
 * condition's `status` changes, so an unchanged object gets an unchanged status.
 */
export function toConditions(
  findings: readonly Finding[],
  before: Resource,
  nowMs: number,
): Condition[] {
  return findings.map(({ type, status, reason, message }) => {
    const text = status === 'Unknown' ? status : status ? 'True' : 'False';
    const known = knownConditions(before).find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === text ? known.lastTransitionTime : rfc3339(nowMs);
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
 * Records an Event if an object's readiness or the reason for it has changed. If `reason` is given, it replaces the
 * reason of the condition.
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
