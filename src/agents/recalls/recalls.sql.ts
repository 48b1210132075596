import type { Db } from '../../platform/postgres/pool.ts';

/** A recall of versions (contract/recalls.md). Times are Unix milliseconds. */
export type AgentRecall = {
  id: string;
  agentId: string;
  versions: number[];
  /** The recall affects conversations that started at this time or later; `null` for all. */
  since: number | null;
  reason: string | null;
  actor: string;
  at: number;
};

const COLUMNS = `id, agent_id as "agentId", versions, since, reason, actor, at`;

/**
 * Returns an SQL condition that is true for a recalled version. If `startedAt` (the start of a conversation) is given,
 * the condition is true only if a recall affects that conversation. All arguments are SQL expressions.
 */
export const isRecalled = (agentId: string, version: string, startedAt?: string): string =>
  `exists (select from agent_recalls r where r.agent_id = ${agentId} and ${version} = any(r.versions)${
    startedAt === undefined ? '' : ` and (r.since is null or ${startedAt} >= r.since)`
  })`;

/**
 * Returns the common table expression `recalled` with `agent_id`, `version` and `since`: each recalled version in a
 * namespace, and the time from which conversations with this version are affected. `namespace` is an SQL expression.
 */
export const recalledIn = (namespace: string): string => `recalled as materialized (
  select agent_id, version, min(coalesce(since, '-infinity')) as since
    from agent_recalls cross join lateral unnest(versions) as version
   where namespace = ${namespace} group by agent_id, version)`;

/** Appends a recall. The caller must hold the lock on the agent's row. */
export async function insertRecall(
  db: Db,
  recall: Omit<AgentRecall, 'at'> & { namespace: string },
): Promise<AgentRecall> {
  const { rows } = await db.query<AgentRecall>(
    `insert into agent_recalls (id, agent_id, namespace, versions, since, reason, actor)
     values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6, $7) returning ${COLUMNS}`,
    [
      recall.id,
      recall.agentId,
      recall.namespace,
      recall.versions,
      recall.since,
      recall.reason,
      recall.actor,
    ],
  );
  return rows[0]!; // An insert without a condition returns its row.
}

export async function readRecall(
  db: Db,
  { agentId, id }: { agentId: string; id: string },
): Promise<AgentRecall | undefined> {
  const { rows } = await db.query<AgentRecall>(
    `select ${COLUMNS} from agent_recalls where agent_id = $1 and id = $2`,
    [agentId, id],
  );
  return rows[0];
}

/** Lists the recalls of an agent, newest first. `before` is the last ID of the previous page. */
export async function listRecalls(
  db: Db,
  page: { agentId: string; before?: string | undefined; limit: number },
): Promise<AgentRecall[]> {
  const { rows } = await db.query<AgentRecall>(
    `select ${COLUMNS} from agent_recalls
      where agent_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [page.agentId, page.before, page.limit],
  );
  return rows;
}

/** Returns the recalled versions of an agent. */
export async function readRecalledVersions(db: Db, agentId: string): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ version: number }>({
    name: 'read_recalled_versions',
    text: 'select distinct unnest(versions) as version from agent_recalls where agent_id = $1',
    values: [agentId],
  });
  return new Set(rows.map(({ version }) => version));
}

/** Returns the recalled versions of the agents with these names, as `{agent, version}`. */
export async function readRecalledByName(
  db: Db,
  { namespace, names }: { namespace: string; names: readonly string[] },
): Promise<{ agent: string; version: number }[]> {
  if (names.length === 0) return [];
  const { rows } = await db.query<{ agent: string; version: number }>(
    `select distinct a.name as agent, unnest(r.versions) as version
       from agents a join agent_recalls r on r.agent_id = a.id
      where a.namespace = $1 and a.name = any($2) and a.deleted_at is null`,
    [namespace, names],
  );
  return rows;
}
