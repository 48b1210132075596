import { isInProgress } from '../agents/rollouts/plan-rollout.ts';
import {
  abortRollout,
  advanceRollout,
  completeRollout,
  holdRollout,
  type DecidedBy,
} from '../agents/rollouts/rollout-acts.ts';
import {
  lockLiveVersion,
  readLastRolloutLine,
  type RolloutLine,
} from '../agents/rollouts/rollouts.sql.ts';
import { ApiError } from '../errors.ts';
import type { Emitted } from '../events/emit-event.ts';
import { noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { tellProjected } from '../platform/postgres/projected.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { judgeRollout, type Evidence } from './judge-rollout.ts';
import type { RolloutDeps } from './look-at-rollout.ts';

/** Changes to a rollout in progress that an API client can request. */
export type RolloutChange = 'advance' | 'hold' | 'resume' | 'abort';

/** Result of a change: the last line of the rollout log after the change, and the metrics of both versions. */
export type ChangedRollout = { line: RolloutLine; evidence: Evidence };

/**
 * Applies a requested change to the rollout in progress. Runs in one transaction, which locks the agent's row.
 * `advance` ends the step regardless of its checks; if that was the last step, the new version goes live. Holding a
 * rollout that is already held, or resuming one that is not held, changes nothing. Stores the current metrics in the
 * rollout log, as evidence for the change.
 * @throws ApiError no_rollout, write_conflict
 */
export async function changeRollout(
  deps: RolloutDeps,
  input: { agentId: string; change: RolloutChange; actor: string; reason: string | null },
  beforeCommit: CommitHook<ChangedRollout> = noCommitHook,
): Promise<ChangedRollout> {
  const { agentId, change, actor, reason } = input;
  const seen = await readLastRolloutLine(deps.pool, agentId);
  if (!isInProgress(seen)) throw noRollout();
  // Computes the metrics before taking the lock, because the computation takes long for many conversations.
  const evidence = await judgeRollout(deps.pool, seen);
  const { changed, emitted, namespace } = await inTransaction(deps.pool, async (db) => {
    const agent = await lockLiveVersion(db, agentId);
    const last = await readLastRolloutLine(db, agentId);
    if (!agent || !isInProgress(last) || agent.activeVersion !== last.fromVersion) {
      throw noRollout();
    }
    if (last.seq !== seen.seq) {
      const detail = 'The rollout has changed since this request began. Read it and try again.';
      throw new ApiError('write_conflict', detail);
    }
    const emitted = await actOf(db, change, {
      agent: { ...agent, id: agentId },
      last,
      by: { actor, reason, evidence },
      nowMs: deps.nowMs(),
    });
    const line = (await readLastRolloutLine(db, agentId)) ?? last;
    const changed = { line, evidence: line.step === last.step ? evidence : anew(line, evidence) };
    await beforeCommit(db, changed);
    return { changed, emitted, namespace: agent.namespace };
  });
  if (changed.line.seq !== seen.seq) {
    deps.metrics.rolloutActs.inc({ action: changed.line.action, by: 'person' });
  }
  if (emitted) deps.announce(emitted);
  tellProjected(deps, { resource: 'agents', namespace, id: agentId });
  return changed;
}

function noRollout(): ApiError {
  return new ApiError('no_rollout', 'The agent has no rollout in progress.');
}

/** Returns the metrics after the rollout has moved to another step. In that step, no conversation has ended yet. */
function anew({ plan, step }: RolloutLine, evidence: Evidence): Evidence {
  const { minConversations = 0 } = plan.steps[step] ?? {};
  return { ...evidence, step: { conversations: 0, min_conversations: minConversations } };
}

async function actOf(
  db: Db,
  change: RolloutChange,
  of: {
    agent: { id: string; namespace: string; name: string };
    last: RolloutLine;
    by: DecidedBy;
    nowMs: number;
  },
): Promise<Emitted | undefined> {
  const { agent, last, by, nowMs } = of;
  const isHeld = last.action === 'held';
  const isLast = last.step === last.plan.steps.length - 1;
  if (change === 'abort') return abortRollout(db, { agent, last, by, nowMs });
  if (change === 'advance' && isLast) return completeRollout(db, { agent, last, by, nowMs });
  if (change === 'advance') await advanceRollout(db, last, by);
  if (change === 'hold' && !isHeld) await holdRollout(db, last, by, 'held');
  if (change === 'resume' && isHeld) await holdRollout(db, last, by, 'resumed');
  return undefined;
}
