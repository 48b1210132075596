import { isRecalled } from '../agents/recalls/recalls.sql.ts';
import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { NOTHING, SUMS, type Measured } from './measures.sql.ts';
import { partsOf, type Span } from './parts.sql.ts';

export type AgentStats = Measured & {
  latencyCount: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
};

/**
 * Maximum number of conversations whose reply times are measured; the newest ones are used. The limit bounds the cost,
 * because the turns of each conversation need a separate lookup.
 */
const MEASURED_MAX = 1_000;
/**
 * Margin in ms. The query selects conversations by a range of ids, because an id contains its creation time. The range
 * is wider than the time span by this margin, because that time and the start time of a conversation come from
 * different clocks.
 */
const ID_LEAD_MS = 3_600_000;

/**
 * Reads the statistics of an agent. The counts come from the stored counters and facts (parts.sql.ts), and the reply
 * times from the turns of at most `MEASURED_MAX` conversations.
 */
export async function readAgentStats(
  db: Db,
  agent: { namespace: string; agentId: string; version: number | undefined },
  at: { span: Span; nowSec: number },
): Promise<AgentStats> {
  const { sql, values } = partsOf({ ...agent, ...at, kind: 'all' });
  const { rows } = await db.query<Measured>(`with ${sql} select ${SUMS} from parts`, values);
  const ids = [at.span.from * 1_000 - ID_LEAD_MS, at.span.to * 1_000 + ID_LEAD_MS];
  const latency = await db.query<Omit<AgentStats, keyof Measured>>(LATENCY, [
    agent.namespace,
    ...ids.map(lowestUuidAt),
    at.span.from,
    at.span.to,
    agent.agentId,
    agent.version ?? null,
  ]);
  // Both rows exist, because an aggregate query always returns one row. If there is nothing to add up, the sums are
  // null.
  return { ...measuredOf(rows[0]!), ...latency.rows[0]! };
}

/** Statistics about the conversations that started on this version of an agent. */
export type VersionMeasured = Measured & { agentId: string; version: number };

/**
 * Reads the statistics of a namespace in one statement. Returns the total, and the statistics of the `limit` agent
 * versions with the most conversations.
 */
export async function readStats(
  db: Db,
  { namespace, limit }: { namespace: string; limit: number },
  at: { span: Span; nowSec: number },
): Promise<{ total: Measured; versions: VersionMeasured[] }> {
  const { sql, values } = partsOf({ namespace, ...at, kind: 'all' });
  const { rows } = await db.query<VersionMeasured>(
    `with ${sql}
     select agent_id as "agentId", agent_version as version, ${SUMS} from parts
      group by grouping sets ((), (agent_id, agent_version))
      order by grouping(agent_id) desc, sum(active + ended) desc, agent_id, agent_version
      limit $${values.push(limit)} + 1`,
    values,
  );
  const [total, ...versions] = rows;
  // `total` exists: the grouping set `()` always returns one row, and it comes first.
  return { total: measuredOf(total!), versions };
}

/** Replaces null sums with zeros. The sum of zero rows is null. */
function measuredOf(row: Measured): Measured {
  return row.ended === null ? { ...row, ...NOTHING } : row;
}

const LATENCY = `select count(*) as "latencyCount",
        percentile_cont(0.5) within group (order by ms) as "latencyP50Ms",
        percentile_cont(0.95) within group (order by ms) as "latencyP95Ms"
   from (select id from conversations
          where namespace = $1 and not test and id >= $2 and id < $3
            and started_at >= to_timestamp($4) and started_at < to_timestamp($5)
            and agent_id = $6 and ($7::int is null or agent_version = $7) and deleted_at is null
            and ($7::int is not null or not ${isRecalled('conversations.agent_id', 'agent_version', 'started_at')})
          order by id desc limit ${MEASURED_MAX}) newest
  cross join lateral (
    select (t.latency->>'turn_ms')::float8 as ms from turns t
     where t.conversation_id = newest.id and t.latency ? 'turn_ms' offset 0) t`;
