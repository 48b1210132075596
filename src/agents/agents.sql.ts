import type { AgentActivation } from './agent-activations.sql.ts';
import type { AgentSpec } from './agent.ts';
import {
  filteredBy,
  bytesOf,
  fittingRows,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { ManagedBy } from '../platform/resources/kind-names.ts';

/** Row of an Agent, which the operator writes and the API reads. Times are Unix milliseconds. */
export type AgentRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  /** Declared spec, with the text of the prompt in place of `promptFrom`. */
  spec: AgentSpec;
  activeVersion: number | null;
  latestVersion: number;
  /** Activation of the live version; `null` if no version is live. */
  activation: LiveActivation | null;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
};

/** Activation of the live version. `at` is in Unix milliseconds. */
export type LiveActivation = Pick<
  AgentActivation,
  'action' | 'fromVersion' | 'actor' | 'reason' | 'at'
>;

/** Fields of an agent that a reconcile writes. */
export type AgentProjection = Pick<
  AgentRow,
  'id' | 'namespace' | 'name' | 'uid' | 'generation' | 'managedBy' | 'spec'
>;

const COLUMNS = `id, namespace, name, uid, generation, managed_by as "managedBy", spec,
  active_version as "activeVersion", latest_version as "latestVersion", ready, reason, message,
  created_at as "createdAt", updated_at as "updatedAt",
  (select jsonb_build_object('action', a.action, 'fromVersion', a.from_version, 'actor', a.actor,
                             'reason', a.reason, 'at', floor(extract(epoch from a.at) * 1000))
     from agent_activations a where a.agent_id = agents.id and agents.active_version is not null
    order by a.seq desc limit 1) as activation`;

export async function readAgent(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<AgentRow | undefined> {
  const { rows } = await db.query<AgentRow>({
    name: 'read_agent',
    text: `select ${COLUMNS} from agents where id = $1 and namespace = $2 and deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

/**
 * Returns an agent in any namespace. The caller must check by other means that the requester is allowed to see the
 * agent.
 */
export async function readAgentById(db: Db, id: string): Promise<AgentRow | undefined> {
  const { rows } = await db.query<AgentRow>({
    name: 'read_agent_by_id',
    text: `select ${COLUMNS} from agents where id = $1 and deleted_at is null`,
    values: [id],
  });
  return rows[0];
}

export type AgentFilter = ListPage & {
  name?: string | undefined;
  managedBy?: ManagedBy | undefined;
  ready?: boolean | undefined;
  /** Name of a ModelProvider that the agent uses. */
  modelProvider?: string | undefined;
};

/**
 * SQL condition for agents that name a provider for their model, judgement, voice or transcriber, or for a fallback of
 * these. A quota limits the number of agents in a namespace, so the condition needs no index.
 */
const NAMES_PROVIDER = `? in (select jsonb_path_query(spec, 'lax $.keyvalue()
  ? (@.key == "model" || @.key == "judgement" || @.key == "voice" || @.key == "transcriber").value.**.provider') #>> '{}')`;

/** `fits` is false for an agent that would make the page too large. */
export type ListedAgent = AgentRow & { fits: boolean };

/** Lists agents, newest first, up to the size limit of a page (`fittingRows`). */
export async function listAgents(db: Db, filter: AgentFilter): Promise<ListedAgent[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['name =', filter.name],
    ['managed_by =', filter.managedBy],
    ['ready =', filter.ready],
    [NAMES_PROVIDER, filter.modelProvider],
    ['id <', filter.before],
  ]);
  const text = fittingRows({
    table: 'agents',
    where: `${where} and deleted_at is null`,
    order: 'id desc',
    limit: `$${values.push(filter.limit)}`,
    columns: COLUMNS,
    bytes: bytesOf('spec'),
  });
  const { rows } = await db.query<ListedAgent>(text, values);
  return rows;
}

/** Locks the agent's row. Inserts the row first if it is missing. Every change to the live version takes this lock. */
export async function lockAgent(db: Db, agent: AgentProjection): Promise<AgentRow> {
  // An earlier object with this name may have been deleted without the operator noticing. If so, its agent is marked as
  // deleted here.
  await db.query(
    `update agents set deleted_at = now(), updated_at = now()
      where namespace = $1 and name = $2 and id <> $3 and deleted_at is null`,
    [agent.namespace, agent.name, agent.id],
  );
  await db.query(
    `insert into agents (id, namespace, name, uid, generation, managed_by, spec)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`,
    [
      agent.id,
      agent.namespace,
      agent.name,
      agent.uid,
      agent.generation,
      agent.managedBy,
      agent.spec,
    ],
  );
  const { rows } = await db.query<AgentRow>(
    `select ${COLUMNS} from agents where id = $1 for update`,
    [agent.id],
  );
  return rows[0]!; // The row exists, because the insert above creates a missing one.
}

export async function updateAgent(
  db: Db,
  agent: AgentProjection & Pick<AgentRow, 'activeVersion' | 'latestVersion'> & AgentCondition,
): Promise<void> {
  await db.query(
    `update agents set
       namespace = $2, name = $3, uid = $4, generation = $5, managed_by = $6, spec = $7,
       active_version = $8, latest_version = $9, ready = $10, reason = $11, message = $12,
       updated_at = case when (spec, active_version, deleted_at) is distinct from
         ($7::jsonb, $8::integer, null::timestamptz) then now() else updated_at end,
       deleted_at = null
     where id = $1`,
    [
      agent.id,
      agent.namespace,
      agent.name,
      agent.uid,
      agent.generation,
      agent.managedBy,
      agent.spec,
      agent.activeVersion,
      agent.latestVersion,
      agent.ready,
      agent.reason,
      agent.message,
    ],
  );
}

export type AgentCondition = Pick<AgentRow, 'ready' | 'reason' | 'message'>;

/** Stores the condition that the API reports until the next reconcile. The caller must hold the row lock. */
export async function updateCondition(
  db: Db,
  id: string,
  { ready, reason, message }: AgentCondition,
): Promise<void> {
  await db.query('update agents set ready = $2, reason = $3, message = $4 where id = $1', [
    id,
    ready,
    reason,
    message,
  ]);
}

/** Hides the agent and returns it. Its row, versions and activations stay. */
export async function markAgentDeleted(
  db: Db,
  key: { namespace: string; name: string },
): Promise<AgentRow | undefined> {
  const { rows } = await db.query<AgentRow>(
    `update agents set deleted_at = now(), updated_at = now()
      where namespace = $1 and name = $2 and deleted_at is null returning ${COLUMNS}`,
    [key.namespace, key.name],
  );
  return rows[0];
}

/** Deletes an agent with its history, for `deletionPolicy: Delete`. Its events stay. */
export async function deleteAgent(db: Db, id: string): Promise<void> {
  await db.query('delete from agent_activations where agent_id = $1', [id]);
  await db.query(
    `delete from rollout_conversations
      where rollout_id in (select rollout_id from agent_rollouts where agent_id = $1)`,
    [id],
  );
  await db.query('delete from agent_rollouts where agent_id = $1', [id]);
  await db.query('delete from agent_recalls where agent_id = $1', [id]);
  await db.query('delete from agent_versions where agent_id = $1', [id]);
  await db.query('delete from agents where id = $1', [id]);
}
