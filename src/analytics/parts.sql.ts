import { recalledIn } from '../agents/recalls/recalls.sql.ts';
import { lowestUuidAt } from '../ids.ts';
import {
  factsOfConversations,
  labelled,
  MEASURES,
  QUARTER_SEC,
  storedFacts,
  STORED,
  type LabelKind,
} from './measures.sql.ts';

/** Range of start times in Unix seconds; `from` is inclusive, `to` exclusive. */
export type Span = { from: number; to: number };

/** Conversations to count. Absent filters match everything. */
export type Counting = {
  namespace: string;
  kind: LabelKind;
  span: Span;
  nowSec: number;
  agentId?: string | undefined;
  version?: number | undefined;
  channel?: string | undefined;
  /** A topic or the id of a human agent, depending on `kind`. */
  label?: string | undefined;
  /** Whether to return costs. They are separate rows with a `currency` and an `amount`. */
  hasCosts?: boolean;
};

/**
 * Margin in ms. A period may begin and end with a partial quarter of an hour. The conversations in these quarters are
 * read by a range of ids, because an id contains its creation time. The range is wider by this margin, because that
 * time and the start time of a conversation come from different clocks.
 */
const ID_LEAD_MS = 600_000;

/**
 * Returns the common table expression `parts` and its query parameters. The sum of all parts is the total for the
 * selected conversations. Parts are counters, facts that are not yet added to the counters, and conversations in
 * progress. If the period does not start or end on a quarter of an hour, the ended conversations in these partial
 * quarters are parts, too. One statement reads all parts, so that nothing is counted twice or missed while facts are
 * added to the counters.
 *
 * Excludes the conversations that started on a recalled version (contract/recalls.md#statistics), unless `version`
 * names that version.
 */
export function partsOf(counting: Counting): { sql: string; values: unknown[] } {
  const { namespace, kind, span, agentId, version, channel, label, hasCosts } = counting;
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const of = `namespace = ${value(namespace)}`;
  const filters = [
    agentId === undefined ? '' : ` and agent_id = ${value(agentId)}::uuid`,
    version === undefined ? '' : ` and agent_version = ${value(version)}::int`,
    channel === undefined ? '' : ` and channel = ${value(channel)}::text`,
  ].join('');
  const labels = label === undefined ? '' : ` and label = ${value(label)}::text`;
  const at = (sec: number): string => `to_timestamp(${value(sec)}::float8)`;
  const { quarters, edges } = cut(span, counting.nowSec);
  const inQuarters = `${of}${filters} and quarter >= ${at(quarters.from)} and quarter < ${at(quarters.to)}`;
  const counters = `${inQuarters} and kind = '${kind}'${labels}`;
  const inSpan = `c.${of}${filters} and not c.test
       and c.started_at >= ${at(span.from)} and c.started_at < ${at(span.to)}`;
  const atEdge = (edge: Span): string => {
    const ids = [edge.from * 1_000 - ID_LEAD_MS, edge.to * 1_000 + ID_LEAD_MS].map(lowestUuidAt);
    return `c.${of}${filters} and not c.test and c.ended_at is not null
       and c.id >= ${value(ids[0])}::uuid and c.id < ${value(ids[1])}::uuid
       and c.started_at >= ${at(edge.from)} and c.started_at < ${at(edge.to)}`;
  };
  const facts = [
    storedFacts(inQuarters),
    // The index on `status` finds the conversations in progress, however many have ended.
    factsOfConversations(
      `${inSpan} and c.status in ('active', 'escalated') and c.deleted_at is null`,
    ),
    // Erased conversations are in a separate index, so a second query reads them.
    ...edges
      .map(atEdge)
      .flatMap((where) => [
        factsOfConversations(`${where} and c.deleted_at is null`),
        factsOfConversations(`${where} and c.deleted_at is not null`),
      ]),
  ];
  const sql = `facts as materialized (${facts.join(' union all ')}),
    labelled as materialized (select * from (${labelled(kind)}) l where true${labels}),
    every_part as (${[...measured(counters), ...(hasCosts ? priced(counters) : [])].join(' union all ')}),
    ${version === undefined ? `${recalledIn('$1')}, parts as (${WITHOUT_RECALLED})` : 'parts as (select * from every_part)'}`;
  return { sql, values };
}

const KEY = 'quarter, agent_id, agent_version, channel, label';

/**
 * Leaves out the rows of recalled versions from `since` on, the time from which a recall affects conversations. Both
 * `quarter` and `since` are starts of a quarter of an hour, so they can be compared directly.
 */
const WITHOUT_RECALLED = `select p.* from every_part p
   left join recalled r on r.agent_id = p.agent_id and r.version = p.agent_version and p.quarter >= r.since
  where r.agent_id is null`;

function measured(counters: string): string[] {
  const columns = ['0 as active', ...STORED.map(({ column }) => column)].join(', ');
  const expressions = MEASURES.map(({ expression, column }) => `${expression} as ${column}`);
  const noCost = 'null::text as currency, 0::numeric as amount';
  return [
    `select ${KEY}, ${columns}, ${noCost} from analytics_counts where ${counters}`,
    `select ${KEY}, ${expressions.join(', ')}, ${noCost} from labelled`,
  ];
}

function priced(counters: string): string[] {
  const none = MEASURES.map(() => '0').join(', ');
  return [
    `select ${KEY}, ${none}, currency, amount from analytics_costs where ${counters}`,
    `select ${KEY}, ${none}, cost.key, weight * cost.value::numeric
       from labelled cross join lateral jsonb_each_text(costs) cost`,
  ];
}

/**
 * Splits a span into whole quarters of an hour, which the counters cover, and the edges before and after them. A
 * quarter that has not ended yet counts as whole, because no conversation starts in the future.
 */
function cut({ from, to }: Span, nowSec: number): { quarters: Span; edges: Span[] } {
  const first = Math.ceil(from / QUARTER_SEC) * QUARTER_SEC;
  const last =
    (to > nowSec ? Math.ceil(to / QUARTER_SEC) : Math.floor(to / QUARTER_SEC)) * QUARTER_SEC;
  if (first >= last) return { quarters: { from: first, to: first }, edges: [{ from, to }] };
  const edges = [
    { from, to: first },
    { from: last, to },
  ];
  return {
    quarters: { from: first, to: last },
    edges: edges.filter((edge) => edge.from < edge.to),
  };
}
