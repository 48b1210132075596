import type { AddressGuard } from '../platform/egress/address-guard.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { actorsOf, managedBy, whoElse } from '../platform/reconcile/actors.ts';
import {
  accepted,
  hindered,
  notReady,
  ready,
  refused,
  resolvedRefs,
  type Finding,
  type Problem,
} from '../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../platform/reconcile/reconciler.ts';
import { resolveConfigMap } from '../platform/reconcile/references.ts';
import { isStorable } from '../platform/reconcile/unstorable.ts';
import { ANNOTATIONS } from '../platform/resources/annotations.ts';
import { projectionsIn } from '../platform/resources/projections.sql.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { noTimeZone, unknownTimeZone } from './agent-hours.ts';
import {
  allProvidersOf,
  missingProviders,
  speechProvidersOf,
  whyCarrierSpeaks,
  type Models,
} from './references/missing-providers.ts';
import { notActedOn } from './not-acted-on.ts';
import { agentContent, type AgentSpec, type AgentStatus } from './agent.ts';
import {
  publishAgent,
  removeAgent,
  type PublishAgentDeps,
  type PublishAgentInput,
  type PublishAgentResult,
} from './publish-agent.ts';
import { readAgentHistory } from './read-agent-history.ts';
import {
  readToolSecretChanges,
  secretRefsOf,
  toolSecretProblem,
} from './tools/project-tool-secrets.ts';
import {
  handoffProblems,
  messageOf,
  parameterProblems,
  urlProblems,
} from './tools/tool-problems.ts';

type AgentResource = Resource<AgentSpec, AgentStatus>;

export type AgentReconcilerDeps = PublishAgentDeps & {
  store: Pick<ResourceStore, 'get' | 'list'>;
  guard: AddressGuard;
  sealer: Sealer;
} & Models;

/** Brings Agents in force: publishes their content and makes live what is pinned. */
export function agentReconciler(deps: AgentReconcilerDeps): ReconciledKind<AgentSpec, AgentStatus> {
  /** By uid: the Secrets of an agent's tools, those of earlier versions included. */
  const secretsOf = new Map<string, ReadonlySet<string>>();
  const usesSecret = ({ spec, metadata }: Resource<AgentSpec>, name: string): boolean =>
    secretRefsOf(spec).some((ref) => ref.name === name) ||
    (secretsOf.get(metadata.uid)?.has(name) ?? false);
  return {
    kind: 'Agent',
    idPrefix: 'agt',
    idField: 'agentId',
    action: 'Publish',
    isReferred: true, // By those that hand over to it.
    rows: projectionsIn(deps.pool, 'agents'),
    uses: (agent, kind, name) =>
      kind === 'Secret' ? usesSecret(agent, name) : uses(agent, kind, name),
    act: async (agent, by) => {
      const { metadata, spec } = agent;
      const of = { ...by, namespace: metadata.namespace, spec };
      const secrets = await readToolSecretChanges(deps, of);
      const outcome = await act(deps, agent, { ...by, beforeCommit: secrets.write });
      // Whatever became of the declaration: what is live goes on.
      await secrets.settle();
      secretsOf.set(metadata.uid, secrets.names);
      return outcome;
    },
    remove: (key, epoch) => removeAgent(deps, { epoch, ...key }), // Versions and activations stay.
  };
}

function uses({ spec }: Resource<AgentSpec>, kind: string, name: string): boolean {
  if (kind === 'ConfigMap') return spec.promptFrom?.configMapKeyRef.name === name;
  if (kind === 'KnowledgeSource') {
    const { sourceIds = [], sourceNames = [], selector } = spec.knowledge ?? {};
    // Of a deleted source only the name is known: it may have had one of the ids, or what is selected.
    return selector !== undefined || sourceIds.length > 0 || sourceNames.includes(name);
  }
  if (kind === 'ModelProvider')
    return [...allProvidersOf(spec), ...speechProvidersOf(spec)].some(([given]) => given === name);
  if (kind === 'Agent') return (spec.tools ?? []).some(({ agent }) => agent === name);
  return false;
}

async function act(
  deps: AgentReconcilerDeps,
  agent: AgentResource,
  { id, epoch, beforeCommit }: Pick<PublishAgentInput, 'epoch' | 'beforeCommit'> & { id: string },
): Promise<Outcome<AgentStatus>> {
  const { namespace, name, uid, generation } = agent.metadata;
  const unfit = await refuseParameters(agent);
  // Not even written to the row: every list would show it.
  if (unfit) return { findings: refused('Accepted', unfit), status: agent.status };
  const { spec, blocked } = await resolve(deps, agent);
  const unmatched = await unmatchedSelector(deps.store, agent);
  const live = await publishAgent(deps, {
    epoch,
    beforeCommit,
    agent: {
      id,
      namespace,
      name,
      uid,
      generation,
      managedBy: managedBy(agent.owners['prompt'] ?? agent.owners['promptFrom']),
      spec,
    },
    actors: actorsOf(agent),
    whoElse: whoElse(agent),
    // Who pins wants out of trouble: a reference missing in newer content must not delay that.
    ...(blocked && { blocked: { ...blocked.why, pinCounts: !agent.spec.suspend } }),
  });
  const whyCarrier = await whyCarrierSpeaks(deps.store, namespace, agent.spec);
  const degraded = degradedBy(notActedOn(agent.spec, deps, whyCarrier));
  const { activeVersion, latestVersion } = live;
  const before = agent.status.activeVersion;
  const isBack = before !== undefined && activeVersion !== null && activeVersion < before;
  return {
    findings: [
      ...(blocked ? blocked.findings : findingsOf(agent.spec, live, unmatched)),
      ...degraded,
    ],
    status: {
      ...(await readAgentHistory(deps, id, agent.spec.revisionHistoryLimit)),
      ...(activeVersion !== null && { activeVersion }),
      ...(latestVersion > 0 && { latestVersion }),
    },
    ...(isBack && { event: { action: 'RollBack', reason: 'RolledBack' } }),
    events: degraded.flatMap(({ reason, message: note }) =>
      isTold(agent, note) ? [] : [{ type: 'Warning', action: 'Publish', reason, note }],
    ),
  };
}

/** There only while true, as `Stalled` is: the agent is in force, and something of it is not. */
function degradedBy(message: string | undefined): Finding[] {
  if (message === undefined) return [];
  return [{ type: 'Degraded', status: true, reason: 'NotSupported', message }];
}

function isTold({ status: { conditions = [] } }: AgentResource, message: string): boolean {
  return conditions.some((one) => one.type === 'Degraded' && one.message === message);
}

/** What was accepted once is not compiled again: there may be thousands, and some from before. */
async function refuseParameters({
  spec,
  metadata,
  status,
}: AgentResource): Promise<Problem | undefined> {
  const isKnown = (status.conditions ?? []).some(
    (one) =>
      one.type === 'Accepted' &&
      one.status === 'True' &&
      one.observedGeneration === metadata.generation,
  );
  const [first] = isKnown ? [] : await parameterProblems(spec.tools ?? []);
  return first && { reason: 'InvalidParameters', message: messageOf(first) };
}

type Blocked = { why: Problem; findings: readonly Finding[] };

const blockedBy = (type: 'Accepted' | 'ResolvedRefs', { reason, message }: Problem): Blocked => {
  const why = { reason, message };
  return { why, findings: refused(type, why) };
};

const SUSPENDED = {
  reason: 'Suspended',
  message: 'spec.suspend is true: changes wait, what is live stays live',
};

/** The spec with the prompt's text in place of a reference to it, and what prevents its use. */
async function resolve(
  deps: AgentReconcilerDeps,
  { spec, metadata: { namespace } }: AgentResource,
): Promise<{ spec: AgentSpec; blocked?: Blocked }> {
  const blocked = await findBlocker(deps, namespace, spec);
  if (blocked) return { spec, blocked };
  const { promptFrom, ...rest } = spec;
  const prompt =
    promptFrom && (await resolveConfigMap(deps.store, namespace, promptFrom.configMapKeyRef));
  if (prompt && !('value' in prompt)) return { spec, blocked: blockedBy('ResolvedRefs', prompt) };
  // The CRD checks a prompt in the spec; one from a ConfigMap is checked only here.
  if (prompt && !isPrompt(prompt.value)) {
    const { name, key } = promptFrom.configMapKeyRef;
    const message = `key ${key} of ConfigMap ${name} must have 1 to 100000 characters, none of them U+0000`;
    return { spec, blocked: blockedBy('ResolvedRefs', { reason: 'InvalidPrompt', message }) };
  }
  return {
    spec: prompt ? { ...rest, prompt: prompt.value } : spec,
    ...(spec.suspend && { blocked: { why: SUSPENDED, findings: [notReady(SUSPENDED)] } }),
  };
}

async function findBlocker(
  { store, guard, hasDefaultModel }: AgentReconcilerDeps,
  namespace: string,
  spec: AgentSpec,
): Promise<Blocked | undefined> {
  const { tools = [], knowledge = {} } = spec;
  const zone = unknownTimeZone(spec.escalation);
  if (zone !== undefined) {
    const message = `escalation.hours: ${noTimeZone(zone)}`;
    return blockedBy('Accepted', { reason: 'InvalidTimeZone', message });
  }
  const [address] = urlProblems(tools, guard);
  if (address) {
    const message = `tool ${address.name}: ${address.detail}`;
    return blockedBy('Accepted', { reason: 'InvalidUrl', message });
  }
  const secret = await toolSecretProblem(store, namespace, tools);
  if (secret) return blockedBy('ResolvedRefs', secret);
  const [target] = await handoffProblems(store, namespace, tools);
  if (target) {
    const why = { reason: 'AgentNotFound', message: messageOf(target) };
    return blockedBy('ResolvedRefs', why);
  }
  const missing = await findMissingSource(store, namespace, knowledge);
  if (missing !== undefined) {
    const message = `KnowledgeSource ${missing} does not exist`;
    return blockedBy('ResolvedRefs', { reason: 'KnowledgeSourceNotFound', message });
  }
  const [provider] = await missingProviders({ store, hasDefaultModel }, namespace, spec);
  if (provider === undefined) return undefined;
  const message = provider.detail;
  return blockedBy('ResolvedRefs', { reason: 'ModelProviderNotFound', message });
}

/** The first of an agent's sources that does not exist; undefined: all do. */
async function findMissingSource(
  store: AgentReconcilerDeps['store'],
  namespace: string,
  { sourceNames = [], sourceIds = [] }: NonNullable<AgentSpec['knowledge']>,
): Promise<string | undefined> {
  for (const name of sourceNames) {
    if (!(await store.get('KnowledgeSource', { namespace, name }))) return name;
  }
  if (sourceIds.length === 0) return undefined;
  const sources = await store.list('KnowledgeSource', namespace);
  const ids = new Set(sources.map(({ metadata }) => metadata.annotations[ANNOTATIONS.id]));
  return sourceIds.find((id) => !ids.has(id));
}

/** Of an agent in force: that its selector finds no source, for its condition. Sources may yet come. */
async function unmatchedSelector(
  store: AgentReconcilerDeps['store'],
  { spec, metadata: { namespace } }: AgentResource,
): Promise<string | undefined> {
  const wanted = Object.entries(spec.knowledge?.selector?.matchMetadata ?? {});
  if (wanted.length === 0) return undefined;
  const sources = await store.list('KnowledgeSource', namespace);
  const isMatched = sources.some(({ spec: { metadata = {} } }) =>
    wanted.every(
      ([key, value]) =>
        Object.hasOwn(metadata as object, key) && Reflect.get(metadata as object, key) === value,
    ),
  );
  return isMatched ? undefined : 'knowledge.selector matches no KnowledgeSource';
}

function isPrompt(text: string): boolean {
  return agentContent.shape.prompt.safeParse(text).success && isStorable(text);
}

function findingsOf(
  { pinnedVersion }: AgentSpec,
  { activeVersion, latestVersion, pin }: PublishAgentResult,
  unmatched: string | undefined,
): Finding[] {
  const isLive = activeVersion !== null;
  const reason = isLive ? 'Published' : 'NotPublished';
  const live = `version ${activeVersion} is live`;
  const unknown = {
    reason: 'VersionNotFound',
    message: `version ${pinnedVersion} does not exist; the latest is ${latestVersion}`,
  };
  const waits = `version ${latestVersion} waits to be published`;
  const findings: Finding[] = [
    pin === 'unknown' ? notReady(unknown) : ready({ reason, message: isLive ? live : waits }),
    accepted,
    resolvedRefs(unmatched),
    {
      type: 'Published',
      status: isLive,
      reason,
      message: isLive ? live : 'no version is live yet',
    },
  ];
  if (pin === 'held') {
    const message = `version ${pinnedVersion} is pinned`;
    findings.push({ type: 'Pinned', status: true, reason: 'Pinned', message });
  }
  if (pin === 'unknown') {
    findings.push({ type: 'Pinned', status: false, ...unknown }, hindered(unknown));
  }
  return findings;
}
