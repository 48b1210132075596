import { rfc3339 } from '../resources/schema/field-types.ts';
import type { RecordEvent, Condition, Resource } from '../resources/resource-store.ts';

/** What a reconcile found; each becomes a condition of the present generation. */
export type Finding = Problem & { type: string; status: boolean | 'Unknown' };

/** Why something is not in force: `reason` is CamelCase for programs, `message` for people. */
export type Problem = { reason: string; message: string };

/** The conditions of all kinds (contract/custom-resources.md#conditions). */
export const ready = (why: Problem): Finding => ({ type: 'Ready', status: true, ...why });
export const notReady = (why: Problem): Finding => ({ type: 'Ready', status: false, ...why });
const stalled = (why: Problem): Finding => ({ type: 'Stalled', status: true, ...why });
/** Waiting may mend it: what it needs may yet come, and is looked for by itself. */
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

/** What may be declared after what refers to it, in any order that Git or people choose. */
const MISSING: readonly string[] = [
  'AgentNotFound',
  'ConfigMapNotFound',
  'KeyNotFound',
  'KnowledgeSourceNotFound',
  'ModelProviderNotFound',
  'SecretNotFound',
];

/** `Stalled` for what waiting does not mend (kstatus), `Reconciling` for what is only missing. */
export const hindered = (why: Problem): Finding =>
  MISSING.includes(why.reason) ? reconciling(why) : stalled(why);

/** Not in force as it is; `type`: the condition that says what is wrong. */
export function refused(type: 'Accepted' | 'ResolvedRefs', why: Problem): Finding[] {
  return [notReady(why), { type, status: false, ...why }, hindered(why)];
}

/**
 * Conditions for the status: `lastTransitionTime` moves only when the status of that type does
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
 * Records an Event of the object when whether it is ready, or why, has changed. `reason`: in place
 * of the condition's.
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
