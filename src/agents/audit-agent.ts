import { changesBetween, toldOf } from '../audit/changes.ts';
import type { Change, Fields } from '../audit/audit-log.sql.ts';
import type { Settled } from '../audit/write-ahead.ts';
import type { AgentRow } from './agents.sql.ts';
import type { AgentFields } from './rest-agent.ts';

/**
 * What the audit log tells of an agent: the numbers of its versions. A content is long and kept by
 * its version, so of that only the names of the fields that changed.
 */
const TOLD = ['name', 'display_name', 'publish_policy', 'managed_by'] as const;

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

export function agentGone({ name, managedBy, ...row }: AgentRow): Partial<Change> {
  return { before: { name, managed_by: managedBy, ...versionsOf(row) } };
}
