import type { RolloutMetric } from '../agents/agent-rollout.ts';
import type { Db } from '../platform/postgres/pool.ts';

/**
 * This module computes statistics about the conversations that take part in a rollout, by step and arm
 * (contract/rollouts.md#checks). The statistics include erased conversations, and conversations that another agent or a
 * human agent took over.
 */

/** Metrics that are sums over conversations: all except percentiles. */
type SumMetric = Exclude<RolloutMetric, 'turn_latency_p95_ms'>;

/**
 * Sums over the conversations of one arm in one step: Σx, Σq, Σx², Σxq and Σq². For each conversation, `x` is its value
 * in the metric and `q` is its weight (see `VALUES`). `count` is the number of conversations with a positive weight.
 */
export type FigureSums = {
  count: number;
  x: number;
  q: number;
  xx: number;
  xq: number;
  qq: number;
};

export type StepFigures = {
  step: number;
  isNew: boolean;
  /** Number of conversations that have ended. */
  ended: number;
} & Record<SumMetric, FigureSums>;

/**
 * SQL for the value `x` and the weight `q` of one conversation in each metric. A weight of 0 or null means that the
 * conversation does not count for the metric.
 */
const VALUES: Record<SumMetric, { x: string; q: string }> = {
  escalation_rate: { x: `((c.tally->'escalations'->>'requested')::int > 0)::int`, q: '1' },
  resolution_rate: { x: `(c.outcome = 'resolved')::int`, q: '1' },
  gap_rate: { x: `c_unanswered`, q: `c_answered + c_unanswered` },
  unanswered_rate: { x: `(c_unanswered > 0)::int`, q: '1' },
  tool_failure_rate: { x: '(c_failed > 0)::int', q: '(c_failed is not null)::int' },
  csat_average: { x: 'coalesce(c.csat, 0)', q: '(c.csat is not null)::int' },
};

const SUMS = Object.entries(VALUES).map(([metric, { x: value, q: weight }]) => {
  const [x, q] = [`(${value})::float8`, `(${weight})::float8`];
  return `jsonb_build_object(
           'count', count(*) filter (where ${q} > 0), 'x', coalesce(sum(${x}), 0),
           'q', coalesce(sum(${q}), 0), 'xx', coalesce(sum(${x} * ${x}), 0),
           'xq', coalesce(sum(${x} * ${q}), 0), 'qq', coalesce(sum(${q} * ${q}), 0)) as ${metric}`;
});

const FIGURES = `select p.step, p.is_new as "isNew", count(*)::int as ended, ${SUMS.join(', ')}
    from rollout_conversations p
    join conversations c on c.id = p.conversation_id
   cross join lateral (
     select coalesce((c.tally->>'answered')::int, 0) as c_answered,
            coalesce((c.tally->>'unanswered')::int, 0) as c_unanswered,
            (select sum((t->>'failed')::int) from jsonb_array_elements(c.tally->'tools') t) as c_failed
   ) v
   where p.rollout_id = $1 and c.ended_at is not null
   group by p.step, p.is_new`;

/**
 * Returns the statistics about the ended conversations of a rollout. Omits steps and arms without ended conversations.
 */
export async function readRolloutFigures(db: Db, rolloutId: string): Promise<StepFigures[]> {
  const { rows } = await db.query<StepFigures>({
    name: 'read_rollout_figures',
    text: FIGURES,
    values: [rolloutId],
  });
  return rows;
}

/**
 * Maximum number of conversations per arm whose latencies are compared. They are the conversations that ended first.
 * The sample of one evaluation therefore contains the samples of all earlier evaluations.
 */
const TIMED_MAX = 2_000;

/**
 * Returns the latencies of the agent's turns in ms, as one list for each conversation that has ended in the given step.
 */
export async function readRolloutTimes(
  db: Db,
  { rolloutId, step }: { rolloutId: string; step: number },
): Promise<{ isNew: boolean; times: number[] }[]> {
  const { rows } = await db.query<{ isNew: boolean; times: number[] }>({
    name: 'read_rollout_times',
    text: `select n.is_new as "isNew", t.times
             from (select p.is_new, c.id,
                          row_number() over (partition by p.is_new order by c.ended_at, c.id) as position
                     from rollout_conversations p join conversations c on c.id = p.conversation_id
                    where p.rollout_id = $1 and p.step = $2 and c.ended_at is not null) n
            cross join lateral (
              select array_agg((t.latency->>'turn_ms')::float8) as times from turns t
               where t.conversation_id = n.id and t.latency ? 'turn_ms') t
            where n.position <= ${TIMED_MAX} and t.times is not null`,
    values: [rolloutId, step],
  });
  return rows;
}

/**
 * Replaces the hash of the user with random bytes when a conversation is erased, because a hash of a known user id can
 * be recognized. The conversation still counts.
 */
export async function eraseParticipant(db: Db, conversationId: string): Promise<void> {
  await db.query(
    'update rollout_conversations set unit = uuid_send(gen_random_uuid()) where conversation_id = $1',
    [conversationId],
  );
}

/** Deletes the participation records of finished rollouts. */
export async function deleteRolloutConversations(
  db: Db,
  rolloutIds: readonly string[],
): Promise<void> {
  await db.query('delete from rollout_conversations where rollout_id = any($1::uuid[])', [
    rolloutIds,
  ]);
}
