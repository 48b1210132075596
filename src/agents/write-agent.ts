import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import type { AgentSpec } from './agent.ts';
import { ANNOTATIONS, encodeChangeCause } from '../platform/resources/annotations.ts';
import { applyMergePatch, toCamelKey } from '../platform/resources/schema/key-map.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import { agentPointer, fromAgentSpec, toAgentSpec, type AgentFields } from './rest-agent.ts';
import { readAgent, type AgentRow } from './agents.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { showsResource, type AwaitProjection } from '../platform/declare/await-projection.ts';
import {
  declarationAfter,
  declaring,
  deleteDeclared,
  patchDeclared,
} from '../platform/declare/declare.ts';
import { declareUnderFreeName } from '../platform/declare/free-name.ts';
import { freshPlan, type Plan } from '../platform/idempotency/plan.ts';
import { noPrecondition, type Precondition } from '../platform/declare/precondition.ts';

export type AgentWriterDeps = {
  pool: Pool;
  store: ResourceStore;
  awaitProjection: AwaitProjection;
  nowMs: () => number;
};

/** Who asks: the namespace of their key, and the actor to name. */
export type Caller = { namespace: string; actor: string };

/** The agent, and whether it already shows what was written. */
export type WrittenAgent = { agent: AgentRow; shown: boolean };

/** Declares a new agent (contract §4): the id is known before anything is written. */
export async function createAgent(
  deps: AgentWriterDeps,
  caller: Caller,
  input: { name: string | undefined; fields: AgentFields; plan?: Plan },
): Promise<WrittenAgent> {
  const { namespace } = caller;
  const { name, plan = freshPlan(deps.nowMs()) } = input;
  const { id } = plan;
  const spec = toAgentSpec(input.fields);
  const annotations = {
    [ANNOTATIONS.id]: fromUuid('agt', id),
    [ANNOTATIONS.contentChange]: encodeChangeCause({
      generation: 1,
      actor: caller.actor,
      reason: null,
    }),
  };
  const resource = await declaring(agentPointer, () =>
    declareUnderFreeName(
      { store: deps.store, plan },
      { kind: 'Agent', namespace, spec, annotations },
      { given: name, displayName: input.fields.display_name, noun: 'agent' },
    ),
  );
  return showing(deps, resource, id);
}

/** JSON merge patch of the fields the API owns; a field of another manager is 409. */
export async function patchAgent(
  deps: AgentWriterDeps,
  caller: Caller,
  input: { id: string; patch: Record<string, unknown>; precondition?: Precondition },
): Promise<WrittenAgent> {
  const { precondition = noPrecondition } = input;
  const resource = await patchDeclared(deps.store, {
    pointer: agentPointer,
    precondition,
    read: () => declaredAgent(deps, { namespace: caller.namespace, id: input.id }),
    change: (current) => {
      const { spec, changes } = patchedSpec(current, input.patch);
      const annotations = {
        // Of what it declared before, the API must repeat all or lose it.
        [ANNOTATIONS.id]: fromUuid('agt', input.id),
        ...causeOf(current, changes ? caller.actor : undefined),
      };
      return { spec, annotations };
    },
  });
  return showing(deps, resource, input.id);
}

export async function deleteAgent(
  deps: AgentWriterDeps,
  key: { namespace: string; id: string },
  precondition: Precondition = noPrecondition,
): Promise<void> {
  await deleteDeclared(deps, {
    kind: 'Agent',
    row: await requireAgent(deps, key),
    field: 'prompt',
    precondition,
    readAgain: () => readAgent(deps.pool, key),
  });
}

/** @throws ApiError not_found, for another namespace's id too */
export async function requireAgent(
  { pool }: { pool: Pool },
  key: { namespace: string; id: string },
): Promise<AgentRow> {
  const agent = await readAgent(pool, key);
  if (!agent) throw new ApiError('not_found', 'there is no such agent');
  return agent;
}

/** The declaration behind an agent. */
export async function declaredAgent(
  deps: Pick<AgentWriterDeps, 'pool' | 'store'>,
  key: { namespace: string; id: string },
): Promise<Resource<AgentSpec>> {
  const agent = await requireAgent(deps, key);
  const resource = await deps.store.get('Agent', agent);
  if (!resource) throw new ApiError('not_found', 'there is no such agent');
  return resource as Resource<AgentSpec>; // The store let in only what the CRD allows.
}

/** Waits for the projection to show a resource as it was written. */
export async function showing(
  deps: Pick<AgentWriterDeps, 'pool' | 'awaitProjection'>,
  resource: Resource,
  id: string,
): Promise<WrittenAgent> {
  const { namespace } = resource.metadata;
  const { value, shown } = await deps.awaitProjection(
    () => readAgent(deps.pool, { namespace, id }),
    (row) => showsResource(resource, row),
  );
  return { agent: shown && value ? value : asWritten(resource, id, value), shown };
}

/** What the API has of an agent that the operator has not looked at yet. */
function asWritten(resource: Resource, id: string, row: AgentRow | undefined): AgentRow {
  const { namespace, name, uid, generation, creationTimestamp } = resource.metadata;
  const at = Date.parse(creationTimestamp);
  return {
    id,
    namespace,
    name,
    uid,
    generation,
    managedBy: 'api',
    spec: resource.spec as AgentSpec,
    activeVersion: row?.activeVersion ?? null,
    latestVersion: row?.latestVersion ?? 0,
    ready: false,
    reason: 'Pending',
    message: 'waits for the operator',
    createdAt: row?.createdAt ?? at,
    updatedAt: row?.updatedAt ?? at,
  };
}

/**
 * Who changes the content, told of the generation that the change will make. Without a change
 * there will be none, and the next one by somebody else must not be taken for the API's.
 */
function causeOf({ metadata }: Resource, actor: string | undefined): Record<string, string> {
  const known = metadata.annotations[ANNOTATIONS.contentChange];
  const text =
    actor === undefined
      ? known
      : encodeChangeCause({ generation: metadata.generation + 1, actor, reason: null });
  return text === undefined ? {} : { [ANNOTATIONS.contentChange]: text };
}

/** What the API declares after the patch, and whether the agent's spec is another one then. */
function patchedSpec(
  current: Resource<AgentSpec>,
  patch: Record<string, unknown>,
): { spec: Record<string, unknown>; changes: boolean } {
  const before = fromAgentSpec(current.spec);
  // The patch was checked field by field, the merged whole is by the store.
  const merged = applyMergePatch(before, patch) as AgentFields;
  const touched = Object.keys(patch).map(toCamelKey);
  // A prompt of ours beside somebody's reference to one would be two prompts.
  if (touched.includes('prompt') && current.owners['promptFrom']) touched.push('promptFrom');
  return {
    spec: declarationAfter({ current, touched, after: toAgentSpec(merged) }),
    // Without a policy, the default is stored.
    changes: !isDeepStrictEqual({ publish_policy: 'automatic', ...merged }, before),
  };
}
