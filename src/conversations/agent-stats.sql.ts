import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** What became of an agent's conversations, counted (contract §4, stats). */

export type AgentStats = {
  conversations: number;
  active: number;
  ended: number;
  resolved: number;
  unresolved: number;
  escalated: number;
  abandoned: number;
  voicemail: number;
  failed: number;
  unknown: number;
  csatSum: number;
  csatCount: number;
  csatPredictedAverage: number | null;
  escalations: number;
  escalatedConversations: number;
  answered: number;
  gaps: number;
  turns: number;
  latencyCount: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
};

/** Turns are measured of so many conversations, the newest: each of the others costs a look-up. */
const MEASURED = 1_000;
/** An id is a little older than the start: a request may be repeated, and clocks differ. */
const ID_LEAD_MS = 3_600_000;

/**
 * One statement: a range of the index on agent and id, and the turns of at most MEASURED
 * conversations. What a conversation asked and how often it was handed over is in its tally, which
 * stays when its words are erased; erased ones have an index of their own.
 * @param span Unix seconds of the start; `from` inclusive, `to` exclusive
 */
export async function readAgentStats(
  db: Db,
  agent: { namespace: string; agentId: string; version: number | undefined },
  span: { from: number; to: number },
): Promise<AgentStats> {
  const { rows } = await db.query<AgentStats>(STATS, [
    agent.namespace,
    agent.agentId,
    lowestUuidAt(span.from * 1_000 - ID_LEAD_MS),
    lowestUuidAt(span.to * 1_000 + ID_LEAD_MS),
    span.from,
    span.to,
    agent.version ?? null,
  ]);
  return rows[0]!; // Aggregates have one row.
}

const OF_SPAN = `namespace = $1 and agent_id = $2 and id >= $3 and id < $4
       and started_at >= to_timestamp($5) and started_at < to_timestamp($6)
       and ($7::int is null or agent_version = $7)`;
const FIELDS = `outcome, ended_at, csat, csat_predicted, turn_count,
             (tally->'escalations'->>'requested')::int as escalations,
             (tally->>'answered')::int as answered, (tally->>'unanswered')::int as gaps`;
const OUTCOMES = [
  'resolved',
  'unresolved',
  'escalated',
  'abandoned',
  'voicemail',
  'failed',
  'unknown',
];

const STATS = `with counted as (
    select count(*) as conversations,
           count(*) filter (where ended_at is null) as active, count(ended_at) as ended,
           ${OUTCOMES.map((one) => `count(*) filter (where outcome = '${one}') as ${one}`).join(', ')},
           coalesce(sum(csat), 0) as "csatSum", count(csat) as "csatCount",
           avg(csat_predicted)::float8 as "csatPredictedAverage",
           coalesce(sum(escalations), 0) as escalations,
           count(*) filter (where escalations > 0) as "escalatedConversations",
           coalesce(sum(answered), 0) as answered, coalesce(sum(gaps), 0) as gaps,
           coalesce(sum(turn_count), 0) as turns
      from (select ${FIELDS} from conversations where ${OF_SPAN} and deleted_at is null
            union all
            select ${FIELDS} from conversations where ${OF_SPAN} and deleted_at is not null) c
  ), measured as (
    select count(*) as "latencyCount",
           percentile_cont(0.5) within group (order by ms) as "latencyP50Ms",
           percentile_cont(0.95) within group (order by ms) as "latencyP95Ms"
      from (select id from conversations where ${OF_SPAN} and deleted_at is null
             order by id desc limit ${MEASURED}) newest
     cross join lateral (
       select (t.latency->>'turn_ms')::float8 as ms from turns t
        where t.conversation_id = newest.id and t.latency ? 'turn_ms' offset 0) t
  )
  select * from counted cross join measured`;
