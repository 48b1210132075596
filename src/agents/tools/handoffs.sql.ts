import type { Db } from '../../platform/postgres/pool.ts';
import type { AgentContent } from '../agent.ts';
import { isRecalled } from '../recalls/recalls.sql.ts';

/**
 * Target of a handoff tool in an agent version (contract/tools.md#handoff). It is stored with the activation, so that
 * later versions of the target do not change it. If the target had no live version at that time, `version` is `null`,
 * and the first version that goes live later is used. `agentId` is `null` if the target did not exist.
 */
export type Handoff = {
  /** Name of the handoff tool. */
  tool: string;
  /** Name of the target agent. */
  agent: string;
  /** UUID of the target. */
  agentId: string | null;
  version: number | null;
};

/** Returns the ID, the live version and the recalled versions of the agents with these names. */
export async function findHandoffTargets(
  db: Db,
  { namespace, names }: { namespace: string; names: readonly string[] },
): Promise<{ name: string; id: string; activeVersion: number | null; recalled: number[] }[]> {
  const { rows } = await db.query<{
    name: string;
    id: string;
    activeVersion: number | null;
    recalled: number[];
  }>(
    `select name, id, active_version as "activeVersion",
            array(select unnest(r.versions) from agent_recalls r where r.agent_id = agents.id) as recalled
       from agents
      where namespace = $1 and name = any($2) and deleted_at is null`,
    [namespace, names],
  );
  return rows;
}

/**
 * Returns the handoffs that the last activation of a version recorded. Omits targets that no longer exist, those
 * without a recorded version, and those whose recorded version was recalled.
 */
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
      where h ->> 'version' is not null
        and not ${isRecalled('t.id', `(h ->> 'version')::integer`)}`,
    [agentId, version],
  );
  return rows.map(({ handoff }) => handoff);
}

/**
 * Agent that takes over a conversation. `content` is `null` if the agent has no live version, or if the version that
 * the tool declares does not exist.
 */
export type HandoffTarget = { agentId: string; agentVersion: number; content: AgentContent | null };

/**
 * Resolves a handoff from the activation that applied when the conversation began. This is the last activation of the
 * agent's version up to that time or, if none exists, the version's first activation after that time. A version that
 * was never live has no activation. Its handoff leads to the version that the tool declares. If the tool declares none,
 * the handoff leads to the version of the target that was live when the conversation began. If the resulting version
 * was recalled, the handoff leads to the live version of the target instead. Returns `undefined` if the target does not
 * exist or was deleted.
 */
export async function readHandoffTarget(
  db: Db,
  from: {
    namespace: string;
    agentId: string;
    agentVersion: number;
    tool: { name: string; agent: string; version?: number | undefined };
    /** Start of the conversation in Unix milliseconds. */
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
       cross join lateral (select coalesce(
               handoff.version,
               (select to_version from agent_activations
                 where agent_id = t.id and unrecorded and at < to_timestamp(($3::bigint + 1) / 1000.0)
                 order by seq desc limit 1),
               (select to_version from agent_activations where agent_id = t.id order by seq limit 1)
             ) as version) named
        left join agent_versions v on v.agent_id = t.id and v.version =
               case when ${isRecalled('t.id', 'named.version')} then t.active_version else named.version end`,
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
