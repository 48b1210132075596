import type { Db } from '../../platform/postgres/pool.ts';

/** A deleted agent, recorded by a trigger, that may still have live conversations. */
export type DeletedAgent = {
  agentId: string;
  namespace: string;
  /**
   * Whether every transaction that read the agent before its deletion has ended, so that no new conversation can
   * appear.
   */
  isSettled: boolean;
};

/**
 * Age in seconds after which a deletion counts as settled. It is longer than a transaction that starts a conversation
 * can last.
 */
const SETTLED_AFTER_SEC = 60;

/** Returns the deleted agents that are due for a check, longest due first. */
export async function listDeletedAgents(db: Db, limit: number): Promise<DeletedAgent[]> {
  const { rows } = await db.query<DeletedAgent>({
    name: 'list_deleted_agents',
    text: `select agent_id as "agentId", namespace,
                  deleted_at + make_interval(secs => $2) <= clock_timestamp() as "isSettled"
             from deleted_agents where look_at <= clock_timestamp() order by look_at limit $1`,
    values: [limit, SETTLED_AFTER_SEC],
  });
  return rows;
}

/**
 * Returns live conversations that an agent started or currently speaks in. Scans from the newest conversation, because
 * few old conversations are still live and the scan stops at `limit`.
 */
export async function listLiveOf(
  db: Db,
  { agentId, namespace }: DeletedAgent,
  limit: number,
): Promise<{ id: string; namespace: string }[]> {
  const { rows } = await db.query<{ id: string; namespace: string }>(
    `(select id, namespace from conversations
       where namespace = $1 and agent_id = $2 and deleted_at is null and ended_at is null
       order by id desc limit $3)
     union
     (select id, namespace from conversations
       where namespace = $1 and speaker_agent_id = $2 and deleted_at is null and ended_at is null
       order by id desc limit $3)
     limit $3`,
    [namespace, agentId, limit],
  );
  return rows;
}

/**
 * Removes an agent without live conversations from the list of deleted agents. If `isSettled` is false, a conversation
 * could still appear, so this function schedules one more check instead.
 */
export async function noneGoesOn(db: Db, { agentId, isSettled }: DeletedAgent): Promise<void> {
  await (isSettled
    ? db.query('delete from deleted_agents where agent_id = $1', [agentId])
    : db.query(
        `update deleted_agents set look_at = deleted_at + make_interval(secs => $2)
          where agent_id = $1`,
        [agentId, SETTLED_AFTER_SEC],
      ));
}
