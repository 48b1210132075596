import type { Db } from '../../platform/postgres/pool.ts';
import type { AgentContent } from '../agent.ts';

/**
 * The agents that a version hands conversations to (contract/tools.md#handoff), kept with the activation:
 * a later version of theirs is not taken by itself. `version` null: nothing of that agent was live then,
 * and the first of its versions that ever is counts. `agentId` null: nor was there such an agent.
 */
export type Handoff = {
  /** Name of the tool. */
  tool: string;
  /** Name of the agent. */
  agent: string;
  /** uuid */
  agentId: string | null;
  version: number | null;
};

/** The agents of these names as they are now: id and live version. */
export async function findHandoffTargets(
  db: Db,
  { namespace, names }: { namespace: string; names: readonly string[] },
): Promise<{ name: string; id: string; activeVersion: number | null }[]> {
  const { rows } = await db.query<{ name: string; id: string; activeVersion: number | null }>(
    `select name, id, active_version as "activeVersion" from agents
      where namespace = $1 and name = any($2) and deleted_at is null`,
    [namespace, names],
  );
  return rows;
}

/** What the last activation of a version has recorded, of agents that are still there. */
export async function lastHandoffs(
  db: Db,
  { agentId, version }: { agentId: string; version: number },
): Promise<Handoff[]> {
  const { rows } = await db.query<{ handoff: Handoff }>(
    `select h as handoff
       from (select handoffs from agent_activations
              where agent_id = $1 and to_version = $2 order by seq desc limit 1) as last
      cross join jsonb_array_elements(last.handoffs) as h
       join agents t on t.id = (h ->> 'agentId')::uuid and t.deleted_at is null
      where h ->> 'version' is not null`,
    [agentId, version],
  );
  return rows.map(({ handoff }) => handoff);
}

/** The agent that a handoff leads to. `content` null: nothing of it is live, or there is no such version. */
export type HandoffTarget = { agentId: string; agentVersion: number; content: AgentContent | null };

/**
 * By the record of the activation under which the conversation began: the last one of that version until
 * then, or the first one after it. A version that was never live has none: for it what was live of the
 * target when the conversation began, as if it had gone live then. undefined: there is no such agent, or
 * not any more.
 */
export async function readHandoffTarget(
  db: Db,
  from: {
    namespace: string;
    agentId: string;
    agentVersion: number;
    tool: { name: string; agent: string; version?: number | undefined };
    /** Of the conversation; Unix ms. */
    startedAt: number;
  },
): Promise<HandoffTarget | undefined> {
  const { rows } = await db.query<HandoffTarget>({
    name: 'read_handoff_target',
    text: `
      with record as (
        select handoffs from agent_activations
         where agent_id = $1 and to_version = $2
         order by at < to_timestamp(($3::bigint + 1) / 1000.0) desc,
                  case when at < to_timestamp(($3::bigint + 1) / 1000.0) then -seq else seq end
         limit 1
      ), handoff as (
        select h ->> 'agent' as name, (h ->> 'agentId')::uuid as id,
               (h ->> 'version')::integer as version, false as unrecorded
          from record cross join jsonb_array_elements(record.handoffs) as h
         where h ->> 'tool' = $4
         union all
        select $6, null, $7::integer, true where not exists (select 1 from record)
      )
      select t.id as "agentId", v.version as "agentVersion", v.content
        from handoff
        join agents t on t.namespace = $5 and t.deleted_at is null
             and (t.id = handoff.id or (handoff.id is null and t.name = handoff.name))
        left join agent_versions v on v.agent_id = t.id and v.version = coalesce(
               handoff.version,
               (select to_version from agent_activations
                 where agent_id = t.id and unrecorded and at < to_timestamp(($3::bigint + 1) / 1000.0)
                 order by seq desc limit 1),
               (select to_version from agent_activations where agent_id = t.id order by seq limit 1))`,
    values: [
      from.agentId,
      from.agentVersion,
      from.startedAt,
      from.tool.name,
      from.namespace,
      from.tool.agent,
      from.tool.version,
    ],
  });
  return rows[0];
}
