import type { Db } from '../../platform/postgres/pool.ts';
import type { RolloutPlan } from '../agent-rollout.ts';

/** One line in the append-only log of rollouts (contract/rollouts.md#steps). Times are Unix milliseconds. */
export type RolloutLine = {
  agentId: string;
  seq: number;
  rolloutId: string;
  /** ID of the rollout as the API shows it, `ro_…`. */
  publicId: string;
  action: 'started' | 'advanced' | 'held' | 'resumed' | 'completed' | 'aborted';
  /** Index of the step in the plan, starting at 0. */
  step: number;
  /** Percentage of new conversations that use the new version. */
  weight: number;
  fromVersion: number;
  toVersion: number;
  plan: RolloutPlan;
  actor: string;
  reason: string | null;
  /** Metrics at the time of the action; `null` if a declaration or a recall caused the action. */
  evidence: Record<string, unknown> | null;
  at: number;
};

/** SQL list of the actions after which a rollout is over. */
export const ENDED = `('completed', 'aborted')`;

const COLUMNS = `agent_id as "agentId", seq, rollout_id as "rolloutId", public_id as "publicId",
  action, step, weight, from_version as "fromVersion", to_version as "toVersion", plan, actor,
  reason, evidence, at`;

/**
 * Appends a line. The caller must hold the lock on the agent's row and must have read the previous line. If another
 * process has written a line since then, the primary key rejects this one.
 */
export async function insertRolloutLine(
  db: Db,
  line: Omit<RolloutLine, 'seq' | 'at'> & { after: number },
): Promise<void> {
  await db.query(
    `insert into agent_rollouts
       (agent_id, seq, rollout_id, public_id, action, step, weight, from_version, to_version, plan,
        actor, reason, evidence)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      line.agentId,
      line.after + 1,
      line.rolloutId,
      line.publicId,
      line.action,
      line.step,
      line.weight,
      line.fromVersion,
      line.toVersion,
      line.plan,
      line.actor,
      line.reason,
      line.evidence,
    ],
  );
}

/**
 * An agent's last rollout line. `isOverdue` says whether the step has exceeded the maximum duration, by the database
 * clock.
 */
export type LastRolloutLine = RolloutLine & { isOverdue: boolean };

/** Returns an agent's last rollout line, or `undefined` if the agent never had a rollout. */
export async function readLastRolloutLine(
  db: Db,
  agentId: string,
): Promise<LastRolloutLine | undefined> {
  const { rows } = await db.query<LastRolloutLine>({
    name: 'read_last_rollout_line',
    text: `select ${COLUMNS},
                  at + make_interval(secs => (plan->>'maxDurationSec')::int) <= clock_timestamp()
                    as "isOverdue"
             from agent_rollouts where agent_id = $1 order by seq desc limit 1`,
    values: [agentId],
  });
  return rows[0];
}

/** Lists an agent's rollout lines, newest first. `before` is the last sequence number of the previous page. */
export async function listRolloutLines(
  db: Db,
  page: { agentId: string; before?: number | undefined; limit: number },
): Promise<RolloutLine[]> {
  const { rows } = await db.query<RolloutLine>(
    `select ${COLUMNS} from agent_rollouts
      where agent_id = $1 and ($2::integer is null or seq < $2)
      order by seq desc limit $3`,
    [page.agentId, page.before, page.limit],
  );
  return rows;
}

/** Returns the IDs of the agent's rollouts that have ended. */
export async function listEndedRollouts(db: Db, agentId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select rollout_id as id from agent_rollouts where agent_id = $1 and action in ${ENDED}`,
    [agentId],
  );
  return rows.map(({ id }) => id);
}

/** Returns true if this version of the agent has ever been live. */
export async function wasEverLive(
  db: Db,
  { agentId, version }: { agentId: string; version: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from agent_activations where agent_id = $1 and to_version = $2 limit 1',
    [agentId, version],
  );
  return rowCount === 1;
}

/** Locks the agent's row. Returns its live version and name, or `undefined` if it was deleted. */
export async function lockLiveVersion(
  db: Db,
  agentId: string,
): Promise<{ activeVersion: number | null; namespace: string; name: string } | undefined> {
  const { rows } = await db.query<{
    activeVersion: number | null;
    namespace: string;
    name: string;
  }>(
    `select active_version as "activeVersion", namespace, name from agents
      where id = $1 and deleted_at is null for update`,
    [agentId],
  );
  return rows[0];
}

/** Stores the version that a rollout has made live. The caller must have written the activation. */
export async function storeLiveVersion(
  db: Db,
  { agentId, version }: { agentId: string; version: number },
): Promise<void> {
  await db.query(
    `update agents set active_version = $2, message = $3, updated_at = now() where id = $1`,
    [agentId, version, `version ${version} is live`],
  );
}

/**
 * Stores a task for the conversation reaper: to request a human for each conversation in progress that uses the
 * rollout's new version.
 */
export async function insertRolloutEscalations(
  db: Db,
  of: Pick<RolloutLine, 'rolloutId' | 'agentId' | 'toVersion'> & {
    namespace: string;
    reason: string;
  },
): Promise<void> {
  await db.query(
    `insert into rollout_escalations (rollout_id, agent_id, namespace, version, reason)
     values ($1, $2, $3, $4, $5)`,
    [of.rolloutId, of.agentId, of.namespace, of.toVersion, of.reason],
  );
}
