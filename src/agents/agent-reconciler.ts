import type { ReconcileResult } from '../platform/controller/controller.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { checkUrl } from '../platform/egress/url-rules.ts';
import { fromUuid } from '../ids.ts';
import { agentContent, type AgentSpec, type AgentStatus } from './agent.ts';
import type { RecordEvent } from '../platform/resources/resource-events.ts';
import type { ObjectKey, Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { actorsOf, managedBy, type Actor } from '../platform/reconcile/actors.ts';
import { recordReadiness, toConditions, type Finding } from '../platform/reconcile/conditions.ts';
import type { Identity } from '../platform/reconcile/identity.ts';
import {
  findMissingSource,
  resolveConfigMap,
  resolveSecret,
} from '../platform/reconcile/references.ts';
import { isStorable, refuseUnstorable } from '../platform/reconcile/unstorable.ts';

type AgentResource = Resource<AgentSpec, AgentStatus>;
type Projection = ObjectKey & {
  id: string;
  uid: string;
  generation: number;
  managedBy: 'api' | 'kubernetes' | 'file';
  spec: AgentSpec;
};
type Live = { activeVersion: number | null; latestVersion: number };
type Problem = { reason: string; message: string };

export type AgentReconcilerDeps = {
  store: Pick<ResourceStore, 'get' | 'list' | 'patchStatus'>;
  guard: AddressGuard;
  record: RecordEvent;
  identify: (resource: Resource) => Promise<Identity>;
  publish: (
    agent: Projection,
    actors: { content: Actor; pin: Actor },
  ) => Promise<Live & { pin: 'none' | 'held' | 'unknown' }>;
  /** Shows a declaration that is not in force, and why; `pin`: whose pin counts all the same. */
  hold: (
    agent: Projection,
    held: { condition: Problem & { ready: boolean }; pin: Actor | null },
  ) => Promise<Live>;
  remove: (key: ObjectKey) => Promise<void>;
  /** The part of the status that history tells. */
  readHistory: (agentId: string, limit: number) => Promise<Partial<AgentStatus>>;
  now: () => Date;
};

/**
 * Brings one Agent in force. Level-based: it is told which object to look at, never what
 * happened to it, and may be called at any time without need. A throw means "try again".
 */
export function createAgentReconciler(
  deps: AgentReconcilerDeps,
): (key: ObjectKey) => Promise<ReconcileResult> {
  return async (key) => {
    const found = await deps.store.get('Agent', key);
    if (!found) {
      await deps.remove(key); // Its versions and activations stay.
      return {};
    }
    const agent = found as AgentResource; // The store let in only what the CRD allows.
    const identity = await deps.identify(found);
    if ('refused' in identity) {
      const problem = { reason: 'InvalidId', message: identity.refused };
      await report(deps, agent, { findings: refusal('Accepted', problem) });
      return {};
    }
    const unstorable = refuseUnstorable(found.spec);
    if (unstorable) {
      await report(deps, agent, { findings: refusal('Accepted', unstorable) });
      return {};
    }
    await settle(deps, agent, identity.id);
    return {};
  };
}

async function settle(deps: AgentReconcilerDeps, agent: AgentResource, id: string): Promise<void> {
  const { namespace, name, uid, generation } = agent.metadata;
  const owner = managedBy(agent.owners['prompt'] ?? agent.owners['promptFrom']);
  const resolved = await resolve(deps, agent);
  const projection = {
    id,
    namespace,
    name,
    uid,
    generation,
    managedBy: owner,
    spec: resolved.spec,
  };
  const held = resolved.blocked ?? (agent.spec.suspend ? SUSPENDED : undefined);
  if (held) {
    const { type, ...problem } = held;
    // Whoever pins wants out of trouble: a missing reference of newer content is no reason to wait.
    const pin = agent.spec.suspend ? null : actorsOf(agent).pin;
    const live = await deps.hold(projection, { condition: { ready: false, ...problem }, pin });
    await report(deps, agent, { id, live, findings: refusal(type, problem) });
    return;
  }
  const live = await deps.publish(projection, actorsOf(agent));
  await report(deps, agent, { id, live, findings: findingsOf(agent.spec, live) });
}

type Blocked = Problem & { type: 'Accepted' | 'ResolvedRefs' | 'Reconciling' };

const SUSPENDED: Blocked = {
  type: 'Reconciling',
  reason: 'Suspended',
  message: 'spec.suspend is true: changes wait, what is live stays live',
};

/** The spec with the prompt's text in place of a reference, and what stands in the way of it. */
async function resolve(
  deps: AgentReconcilerDeps,
  { spec, metadata }: AgentResource,
): Promise<{ spec: AgentSpec; blocked?: Blocked }> {
  const { promptFrom, ...rest } = spec;
  for (const tool of spec.tools ?? []) {
    const address = tool.url === undefined ? undefined : checkUrl(tool.url, deps.guard);
    if (address && 'problem' in address) {
      const message = `tool ${tool.name}: ${address.problem}`;
      return { spec, blocked: { type: 'Accepted', reason: 'InvalidUrl', message } };
    }
    if (tool.secretRef === undefined) continue;
    const secret = await resolveSecret(deps.store, metadata.namespace, tool.secretRef);
    if (!('value' in secret)) return { spec, blocked: { type: 'ResolvedRefs', ...secret } };
  }
  const missing = await findMissingSource(deps.store, metadata.namespace, spec.knowledge ?? {});
  if (missing) return { spec, blocked: { type: 'ResolvedRefs', ...missing } };
  if (promptFrom === undefined) return { spec };
  const prompt = await resolveConfigMap(deps.store, metadata.namespace, promptFrom.configMapKeyRef);
  if (!('value' in prompt)) return { spec, blocked: { type: 'ResolvedRefs', ...prompt } };
  // The CRD bounds a prompt that stands in the spec; this one only we have seen.
  const { value } = prompt;
  if (!agentContent.shape.prompt.safeParse(value).success || !isStorable(value)) {
    const { name, key } = promptFrom.configMapKeyRef;
    const message = `key ${key} of ConfigMap ${name} must have 1 to 100000 characters, none of them U+0000`;
    return { spec, blocked: { type: 'ResolvedRefs', reason: 'InvalidPrompt', message } };
  }
  return { spec: { ...rest, prompt: prompt.value } };
}

function findingsOf(
  spec: AgentSpec,
  { activeVersion, latestVersion, pin }: Live & { pin: 'none' | 'held' | 'unknown' },
): Finding[] {
  const published = activeVersion !== null;
  const missing = `version ${spec.pinnedVersion} does not exist; the latest is ${latestVersion}`;
  const live = `version ${activeVersion} is live`;
  const findings: Finding[] = [
    pin === 'unknown'
      ? { type: 'Ready', status: false, reason: 'VersionNotFound', message: missing }
      : {
          type: 'Ready',
          status: true,
          reason: published ? 'Published' : 'NotPublished',
          message: published ? live : `version ${latestVersion} waits to be published`,
        },
    { type: 'Accepted', status: true, reason: 'Accepted', message: 'the spec is valid' },
    {
      type: 'ResolvedRefs',
      status: true,
      reason: 'ResolvedRefs',
      message: 'all references resolve',
    },
    {
      type: 'Published',
      status: published,
      reason: published ? 'Published' : 'NotPublished',
      message: published ? live : 'no version is live yet',
    },
  ];
  if (pin === 'held') {
    const message = `version ${spec.pinnedVersion} is pinned`;
    findings.push({ type: 'Pinned', status: true, reason: 'Pinned', message });
  }
  if (pin === 'unknown') {
    findings.push({ type: 'Pinned', status: false, reason: 'VersionNotFound', message: missing });
    findings.push({ type: 'Stalled', status: true, reason: 'VersionNotFound', message: missing });
  }
  return findings;
}

/** Not in force: `Ready` and the condition that says which part of it is in the way. */
function refusal(type: Blocked['type'], { reason, message }: Problem): Finding[] {
  const ready: Finding = { type: 'Ready', status: false, reason, message };
  if (type === 'Reconciling') return [ready];
  return [
    ready,
    { type, status: false, reason, message },
    { type: 'Stalled', status: true, reason, message },
  ];
}

async function report(
  deps: AgentReconcilerDeps,
  agent: AgentResource,
  outcome: { id?: string; live?: Live; findings: Finding[] },
): Promise<void> {
  const { id, live } = outcome;
  const { generation } = agent.metadata;
  const conditions = toConditions(outcome.findings, agent, deps.now);
  const status: AgentStatus = {
    ...(id === undefined
      ? agent.status
      : await deps.readHistory(id, agent.spec.revisionHistoryLimit)),
    observedGeneration: generation,
    ...(id !== undefined && { agentId: fromUuid('agt', id) }),
    ...(live && live.activeVersion !== null && { activeVersion: live.activeVersion }),
    ...(live && live.latestVersion > 0 && { latestVersion: live.latestVersion }),
    conditions,
  };
  await deps.store.patchStatus('Agent', agent.metadata, status);
  recordReadiness(deps.record, agent, conditions, actOf(agent, live));
}

/** What moved the live version, for the Event about it. */
function actOf({ status }: AgentResource, live: Live | undefined) {
  const [before, after] = [status.activeVersion, live?.activeVersion];
  const isBack = before !== undefined && typeof after === 'number' && after < before;
  return isBack ? { action: 'RollBack', reason: 'RolledBack' } : { action: 'Publish' };
}
