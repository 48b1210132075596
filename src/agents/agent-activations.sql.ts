import type { Db } from '../platform/postgres/pool.ts';
import { isRecalled } from './recalls/recalls.sql.ts';
import type { Handoff } from './tools/handoffs.sql.ts';

/** One entry in the append-only log of live versions (contract/agents.md#activations). */
export type AgentActivation = {
  agentId: string;
  seq: number;
  action: 'published' | 'rolled_back';
  fromVersion: number | null;
  toVersion: number;
  actor: string;
  reason: string | null;
  eventId: string;
  /** Targets of the version's handoffs; `null` if the version has no tool of type `handoff`. */
  handoffs: Handoff[] | null;
  /** Time of the activation in Unix milliseconds. */
  at: number;
};

const COLUMNS = `agent_id as "agentId", seq, action, from_version as "fromVersion",
  to_version as "toVersion", actor, reason, event_id as "eventId", handoffs, at`;

/**
 * Appends an activation. The caller must hold the lock on the agent's row. The primary key rejects a duplicate
 * sequence number.
 */
export async function insertActivation(
  db: Db,
  activation: Omit<AgentActivation, 'seq' | 'at'>,
): Promise<void> {
  await db.query(
    `insert into agent_activations
       (agent_id, seq, action, from_version, to_version, actor, reason, event_id, handoffs)
     select $1, coalesce(max(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8::jsonb
       from agent_activations where agent_id = $1`,
    [
      activation.agentId,
      activation.action,
      activation.fromVersion,
      activation.toVersion,
      activation.actor,
      activation.reason,
      activation.eventId,
      activation.handoffs && JSON.stringify(activation.handoffs),
    ],
  );
}

/** Lists activations, newest first. `before` is the last sequence number of the previous page. */
export async function listActivations(
  db: Db,
  page: { agentId: string; before?: number | undefined; limit: number },
): Promise<AgentActivation[]> {
  const { rows } = await db.query<AgentActivation>(
    `select ${COLUMNS} from agent_activations
      where agent_id = $1 and ($2::integer is null or seq < $2)
      order by seq desc limit $3`,
    [page.agentId, page.before, page.limit],
  );
  return rows;
}

/**
 * Returns the version's last activation at or before the given time (Unix milliseconds), or `undefined` if the version
 * was not activated by then.
 */
export async function readActivationUnder(
  db: Db,
  of: { agentId: string; version: number; atMs: number },
): Promise<AgentActivation | undefined> {
  const { rows } = await db.query<AgentActivation>(
    `select ${COLUMNS} from agent_activations
      where agent_id = $1 and to_version = $2 and at < to_timestamp(($3::bigint + 1) / 1000.0)
      order by seq desc limit 1`,
    [of.agentId, of.version, of.atMs],
  );
  return rows[0];
}

/** Returns the last publication and the last rollback of an agent. */
export async function lastActivations(db: Db, agentId: string): Promise<AgentActivation[]> {
  const { rows } = await db.query<AgentActivation>(
    `select distinct on (action) ${COLUMNS} from agent_activations
      where agent_id = $1 order by action, seq desc`,
    [agentId],
  );
  return rows;
}

/**
 * Returns the highest version below `version` that has been live and was not recalled, or `undefined` if none exists.
 */
export async function highestLiveVersionBelow(
  db: Db,
  key: { agentId: string; version: number },
): Promise<number | undefined> {
  const { rows } = await db.query<{ version: number | null }>(
    `select max(to_version) as version from agent_activations
      where agent_id = $1 and to_version < $2
        and not ${isRecalled('agent_activations.agent_id', 'to_version')}`,
    [key.agentId, key.version],
  );
  return rows[0]?.version ?? undefined;
}
