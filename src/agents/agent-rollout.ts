import { z } from 'zod';
import {
  httpUrl,
  listMap,
  rules,
  signingSecretRef,
  time,
} from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/** The `rollout` field of agents: how a new version gets a growing share of conversations (contract/rollouts.md). */

/**
 * Metrics that a check can compare. `worse` says whether a higher or a lower value is worse. `range` is the difference
 * between the largest and the smallest value that one conversation can have, or `null` if there is no largest value.
 */
export const ROLLOUT_METRICS = {
  escalation_rate: { worse: 'higher', range: 1 },
  resolution_rate: { worse: 'lower', range: 1 },
  gap_rate: { worse: 'higher', range: 1 },
  unanswered_rate: { worse: 'higher', range: 1 },
  tool_failure_rate: { worse: 'higher', range: 1 },
  // Ratings from 1 to 5.
  csat_average: { worse: 'lower', range: 4 },
  // Latencies have no upper limit, so their percentile has none either.
  turn_latency_p95_ms: { worse: 'higher', range: null },
} as const satisfies Record<string, { worse: 'higher' | 'lower'; range: number | null }>;

export type RolloutMetric = keyof typeof ROLLOUT_METRICS;
// The cast is safe: the keys are those of the literal above.
const METRIC_NAMES = Object.keys(ROLLOUT_METRICS) as RolloutMetric[];

const STEPS_MAX = 10;
/** Default for the maximum duration of a step. */
const MAX_DURATION = '72h';
/**
 * Maximum timeout of the confirmation webhook. It is shorter than the maximum for a tool, because an operator process
 * waits for the response before it shuts down.
 */
const CONFIRM_TIMEOUT_MAX_MS = 15_000;

const step = z.strictObject({
  weight: z
    .int()
    .min(1)
    .max(99)
    .describe('Percentage of new conversations that use the new version.'),
  minConversations: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Number of conversations on the new version that must end before the next step.'),
});

const check = z
  .strictObject({
    metric: z.enum(METRIC_NAMES).describe('Metric by which the two versions are compared.'),
    worseBy: z
      .number()
      .min(0.001)
      .max(600_000)
      .describe(
        'Smallest difference at which the new version counts as worse, in the unit of the metric.',
      ),
  })
  .meta(
    rules(
      {
        rule: "self.metric != 'csat_average' || self.worseBy <= 4.0",
        message: 'must be at most 4 for csat_average',
        fieldPath: '.worseBy',
      },
      {
        rule: "self.metric == 'turn_latency_p95_ms' || self.metric == 'csat_average' || self.worseBy <= 1.0",
        message: 'must be at most 1 for a rate',
        fieldPath: '.worseBy',
      },
    ),
  );

const confirm = z.strictObject({
  url: httpUrl.describe('URL of the webhook, which responds with confirm, hold or abort.'),
  signingSecretRef,
  timeoutMs: z
    .int()
    .min(100)
    .max(CONFIRM_TIMEOUT_MAX_MS)
    .describe("Maximum wait for the webhook's whole response, in milliseconds. Default: 8000.")
    .exactOptional(),
});

export const rollout = z.strictObject({
  steps: z
    .array(step)
    .min(1)
    .max(STEPS_MAX)
    .meta({ 'x-kubernetes-list-type': 'atomic', ...rules(...risingWeights()) })
    .describe(
      'Steps of the rollout, with increasing weights. After the last step, the new version goes ' +
        'live.',
    ),
  maxDuration: z
    .string()
    .regex(
      ...saying(
        /^[1-9][0-9]{0,3}[mhd]$/,
        'must be a number of minutes, hours or days, such as 72h',
      ),
    )
    .max(5)
    .describe(
      `Maximum duration of a step, such as 90m, 72h or 7d. If a step takes longer, the rollout is held. Default: ${MAX_DURATION}.`,
    )
    .exactOptional(),
  checks: z
    .array(check)
    .min(1)
    .max(METRIC_NAMES.length)
    .meta(listMap('metric'))
    .describe('Metrics on which the new version must not be worse than the old version.'),
  onFail: z
    .enum(['Abort', 'Hold'])
    .describe('What to do if the new version is worse. Default: Abort.')
    .exactOptional(),
  onAbort: z
    .enum(['Keep', 'Escalate'])
    .describe(
      'Keep (the default): after an abort, conversations in progress keep the new version. ' +
        'Escalate: they also keep it, and Parley requests a human for each of them.',
    )
    .exactOptional(),
  confirm: confirm
    .describe('Webhook that must confirm each further step and the completion of the rollout.')
    .exactOptional(),
});

export const rolloutStatus = z.strictObject({
  status: z
    .enum(['progressing', 'holding', 'completed', 'aborted'])
    .describe('State of the rollout.'),
  step: z.int().min(1).describe('Number of the current step, starting at 1.'),
  steps: z.int().min(1).describe('Number of steps.'),
  weight: z
    .int()
    .min(0)
    .max(100)
    .describe('Percentage of new conversations that use the new version.'),
  fromVersion: z.int().min(1).describe('Old version.'),
  toVersion: z.int().min(1).describe('New version.'),
  message: z
    .string()
    .max(256)
    .describe('One-line summary: the state of the rollout and the progress of its current step.'),
  reason: z
    .string()
    .max(1024)
    .describe('Reason for the last action on the rollout.')
    .exactOptional(),
  actor: z.string().max(256).describe('Actor that performed the last action on the rollout.'),
  time: time.describe('When the step began or the rollout ended.'),
});

export type RolloutStatus = z.output<typeof rolloutStatus>;
export type RolloutSpec = z.output<typeof rollout>;
export type ConfirmWebhook = z.output<typeof confirm>;

/** A declared rollout with its defaults applied, as stored when the rollout begins. */
export type RolloutPlan = {
  steps: { weight: number; minConversations: number }[];
  maxDurationSec: number;
  checks: { metric: RolloutMetric; worseBy: number }[];
  onFail: 'Abort' | 'Hold';
  /** Absent in rollouts that an earlier release began. Such rollouts behave as if `Keep` were set. */
  onAbort?: 'Keep' | 'Escalate';
  confirm?: ConfirmWebhook;
};

export function planOf({ onFail = 'Abort', maxDuration, ...rest }: RolloutSpec): RolloutPlan {
  return { ...rest, onFail, maxDurationSec: secondsIn(maxDuration ?? MAX_DURATION) };
}

const UNIT_SEC = { m: 60, h: 3_600, d: 86_400 };

function secondsIn(duration: string): number {
  const unit = duration.at(-1);
  const seconds = unit === 'm' || unit === 'h' || unit === 'd' ? UNIT_SEC[unit] : NaN;
  return Number(duration.slice(0, -1)) * seconds;
}

/**
 * Returns the CEL rules that require increasing weights: one for each pair of adjacent steps, because core CEL cannot
 * check whether a list is sorted.
 */
function risingWeights(): { rule: string; message: string }[] {
  return Array.from({ length: STEPS_MAX - 1 }, (_, i) => ({
    rule: `size(self) < ${i + 2} || self[${i}].weight < self[${i + 1}].weight`,
    message: 'the weights of the steps must increase',
  }));
}
