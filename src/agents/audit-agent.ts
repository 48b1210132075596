import { changesBetween, differing, toldOf } from '../audit/changes.ts';
import type { Change, Fields } from '../audit/audit-log.sql.ts';
import { recordDeclared } from '../audit/record-declared.ts';
import type { Settled } from '../audit/write-ahead.ts';
import { fromUuid } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import type { AgentSpec } from './agent.ts';
import type { AgentProjection, AgentRow } from './agents.sql.ts';
import { fromAgentSpec, type AgentFields } from './rest-agent.ts';

/**
 * Fields whose values the audit log records in addition to the version numbers. For content fields, the log records
 * only which fields changed, because content is long and is stored with its version.
 */
const TOLD = [
  'name',
  'display_name',
  'publish_policy',
  'managed_by',
  'pinned_version',
  'suspend',
] as const;

type Versions = Pick<AgentRow, 'activeVersion' | 'latestVersion'>;

function versionsOf({ activeVersion, latestVersion }: Versions): Fields {
  return { active_version: activeVersion, latest_version: latestVersion };
}

/** Returns the audited fields of a declared agent. */
export function agentAudited(fields: AgentFields & { name?: string | undefined }): Fields {
  return toldOf(fields, TOLD);
}

export function agentChange(
  before: AgentFields,
  after: AgentFields,
  row: Versions,
): Partial<Change> {
  const change = changesBetween({ ...before }, { ...after }, TOLD);
  return { ...change, before: { ...change.before, ...versionsOf(row) } };
}

/** Returns the state before a change to the pin, for the audit log. */
export function pinChange(row: Versions, { from }: { from: number | undefined }): Partial<Change> {
  return { before: { ...versionsOf(row), pinned_version: from ?? null }, after: {} };
}

/**
 * Returns the result of a change for the audit log, including the live version. `pending` means that the operator did
 * not apply the change within 2 s, so the live version is not known yet.
 */
export function agentSettled(
  { row, shown }: { row: AgentRow; shown: boolean },
  more: Fields = {},
): Settled {
  if (!shown) return { after: more, detail: { pending: true } };
  return { after: { ...versionsOf(row), ...more } };
}

/**
 * Records in the audit log that an agent was declared or changed. Called when the operator applies the declaration.
 * `row` is the previous state.
 */
export async function recordAgent(
  db: Db,
  declared: {
    row: AgentRow | undefined;
    agent: AgentProjection;
    live: Versions;
    whoElse: WhoElse;
  },
): Promise<void> {
  const { row, agent, live, whoElse } = declared;
  const { id, namespace, name, managedBy, spec } = agent;
  const isSame = row?.uid === agent.uid && row.generation === agent.generation;
  // If the generation is the same, no declared field has changed; only the text of a ConfigMap may have changed.
  const changed = row && !isSame ? differing({ ...row.spec }, { ...spec }) : [];
  const fields = declaredFields(spec);
  const change = row && agentChange(declaredFields(row.spec), fields, row);
  await recordDeclared(db, {
    noun: 'agent',
    namespace,
    target: fromUuid('agt', id),
    before: row,
    after: agent,
    // The spec holds only the text of the prompt, so a change may come from `prompt` or from `promptFrom`. The log
    // therefore lists both.
    changed: changed.flatMap((field) => (field === 'prompt' ? ['prompt', 'promptFrom'] : [field])),
    whoElse,
    line: change
      ? { ...change, after: { ...change.after, ...versionsOf(live) } }
      : {
          after: {
            ...agentAudited({ ...fields, name }),
            managed_by: managedBy,
            ...versionsOf(live),
          },
        },
  });
}

/** Returns the declared fields, including those that only manifests have. */
function declaredFields(spec: AgentSpec): AgentFields {
  const { suspend, pinnedVersion, promptFrom, revisionHistoryLimit, deletionPolicy } = spec;
  const more = {
    suspend,
    pinned_version: pinnedVersion,
    prompt_from: promptFrom,
    revision_history_limit: revisionHistoryLimit,
    deletion_policy: deletionPolicy,
  };
  return { ...fromAgentSpec(spec), ...more };
}

export function agentGone({
  name,
  managedBy,
  ...row
}: Versions & Pick<AgentRow, 'name' | 'managedBy'>): { before: Fields } {
  return { before: { name, managed_by: managedBy, ...versionsOf(row) } };
}
