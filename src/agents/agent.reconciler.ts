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
import type { Uses } from '../platform/reconcile/watches.ts';
import { ANNOTATIONS } from '../platform/resources/annotations.ts';
import { projectionsIn } from '../platform/resources/projections.sql.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { noTimeZone, unknownTimeZone } from './agent-hours.ts';
import {
  allProvidersOf,
  missingProviders,
  speechProvidersOf,
  whyCarrierSpeaks,
  type FindProvider,
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
import { recalledMessage, VERSION_RECALLED } from './recalls/recalled-version.ts';
import { confirmProblem } from './rollouts/confirm-problems.ts';
import { rolloutFindings, rolloutStatusOf, type LookAtRollout } from './rollouts/rollout-status.ts';
import { ownSecretName } from '../kinds/given-secret.ts';
import { removeSecretOf } from '../kinds/own-secret.ts';
import {
  copyToolSecrets,
  readToolSecretChanges,
  secretRefsOf,
  toolSecretProblem,
} from './tools/project-tool-secrets.ts';
import {
  handoffProblems,
  messageOf,
  parameterProblems,
  recalledHandoffs,
  urlProblems,
} from './tools/tool-problems.ts';

type AgentResource = Resource<AgentSpec, AgentStatus>;

export type AgentReconcilerDeps = PublishAgentDeps & {
  store: Pick<ResourceStore, 'get' | 'list' | 'apply' | 'delete'>;
  guard: AddressGuard;
  sealer: Sealer;
  /** Evaluates the agent's last rollout and takes the action that its checks call for. */
  lookAtRollout: LookAtRollout;
} & Models;

/** Returns the reconciler of Agents, which publishes their content and activates pinned versions. */
export function agentReconciler(deps: AgentReconcilerDeps): ReconciledKind<AgentSpec, AgentStatus> {
  /** Names of the Secrets that the tools of each agent use in any of its versions. The key is the agent's uid. */
  const secretsOf = new Map<string, ReadonlySet<string>>();
  const usesSecret = ({ spec, metadata }: Resource<AgentSpec>, name: string): boolean =>
    secretRefsOf(spec).some((ref) => ref.name === name) ||
    spec.rollout?.confirm?.signingSecretRef.name === name ||
    (secretsOf.get(metadata.uid)?.has(name) ?? false);
  return {
    kind: 'Agent',
    idPrefix: 'agt',
    idField: 'agentId',
    action: 'Publish',
    rows: projectionsIn(deps.pool, 'agents'),
    uses: { ...USES, Secret: usesSecret },
    act: async (agent, by) => {
      const { metadata, spec } = agent;
      const of = { ...by, namespace: metadata.namespace, spec };
      const unwritten = await copyToolSecrets(deps, agent, by.id);
      const secrets = await readToolSecretChanges(deps, of);
      const outcome = await act(deps, agent, { ...by, unwritten, beforeCommit: secrets.write });
      // Runs even if the declaration was rejected, because the live version still needs its Secrets.
      await secrets.settle();
      secretsOf.set(metadata.uid, secrets.names);
      return outcome;
    },
    remove: async (key, epoch) => {
      await removeSecretOf(deps, { idPrefix: 'agt', table: 'agents' }, key);
      await removeAgent(deps, { epoch, ...key }); // Keeps versions unless `deletionPolicy: Delete`.
    },
  };
}

const USES: Uses<AgentSpec> = {
  ConfigMap: ({ spec }, name) => spec.promptFrom?.configMapKeyRef.name === name,
  KnowledgeSource: ({ spec }, name) => {
    const { sourceIds = [], sourceNames = [], selector } = spec.knowledge ?? {};
    // When a source is deleted, only its name is known. Agents with `sourceIds` or a selector do not name their
    // sources, so they count as users of every source.
    return selector !== undefined || sourceIds.length > 0 || sourceNames.includes(name);
  },
  ModelProvider: ({ spec }, name) =>
    [...allProvidersOf(spec), ...speechProvidersOf(spec)].some(([given]) => given === name),
  // Agents that hand conversations over to another agent.
  Agent: ({ spec }, name) => (spec.tools ?? []).some(({ agent }) => agent === name),
};

type Act = Pick<PublishAgentInput, 'epoch' | 'beforeCommit'> & {
  id: string;
  /**
   * Reason why the secrets from a REST request could not be copied into the agent's own Secret; `undefined` if they
   * could.
   */
  unwritten: Problem | undefined;
};

async function act(
  deps: AgentReconcilerDeps,
  agent: AgentResource,
  { id, epoch, beforeCommit, unwritten }: Act,
): Promise<Outcome<AgentStatus>> {
  const { namespace, name, uid, generation } = agent.metadata;
  const unfit = await refuseParameters(agent);
  // An invalid declaration is not written to the agent's database row, because lists of agents show that row.
  if (unfit) return { findings: refused('Accepted', unfit), status: agent.status };
  const { spec, blocked } = await resolve(deps, agent, { id, unwritten });
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
    // A pin is often a rollback during an incident, so a missing reference in newer content must not prevent it.
    ...(blocked && { blocked: { ...blocked.why, pinCounts: !agent.spec.suspend } }),
  });
  const { suspend: isSuspended } = agent.spec;
  const rollout = await deps.lookAtRollout({ agentId: id, namespace, epoch, isSuspended });
  const isCompleted = rollout?.acted === 'complete';
  const isAborted = rollout?.acted === 'abort';
  const whyCarrier = await whyCarrierSpeaks(findProviderIn(deps.store), namespace, agent.spec);
  const { latestVersion } = live;
  const activeVersion = isCompleted ? rollout.line.toVersion : live.activeVersion;
  const ofRollout = rolloutFindings(rollout, { latestVersion, activeVersion });
  const degraded = degradedBy(notActedOn(agent.spec, deps, whyCarrier), ofRollout);
  const before = agent.status.activeVersion;
  const isBack = before !== undefined && activeVersion !== null && activeVersion < before;
  return {
    findings: [
      ...(blocked
        ? blocked.findings
        : findingsOf(agent.spec, { ...live, activeVersion }, unmatched)),
      ...ofRollout.filter(({ type }) => type !== 'Degraded'),
      ...degraded,
    ],
    status: {
      ...(await readAgentHistory(deps, id, agent.spec.revisionHistoryLimit)),
      ...(activeVersion !== null && { activeVersion }),
      ...(latestVersion > 0 && { latestVersion }),
      ...(rollout && { rollout: rolloutStatusOf(rollout) }),
    },
    ...(rollout?.againAfterMs !== undefined && { requeueAfterMs: rollout.againAfterMs }),
    ...((isBack || isAborted) && { event: { action: 'RollBack', reason: 'RolledBack' } }),
    events: degraded.flatMap(({ reason, message: note }) =>
      isTold(agent, note) ? [] : [{ type: 'Warning', action: 'Publish', reason, note }],
    ),
  };
}

function findProviderIn(store: AgentReconcilerDeps['store']): FindProvider {
  return async (namespace, name) => (await store.get('ModelProvider', { namespace, name }))?.spec;
}

/**
 * Returns the `Degraded` condition, which reports that the agent is ready but some settings have no effect, or that a
 * rollout was aborted. Like `Stalled`, this condition exists only while it is true.
 */
function degradedBy(message: string | undefined, ofRollout: readonly Finding[]): Finding[] {
  const aborted = ofRollout.find(({ type }) => type === 'Degraded');
  if (message === undefined) return aborted ? [aborted] : [];
  const both = [aborted?.message, message].filter(Boolean).join('; ');
  const reason = aborted?.reason ?? 'NotSupported';
  return [{ type: 'Degraded', status: true, reason, message: both }];
}

function isTold({ status: { conditions = [] } }: AgentResource, message: string): boolean {
  return conditions.some((one) => one.type === 'Degraded' && one.message === message);
}

/**
 * Returns the first problem with the tool parameters. Skips the check if this generation was accepted before. Checking
 * thousands of parameters takes long, and an earlier release may have accepted parameters that would now be rejected.
 */
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
  message: 'spec.suspend is true: changes are not published, and the live version stays live',
};

/**
 * Returns the spec with the prompt's text in place of `promptFrom`. If something prevents the use of the spec,
 * `blocked` contains the reason.
 */
async function resolve(
  deps: AgentReconcilerDeps,
  { spec, metadata: { namespace } }: AgentResource,
  { id, unwritten }: Pick<Act, 'id' | 'unwritten'>,
): Promise<{ spec: AgentSpec; blocked?: Blocked }> {
  const blocked = unwritten
    ? blockedBy('ResolvedRefs', unwritten)
    : await findBlocker(deps, { namespace, id }, spec);
  if (blocked) return { spec, blocked };
  const { promptFrom, ...rest } = spec;
  const prompt =
    promptFrom && (await resolveConfigMap(deps.store, namespace, promptFrom.configMapKeyRef));
  if (prompt && !('value' in prompt)) return { spec, blocked: blockedBy('ResolvedRefs', prompt) };
  // The CRD validates a prompt in the spec; a prompt from a ConfigMap is validated only here.
  if (prompt && !isPrompt(prompt.value)) {
    const { name, key } = promptFrom.configMapKeyRef;
    const message = `key "${key}" of ConfigMap "${name}" must have 1 to 100000 characters and must not contain U+0000`;
    return { spec, blocked: blockedBy('ResolvedRefs', { reason: 'InvalidPrompt', message }) };
  }
  return {
    spec: prompt ? { ...rest, prompt: prompt.value } : spec,
    ...(spec.suspend && { blocked: { why: SUSPENDED, findings: [notReady(SUSPENDED)] } }),
  };
}

async function findBlocker(
  { pool, store, guard, hasDefaultModel }: AgentReconcilerDeps,
  { namespace, id }: { namespace: string; id: string },
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
    const message = `tool "${address.name}": ${address.detail}`;
    return blockedBy('Accepted', { reason: 'InvalidUrl', message });
  }
  const secret = await toolSecretProblem(store, namespace, {
    tools,
    own: ownSecretName({ idPrefix: 'agt' }, id),
  });
  if (secret) return blockedBy('ResolvedRefs', secret);
  const confirm = await confirmProblem({ guard, store }, namespace, spec);
  if (confirm) return blockedBy(confirm.type, confirm);
  const [target] = await handoffProblems(store, namespace, tools);
  if (target) {
    const why = { reason: 'AgentNotFound', message: messageOf(target) };
    return blockedBy('ResolvedRefs', why);
  }
  const [old] = await recalledHandoffs(pool, namespace, tools);
  if (old) {
    const why = { reason: VERSION_RECALLED, message: messageOf(old) };
    return blockedBy('ResolvedRefs', why);
  }
  const missing = await findMissingSource(store, namespace, knowledge);
  if (missing !== undefined) {
    const message = `KnowledgeSource "${missing}" does not exist in this namespace`;
    return blockedBy('ResolvedRefs', { reason: 'KnowledgeSourceNotFound', message });
  }
  const [provider] = await missingProviders({ store, hasDefaultModel }, namespace, spec);
  if (provider === undefined) return undefined;
  const message = provider.detail;
  return blockedBy('ResolvedRefs', { reason: 'ModelProviderNotFound', message });
}

/** Returns the first of an agent's sources that does not exist, or `undefined` if all exist. */
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

/**
 * Returns a message if the selector of an agent matches no source. This is not an error, because sources may be added
 * later.
 */
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
  return isMatched ? undefined : 'spec.knowledge.selector matches no KnowledgeSource';
}

function isPrompt(text: string): boolean {
  return agentContent.shape.prompt.safeParse(text).success && isStorable(text);
}

function findingsOf(
  { pinnedVersion }: AgentSpec,
  { activeVersion, latestVersion, pin, recalled }: PublishAgentResult,
  unmatched: string | undefined,
): Finding[] {
  const isLive = activeVersion !== null;
  const reason = isLive ? 'Published' : 'NotPublished';
  const live = `version ${activeVersion} is live`;
  const unknown = recalled
    ? { reason: VERSION_RECALLED, message: recalledMessage(recalled) }
    : {
        reason: 'VersionNotFound',
        message: `spec.pinnedVersion: version ${pinnedVersion} does not exist; the latest is ${latestVersion}`,
      };
  const isHindered = recalled !== undefined || pin === 'unknown';
  const waits = `version ${latestVersion} is not published yet`;
  const findings: Finding[] = [
    isHindered ? notReady(unknown) : ready({ reason, message: isLive ? live : waits }),
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
  if (pin === 'unknown') findings.push({ type: 'Pinned', status: false, ...unknown });
  if (isHindered) findings.push(hindered(unknown));
  return findings;
}
