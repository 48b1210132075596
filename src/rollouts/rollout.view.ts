import { z } from 'zod';
import { ROLLOUT_METRICS, type RolloutMetric } from '../agents/agent-rollout.ts';
import { statusOf } from '../agents/rollouts/rollout-status.ts';
import type { RolloutLine } from '../agents/rollouts/rollouts.sql.ts';
import { unixSec, unixTime } from '../platform/http/fields.ts';
import type { Evidence } from './judge-rollout.ts';

/** Representation of rollouts in the REST API (contract/rollouts.md). */

const version = z.int().min(1);
const figure = z.number().nullable();
// The cast is safe, because `RolloutMetric` is defined as the keys of `ROLLOUT_METRICS`.
const metric = z.enum(Object.keys(ROLLOUT_METRICS) as RolloutMetric[]);
const arm = z.strictObject({ conversations: z.int().min(0) });

const evidenceShape = {
  from: arm.meta({ description: 'Number of conversations on the old version that have ended.' }),
  to: arm.meta({ description: 'Number of conversations on the new version that have ended.' }),
  checks: z.array(
    z.strictObject({
      metric,
      worse_by: z.number(),
      from: figure.meta({
        description:
          'Value of the metric for the old version, over all steps. Null for a percentile, or if there is no data.',
      }),
      to: figure.meta({
        description:
          'Value of the metric for the new version, over all steps. Null for a percentile, or if there is no data.',
      }),
      difference: figure.meta({
        description:
          'Value for the new version minus value for the old version, compared within each step. Null if there is ' +
          'no data.',
      }),
      low: figure.meta({
        description: 'Lower confidence bound of `difference`. Null if the bound is unknown.',
      }),
      high: figure.meta({
        description: 'Upper confidence bound of `difference`. Null if the bound is unknown.',
      }),
      verdict: z.enum(['worse', 'passed', 'undecided']),
    }),
  ),
};

const stepShape = {
  rollout_id: z.string().meta({ description: 'ID of the rollout, `ro_…`.' }),
  step: z.int().min(1).meta({ description: 'Number of the step, starting at 1.' }),
  weight: z.int().min(0).max(100).meta({
    description: 'Percentage of new conversations that use the new version.',
  }),
  from_version: version,
  to_version: version,
  actor: z.string(),
  reason: z.string().nullable(),
  at: unixTime,
};

export const Rollout = z
  .strictObject({
    ...stepShape,
    status: z.enum(['progressing', 'holding', 'completed', 'aborted']),
    steps: z.int().min(1).meta({ description: 'Number of steps.' }),
    ...evidenceShape,
    conversations: z.int().meta({
      description: 'Number of conversations on the new version that have ended in this step.',
    }),
    min_conversations: z.int().meta({
      description:
        'Number of conversations on the new version that must end before this step can end.',
    }),
  })
  .meta({
    id: 'Rollout',
    description: 'The rollout in progress or, if there is none, the last rollout.',
  });

export const RolloutAct = z
  .strictObject({
    ...stepShape,
    action: z.enum(['started', 'advanced', 'held', 'resumed', 'completed', 'aborted']),
    evidence: z.strictObject(evidenceShape).nullable().meta({
      description:
        'Metrics at the time of this change. Null if a declaration or a recall caused the change.',
    }),
  })
  .meta({ id: 'RolloutAct', description: 'An entry in the append-only log of rollouts.' });

function stepView(line: RolloutLine): z.output<z.ZodObject<typeof stepShape>> {
  return {
    rollout_id: line.publicId,
    step: line.step + 1,
    weight: line.weight,
    from_version: line.fromVersion,
    to_version: line.toVersion,
    actor: line.actor,
    reason: line.reason,
    at: unixSec(line.at),
  };
}

/** Returns a rollout with the metrics of both versions. */
export function rolloutView(line: RolloutLine, evidence: Evidence): z.output<typeof Rollout> {
  const { step, ...figures } = evidence;
  return {
    ...stepView(line),
    status: statusOf(line),
    steps: line.plan.steps.length,
    ...figures,
    conversations: step.conversations,
    min_conversations: step.min_conversations,
  };
}

export function rolloutActView(line: RolloutLine): z.output<typeof RolloutAct> {
  const { from, to, checks } = (line.evidence ?? {}) as Partial<Evidence>;
  const evidence = from && to && checks ? { from, to, checks } : null;
  return { ...stepView(line), action: line.action, evidence };
}
