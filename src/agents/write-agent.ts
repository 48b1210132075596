import { isDeepStrictEqual } from 'node:util';
import { fromUuid, newUuid } from '../ids.ts';
import {
  patchDeclared,
  requireRow,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../platform/declare/declared-kind.ts';
import type { Precondition } from '../platform/declare/precondition.ts';
import { requireScope, type Scope } from '../platform/http/authorize.ts';
import { freshPlan, type Plan } from '../platform/idempotency/plan.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { ANNOTATIONS, encodeChangeCause } from '../platform/resources/annotations.ts';
import type { Resource } from '../platform/resources/resource-store.ts';
import { createAudited, deleteAudited } from '../audit/change-declared.ts';
import { writingAhead } from '../audit/write-ahead.ts';
import type { AuditedBy } from '../audit/audit-log.sql.ts';
import { keepingGiven, requireGivenAgain, takeGiven } from '../kinds/given-secret.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { AgentSpec } from './agent.ts';
import { opensWidget } from './agent-widget.ts';
import { agentAudited, agentChange, agentGone, agentSettled } from './audit-agent.ts';
import { readAgent, type AgentRow } from './agents.sql.ts';
import {
  agentPointer,
  fromAgentSpec,
  toAgentSpec,
  TOOL_SECRETS,
  type AgentFields,
  type AgentWrite,
} from './rest-agent.ts';

export type AgentWriterDeps = DeclareDeps & {
  nowMs: () => number;
  sealer: Pick<Sealer, 'seal'>;
};

/** Author of a request: the API key's namespace, and the actor to record. */
export type Author = AuditedBy;
/** Author with the scopes of the API key. */
export type Caller = Author & { scopes: readonly Scope[] };

export type WrittenAgent = Written<AgentSpec, AgentRow>;

export const DECLARED_AGENT: DeclaredKind<AgentSpec, AgentFields, AgentRow> = {
  kind: 'Agent',
  idPrefix: 'agt',
  noun: 'agent',
  table: 'agents',
  resource: 'agents',
  field: 'prompt',
  pointer: agentPointer,
  words: {
    'set exactly one of `prompt` and `promptFrom`': 'an agent must have a `prompt`',
    'a fallback must have a `provider`, a `model` or a `voiceId`':
      'a fallback must have a `provider`, a `model` or a `voice_id`',
  },
  toSpec: toAgentSpec,
  fromSpec: fromAgentSpec,
  // `prompt` in REST stands for two spec fields. A write of `prompt` conflicts if another manager owns either field.
  // Without this rule, the API could add a `prompt` to an agent that already declares `promptFrom`.
  specFields: { prompt: ['prompt', 'promptFrom'] },
  read: readAgent,
  asWritten: (written, spec, row) => ({
    ...written,
    spec,
    activeVersion: row?.activeVersion ?? null,
    latestVersion: row?.latestVersion ?? 0,
    activation: row?.activation ?? null,
  }),
};

/**
 * Creates an agent (contract/agents.md). The ID comes from `plan`, so that a retry of the request creates the same
 * agent.
 * @throws ApiError missing_scope if the agent would be live immediately or open to web pages, and the caller may not
 * publish
 */
export async function createAgent(
  deps: AgentWriterDeps,
  caller: Caller,
  input: { name: string | undefined; fields: Omit<AgentWrite, 'name'>; plan?: Plan },
): Promise<WrittenAgent> {
  const { actor, namespace } = caller;
  const { name, plan = freshPlan(deps.nowMs()) } = input;
  const of = { ...SECRETS, key: { namespace, id: plan.id } };
  const { fields, kept } = takeGiven<AgentFields>(of, input.fields, () => plan.seed);
  if (policyOf(fields) !== 'manual') requireScope(caller, 'publish', LIVE_AT_ONCE);
  if (opensWidget(undefined, fields.widget)) requireScope(caller, 'publish', OPEN_TO_PAGES);
  const cause = encodeChangeCause({ generation: 1, actor, reason: null });
  return keepingGiven(deps, kept, () =>
    createAudited(deps, DECLARED_AGENT, {
      caller,
      action: 'agent.created',
      plan,
      name: { given: name, displayName: fields.display_name, noun: 'agent' },
      spec: toAgentSpec(fields),
      annotations: { [ANNOTATIONS.contentChange]: cause },
      after: agentAudited({ ...fields, name }),
      settled: (written) => agentSettled(written, { name: written.row.name }),
    }),
  );
}

/**
 * Applies a JSON merge patch to the fields that the API owns. Responds with 409 for a field that another manager owns.
 * A change to the content requires only the `write` scope, because the existing publish policy decides whether the
 * content goes live automatically.
 * @throws ApiError missing_scope if the patch changes the policy or opens the widget to more pages or visitors, and the
 * caller may not publish
 */
export function patchAgent(
  deps: AgentWriterDeps,
  caller: Caller,
  input: { id: string; patch: Record<string, unknown>; precondition?: Precondition },
): Promise<WrittenAgent> {
  const { id, precondition } = input;
  const key = { namespace: caller.namespace, id };
  const { fields: patch, kept } = takeGiven({ ...SECRETS, key }, input.patch);
  const target = fromUuid('agt', id);
  const write = () =>
    writingAhead(
      { pool: deps.pool, by: caller, id: newUuid(deps.nowMs()), action: 'agent.updated', target },
      ({ begin }) =>
        patchDeclared(deps, DECLARED_AGENT, {
          key,
          patch,
          precondition,
          permit: ({ before, after }) => {
            requireGivenAgain({ ...SECRETS, id, kept }, { before, after });
            if (policyOf(before) !== policyOf(after))
              requireScope(caller, 'publish', POLICY_DECIDES);
            if (opensWidget(before.widget, after.widget))
              requireScope(caller, 'publish', OPEN_TO_PAGES);
          },
          annotations: (current, { before, after }) => {
            // A patch that removes the policy restores the default. The comparison therefore uses the default for
            // `after`.
            const changes = !isDeepStrictEqual(
              { ...after, publish_policy: policyOf(after) },
              before,
            );
            return causeOf(current, { actor: caller.actor, changes });
          },
          prepare: (_, { before, after, row }) => begin(agentChange(before, after, row)),
        }),
      (written) => agentSettled(written),
    );
  return keepingGiven(deps, kept, write);
}

const SECRETS = { secrets: TOOL_SECRETS, names: DECLARED_AGENT };
const LIVE_AT_ONCE = 'the new agent goes live immediately unless `publish_policy` is `manual`';
const POLICY_DECIDES =
  '`publish_policy` controls what goes live; without this scope, leave it unchanged';
const OPEN_TO_PAGES =
  '`widget` opens the live agent to web pages; without this scope you can only remove origins or lower its limit';

/** Returns the publish policy, or the default if it is omitted or removed. */
function policyOf({ publish_policy: policy = 'automatic' }: AgentFields) {
  return policy;
}

export async function deleteAgent(
  deps: AgentWriterDeps,
  caller: Author,
  { id, precondition }: { id: string; precondition?: Precondition },
): Promise<void> {
  const act = { caller, action: 'agent.deleted', id, precondition, gone: agentGone } as const;
  await deleteAudited(deps, DECLARED_AGENT, act);
}

/** Returns an agent of the namespace. @throws ApiError not_found, also for an ID from another namespace */
export function requireAgent(deps: { pool: Db }, key: RowKey): Promise<AgentRow> {
  return requireRow(deps, DECLARED_AGENT, key);
}

/**
 * Returns the annotation that names the author of a content change and the generation that the change will create.
 * Every patch makes the API the owner of the patched fields, and only this annotation names their author (the API key).
 * A patch without changes creates no generation, and the next generation may come from another manager. Such a patch
 * therefore keeps an existing annotation or writes one with generation 0, so that the next generation is not attributed
 * to the API.
 */
function causeOf(
  { metadata }: Resource<AgentSpec>,
  { actor, changes }: { actor: string; changes: boolean },
) {
  const generation = changes ? metadata.generation + 1 : 0;
  const cause = encodeChangeCause({ generation, actor, reason: null });
  const known = metadata.annotations[ANNOTATIONS.contentChange];
  return { [ANNOTATIONS.contentChange]: changes ? cause : (known ?? cause) };
}
