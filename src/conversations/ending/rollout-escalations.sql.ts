import type { Db } from '../../platform/postgres/pool.ts';

/**
 * This module finds the conversations of an aborted rollout that need a human
 * (contract/rollouts.md#conversations-in-progress).
 */

export const ABORTED_DUE = 'look_at <= now()';

/** An aborted rollout with conversations in progress that may still need a human. */
export type AbortedRollout = {
  rolloutId: string;
  agentId: string;
  namespace: string;
  version: number;
  reason: string;
  /**
   * Whether every transaction that read the rollout before its abort has ended. After that, no new conversation on the
   * aborted version can start.
   */
  isSettled: boolean;
};

/** Age in seconds after which an abort counts as settled. A transaction that starts a conversation takes less time. */
const SETTLED_AFTER_SEC = 60;

/** Returns the aborted rollouts that are due for a check, longest due first. */
export async function listAbortedRollouts(db: Db, limit: number): Promise<AbortedRollout[]> {
  const { rows } = await db.query<AbortedRollout>({
    name: 'list_aborted_rollouts',
    text: `select rollout_id as "rolloutId", agent_id as "agentId", namespace, version, reason,
                  aborted_at + make_interval(secs => $2) <= clock_timestamp() as "isSettled"
             from rollout_escalations where ${ABORTED_DUE} order by look_at limit $1`,
    values: [limit, SETTLED_AFTER_SEC],
  });
  return rows;
}

/**
 * Returns live conversations on the aborted version. Skips tests, conversations that another agent has taken over, and
 * conversations for which a human has been requested since the abort.
 */
export async function listWithAborted(
  db: Db,
  { rolloutId }: AbortedRollout,
  limit: number,
): Promise<{ id: string; namespace: string }[]> {
  const { rows } = await db.query<{ id: string; namespace: string }>(
    `select c.id, c.namespace
       from rollout_escalations r
       join conversations c on c.namespace = r.namespace and c.agent_id = r.agent_id
                           and c.agent_version = r.version
      where r.rollout_id = $1 and c.status = 'active' and c.deleted_at is null
        and c.speaker_agent_id is null and not c.test
        and not exists (select from escalations e
                         where e.conversation_id = c.id and e.requested_at >= r.aborted_at)
      order by c.id desc limit $2`,
    [rolloutId, limit],
  );
  return rows;
}

/**
 * Removes an aborted rollout from the list. Call it when none of its conversations needs a human any longer. If
 * `isSettled` is false, a conversation could still appear, so this function schedules one more check instead.
 */
export async function noneIsLeft(db: Db, { rolloutId, isSettled }: AbortedRollout): Promise<void> {
  await (isSettled
    ? db.query('delete from rollout_escalations where rollout_id = $1', [rolloutId])
    : db.query(
        `update rollout_escalations set look_at = aborted_at + make_interval(secs => $2)
          where rollout_id = $1`,
        [rolloutId, SETTLED_AFTER_SEC],
      ));
}
