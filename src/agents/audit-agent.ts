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
 * What the audit log tells of an agent: the numbers of its versions. A content is long and kept by
 * its version, so of that only the names of the fields that changed.
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

/** Of one that is declared, or about to be. */
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

/** Before a pin is moved. */
export function pinChange(row: Versions, { from }: { from: number | undefined }): Partial<Change> {
  return { before: { ...versionsOf(row), pinned_version: from ?? null }, after: {} };
}

/** With what is live now; `pending`: the operator has not shown it within 2 s. */
export function agentSettled(
  { row, shown }: { row: AgentRow; shown: boolean },
  more: Fields = {},
): Settled {
  if (!shown) return { after: more, detail: { pending: true } };
  return { after: { ...versionsOf(row), ...more } };
}

/** As the operator takes it over; `row`: what was there before. */
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
  // In the same generation it is the text of a ConfigMap that is another.
  const changed = row && !isSame ? differing({ ...row.spec }, { ...spec }) : [];
  const fields = declaredFields(spec);
  const change = row && agentChange(declaredFields(row.spec), fields, row);
  await recordDeclared(db, {
    noun: 'agent',
    namespace,
    target: fromUuid('agt', id),
    before: row,
    after: agent,
    // A prompt is here as its text, wherever that is from.
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

/** Also what only a manifest declares. */
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
