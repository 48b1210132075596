import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** Counts of conversations by outcome, and figures derived from the conversations (contract/agents.md#statistics). */

export type Counted = {
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
  csatPredictedError: number | null;
  csatCorrelation: number | null;
  escalations: number;
  escalatedConversations: number;
  answered: number;
  gaps: number;
  turns: number;
};

export type AgentStats = Counted & {
  latencyCount: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
};

/**
 * Maximum number of conversations whose reply times are measured; the newest ones are used. The limit bounds the cost,
 * because the turns of each conversation need a separate lookup.
 */
const MEASURED = 1_000;
/**
 * Margin in ms by which the scanned range of conversation ids is wider than the time span. The time in an id may differ
 * from the start of its conversation, because a request may be repeated and clocks differ.
 */
const ID_LEAD_MS = 3_600_000;

/**
 * Reads the statistics of an agent in one statement. It scans a range of the index on agent and id, the same range of
 * the separate index for erased conversations, and the turns of at most `MEASURED` conversations. Counts of questions
 * and escalations come from each conversation's `tally`, which survives erasure.
 */
export async function readAgentStats(
  db: Db,
  agent: { namespace: string; agentId: string; version: number | undefined },
  span: Span,
): Promise<AgentStats> {
  const { rows } = await db.query<AgentStats>(STATS, [
    agent.namespace,
    ...boundsOf(span),
    agent.agentId,
    agent.version ?? null,
  ]);
  return rows[0]!; // `rows[0]` exists: an aggregate query always returns one row.
}

/** Counts of the conversations that started with this version of an agent. */
export type VersionCounted = Counted & { agentId: string; version: number };

/**
 * Reads the statistics of a namespace in one statement, which scans a range of the namespace's index once. Returns the
 * total, and the counts of the `limit` versions of agents with the most conversations.
 */
export async function readStats(
  db: Db,
  { namespace, limit }: { namespace: string; limit: number },
  span: Span,
): Promise<{ total: Counted; versions: VersionCounted[] }> {
  const { rows } = await db.query<VersionCounted>(STATS_BY_VERSION, [
    namespace,
    ...boundsOf(span),
    limit,
  ]);
  const [total, ...versions] = rows;
  // `total` exists: the grouping set `()` always returns one row, and it comes first.
  return { total: total!, versions };
}

/** Range of start times in Unix seconds; `from` is inclusive, `to` exclusive. */
export type Span = { from: number; to: number };

function boundsOf({ from, to }: Span): (string | number)[] {
  const ids = [from * 1_000 - ID_LEAD_MS, to * 1_000 + ID_LEAD_MS].map(lowestUuidAt);
  return [...ids, from, to];
}

const IN_SPAN = `namespace = $1 and not test and id >= $2 and id < $3
       and started_at >= to_timestamp($4) and started_at < to_timestamp($5)`;
const OF_AGENT = `${IN_SPAN} and agent_id = $6 and ($7::int is null or agent_version = $7)`;
const FIELDS = `agent_id, agent_version, outcome, ended_at, csat, csat_predicted, turn_count,
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

/**
 * Returns SQL for a subquery that selects conversations by a condition. It is a union of two parts, so that PostgreSQL
 * can use an index for each: erased conversations have an index of their own.
 */
const conversationsWhere = (condition: string): string =>
  `(select ${FIELDS} from conversations where ${condition} and deleted_at is null
            union all
            select ${FIELDS} from conversations where ${condition} and deleted_at is not null) c`;

const COUNTS = `count(*) as conversations,
           count(*) filter (where ended_at is null) as active, count(ended_at) as ended,
           ${OUTCOMES.map((one) => `count(*) filter (where outcome = '${one}') as ${one}`).join(', ')},
           coalesce(sum(csat), 0) as "csatSum", count(csat) as "csatCount",
           avg(csat_predicted)::float8 as "csatPredictedAverage",
           avg(abs(csat - csat_predicted))::float8 as "csatPredictedError",
           corr(csat, csat_predicted) as "csatCorrelation",
           coalesce(sum(escalations), 0) as escalations,
           count(*) filter (where escalations > 0) as "escalatedConversations",
           coalesce(sum(answered), 0) as answered, coalesce(sum(gaps), 0) as gaps,
           coalesce(sum(turn_count), 0) as turns`;

const STATS = `with counted as (
    select ${COUNTS} from ${conversationsWhere(OF_AGENT)}
  ), measured as (
    select count(*) as "latencyCount",
           percentile_cont(0.5) within group (order by ms) as "latencyP50Ms",
           percentile_cont(0.95) within group (order by ms) as "latencyP95Ms"
      from (select id from conversations where ${OF_AGENT} and deleted_at is null
             order by id desc limit ${MEASURED}) newest
     cross join lateral (
       select (t.latency->>'turn_ms')::float8 as ms from turns t
        where t.conversation_id = newest.id and t.latency ? 'turn_ms' offset 0) t
  )
  select * from counted cross join measured`;

const STATS_BY_VERSION = `select agent_id as "agentId", agent_version as version, ${COUNTS}
    from ${conversationsWhere(IN_SPAN)}
   group by grouping sets ((), (agent_id, agent_version))
   order by grouping(agent_id) desc, conversations desc, agent_id, agent_version limit $6 + 1`;
