import { rfc3339 } from '../resources/schema/field-types.ts';
import type { RecordEvent, Condition, Resource } from '../resources/resource-store.ts';

/** Result of a reconcile, which becomes a condition of the current generation. */
export type Finding = Problem & { type: string; status: boolean | 'Unknown' };

/** Reason why an object is not active: `reason` is CamelCase for programs, `message` is for people. */
export type Problem = { reason: string; message: string };

/** Conditions that all kinds share (contract/custom-resources.md#conditions). */
export const ready = (why: Problem): Finding => ({ type: 'Ready', status: true, ...why });
export const notReady = (why: Problem): Finding => ({ type: 'Ready', status: false, ...why });
const stalled = (why: Problem): Finding => ({ type: 'Stalled', status: true, ...why });
/** Marks a problem that waiting may fix: the missing object may still arrive, and the operator checks for it. */
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

/** Reasons for objects that may be declared after those that refer to them, in whatever order Git or people choose. */
const MISSING: readonly string[] = [
  'AgentNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'KnowledgeSourceNotFound',
  'ModelProviderNotFound',
  'SecretNotFound',
];

/** Returns `Stalled` for problems that waiting does not fix (kstatus), `Reconciling` for missing objects. */
export const hindered = (why: Problem): Finding =>
  MISSING.includes(why.reason) ? reconciling(why) : stalled(why);

/** Returns the findings of an object that is not active. `type` is the condition that explains the problem. */
export function refused(type: 'Accepted' | 'ResolvedRefs', why: Problem): Finding[] {
  return [notReady(why), { type, status: false, ...why }, hindered(why)];
}

/**
 * Builds the conditions of the status. `lastTransitionTime` changes only with the status of that type
 * (metav1.Condition), so an unchanged object gets an unchanged status.
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
 * Records an Event when an object's readiness, or the reason for it, has changed. `reason` replaces the condition's
 * reason.
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
