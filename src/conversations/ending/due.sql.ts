import type { Db } from '../../platform/postgres/pool.ts';
import { HAS_TIMED_OUT, HAS_VANISHED } from '../escalations/escalations.sql.ts';
import { HAS_LOST_TURN } from '../record/live-turns.sql.ts';
import { ABORTED_DUE } from './rollout-escalations.sql.ts';

type Key = { id: string; namespace: string };

// Uses `now()`, because PostgreSQL cannot use an index for the volatile `clock_timestamp()`.
const EXPIRED = 'expires_at <= now()';

const WITHOUT_SUMMARY = `ended_at is not null and summary is null and deleted_at is null
  and (judge_until is null or judge_until <= now())`;

const CHECK_DUE = 'look_at <= now()';

/** Returns whether any step of the reaper has work to do. An idle reaper runs only this statement. */
export async function isAnyDue(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isDue: boolean }>({
    name: 'is_reaper_due',
    text: `select exists (select from conversations where ${EXPIRED})
               or exists (select from conversations where ${WITHOUT_SUMMARY})
               or ${HAS_LOST_TURN} or ${HAS_VANISHED} or ${HAS_TIMED_OUT}
               or exists (select from deleted_agents where ${CHECK_DUE})
               or exists (select from rollout_escalations where ${ABORTED_DUE}) as "isDue"`,
  });
  return rows[0]!.isDue; // A select without `from` yields one row.
}

/** Returns expired conversations, longest expired first. Other processes may be ending them at the same time. */
export async function listExpired(db: Db, limit: number): Promise<Key[]> {
  const { rows } = await db.query<Key>(
    `select id, namespace from conversations where ${EXPIRED} order by expires_at limit $1`,
    [limit],
  );
  return rows;
}

/** Returns ended conversations that have no summary yet and that no model is judging. */
export async function listWithoutSummary(db: Db, limit: number): Promise<Key[]> {
  const { rows } = await db.query<Key>(
    `select id, namespace from conversations where ${WITHOUT_SUMMARY} order by ended_at limit $1`,
    [limit],
  );
  return rows;
}

/** A deleted agent, recorded by a trigger, that may still have live conversations. */
export type DeletedAgent = {
  agentId: string;
  namespace: string;
  /**
   * Whether every transaction that read the agent before its deletion has ended. After that, no new conversation with
   * the agent can start.
   */
  isSettled: boolean;
};

/**
 * Age in seconds after which a deletion counts as settled. Transactions that start a conversation always take less
 * time.
 */
const SETTLED_AFTER_SEC = 60;

/** Returns the deleted agents that are due for a check, longest due first. */
export async function listDeletedAgents(db: Db, limit: number): Promise<DeletedAgent[]> {
  const { rows } = await db.query<DeletedAgent>({
    name: 'list_deleted_agents',
    text: `select agent_id as "agentId", namespace,
                  deleted_at + make_interval(secs => $2) <= clock_timestamp() as "isSettled"
             from deleted_agents where ${CHECK_DUE} order by look_at limit $1`,
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
