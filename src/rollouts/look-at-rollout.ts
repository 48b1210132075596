import type { Emitted, Announce } from '../events/emit-event.ts';
import { monotonicMs } from '../clock.ts';
import {
  abortRollout,
  advanceRollout,
  completeRollout,
  holdRollout,
  type DecidedBy,
} from '../agents/rollouts/rollout-acts.ts';
import { isInProgress } from '../agents/rollouts/plan-rollout.ts';
import {
  listEndedRollouts,
  lockLiveVersion,
  readLastRolloutLine,
  type LastRolloutLine,
  type RolloutLine,
} from '../agents/rollouts/rollouts.sql.ts';
import { deleteRolloutConversations } from '../conversations/rollout-figures.sql.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import type { Notifier } from '../platform/postgres/notifications.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { tellProjected } from '../platform/postgres/projected.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { ConfirmStep } from './confirm-step.ts';
import { judgeRollout, type Evidence } from './judge-rollout.ts';
import { decideStep, type Decision } from './statistics/decide-step.ts';

/**
 * Agent whose rollout is evaluated, and the epoch of the operator's leader. While the agent is suspended, its rollout
 * is treated as held.
 */
export type LookAt = {
  agentId: string;
  namespace: string;
  epoch: number;
  isSuspended?: boolean;
};

export type RolloutDeps = {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  announce: Announce;
  nowMs: () => number;
  metrics: Pick<Metrics, 'rolloutActs'>;
};

export type LookDeps = RolloutDeps & { confirmStep: ConfirmStep };

/**
 * Result of an evaluation: the last line of the rollout log, with the metrics of both versions if the rollout was in
 * progress.
 */
export type RolloutSeen = {
  line: RolloutLine;
  evidence: Evidence | undefined;
  /** Decision that this evaluation carried out; `undefined` if the evaluation changed nothing. */
  acted?: Decision;
  /** Time in ms until the next evaluation; `undefined` if the rollout is over. */
  againAfterMs?: number;
};

/** Actor recorded for changes that the operator makes to a rollout. */
const OPERATOR = 'parley-operator';
const LOOK_EVERY_MS = 5_000;
/** Pause in ms before the next evaluation while the confirmation webhook has not answered yet. */
const ANSWER_EVERY_MS = 1_000;
/**
 * Minimum pause before the next evaluation, as a multiple of the duration of the previous one. Evaluating a large
 * rollout therefore takes at most 5% of the operator's time.
 */
const REST = 20;

/**
 * Evaluates the last rollout of an agent, and advances, holds, completes or aborts it if its checks say so
 * (contract/rollouts.md#steps). Never changes which version the agent is pinned to. Returns `undefined` if the agent
 * never had a rollout.
 *
 * The change is made in one transaction, which locks the agent's row. The transaction fails if the leader's epoch is no
 * longer current. The change is dropped if the rollout has changed since the metrics were read.
 */
export async function lookAtRollout(
  deps: LookDeps,
  { agentId, namespace, epoch, isSuspended = false }: LookAt,
): Promise<RolloutSeen | undefined> {
  const { pool } = deps;
  const startedMs = monotonicMs();
  const line = await readLastRolloutLine(pool, agentId);
  if (!line) return undefined;
  await deleteRolloutConversations(pool, await listEndedRollouts(pool, agentId));
  if (!isInProgress(line)) return { line, evidence: undefined };
  const evidence = await judgeRollout(pool, line);
  const decided = decideStep(stateOf(line, evidence, isSuspended));
  const confirmed = await confirm(deps, { decided, line, evidence, namespace, epoch });
  if (!confirmed) return { line, evidence, againAfterMs: ANSWER_EVERY_MS };
  const { decision, reason } = confirmed;
  const acted =
    decision !== 'wait' && (await act(deps, { line, evidence, decision, reason, epoch }));
  const now = acted ? ((await readLastRolloutLine(pool, agentId)) ?? line) : line;
  const seen = { line: now, evidence, ...(acted && { acted: decision }) };
  if (!isInProgress(now)) return seen;
  const tookMs = monotonicMs() - startedMs;
  return { ...seen, againAfterMs: Math.max(LOOK_EVERY_MS, REST * tookMs) };
}

function stateOf(line: LastRolloutLine, evidence: Evidence, isSuspended: boolean) {
  const { plan, step, action, isOverdue } = line;
  return {
    step: plan.steps[step] ?? { weight: line.weight, minConversations: Infinity },
    isLast: step === plan.steps.length - 1,
    onFail: plan.onFail,
    isHeld: isSuspended || action === 'held',
    conversations: evidence.step.conversations,
    verdicts: evidence.checks.map(({ verdict }) => verdict),
    isOverdue,
  };
}

/**
 * Returns the final decision, with a human-readable reason. Before a rollout is advanced or completed, asks the
 * rollout's confirmation webhook, if one is configured. The webhook may change the decision to hold or abort. Returns
 * `undefined` while the webhook has not answered.
 */
async function confirm(
  deps: LookDeps,
  of: {
    decided: Decision;
    line: RolloutLine;
    evidence: Evidence;
    namespace: string;
    epoch: number;
  },
): Promise<{ decision: Decision; reason: string } | undefined> {
  const { decided, line, evidence, namespace, epoch } = of;
  const reason = reasonOf(decided, line, evidence);
  const { confirm: webhook } = line.plan;
  const isAsked = webhook && (decided === 'advance' || decided === 'complete');
  if (!isAsked) return { decision: decided, reason };
  // A leader that was paused must not repeat a question that its successor has already asked.
  await assertLeader(deps.pool, epoch);
  const answer = await deps.confirmStep({ namespace, webhook, line, evidence });
  if (!answer) return undefined;
  return answer.decision === 'confirm'
    ? { decision: decided, reason: `${reason}; ${answer.reason}` }
    : { decision: answer.decision, reason: answer.reason };
}

/** Action that is written to the rollout log for each decision. */
const ACTIONS = {
  advance: 'advanced',
  hold: 'held',
  complete: 'completed',
  abort: 'aborted',
} as const;

/**
 * Carries out a decision. Returns false if the rollout or the agent's live version has changed since the decision was
 * made.
 */
async function act(
  deps: RolloutDeps,
  input: {
    line: RolloutLine;
    evidence: Evidence;
    decision: keyof typeof ACTIONS;
    reason: string;
    epoch: number;
  },
): Promise<boolean> {
  const { line, evidence, decision, reason, epoch } = input;
  const { agentId } = line;
  const done = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, epoch);
    const agent = await lockLiveVersion(db, agentId);
    const current = await readLastRolloutLine(db, agentId);
    if (!agent || current?.seq !== line.seq || agent.activeVersion !== line.fromVersion) {
      return undefined;
    }
    const by = { actor: OPERATOR, reason, evidence };
    const emitted = await actOf(db, decision, {
      agent: { ...agent, id: agentId },
      line,
      by,
      nowMs: deps.nowMs(),
    });
    return { emitted, namespace: agent.namespace };
  });
  if (!done) return false;
  deps.metrics.rolloutActs.inc({ action: ACTIONS[decision], by: 'operator' });
  if (done.emitted) deps.announce(done.emitted);
  tellProjected(deps, { resource: 'agents', namespace: done.namespace, id: agentId });
  return true;
}

async function actOf(
  db: Db,
  decision: Decision,
  of: {
    agent: { id: string; namespace: string; name: string };
    line: RolloutLine;
    by: DecidedBy;
    nowMs: number;
  },
): Promise<Emitted | undefined> {
  const { agent, line: last, by, nowMs } = of;
  if (decision === 'abort') return abortRollout(db, { agent, last, by, nowMs });
  if (decision === 'complete') return completeRollout(db, { agent, last, by, nowMs });
  if (decision === 'advance') await advanceRollout(db, last, by);
  if (decision === 'hold') await holdRollout(db, last, by, 'held');
  return undefined;
}

/** Returns a human-readable reason for a decision. */
function reasonOf(decision: Decision, { plan }: RolloutLine, { step, checks }: Evidence): string {
  const worse = checks.filter(({ verdict }) => verdict === 'worse');
  if (worse.length > 0) {
    return worse
      .map(({ metric, difference, low, high }) => {
        const atLeast = (difference ?? 0) > 0 ? low : high;
        return `${metric} is worse by ${figure(difference)} (at least ${figure(atLeast)})`;
      })
      .join('; ');
  }
  if (decision !== 'hold') return 'every check passed';
  const missing = [
    ...(step.conversations < step.min_conversations
      ? [`${step.conversations} of ${step.min_conversations} conversations have ended`]
      : []),
    ...checks
      .filter(({ verdict }) => verdict === 'undecided')
      .map(({ metric, difference }) =>
        difference === null ? `${metric} has no data` : `${metric} is undecided`,
      ),
  ];
  return `undecided after ${plan.maxDurationSec} s: ${missing.join(', ')}`;
}

function figure(value: number | null): string {
  return value === null ? '?' : String(Number(Math.abs(value).toPrecision(3)));
}
